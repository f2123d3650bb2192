import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {agentsFlag, jsonFlag, pluginFlag} from '../flags.ts';

/** `weft skills`. */
export function addSkills(program: Command): void {
  const skills = program
    .command('skills')
    .description('List skills, where each comes from, and why one is not offered');
  addListAndShow(skills, 'skills');
}

/** `weft agents`. */
export function addAgents(program: Command): void {
  const agents = program
    .command('agents')
    .description('List the kinds of agents and where each comes from, and the harnesses that are installed');
  addListAndShow(agents, 'agents');
  agents
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
