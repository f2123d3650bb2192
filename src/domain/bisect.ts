import {afterTrees, beforeTrees, type TreeId} from './checkpoint.ts';
import {unreachable} from '../base/unreachable.ts';
import type {SessionChange} from './timeline.ts';

/** Returns the trees that tell the state of the files after the first `count` changes. A path is as the first tree that covers it says. */
export const treesAfter = (changes: readonly SessionChange[], count: number): readonly TreeId[] => [
  ...changes
    .slice(0, count)
    .toReversed()
    .flatMap(({files}) => afterTrees(files)),
  ...changes.slice(count).flatMap(({files}) => beforeTrees(files)),
];

/** Why a search finds no change of the session. `broken-beside`: someone else changed the files between two of its changes. */
export const bisectMisses = ['passes-at-end', 'fails-at-start', 'broken-beside'] as const;

/** Says why a search found no change of the session. */
export function bisectMissText(kind: (typeof bisectMisses)[number]): string {
  switch (kind) {
    case 'passes-at-end':
      return 'the command passes after the last change of the session';
    case 'fails-at-start':
      return 'the command fails without the changes of the session, too. It failed before, or something else broke it';
    case 'broken-beside':
      return 'the command broke between two changes of the session, by a change that is not of the session';
    default:
      return unreachable(kind);
  }
}

/** The end of a search for the change after which a command fails. */
export type BisectEnd =
  | {readonly kind: 'found'; readonly at: number; readonly runs: number}
  | {readonly kind: 'passes-at-end' | 'fails-at-start'; readonly runs: number};

/**
 * Finds the change after which a command fails for the first time. `fails` runs the command after the first so many changes. It is called
 * at most ⌈log2 n⌉ + 2 times.
 */
export async function findBadChange(total: number, fails: (count: number) => Promise<boolean>): Promise<BisectEnd> {
  let runs = 0;
  const isBad = async (count: number): Promise<boolean> => {
    runs += 1;
    return fails(count);
  };
  if (!(await isBad(total))) return {kind: 'passes-at-end', runs};
  if (await isBad(0)) return {kind: 'fails-at-start', runs};
  let [good, bad] = [0, total];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (await isBad(middle)) bad = middle;
    else good = middle;
  }
  return {kind: 'found', at: bad - 1, runs};
}
