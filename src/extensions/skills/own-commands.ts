import type {CommandsPort, PromptCommand} from '../../actions/commands-port.ts';
import {projectDirections} from '../../actions/init-project.ts';
import {failed, ok} from '../../base/outcome.ts';
import {rejected} from '../../domain/fault.ts';
import {commandBlock} from '../../domain/slash-command.ts';

const init: PromptCommand = {
  name: 'init',
  description: 'look this project over and propose its AGENTS.md',
  argumentHint: '[what to stress]',
  kind: 'command',
  source: {kind: 'weft'},
};

const list: readonly PromptCommand[] = [init];

/** The commands that come with weft and become prompts. A command of the user's or the project's own takes their place. */
export const ownCommands: CommandsPort = {
  ready: async () => {},
  list: () => list,
  async expand({name, argument}) {
    if (name !== init.name) return failed(rejected(`There is no command /${name}.`));
    const wish = argument === '' ? '' : `\n- The user asks besides: ${argument}`;
    return ok({
      parts: [{kind: 'text', text: projectDirections + wish}],
      mentions: 'none',
      model: undefined,
      allowedTools: [],
      block: text => commandBlock({name, text}),
    });
  },
};
