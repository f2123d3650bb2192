import {builtInKinds} from '../agent/sub-agents/agent-kind.ts';
import type {CommandsPort} from '../actions/commands-port.ts';
import type {JsonObject} from '../base/json.ts';
import type {RpcExtras} from '../protocol/rpc/encode-events.ts';
import type {RunContext} from './run-context.ts';

/** What a program is told of commands, skills, kinds of agents and plugins. */
export interface OfferedExtensions {
  /** Their names, for every `system/init`, with the prompts of MCP servers as far as they are known by then. */
  readonly init: RpcExtras['extensions'];
  /** With what each is for, for the answer to `initialize`. */
  readonly commands: readonly JsonObject[];
  readonly agents: readonly JsonObject[];
}

/** Reads the files of all that is offered; where there are none, nothing is loaded. No server is asked. */
export async function offeredExtensions(
  context: RunContext,
  serverPrompts: Pick<CommandsPort, 'list'>,
): Promise<OfferedExtensions> {
  const signal = new AbortController().signal;
  const extensions = context.extensions();
  const [found] = await Promise.all([extensions.found(signal), extensions.commands.ready(signal)]);
  const commands = extensions.commands.list();
  const skills = found.skills.filter(({offer}) => offer.offered === 'yes');
  const agents = found.agents.filter(({offer}) => offer.offered === 'yes');
  // A file may stand in the place of a kind that is built in.
  const kinds = [...builtInKinds.filter(({name}) => !agents.some(agent => agent.name === name)), ...agents];
  return {
    init: () => ({
      slash_commands: [...commands, ...serverPrompts.list()].map(({name}) => name),
      skills: skills.map(({name}) => name),
      agents: kinds.map(({name}) => name),
      plugins: context.plugins.map(({name, folder, version}) => ({
        name,
        path: folder,
        ...(version === '' ? {} : {version}),
      })),
      ...(context.pluginErrors.length === 0 ? {} : {plugin_errors: context.pluginErrors}),
    }),
    commands: [...commands, ...serverPrompts.list()].map(({name, description, argumentHint}) => ({
      name,
      description,
      argumentHint,
    })),
    agents: kinds.map(({name, description, model}) => ({name, description, ...(model === '' ? {} : {model})})),
  };
}
