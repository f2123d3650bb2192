import type {Frame} from '../text/wrap.ts';

/** How much a finished entry shows: its title, that and a few lines of what came of it, or all that is known. */
export const verbosities = ['name', 'summary', 'full'] as const;
export type Verbosity = (typeof verbosities)[number];

/** A frame for entries that can be folded. */
export interface EntryFrame extends Frame {
  readonly verbosity: Verbosity;
}
