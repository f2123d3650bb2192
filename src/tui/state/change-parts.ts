import type {DroppedPart} from '../../actions/files-port.ts';
import type {DiffHunk, FileDiff, Preview} from '../../actions/preview.ts';

type DiffPreview = Extract<Preview, {kind: 'diff'}>;

/** A part of a change that can be dropped: a hunk, a new name, or a whole file without hunks. */
export interface ChangePart {
  readonly file: FileDiff;
  readonly hunk: DroppedPart['hunk'];
  readonly shown: DiffHunk | 'whole-file';
  /** The file with this part only, for drawing it alone. */
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

const kept = new WeakMap<DiffPreview, readonly ChangePart[]>();

/** Cached, because a preview never changes and its parts are needed with every key and frame. */
export function partsOf(preview: DiffPreview): readonly ChangePart[] {
  const known = kept.get(preview);
  if (known !== undefined) return known;
  const parts = changeParts(preview.files);
  kept.set(preview, parts);
  return parts;
}

/** Lines that a part adds and removes. */
export function partCounts({file, shown}: ChangePart): {readonly added: number; readonly removed: number} {
  if (shown === 'whole-file') return {added: 0, removed: 0};
  // The only hunk of a very large change does not hold all of its lines.
  if (file.hunks.length === 1) return {added: file.added, removed: file.removed};
  const count = (kind: 'added' | 'removed'): number => shown.lines.filter(line => line.kind === kind).length;
  return {added: count('added'), removed: count('removed')};
}

/** The parts with these indexes, as user changes. */
export const droppedParts = (parts: readonly ChangePart[], numbers: ReadonlySet<number>): readonly DroppedPart[] =>
  parts.flatMap(({file, hunk}, at) => (numbers.has(at) ? [{path: file.path, hunk}] : []));
