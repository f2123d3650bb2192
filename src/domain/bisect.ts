import {afterTrees, beforeTrees, type OpenTreeChange, type TreeId} from './checkpoint.ts';
import type {UserMessage} from './conversation.ts';
import type {ActionId} from './ids.ts';
import type {JournalRecord} from './journal.ts';
import {promptSpans, timelineOf} from './timeline.ts';

/** A change of files by a session: by a call, or by a whole prompt of a session without records of its calls. */
export interface SessionChange {
  readonly prompt: UserMessage;
  /** The number of the prompt, as a rewind counts. */
  readonly number: number;
  readonly call: ActionId | 'unknown';
  readonly files: OpenTreeChange;
}

/** Returns the changes that count, in order. */
export function changesOfSession(records: readonly JournalRecord[]): readonly SessionChange[] {
  const timeline = timelineOf(records);
  const steps = timeline.activeRecords.filter(record => record.kind === 'step');
  return promptSpans(timeline).flatMap(({message, files}, at): readonly SessionChange[] => {
    const common = {prompt: message, number: at + 1};
    const own = steps.filter(({prompt}) => prompt === message.id);
    if (own.length === 0) return files.map(each => ({...common, call: 'unknown', files: each}));
    return own
      .filter(step => step.files.before !== step.files.after)
      .map(step => ({...common, call: step.call, files: step.files}));
  });
}

/**
 * Returns the trees that tell the state of the files after the first `count` changes. A path is as the first tree that covers it says.
 */
export const treesAfter = (changes: readonly SessionChange[], count: number): readonly TreeId[] => [
  ...changes
    .slice(0, count)
    .toReversed()
    .flatMap(({files}) => afterTrees(files)),
  ...changes.slice(count).flatMap(({files}) => beforeTrees(files)),
];

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
