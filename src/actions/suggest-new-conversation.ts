import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm, unansweredResult} from './define-action.ts';
import {plainQuestion, type Question} from './ports.ts';

export interface NewConversationInput {
  readonly summary: string;
  /** Why a new conversation is better. May be empty. */
  readonly reason: string;
}

/** `other` is the user's own answer. May be empty. */
export type NewConversationOutput =
  | {readonly choice: 'new'; readonly summary: string}
  | {readonly choice: 'stay'; readonly other: string};

const yes = 'New conversation';

/** Asks the user whether to continue in a new conversation, which begins with a summary of this one. */
export const suggestNewConversation = defineAction<
  NewConversationInput,
  NewConversationOutput,
  {readonly summary: string}
>({
  summary: 'Suggest continuing in a new conversation.',
  ...needsNoPermission,
  offered: 'opens-conversations',
  tools: [
    toolForm({
      name: 'SuggestNewConversation',
      description:
        'Ask the user whether to continue in a new conversation, when a new topic begins or this one is too long.',
      schema: () =>
        z.object({
          summary: z
            .string()
            .check(z.minLength(1), z.maxLength(8000), z.describe('All that the new conversation needs')),
          reason: z.optional(z.string().check(z.maxLength(300))),
        }),
      toInput: ({summary, reason}): NewConversationInput => ({summary: summary.trim(), reason: reason?.trim() ?? ''}),
    }),
  ],
  label: ({reason}) => `Suggest a new conversation${reason === '' ? '' : `: ${reason}`}`,
  cancelled: ({summary}) => ({summary}),
  modelContent: output =>
    textContent(
      output.choice === 'new'
        ? 'The user accepted. The new conversation opens with the summary when your turn ends. End your turn now.'
        : `The user chose to stay in this conversation.${output.other === '' ? '' : ` The user says: ${output.other}`}`,
    ),
  outcome: ({choice}) => [choice === 'new' ? 'accepted' : 'declined'],
  async run(input, {ports, signal}) {
    const partial = {summary: input.summary};
    const reply = await ports.questions.ask([questionOf(input)], signal);
    if (signal.aborted) return interrupted(partial);
    if (reply.kind !== 'answered') {
      const unattended = 'No user is here to answer. Continue in this conversation.';
      return unansweredResult(reply, partial, {dismissed: '', unattended});
    }
    const [answer] = reply.answers;
    if (answer?.selected.includes(yes) !== true)
      return {state: 'success', output: {choice: 'stay', other: answer?.other ?? ''}};
    ports.suggestions.continueInNew(input.summary);
    return {state: 'success', output: {choice: 'new', summary: input.summary}};
  },
});

const questionOf = ({summary, reason}: NewConversationInput): Question =>
  plainQuestion('Conversation', `Continue in a new conversation?${reason === '' ? '' : ` ${reason}`}`, [
    [yes, `It begins with: ${clip(summary.replaceAll(/\s+/gu, ' '), 600)}`],
    ['Stay here', ''],
  ]);
