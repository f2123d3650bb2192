import {documentId, type DocumentId} from './ids.ts';
import type {JournalRecord} from './journal.ts';
import {timelineOf} from './timeline.ts';

/** A plan or a note that is stored with its session. It isn't a file of the workspace. */
export interface SessionDocument {
  readonly id: DocumentId;
  readonly title: string;
  /** Oldest first; never empty. The last one is the current text. */
  readonly versions: readonly [DocumentVersion, ...DocumentVersion[]];
}

export interface DocumentVersion {
  readonly by: 'agent' | 'user';
  readonly text: string;
}

export type DocumentRecord = Extract<JournalRecord, {readonly kind: 'document'}>;

/** The maximum number of documents of a session, and the maximum number of characters (UTF-16 units) of a document. */
export const maxDocuments = 100;
export const longestDocument = 200_000;

/** Returns the documents of a session in the order of their creation. Each record is a version. Rewound records are left out. */
export function documentsOf(records: readonly JournalRecord[]): readonly SessionDocument[] {
  const documents = new Map<DocumentId, SessionDocument>();
  for (const record of timelineOf(records).activeRecords) {
    if (record.kind !== 'document') continue;
    const {id, title, by, text} = record;
    const before = documents.get(id);
    const version: DocumentVersion = {by, text};
    documents.set(id, {id, title, versions: before === undefined ? [version] : [...before.versions, version]});
  }
  return [...documents.values()];
}

/** Returns an id that no document of the session has had, not even a rewound one. */
export function nextDocumentId(records: readonly JournalRecord[]): DocumentId {
  const numbers = records.map(record => (record.kind === 'document' ? Number(record.id.slice(1)) : 0));
  return documentId(`d${numbers.reduce((most, number) => Math.max(most, number), 0) + 1}`);
}

/** Returns the document with this id, or the only one with this title. */
export function findDocument(named: string, documents: readonly SessionDocument[]): SessionDocument | undefined {
  const byId = documents.find(({id}) => id === named);
  if (byId !== undefined) return byId;
  const titled = documents.filter(({title}) => title.toLowerCase() === named.toLowerCase());
  return titled.length === 1 ? titled[0] : undefined;
}

/** Explains that no document has this name, and lists the documents. */
export const noDocumentText = (named: string, documents: readonly SessionDocument[]): string =>
  `There is no document ${named}. ${documents.length === 0 ? 'This session has none yet.' : `There are: ${documents.map(documentName).join(', ')}.`}`;

/** How a prompt mentions a document: `@doc:d1`. */
export const documentPrefix = 'doc:';

export const documentText = ({versions}: SessionDocument): string => (versions.at(-1) ?? versions[0]).text;

/** Names a document for people and models: `d1 "Plan" (version 2)`. */
export const documentName = ({id, title, versions}: SessionDocument): string =>
  `${id} ${JSON.stringify(title)} (version ${versions.length})`;
