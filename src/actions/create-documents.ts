import * as z from 'zod/mini';
import {ok} from '../base/outcome.ts';
import {documentName, type SessionDocument} from '../domain/document.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import type {DocumentDraft} from './documents-port.ts';

export const createDocuments = defineAction<
  {readonly drafts: readonly DocumentDraft[]},
  {readonly documents: readonly SessionDocument[]},
  {readonly titles: readonly string[]}
>({
  summary: 'Keep plans and notes with the session.',
  ...needsNoPermission,
  offered: 'when-found',
  tools: [
    toolForm({
      name: 'CreateDocuments',
      description:
        'Keep documents (plans, notes) with this session, outside the workspace. The user can read and edit them.',
      aliases: {text: 'content'},
      schema: () =>
        z.object({
          documents: z
            .array(
              z.object({
                title: z.string().check(z.minLength(1), z.maxLength(120)),
                content: z.string().check(z.describe('Markdown')),
              }),
            )
            .check(z.minLength(1), z.maxLength(20)),
        }),
      toInput: raw => ({
        drafts: raw.documents.map(({title, content}): DocumentDraft => ({
          title: title.replaceAll(/\s+/gu, ' ').trim(),
          text: content,
        })),
      }),
    }),
  ],
  label: ({drafts}) => `Create document ${drafts.map(({title}) => title).join(', ')}`,
  cancelled: ({drafts}) => ({titles: drafts.map(({title}) => title)}),
  modelContent: ({documents}) => textContent(`Created ${documents.map(documentName).join(', ')}.`),
  outcome: ({documents}) => [documents.map(({id}) => id).join(', ')],
  past: 'as-it-is',
  async run({drafts}, {ports, signal}) {
    const partial = {titles: drafts.map(({title}) => title)};
    if (signal.aborted) return interrupted(partial);
    const created = ports.documents.create(drafts);
    return settledBy(created.tag === 'ok' ? ok({documents: created.value}) : created);
  },
});
