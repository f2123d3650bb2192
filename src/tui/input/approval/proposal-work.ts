import type {EditRequest} from '../../../actions/files-port.ts';
import type {FileDiff} from '../../../actions/preview.ts';
import type {ActionId} from '../../../domain/ids.ts';
import type {ProposalPart} from './approval-stage.ts';

/** A proposed edit that goes to the user's editor. */
export interface ProposalWork {
  readonly id: ActionId;
  readonly request: EditRequest;
  readonly of: ProposalPart;
}

/** What came of it. */
export type ProposalEnd =
  | {readonly kind: 'revised'; readonly request: EditRequest; readonly files: readonly FileDiff[]}
  | {readonly kind: 'unchanged'}
  | {readonly kind: 'failed'; readonly message: string};
