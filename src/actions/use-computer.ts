import * as z from 'zod/mini';
import type {Json} from '../base/json.ts';
import {defineAction, text, toolForm} from './define-action.ts';

export interface ComputerUseInput {
  readonly actionSummary: string;
  readonly actions: readonly Json[];
}

export interface ComputerUseOutput {
  readonly report: string;
}

export interface ComputerUseCut {
  readonly actionSummary: string;
}

export const useComputer = defineAction<ComputerUseInput, ComputerUseOutput, ComputerUseCut>({
  summary: 'Act on the screen, mouse and keyboard.',
  risk: 'unknown',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'UseComputer',
      description: 'Act on the screen, mouse and keyboard.',
      schema: () => z.object({action_summary: z.string(), actions: z.array(z.json())}),
      toInput: raw => ({actionSummary: raw.action_summary, actions: raw.actions}),
    }),
  ],
  label: input => `Use computer: ${input.actionSummary}`,
  cancelled: input => ({actionSummary: input.actionSummary}),
  tell: output => text(output.report),
  tellCut: () => '',
  build: {state: 'declared'},
});
