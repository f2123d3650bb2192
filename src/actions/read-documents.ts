import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {documentName, documentText, findDocument, noDocumentText, type SessionDocument} from '../domain/document.ts';
import {rejected} from '../domain/fault.ts';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';

export interface ReadDocumentsInput {
  /** If empty, all documents are listed and none is read. */
  readonly ids: readonly string[];
}

export const readDocuments = defineAction<
  ReadDocumentsInput,
  {readonly documents: readonly SessionDocument[]; readonly shown: 'texts' | 'list'},
  {readonly ids: readonly string[]}
>({
  summary: 'Read plans and notes that are kept with the session.',
  ...needsNoPermission,
  scheduling: 'parallel',
  offered: 'when-found',
  tools: [
    toolForm({
      name: 'ReadDocuments',
      description: 'Read documents (plans, notes) kept with this session; without ids, list them.',
      aliases: {ids: 'document_ids'},
      schema: () => z.object({document_ids: z.array(z.string()).check(z.maxLength(20))}),
      toInput: raw => ({ids: raw.document_ids}),
    }),
  ],
  label: ({ids}) => (ids.length === 0 ? 'List documents' : `Read document ${ids.join(', ')}`),
  cancelled: ({ids}) => ({ids}),
  modelContent: ({documents, shown}) => {
    if (documents.length === 0) return textContent('This session has no documents yet.');
    const rows = documents.map(document =>
      shown === 'list' ? documentName(document) : `${documentName(document)}\n${documentText(document)}`,
    );
    return textContent(rows.join(shown === 'list' ? '\n' : '\n\n'));
  },
  outcome: ({documents}) => [pluralize(documents.length, 'document')],
  past: 'as-it-is',
  async run({ids}, {ports, signal}) {
    if (signal.aborted) return interrupted({ids});
    const all = ports.documents.list();
    if (ids.length === 0) return {state: 'success', output: {documents: all, shown: 'list'}};
    const missing = ids.filter(id => findDocument(id, all) === undefined);
    if (missing.length > 0) return {state: 'error', fault: rejected(noDocumentText(missing.join(', '), all))};
    const documents = ids.flatMap(id => findDocument(id, all) ?? []);
    return {state: 'success', output: {documents, shown: 'texts'}};
  },
});
