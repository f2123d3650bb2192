import type {RiskLevel, TextRange} from '../domain/risk.ts';

/** A part of a command that is asked about. */
export interface AskedPart {
  readonly range: TextRange;
  readonly risk: RiskLevel;
  /** Whether it writes to what can run or grant rights. */
  readonly guarded: 'yes' | 'no';
  /** `` `touch a` changes files ``, and the same without the part's text. */
  readonly reason: string;
  readonly does: string;
}

/**
 * The stretches that nobody should allow unread, the worst first: all that does more than change ordinary files of the workspace.
 * Among hundreds of harmless parts they would not be found otherwise.
 */
export const graveRanges = (parts: readonly AskedPart[]): readonly TextRange[] =>
  worstFirst(parts).flatMap(part => (isGrave(part) ? [part.range] : []));

/** Why it is asked, the worst first. Of more parts than anybody would read, those that do the same are told as one. */
export function partReasons(parts: readonly AskedPart[]): readonly string[] {
  const sorted = worstFirst(parts);
  const all = [...new Set(sorted.map(({reason}) => reason))];
  if (all.length <= mostReasons) return all;
  const kinds = Map.groupBy(sorted, ({does}) => does);
  const told = [...kinds.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [first.reason + (more.length === 0 ? '' : ` (and ${more.length} more like it)`)],
  );
  return told.length <= mostReasons
    ? told
    : [...told.slice(0, mostReasons - 1), `${told.length - mostReasons + 1} more parts of it ask for other reasons`];
}

/** Sentences that anybody would read. */
const mostReasons = 20;

const worstFirst = (parts: readonly AskedPart[]): readonly AskedPart[] =>
  parts.toSorted((a, b) => weight(b) - weight(a));

const isGrave = ({risk, guarded}: AskedPart): boolean => risk !== 'local-change' || guarded === 'yes';

const weight = ({risk, guarded}: AskedPart): number =>
  Math.max(weights[risk], guarded === 'yes' ? weights.external : 0);

/** What only reads and is asked about reads secrets, or outside the workspace. */
const weights: Readonly<Record<RiskLevel, number>> = {
  'local-change': 0,
  'read-only': 1,
  unknown: 2,
  external: 3,
  destructive: 4,
};
