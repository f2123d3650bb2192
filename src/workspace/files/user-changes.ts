import type {UserChangedFile} from '../../actions/files-port.ts';
import type {UserChanges, DroppedPart} from '../../domain/file-edit.ts';
import {showsAll, type DiffHunk} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {diffHunks} from './diff-hunks.ts';
import {
  diffContents,
  oldBytes,
  oldSnapshotOf,
  textForDiff,
  withTruncationNote,
  type PlannedFile,
} from './plan-edits.ts';
import {decodeText, encodeText, encodingNames, utf8Form, type DecodedText} from './text-encoding.ts';

export interface ChangedPlan {
  readonly planned: readonly PlannedFile[];
  readonly userChanged: readonly UserChangedFile[];
}

/** Applies the user's changes to a plan. Drops files that would then stay unchanged. The changes must belong to this plan. */
export async function applyUserChanges(
  planned: readonly PlannedFile[],
  userChanges: UserChanges,
): Promise<Outcome<ChangedPlan, Fault>> {
  const unknown = pathsIn(userChanges).find(path => !planned.some(({diff}) => diff.path === path));
  if (unknown !== undefined) return failed(rejected(`${unknown} is not part of the edit; nothing was written.`));
  const left: PlannedFile[] = [];
  const userChanged: UserChangedFile[] = [];
  for (const file of planned) {
    const one = await changeFile(file, userChanges);
    if (one.tag === 'failed') return one;
    if (one.value.file !== undefined) left.push(one.value.file);
    userChanged.push(...one.value.changes);
  }
  return ok({planned: left, userChanged});
}

const pathsIn = (userChanges: UserChanges): readonly string[] => [
  ...droppedIn(userChanges).map(({path}) => path),
  ...(userChanges.kind === 'texts' ? userChanges.texts.map(({path}) => path) : []),
];

function droppedIn(userChanges: UserChanges): readonly DroppedPart[] {
  switch (userChanges.kind) {
    case 'none':
      return [];
    case 'hunks':
    case 'texts':
      return userChanges.dropped;
    default:
      return unreachable(userChanges);
  }
}

interface ChangedFile {
  readonly file: PlannedFile | undefined;
  readonly changes: readonly UserChangedFile[];
}

async function changeFile(file: PlannedFile, userChanges: UserChanges): Promise<Outcome<ChangedFile, Fault>> {
  const {path} = file.diff;
  const dropped = droppedIn(userChanges).flatMap(part => (part.path === path ? [part.hunk] : []));
  const rewritten =
    userChanges.kind === 'texts' ? userChanges.texts.findLast(one => one.path === path)?.text : undefined;
  const hunks = new Set(dropped.filter(hunk => hunk !== 'new-name'));
  const changed =
    rewritten !== undefined
      ? await applyRewrittenText(file, rewritten)
      : hunks.size === 0
        ? ok({file, changes: []})
        : await dropHunks(file, hunks);
  return changed.tag === 'ok' && dropped.includes('new-name') ? keepOldName(changed.value, path) : changed;
}

/** Drops the file if the rename was its only change. */
function keepOldName({file, changes}: ChangedFile, path: string): Outcome<ChangedFile, Fault> {
  const source = file?.source;
  if (file === undefined || source === undefined) {
    return failed(rejected(`${path} is no longer renamed by the edit; nothing was written.`));
  }
  const after = file.after;
  if (after === undefined || source.before.bytes.equals(after)) {
    return ok({file: undefined, changes: [{path, kind: 'dropped', hunks: []}]});
  }
  const {movedFrom = path} = file.diff;
  const kept: PlannedFile = {
    ...file,
    path: source.path,
    before: source.before,
    source: undefined,
    diff: {...file.diff, path: movedFrom, movedFrom: undefined},
  };
  return ok({file: kept, changes: [...changes, {path, kind: 'not-renamed', hunks: []}]});
}

