import type {Verbosity} from '../../domain/preferences.ts';
import type {Frame} from '../text/wrap.ts';

/** A frame for entries that can be folded. */
export interface EntryFrame extends Frame {
  readonly verbosity: Verbosity;
}
