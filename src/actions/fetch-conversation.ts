import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import type {FetchedConversation} from './conversations-port.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import {frameUntrusted} from './web-port.ts';

/** Reads another session of this folder, a part at a time. Its content is untrusted: it may quote files and web pages. */
export const fetchConversation = defineAction<
  {readonly id: string; readonly before: number | 'end'},
  FetchedConversation,
  {readonly id: string}
>({
  summary: 'Read an earlier conversation of this folder.',
  ...needsNoPermission,
  scheduling: 'parallel',
  offered: 'when-found',
  tools: [
    toolForm({
      name: 'FetchConversation',
      description:
        'Read an earlier conversation (session) of this folder, latest messages first. An unknown id lists the sessions.',
      aliases: {session_id: 'conversation_id'},
      schema: () =>
        z.object({
          conversation_id: z.string().check(z.minLength(1), z.maxLength(100)),
          before: z.optional(z.int().check(z.minimum(1), z.describe('Read messages before this number'))),
        }),
      toInput: raw => ({id: raw.conversation_id.trim(), before: raw.before ?? 'end'}),
    }),
  ],
  label: ({id}) => `Read conversation ${id}`,
  cancelled: ({id}) => ({id}),
  modelContent: conversation => textContent(conversationText(conversation)),
  outcome: ({title, messages, total}) => [title, `${messages.length} of ${pluralize(total, 'message')}`],
  async run({id, before}, {ports, signal}) {
    const fetched = await ports.conversations.fetch({id, before}, signal);
    if (signal.aborted) return interrupted({id});
    return settledBy(fetched);
  },
});

function conversationText({id, title, updatedAt, messages, first, total, boundary}: FetchedConversation): string {
  const last = first + messages.length - 1;
  const which = messages.length === 0 ? 'no messages' : `messages ${first} to ${last} of ${total}`;
  const rows = messages.map(({by, text}, at) => `[${first + at}] ${by}: ${text}`);
  return [
    `Conversation ${id} (${JSON.stringify(title)}, last used ${new Date(updatedAt).toISOString().slice(0, 16)}Z): ${which}`,
    frameUntrusted(rows.join('\n\n'), boundary, 'an earlier conversation'),
    ...(first > 1 ? [`[for earlier messages, call FetchConversation with before: ${first}]`] : []),
  ].join('\n');
}
