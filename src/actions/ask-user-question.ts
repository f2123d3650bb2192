import * as z from 'zod/mini';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm, unansweredResult} from './define-action.ts';
import type {Question, QuestionAnswer} from './ports.ts';

export const askUserQuestion = defineAction<
  {readonly questions: readonly Question[]},
  {readonly questions: readonly Question[]; readonly answers: readonly QuestionAnswer[]},
  {readonly questions: readonly string[]}
>({
  summary: 'Ask the user to choose.',
  ...needsNoPermission,
  offered: 'always',
  tools: [
    toolForm({
      name: 'AskUserQuestion',
      description: 'Ask the user up to four questions with options, when a choice is really theirs.',
      aliases: {multiple: 'multiSelect', is_multiselect: 'multiSelect', allow_multiple: 'multiSelect'},
      ignoredFields: {
        id: 'any',
        question_id: 'any',
        value: 'any',
        preview: 'any',
        metadata: 'any',
        custom: [true],
        supports_other: [true],
      },
      schema: () =>
        z.object({
          questions: z
            .array(
              z.object({
                question: z.string().check(z.minLength(1)),
                header: z.optional(z.string().check(z.describe('One or two words'))),
                options: z
                  .array(
                    z.object({
                      label: z.string().check(z.minLength(1)),
                      description: z.optional(z.string()),
                      recommended: z.optional(z.boolean()),
                    }),
                  )
                  .check(z.minLength(1), z.maxLength(8)),
                multiSelect: z.optional(z.boolean()),
              }),
            )
            .check(z.minLength(1), z.maxLength(4)),
        }),
      toInput: raw => ({
        questions: raw.questions.map(({question, header, options, multiSelect}): Question => ({
          question,
          header: header ?? '',
          choice: multiSelect === true ? 'many' : 'one',
          options: options.map(({label, description, recommended}) => ({
            label,
            description: description ?? '',
            recommended: recommended === true ? 'recommended' : 'plain',
          })),
        })),
      }),
    }),
  ],
  label: ({questions}) =>
    `Ask${questions.length > 1 ? ` ${questions.length} questions` : ''}: ${questions[0]?.question ?? ''}`,
  cancelled: input => ({questions: input.questions.map(({question}) => question)}),
  modelContent: output =>
    textContent(output.questions.map((question, at) => answerText(question, output.answers[at])).join('\n')),
  reported: 'by-own-events',
  past: 'as-it-is',
  async run(input, {ports, signal}) {
    const partial = {questions: input.questions.map(({question}) => question)};
    const reply = await ports.questions.ask(input.questions, signal);
    if (signal.aborted) return interrupted(partial);
    return reply.kind === 'answered'
      ? {state: 'success', output: {questions: input.questions, answers: reply.answers}}
      : unansweredResult(reply, partial, {
          dismissed: 'The user chose not to answer.',
          unattended: 'No user is here to answer. Decide yourself and state your assumption in your answer.',
        });
  },
});

function answerText(question: Question, answer: QuestionAnswer | undefined): string {
  const parts = [...(answer?.selected ?? []), ...(answer === undefined || answer.other === '' ? [] : [answer.other])];
  return `${question.question}\n→ ${parts.length === 0 ? '(no answer)' : parts.join('; ')}`;
}
