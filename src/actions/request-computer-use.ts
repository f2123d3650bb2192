import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface ComputerUseRequestInput {
  readonly taskSummary: string;
}

export interface ComputerUseRequestOutput {
  readonly answer: 'granted' | 'refused';
}

export interface ComputerUseRequestCut {
  readonly taskSummary: string;
}

export const requestComputerUse = defineAction<
  ComputerUseRequestInput,
  ComputerUseRequestOutput,
  ComputerUseRequestCut
>({
  summary: 'Ask for permission to use the computer.',
  risk: 'unknown',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'RequestComputerUse',
      description: 'Ask the user for permission to use the computer.',
      schema: () => z.object({task_summary: z.string()}),
      toInput: raw => ({taskSummary: raw.task_summary}),
    }),
  ],
  label: input => `Use the computer for: ${input.taskSummary}`,
  cancelled: input => ({taskSummary: input.taskSummary}),
  tell: output => text(output.answer),
  tellCut: () => '',
  build: {state: 'declared'},
});
