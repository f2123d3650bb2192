import * as z from 'zod/mini';
import type {Json} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import {nothingToShow} from './preview.ts';

export interface StructuredAnswerInput {
  readonly answer: Json;
}

export interface StructuredAnswerOutput {
  readonly answer: Json;
}

export interface StructuredAnswerPartial {
  readonly reached: 'not-given';
}

/** Offered only where a schema was asked for; the schema is then the tool's own. */
export const giveStructuredAnswer = defineAction<
  StructuredAnswerInput,
  StructuredAnswerOutput,
  StructuredAnswerPartial
>({
  summary: 'Give the final answer as JSON that fits the schema of the caller.',
  risk: 'read-only',
  scheduling: 'barrier',
  offered: 'answer-schema',
  access: () => ({kind: 'none'}),
  ruleKind: 'whole-tool',
  asks: [],
  tools: [
    toolForm({
      name: 'StructuredOutput',
      description:
        'Give your final answer with this tool, as JSON that fits its schema. Call it exactly once, when all work is done: it ends the task.',
      // What fits is the caller's to say, and whatever does not is told by its check.
      schema: () => z.json(),
      toInput: (answer): StructuredAnswerInput => ({answer}),
    }),
  ],
  label: () => 'Give the answer as JSON',
  cancelled: () => ({reached: 'not-given'}),
  modelContent: () => textContent('The answer fits the schema and is given.'),
  partialText: () => '',
  outcome: () => [],
  reported: 'by-own-events',
  preview: async () => ok(nothingToShow),
  async run({answer}, {ports}) {
    const given = ports.answer.give(answer);
    return given.tag === 'ok'
      ? {state: 'success', output: {answer: given.value}}
      : {state: 'error', fault: given.error};
  },
});
