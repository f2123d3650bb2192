import type {Command} from 'commander';
import {exiting} from '../exit-code.ts';
import {jsonFlag} from '../flags.ts';

/** `weft skills`. */
export function addSkills(program: Command): void {
  const skills = program.command('skills').description('Skills: where each comes from, and why one is not offered');
  addListAndShow(skills, 'skills');
}

/** `weft agents`. */
export function addAgents(program: Command): void {
  const agents = program
    .command('agents')
    .description('Kinds of agents and where each comes from; harnesses that are installed');
  addListAndShow(agents, 'agents');
}

function addListAndShow(command: Command, kind: 'skills' | 'agents'): void {
  const folder = ['-C, --cwd <dir>', 'Look in this folder'] as const;
  command
    .command('list', {isDefault: true})
    .description(`List the ${kind}`)
    .option(...jsonFlag)
    .option(...folder)
    .action(exiting(async options => (await load()).listExtensions(kind, options)));
  command
    .command('show <name>')
    .description(`Show one of the ${kind} in full`)
    .option(...jsonFlag)
    .option(...folder)
    .action(exiting(async (name, options) => (await load()).showExtension(kind, name, options)));
}

const load = async () => import('./skills/run-skills.ts');
