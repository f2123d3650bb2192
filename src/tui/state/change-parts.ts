import type {DroppedPart} from '../../domain/file-edit.ts';
import type {DiffHunk, FileDiff, Preview} from '../../actions/preview.ts';
import type {Change, ChangeKind} from '../../domain/change-set.ts';

type ChangePreview = Extract<Preview, {kind: 'diff' | 'changes'}>;

/** A part of a change that can be dropped: a hunk, a new name, or a whole file without hunks; of what a command changed always a file. */
export interface ChangePart {
  readonly file: FileDiff;
  readonly by: ChangeKind | 'edit';
  readonly hunk: DroppedPart['hunk'];
  readonly shown: DiffHunk | 'whole-file';
  readonly alone: readonly FileDiff[];
}

export const changeParts = (files: readonly FileDiff[]): readonly ChangePart[] =>
  files.flatMap((file): readonly ChangePart[] => {
    const by = 'edit';
    const hunks = file.hunks.map(
      (shown, hunk) => ({file, by, hunk, shown, alone: [{...file, hunks: [shown]}]}) as const,
    );
    const whole = {file, by, shown: 'whole-file', alone: [file]} as const;
    if (file.movedFrom !== undefined) return [{...whole, hunk: 'new-name'}, ...hunks];
    return hunks.length === 0 ? [{...whole, hunk: 0}] : hunks;
  });

/** The files that a command has changed; of very many only the first ones come with their lines. */
export function commandParts(changes: readonly Change[], files: readonly FileDiff[]): readonly ChangePart[] {
  const known = new Map(files.map(file => [file.path, file]));
  return changes.map(change => {
    const file = known.get(change.path) ?? withoutLines(change);
    return {file, by: change.kind, hunk: 0, shown: 'whole-file', alone: [file]};
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
  notes: ['too many files to show its lines'],
});

const kept = new WeakMap<ChangePreview, readonly ChangePart[]>();

/** Cached, because a preview never changes and its parts are needed with every key and frame. */
export function partsOf(preview: ChangePreview): readonly ChangePart[] {
  const known = kept.get(preview);
  if (known !== undefined) return known;
  const parts = preview.kind === 'diff' ? changeParts(preview.files) : commandParts(preview.asked, preview.files);
  kept.set(preview, parts);
  return parts;
}

export function partCounts({file, by, shown}: ChangePart): {readonly added: number; readonly removed: number} {
  if (by !== 'edit') return file;
  if (shown === 'whole-file') return {added: 0, removed: 0};
  // The only hunk of a very large change does not hold all of its lines.
  if (file.hunks.length === 1) return {added: file.added, removed: file.removed};
  const count = (kind: 'added' | 'removed'): number => shown.lines.filter(line => line.kind === kind).length;
  return {added: count('added'), removed: count('removed')};
}

/** The parts with these indexes, as user changes. */
export const droppedParts = (parts: readonly ChangePart[], numbers: ReadonlySet<number>): readonly DroppedPart[] =>
  parts.flatMap(({file, hunk}, at) => (numbers.has(at) ? [{path: file.path, hunk}] : []));