async function dropHunks(file: PlannedFile, dropped: ReadonlySet<number>): Promise<Outcome<ChangedFile, Fault>> {
  const {path, hunks} = file.diff;
  if (hunks.length === 0 && [...dropped].every(hunk => hunk === 0)) {
    return ok({file: undefined, changes: [{path, kind: 'dropped', hunks: []}]});
  }
  const beyond = [...dropped].find(hunk => hunks[hunk] === undefined);
  if (beyond !== undefined) {
    return failed(rejected(`${path} no longer has a change number ${beyond + 1}; nothing was written.`));
  }
  // If the hunks don't show the whole change, name none: a partial list would understate what was dropped.
  const left = showsAll(file.diff) ? hunks.filter((_hunk, at) => dropped.has(at)) : [];
  const change: UserChangedFile = {path, kind: 'dropped', hunks: left};
  if (dropped.size === hunks.length) return ok({file: await restoreFile(file), changes: [change]});
  const old = decodeOptional(oldBytes(file));
  const fresh = decodeOptional(file.after);
  if (old === undefined || fresh === undefined)
    return failed(rejected(`${path}: can't drop single changes of a binary file.`));
  const text = restoreHunks({old: old.text, fresh: fresh.text}, change.hunks);
  const bytes = encodeText({form: fresh.form, text});
  if (bytes === undefined) return failed(rejected(`${path}: its encoding lacks a character of the restored lines.`));
  return ok({file: await withContent(file, bytes), changes: [change]});
}

/** If the user's text equals the old one, the file stays unchanged. A line ending that the editor adds or removes counts as a change. */
async function applyRewrittenText(file: PlannedFile, text: string): Promise<Outcome<ChangedFile, Fault>> {
  const {path} = file.diff;
  const old = decodeOptional(oldBytes(file));
  const proposed = decodeOptional(file.after);
  if ((proposed?.text ?? '') === text) return ok({file, changes: []});
  const {hunks} = await diffHunks(textForDiff(file.after), text, Number.POSITIVE_INFINITY);
  const change: UserChangedFile = {path, kind: 'rewritten', hunks};
  if (old?.text === text) return ok({file: await restoreFile(file), changes: [change]});
  const form = proposed?.form ?? old?.form ?? utf8Form;
  const bytes = text.isWellFormed() || form.encoding === 'utf-8' ? encodeText({form, text}) : undefined;
  if (bytes === undefined) {
    return failed(
      rejected(`${path} is ${encodingNames[form.encoding]}, which can't encode the edited text; nothing was written.`),
    );
  }
  return ok({file: {...(await withContent(file, bytes)), afterwards: 'unknown'}, changes: [change]});
}

/** A renamed file keeps its new name. */
async function restoreFile(file: PlannedFile): Promise<PlannedFile | undefined> {
  return file.source === undefined ? undefined : withContent(file, file.source.before.bytes);
}

const withContent = async (file: PlannedFile, after: Buffer): Promise<PlannedFile> => ({
  ...file,
  after,
  diff: withTruncationNote({...file.diff, ...(await diffContents(oldSnapshotOf(file), after, undefined))}),
});

function decodeOptional(bytes: Buffer | undefined): DecodedText | undefined {
  if (bytes === undefined) return undefined;
  const decoded = decodeText(bytes);
  return decoded.tag === 'ok' ? decoded.value : undefined;
}

/** Returns the new text with the lines of those hunks as they were, byte for byte. */
function restoreHunks(
  {old, fresh}: {readonly old: string; readonly fresh: string},
  hunks: readonly DiffHunk[],
): string {
  const was = linesOf(old);
  const is = linesOf(fresh);
  const parts: string[] = [];
  let at = 0;
  for (const {oldStart, newStart, lines} of hunks) {
    const count = (side: 'added' | 'removed'): number =>
      lines.filter(({kind}) => kind === 'context' || kind === side).length;
    parts.push(...is.slice(at, newStart - 1), ...was.slice(oldStart - 1, oldStart - 1 + count('removed')));
    at = newStart - 1 + count('added');
  }
  return [...parts, ...is.slice(at)].join('');
}

/** Splits a text into lines with their endings, as diffs count them. */
const linesOf = (text: string): readonly string[] =>
  (text.includes('\n') ? text.match(/[^\n]*\n|[^\n]+$/gu) : text.match(/[^\r]*\r|[^\r]+$/gu)) ?? [];
