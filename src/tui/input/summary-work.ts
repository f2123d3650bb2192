import type {CompactionPreview} from '../../domain/compaction.ts';

/** A summary that goes to the user's editor. */
export interface SummaryWork {
  readonly kind: 'summary';
  readonly preview: CompactionPreview;
}
