import type {DroppedPart} from '../../../actions/files-port.ts';
import type {DiffHunk, FileDiff} from '../../../actions/preview.ts';

/** What can be left out of a change: a hunk of a file, its new name, or all that a file without hunks is done to. */
export interface ChangePart {
  readonly file: FileDiff;
  readonly hunk: DroppedPart['hunk'];
  readonly shown: DiffHunk | 'whole-file';
  /** The file with no other hunk. */
  readonly alone: readonly FileDiff[];
}

/** The parts of a change, in the order in which they are shown. */
export const changeParts = (files: readonly FileDiff[]): readonly ChangePart[] =>
  files.flatMap((file): readonly ChangePart[] => {
    const hunks = file.hunks.map((shown, hunk) => ({file, hunk, shown, alone: [{...file, hunks: [shown]}]}));
    const whole = {file, shown: 'whole-file', alone: [file]} as const;
    if (file.movedFrom !== undefined) return [{...whole, hunk: 'new-name'}, ...hunks];
    return hunks.length === 0 ? [{...whole, hunk: 0}] : hunks;
  });

/** Lines that a part adds and removes. */
export function partCounts({file, shown}: ChangePart): {readonly added: number; readonly removed: number} {
  if (shown === 'whole-file') return {added: 0, removed: 0};
  // The only hunk of a very large change does not hold all of its lines.
  if (file.hunks.length === 1) return {added: file.added, removed: file.removed};
  const count = (kind: 'added' | 'removed'): number => shown.lines.filter(line => line.kind === kind).length;
  return {added: count('added'), removed: count('removed')};
}

/** Those with these numbers, as an amendment names them. */
export const droppedParts = (parts: readonly ChangePart[], numbers: ReadonlySet<number>): readonly DroppedPart[] =>
  parts.flatMap(({file, hunk}, at) => (numbers.has(at) ? [{path: file.path, hunk}] : []));
