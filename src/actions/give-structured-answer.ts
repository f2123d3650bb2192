import * as z from 'zod/mini';
import type {Json} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {settledBy} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';

export interface StructuredAnswerInput {
  readonly answer: Json;
}

/** Offered only where a schema was asked for; the schema is then the tool's own. */
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
        'Give your final answer with this tool, as JSON that fits its schema. Call it exactly once, when all work is done: it ends the task.',
      // What fits is the caller's to say, and whatever does not is told by its check.
      schema: () => z.json(),
      toInput: (answer): StructuredAnswerInput => ({answer}),
    }),
  ],
  label: () => 'Give the answer as JSON',
  cancelled: () => ({reached: 'not-given'}),
  modelContent: () => textContent('The answer fits the schema and is given.'),
  reported: 'by-own-events',
  async run({answer}, {ports}) {
    const given = ports.answer.give(answer);
    return settledBy(given.tag === 'ok' ? ok({answer: given.value}) : given);
  },
});
