import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {agentsFlag, jsonFlag, pluginFlag} from '../flags.ts';

/** `weft skills` and `weft agents`. */
export function add(command: Command): void {
  if (command.name() === 'skills') {
    addListAndShow(command, 'skills');
    return;
  }
  addListAndShow(command, 'agents');
  command
    .command('stop <id>')
    .description('Stop a sub-agent at work, as weft ps lists it')
    .action(exiting(async (id: string) => (await import('./ps.ts')).stopAgent(id)));
}

function addListAndShow(command: Command, kind: 'skills' | 'agents'): void {
  const withFlags = (each: Command): Command => {
    each
      .option(...jsonFlag)
      .option('-C, --cwd <dir>', 'Look in this folder')
      .option(...pluginFlag);
    return kind === 'agents' ? each.option(...agentsFlag) : each;
  };
  withFlags(command.command('list', {isDefault: true}).description(`List the ${kind}`)).action(
    exiting(async options => (await load()).listExtensions(kind, options)),
  );
  withFlags(command.command('show <name>').description(`Show one of the ${kind} in full`)).action(
    exiting(async (name: string, options) => (await load()).showExtension(kind, name, options)),
  );
}

const load = async () => import('./skills/run-skills.ts');
