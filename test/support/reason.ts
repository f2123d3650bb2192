import type {Reason} from '../../src/domain/reason.ts';

/** A reason with these words, for tests that care for nothing else of it. */
export const reasonOf = (text: string): Reason => ({kind: 'hook', text});
