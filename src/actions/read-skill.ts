import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {skillBlock} from '../domain/slash-command.ts';
import {settledBy} from '../domain/settled.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {SkillReading} from './skills-port.ts';

/** Offered only if there are skills. The tool registry adds their names and descriptions. */
export const readSkill = defineAction<
  {readonly name: string; readonly argument: string},
  SkillReading,
  {readonly name: string}
>({
  summary: 'Read the instructions of a skill.',
  risk: 'read-only',
  offered: 'skills',
  access: ({name}) => ({kind: 'skill', name}),
  ruleKind: 'named',
  asks: [],
  tools: [
    toolForm({
      name: 'Skill',
      description: 'Instructions for special work. Read the one that fits before you begin:',
      aliases: {skill: 'name', skill_name: 'name', command: 'name', args: 'arguments'},
      schema: () => z.object({name: z.string(), arguments: z.optional(z.string())}),
      toInput: raw => ({name: raw.name, argument: raw.arguments ?? ''}),
    }),
  ],
  label: ({name}) => `Use the skill ${name}`,
  cancelled: ({name}) => ({name}),
  modelContent: ({skill, given}) =>
    given === 'already'
      ? textContent(`The instructions of ${skill.name} are above in this conversation. Follow them.`)
      : [skillBlock(skill)],
  outcome: ({skill, given}) => [
    given === 'already' ? 'read before' : pluralize(skill.instructions.split('\n').length, 'line'),
  ],
  async run({name, argument}, {ports, signal}) {
    const read = await ports.skills.read({name, argument}, signal);
    return settledBy(read);
  },
});
