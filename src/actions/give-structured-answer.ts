import * as z from 'zod/mini';
import type {Json} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {settledBy} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';

export interface StructuredAnswerInput {
  readonly answer: Json;
}

/** Offered only if the caller gave a schema, which is then the schema of the tool. */
export const giveStructuredAnswer = defineAction<
  StructuredAnswerInput,
  {readonly answer: Json},
  {readonly reached: 'not-given'}
>({
  summary: 'Give the final answer as JSON that fits the schema of the caller.',
  ...needsNoPermission,
  offered: 'answer-schema',
  tools: [
    toolForm({
      name: 'StructuredOutput',
      description:
        'Give your final answer with this tool, as JSON that fits its schema. Call it exactly once, when all work is done. It ends the task.',
      // The caller's schema decides what fits, and its check reports what doesn't.
      schema: () => z.json(),
      toInput: (answer): StructuredAnswerInput => ({answer}),
    }),
  ],
  label: () => 'Give the answer as JSON',
  cancelled: () => ({reached: 'not-given'}),
  modelContent: () => textContent('The answer fits the schema.'),
  reported: 'by-own-events',
  async run({answer}, {ports}) {
    const given = ports.answer.give(answer);
    return settledBy(given.tag === 'ok' ? ok({answer: given.value}) : given);
  },
});
