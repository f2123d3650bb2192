import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import {documentName, documentText, findDocument, noDocumentText, type SessionDocument} from '../domain/document.ts';
import {rejected} from '../domain/fault.ts';
import {interrupted} from '../domain/settled.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';

export interface ReadDocumentsInput {
  /** If empty, all documents are listed and none is read. */
  readonly ids: readonly string[];
  /** The lines to read of documents, by id. All lines of the others. */
  readonly ranges: Readonly<Record<string, readonly LineRange[]>>;
}

/** Lines from 1 on; the last one is included. */
interface LineRange {
  readonly start: number;
  readonly end: number;
}

export const readDocuments = defineAction<
  ReadDocumentsInput,
  {
    readonly documents: readonly SessionDocument[];
    readonly shown: 'list' | {readonly texts: readonly string[]};
  },
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
      aliases: {ids: 'document_ids', id: 'document_id', ranges: 'line_ranges', start_line: 'start', end_line: 'end'},
      unlistedFields: ['documents'],
      expectedFields: ['document_ids'],
      schema: () =>
        z.object({
          document_ids: z.optional(z.array(z.string()).check(z.maxLength(20))),
          documents: z.optional(
            z
              .array(z.object({document_id: z.string(), line_ranges: z.optional(z.array(lineRange()))}))
              .check(z.maxLength(20)),
          ),
        }),
      toInput: ({document_ids: ids = [], documents = []}) => ({
        ids: [...ids, ...documents.map(({document_id: id}) => id)],
        ranges: Object.fromEntries(documents.map(({document_id: id, line_ranges: ranges = []}) => [id, ranges])),
      }),
    }),
  ],
  label: ({ids}) => (ids.length === 0 ? 'List documents' : `Read document ${ids.join(', ')}`),
  cancelled: ({ids}) => ({ids}),
  modelContent: ({documents, shown}) => {
    if (documents.length === 0) return textContent('This session has no documents yet.');
    const rows = documents.map((document, at) =>
      shown === 'list' ? documentName(document) : `${documentName(document)}\n${shown.texts[at] ?? ''}`,
    );
    return textContent(rows.join(shown === 'list' ? '\n' : '\n\n'));
  },
  outcome: ({documents}) => [pluralize(documents.length, 'document')],
  past: 'as-it-is',
  async run({ids, ranges}, {ports, signal}) {
    if (signal.aborted) return interrupted({ids});
    const all = ports.documents.list();
    if (ids.length === 0) return {state: 'success', output: {documents: all, shown: 'list'}};
    const missing = ids.filter(id => findDocument(id, all) === undefined);
    if (missing.length > 0) return {state: 'error', fault: rejected(noDocumentText(missing.join(', '), all))};
    const documents = ids.flatMap(id => findDocument(id, all) ?? []);
    const texts = documents.map((document, at) => linesOf(documentText(document), ranges[ids[at] ?? ''] ?? []));
    return {state: 'success', output: {documents, shown: {texts}}};
  },
});

const lineRange = () => z.object({start: z.int().check(z.gte(1)), end: z.int().check(z.gte(1))});

/** Returns the lines of the ranges, each range after a line that names it. Returns the whole text if there are no ranges. */
function linesOf(text: string, ranges: readonly LineRange[]): string {
  if (ranges.length === 0) return text;
  const lines = text.split('\n');
  return ranges
    .map(({start, end}) => {
      const shown = lines.slice(start - 1, end);
      return shown.length === 0
        ? `[No lines ${start}-${end}: there are ${pluralize(lines.length, 'line')}]`
        : [`[Lines ${start}-${start + shown.length - 1} of ${lines.length}]`, ...shown].join('\n');
    })
    .join('\n');
}
