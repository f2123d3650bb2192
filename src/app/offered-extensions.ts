import {builtInKinds} from '../agent/sub-agents/agent-kind.ts';
import type {CommandsPort} from '../actions/commands-port.ts';
import type {JsonObject} from '../base/json.ts';
import type {RpcExtras} from '../protocol/rpc/encode-events.ts';
import {offeredCommands} from '../domain/slash-command.ts';
import type {RunContext} from './run-context.ts';

/** The commands, skills, kinds of agents and plugins that weft reports to a program. */
export interface OfferedExtensions {
  /** Returns the names of the extensions for each `system/init`, including prompts of MCP servers that are known at that time. */
  readonly init: RpcExtras['extensions'];
  /** The commands with their descriptions, for the answer to `initialize`. */
  readonly commands: readonly JsonObject[];
  readonly agents: readonly JsonObject[];
}

/** Reads the files of all offered extensions. Loads nothing if there are none. Sends no request to a server. */
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
  // A file may replace a built-in kind.
  const kinds = [...builtInKinds.filter(({name}) => !agents.some(agent => agent.name === name)), ...agents];
  return {
    init: () => ({
      slash_commands: offeredCommands([...commands, ...serverPrompts.list()]).map(({name}) => name),
      skills: skills.map(({name}) => name),
      agents: kinds.map(({name}) => name),
      plugins: context.plugins.map(({name, folder, version}) => ({
        name,
        path: folder,
        ...(version === '' ? {} : {version}),
      })),
      ...(context.pluginErrors.length === 0 ? {} : {plugin_errors: context.pluginErrors}),
    }),
    commands: offeredCommands([...commands, ...serverPrompts.list()]).map(({name, description, argumentHint}) => ({
      name,
      description,
      argumentHint,
    })),
    agents: kinds.map(({name, description, model}) => ({name, description, ...(model === '' ? {} : {model})})),
  };
}
