import type {Outcome} from '../base/outcome.ts';
import type {SessionDocument} from '../domain/document.ts';
import type {Fault} from '../domain/fault.ts';

export interface DocumentsPort {
  list(): readonly SessionDocument[];
  /** The new documents. A fault where there are too many, or one is too long; then none is made. */
  create(drafts: readonly DocumentDraft[]): Outcome<readonly SessionDocument[], Fault>;
  /**
   * Several edits of one document apply in order, each to the text that the one before leaves; all or none. Text is found as in
   * files: exactly, or apart from what models get wrong where it is the only place. Answers with the documents that have changed.
   */
  edit(edits: readonly DocumentEdit[]): Promise<Outcome<readonly SessionDocument[], Fault>>;
}

export interface DocumentDraft {
  readonly title: string;
  readonly text: string;
}

/** `id` may be a title that only one document has. */
export interface DocumentEdit {
  readonly id: string;
  readonly oldText: string;
  readonly newText: string;
}
