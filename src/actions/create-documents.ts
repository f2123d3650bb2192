import * as z from 'zod/mini';
import {ok} from '../base/outcome.ts';
import {documentName, type SessionDocument} from '../domain/document.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';
import type {DocumentDraft} from './documents-port.ts';
import {nothingToShow} from './preview.ts';

export interface CreateDocumentsInput {
  readonly drafts: readonly DocumentDraft[];
}

export interface CreateDocumentsOutput {
  readonly documents: readonly SessionDocument[];
}

export interface CreateDocumentsPartial {
  readonly titles: readonly string[];
}

export const createDocuments = defineAction<CreateDocumentsInput, CreateDocumentsOutput, CreateDocumentsPartial>({
  summary: 'Keep plans and notes with the session.',
  risk: 'read-only',
  scheduling: 'barrier',
  offered: 'when-found',
  access: () => ({kind: 'none'}),
  ruleKind: 'whole-tool',
  asks: [],
  tools: [
    toolForm({
      name: 'CreateDocuments',
      description:
        'Keep documents (plans, notes) with this session, outside of the workspace; the user reads and edits them, too.',
      otherNames: {text: 'content'},
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
  partialText: () => '',
  outcome: ({documents}) => [documents.map(({id}) => id).join(', ')],
  reported: 'as-action',
  preview: async () => ok(nothingToShow),
  async run({drafts}, {ports, signal}) {
    const partial = {titles: drafts.map(({title}) => title)};
    if (signal.aborted) return {state: 'cancelled', why: {reason: 'interrupted', message: ''}, partial};
    const created = ports.documents.create(drafts);
    return created.tag === 'ok'
      ? {state: 'success', output: {documents: created.value}}
      : {state: 'error', fault: created.error};
  },
});
