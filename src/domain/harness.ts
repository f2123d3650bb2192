import type {Brand} from '../base/brand.ts';
import type {Usage} from './usage.ts';

/** Identifies a conversation of a harness, in the harness's own form. The program uses it to resume. */
export type HarnessSessionId = Brand<string, 'HarnessSessionId'>;

/** Accepts any text of 1 to 200 characters that no command line takes for a flag; `undefined` for anything else. */
export const parseHarnessSessionId = (raw: string): HarnessSessionId | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this parser is the only way into the brand
  /^[^-\s\p{Cc}][^\s\p{Cc}]{0,199}$/u.test(raw) ? (raw as HarnessSessionId) : undefined;

/** The harnesses that weft knows how to drive. The user names the ones they configure. */
export const knownHarnesses = ['claude', 'codex', 'gemini', 'opencode', 'pi'] as const;

/**
 * The cost of a harness in US dollars. `known`: the harness reports it. `estimated`: from the tokens that it counts and the price of its
 * model.
 */
export type HarnessCost =
  | {readonly kind: 'known'; readonly usd: number}
  | {readonly kind: 'estimated'; readonly usd: number}
  | {readonly kind: 'unknown'};

/** The usage of a harness's program since it was started. `model` is empty if the harness doesn't report it. */
export interface HarnessUsage {
  readonly model: string;
  /** All zero if the harness counts no tokens. */
  readonly usage: Usage;
  readonly cost: HarnessCost;
}

/** A file that a harness says it has changed. `path` is as the harness writes it. */
export interface HarnessFileChange {
  readonly path: string;
  readonly change: 'added' | 'changed' | 'deleted';
}

export type HarnessOutcome =
  /** `text` is the harness's last message, never empty. */
  | {readonly kind: 'succeeded'; readonly text: string}
  /** `text` is the harness's text up to then. It may be empty. `reason` is a sentence. */
  | {readonly kind: 'failed'; readonly reason: string; readonly text: string}
  | {readonly kind: 'cancelled'; readonly text: string};
