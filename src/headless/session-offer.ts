import {visibleExactLine} from '../base/visible.ts';

/** Returns the words that offer to allow what `grant` names for this session. */
export const sessionOffer = (grant: string): string =>
  `Allow for this session${grant === '' ? '' : `: ${visibleExactLine(grant)}`}`;
