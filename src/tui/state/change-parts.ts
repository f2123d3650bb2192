import type {DroppedPart} from '../../domain/file-edit.ts';
import type {DiffHunk, FileDiff, Preview} from '../../actions/preview.ts';
import type {Change, ChangeKind} from '../../domain/change-set.ts';

type ChangePreview = Extract<Preview, {kind: 'diff' | 'changes'}>;

/**
 * A part of a change that can be dropped: a hunk, a new name, or a whole file without hunks. A part of a command's changes is always a
 * whole file.
 */
export interface ChangePart {
  readonly file: FileDiff;
  readonly change: ChangeKind | 'edit';
  readonly hunk: DroppedPart['hunk'];
  readonly shown: DiffHunk | 'whole-file';
  readonly ownDiff: readonly FileDiff[];
}

export const changeParts = (files: readonly FileDiff[]): readonly ChangePart[] =>
  files.flatMap((file): readonly ChangePart[] => {
    const change = 'edit';
    const hunks = file.hunks.map(
      (shown, hunk) => ({file, change, hunk, shown, ownDiff: [{...file, hunks: [shown]}]}) as const,
    );
    const whole = {file, change, shown: 'whole-file', ownDiff: [file]} as const;
    if (file.movedFrom !== undefined) return [{...whole, hunk: 'new-name'}, ...hunks];
    return hunks.length === 0 ? [{...whole, hunk: 0}] : hunks;
  });

/** Returns a part for each file that a command changed. If there are too many, only the first ones have their lines. */
export function commandParts(changes: readonly Change[], files: readonly FileDiff[]): readonly ChangePart[] {
  const known = new Map(files.map(file => [file.path, file]));
  return changes.map(change => {
    const file = known.get(change.path) ?? withoutLines(change);
    return {file, change: change.kind, hunk: 0, shown: 'whole-file', ownDiff: [file]};
  });
}

const withoutLines = ({path, kind}: Change): FileDiff => ({
  path,
  before: kind === 'created' ? 'absent' : '',
  after: kind === 'deleted' ? 'absent' : '',
  movedFrom: undefined,
  added: 0,
  removed: 0,
  hunks: [],
  notes: ['too many files to show the diff'],
});

const partsCache = new WeakMap<ChangePreview, readonly ChangePart[]>();

/** Returns the parts of a preview. Cached: a preview never changes, and every key press and frame needs its parts. */
export function partsOf(preview: ChangePreview): readonly ChangePart[] {
  const known = partsCache.get(preview);
  if (known !== undefined) return known;
  const parts = preview.kind === 'diff' ? changeParts(preview.files) : commandParts(preview.asked, preview.files);
  partsCache.set(preview, parts);
  return parts;
}

export function partCounts({file, change, shown}: ChangePart): {readonly added: number; readonly removed: number} {
  if (change !== 'edit') return file;
  if (shown === 'whole-file') return {added: 0, removed: 0};
  // The only hunk of a very large change doesn't contain all of its lines.
  if (file.hunks.length === 1) return {added: file.added, removed: file.removed};
  const count = (kind: 'added' | 'removed'): number => shown.lines.filter(line => line.kind === kind).length;
  return {added: count('added'), removed: count('removed')};
}

/** Returns the parts with these indexes in the form of user changes. */
export const droppedParts = (parts: readonly ChangePart[], numbers: ReadonlySet<number>): readonly DroppedPart[] =>
  parts.flatMap(({file, hunk}, at) => (numbers.has(at) ? [{path: file.path, hunk}] : []));
