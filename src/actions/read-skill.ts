import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface SkillReadInput {
  readonly name: string;
  readonly arguments: string;
}

export interface SkillReadOutput {
  readonly instructions: string;
}

export interface SkillReadCut {
  readonly name: string;
}

export const readSkill = defineAction<SkillReadInput, SkillReadOutput, SkillReadCut>({
  summary: 'Read a skill.',
  risk: 'read-only',
  scheduling: 'parallel',
  tools: [
    toolForm({
      name: 'Skill',
      description: 'Read a skill and follow it.',
      schema: () => z.object({name: z.string(), arguments: z.optional(z.string())}),
      toInput: raw => ({name: raw.name, arguments: raw.arguments ?? ''}),
    }),
  ],
  label: input => `Skill ${input.name}`,
  cancelled: input => ({name: input.name}),
  tell: output => text(output.instructions),
  tellCut: () => '',
  build: {state: 'declared'},
});
