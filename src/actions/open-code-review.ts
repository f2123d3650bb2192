import * as z from 'zod/mini';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm, unansweredResult} from './define-action.ts';
import {plainQuestion} from './ports.ts';

export interface OpenReviewInput {
  /** The range as written after `/review`. Empty for the working tree. */
  readonly range: string;
}

export interface OpenReviewOutput {
  readonly choice: 'opened' | 'not-now';
  /** The user's own answer. May be empty. */
  readonly other: string;
}

const yes = 'Open it';

/** Asks the user whether to look at the code review now, because it takes the whole screen. */
export const openCodeReview = defineAction<OpenReviewInput, OpenReviewOutput, OpenReviewInput>({
  summary: 'Show the code review to the user.',
  ...needsNoPermission,
  offered: 'opens-reviews',
  tools: [
    toolForm({
      name: 'OpenCodeReview',
      description: 'Ask the user to look at the changes with your review comments (InsertCodeReviewComments) now.',
      schema: () =>
        z.object({
          base_branch: z.optional(z.string().check(z.describe('What to compare with; default HEAD'))),
        }),
      toInput: raw => ({range: raw.base_branch ?? ''}),
    }),
  ],
  label: ({range}) => `Open the code review${range === '' ? '' : ` of the changes since ${range}`}`,
  cancelled: ({range}) => ({range}),
  modelContent: ({choice, other}) =>
    textContent(
      choice === 'opened'
        ? 'The user is looking at the review and will say what to do. End your turn.'
        : `The user does not want to look now. /review opens it later.${other === '' ? '' : ` The user says: ${other}`}`,
    ),
  outcome: ({choice}) => [choice === 'opened' ? 'opened' : 'not now'],
  async run({range}, {ports, signal}) {
    const question = `Open the code review${range === '' ? '' : ` of the changes since ${range}`}? It takes the whole screen.`;
    const asked = plainQuestion('Review', question, [
      [yes, ''],
      ['Not now', ''],
    ]);
    const reply = await ports.questions.ask([asked], signal);
    if (signal.aborted) return interrupted({range});
    if (reply.kind !== 'answered') {
      const unattended = 'No user is here to look. Report your findings in your answer.';
      return unansweredResult(reply, {range}, {dismissed: '', unattended});
    }
    const [answer] = reply.answers;
    if (answer?.selected.includes(yes) !== true)
      return {state: 'success', output: {choice: 'not-now', other: answer?.other ?? ''}};
    ports.review.show(range);
    return {state: 'success', output: {choice: 'opened', other: ''}};
  },
});
