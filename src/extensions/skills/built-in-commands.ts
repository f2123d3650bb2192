import type {CommandsPort, PromptCommand} from '../../actions/commands-port.ts';
import {initInstructions} from '../../actions/init-project.ts';
import {failed, ok} from '../../base/outcome.ts';
import {rejected} from '../../domain/fault.ts';
import {commandBlock} from '../../domain/slash-command.ts';

const init: PromptCommand = {
  name: 'init',
  description: 'explore this project and propose an AGENTS.md',
  argumentHint: '[what to focus on]',
  kind: 'command',
  source: {kind: 'weft'},
};

const list: readonly PromptCommand[] = [init];

/** The built-in commands that become prompts. A command of the user or the project with the same name replaces one. */
export const builtInPromptCommands: CommandsPort = {
  ready: async () => {},
  list: () => list,
  whyWithheld: () => '',
  async expand({name, argument}) {
    if (name !== init.name) return failed(rejected(`Unknown command /${name}.`));
    const wish = argument === '' ? '' : `\n- The user also asks: ${argument}`;
    return ok({
      parts: [{kind: 'text', text: initInstructions + wish}],
      mentions: 'none',
      model: undefined,
      allowedTools: [],
      block: text => commandBlock({name, text}),
    });
  },
};
