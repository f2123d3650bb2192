import type {DocumentDraft, DocumentEdit, DocumentsPort} from '../actions/documents-port.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {
  type DocumentRecord,
  documentsOf,
  documentText,
  findDocument,
  longestDocument,
  maxDocuments,
  nextDocumentId,
  noDocumentText,
  type SessionDocument,
} from '../domain/document.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import type {DocumentId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {AgentPorts} from './ports.ts';

export interface DocumentStore extends DocumentsPort {
  /** Writes a new version of a document for the user or, with a title, a new document. */
  write(document: {readonly id: string} | {readonly title: string}, text: string): Outcome<SessionDocument, Fault>;
}

/** The documents of a session. Each change is a journal record, and every view is a fold of those. */
export function makeDocumentStore(
  journal: Pick<OpenSession, 'records' | 'append'>,
  {replaceText, secrets}: Pick<AgentPorts, 'replaceText' | 'secrets'>,
): DocumentStore {
  const list = (): readonly SessionDocument[] => documentsOf(journal.records);

  function create(
    drafts: readonly DocumentDraft[],
    by: DocumentRecord['by'],
  ): Outcome<readonly SessionDocument[], Fault> {
    const long = drafts.find(({text}) => text.length > longestDocument);
    if (long !== undefined) return failed(tooLongFault(long.title));
    if (list().length + drafts.length > maxDocuments) {
      return failed(rejected(`A session keeps at most ${maxDocuments} documents. Edit an existing one.`));
    }
    const ids = drafts.map(({title, text}) => {
      const id = nextDocumentId(journal.records);
      journal.append({kind: 'document', id, title: secrets.redact(title), by, text: secrets.redact(text)});
      return id;
    });
    return ok(list().filter(({id}) => ids.includes(id)));
  }

  function append({id, title}: SessionDocument, by: DocumentRecord['by'], text: string): void {
    journal.append({kind: 'document', id, title, by, text: secrets.redact(text)});
  }

  return {
    list,
    create: drafts => create(drafts, 'agent'),
    async edit(edits) {
      const documents = list();
      const texts = new Map<DocumentId, string>();
      for (const [at, edit] of edits.entries()) {
        const document = findDocument(edit.id, documents);
        if (document === undefined) return failed(rejected(noDocumentText(edit.id, documents)));
        const before = texts.get(document.id) ?? documentText(document);
        const changed = await replaceText(before, edit);
        if (changed.tag === 'failed')
          return failed(rejected(editFailureText(edit, {at, of: edits.length, why: changed.error})));
        if (changed.value.length > longestDocument) return failed(tooLongFault(document.title));
        texts.set(document.id, changed.value);
      }
      for (const document of documents) {
        const text = texts.get(document.id);
        if (text !== undefined) append(document, 'agent', text);
      }
      return ok(list().filter(({id}) => texts.has(id)));
    },
    write(document, text) {
      if ('title' in document) {
        const created = create([{title: document.title, text}], 'user');
        return created.tag === 'ok' ? firstOf(created.value) : created;
      }
      const found = findDocument(document.id, list());
      if (found === undefined) return failed(rejected(noDocumentText(document.id, list())));
      if (text.length > longestDocument) return failed(tooLongFault(found.title));
      if (text !== documentText(found)) append(found, 'user', text);
      return firstOf(list().filter(({id}) => id === found.id));
    },
  };
}

function firstOf([first]: readonly SessionDocument[]): Outcome<SessionDocument, Fault> {
  return first === undefined ? failed(rejected('The document could not be saved.')) : ok(first);
}

const tooLongFault = (title: string): Fault =>
  rejected(`${JSON.stringify(title)} is too long. A document may have at most ${longestDocument} characters.`);

const editFailureText = (
  {id}: DocumentEdit,
  {at, of, why}: {readonly at: number; readonly of: number; readonly why: string},
): string => `Nothing was changed. Edit ${at + 1} of ${of} (document ${id}) failed: ${why}`;
