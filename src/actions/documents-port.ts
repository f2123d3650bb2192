import type {Outcome} from '../base/outcome.ts';
import type {SessionDocument} from '../domain/document.ts';
import type {Fault} from '../domain/fault.ts';

export interface DocumentsPort {
  list(): readonly SessionDocument[];
  /** Creates documents. If there are too many documents or one is too long, fails and creates none. */
  create(drafts: readonly DocumentDraft[]): Outcome<readonly SessionDocument[], Fault>;
  /**
   * Applies all edits or none. Edits of one document apply in order, each to the result of the one before. Text is found as in files:
   * exactly, or else tolerating the usual mistakes of models if only one location fits. Returns the changed documents.
   */
  edit(edits: readonly DocumentEdit[]): Promise<Outcome<readonly SessionDocument[], Fault>>;
}

export interface DocumentDraft {
  readonly title: string;
  readonly text: string;
}

/** `id` may be a title if only one document has it. */
export interface DocumentEdit {
  readonly id: string;
  readonly oldText: string;
  readonly newText: string;
}
