import {lstat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import type QuickLRU from 'quick-lru';
import type {DraftText} from '../../actions/files-port.ts';
import type {FileEdit} from '../../domain/file-edit.ts';
import {type DiffHunk, type FileDiff, showsAll} from '../../actions/preview.ts';
import {clip} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {diffHunks} from './diff-hunks.ts';
import type {QuotePolicy} from './explain-miss.ts';
import {type EditError, type FileDraft, makeFileDraft, type ReadState} from './file-draft.ts';
import {
  type FileSnapshot,
  isWritableByUser,
  missingFileText,
  type PresentFile,
  sha256,
  takeSnapshot,
} from './file-snapshot.ts';
import {invalidPathReason} from '../../base/invalid-path.ts';
import {expandHome, type Paths, realPath} from './resolve-path.ts';
import {decodeText} from './text-encoding.ts';
import {isUnsaved} from './unsaved-text.ts';

/** Inputs of planning: path resolution, and the model's knowledge of the files. */
export interface PlanContext extends Pick<FileMemory, 'known' | 'seen' | 'replaced'> {
  readonly paths: Paths;
  readonly home: string;
  /** True if a real path must not be edited although it counts as inside the workspace. */
  readonly isReadOnly: (real: string) => boolean;
  /** Returns the text in the user's editor, if it can tell. */
  readonly editorText: (real: string, signal: AbortSignal) => Promise<string | undefined>;
  /** The diffs that the user was shown, by path. A diff of the same texts is not computed again. */
  readonly shown: ReadonlyMap<string, FileDiff>;
  /** Called for each file in which a text was not found. Returns the number of consecutive misses in that file. */
  readonly onMiss: (real: string) => number;
}

/** The model's knowledge of a workspace's files, by real path. */
export interface FileMemory {
  /** The SHA-256 of the bytes that the model read last. */
  readonly known: Map<string, string>;
  /** The lines that the model was shown last, for the files it read last. */
  readonly seen: QuickLRU<string, ShownLines>;
  /** The result of the last replacement in a large file, from planning until it is written; at most one. */
  readonly replaced: Map<string, CachedReplacement>;
  /** The number of consecutive edits whose text was not found, by file. */
  readonly misses: Map<string, number>;
}

/** A replacement and its result. An edit is planned once to be judged and again to be written; the second time reuses the result. */
interface CachedReplacement {
  readonly edit: FileEdit;
  readonly from: string;
  readonly after: Buffer;
  readonly notes: readonly string[];
}

/** The size, in bytes, from which a result is cached. */
const minLarge = 500_000;

/** Plans all edits, each on the result of the previous ones. The fault lists every error of every file. */
export async function planEdits(
  edits: readonly FileEdit[],
  context: PlanContext,
  signal: AbortSignal,
): Promise<Outcome<readonly PlannedFile[], Fault>> {
  const files = new Map<string, OpenFile>();
  const problems: string[] = [];
  const missed = new Set<OpenFile>();
  for (const edit of edits) {
    if (signal.aborted) return failed(rejected('The edit was stopped before anything was written.'));
    const opened: OpenFile[] = [];
    for (const path of edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path]) {
      const file = await openFile(path, {files, context}, signal);
      if (file.tag === 'ok') opened.push(file.value);
      else problems.push(file.error);
    }
    const [file, target] = opened;
    if (file === undefined || file.state === 'closed' || target?.state === 'closed') continue;
    if (edit.kind === 'delete' || edit.kind === 'rename') {
      const link = await isLinkAt(edit.path, context);
      if (link) {
        problems.push(`${edit.path}: it is a symbolic link; name the file it leads to, or use a command.`);
        continue;
      }
    }
    const done = edits.length === 1 ? context.replaced.get(file.path) : undefined;
    if (done !== undefined && done.from === hashOf(file) && isDeepStrictEqual(done.edit, edit)) {
      file.draft.setContent(done.after, done.notes);
      continue;
    }
    for (const {about, problem, which} of applyEdit(edit, file, target)) {
      const {shown, path} = about;
      const message =
        problem.kind === 'missing-file' ? await missingFileText(path, context.paths.show) : problem.message;
      if (problem.kind === 'miss') missed.add(about);
      const isStale = problem.kind === 'miss' && about.knowledge === 'changed-since';
      const around = isStale ? currentLinesNote(problem.wanted, about, context) : '';
      problems.push(`${shown}: ${which}${isStale ? 'it changed since it was read, and ' : ''}${message}${around}`);
    }
  }
  for (const file of missed) {
    if (context.onMiss(file.path) > 1) problems.push(`${file.shown}: ${repeatedMissAdvice}`);
  }
  if (problems.length === 0) {
    const planned = await finishFiles([...files.values()], context);
    if (planned.tag === 'ok') {
      cacheReplacement(edits, [...files.values()], context);
      return planned;
    }
    problems.push(...planned.error);
  }
  const [first] = problems;
  if (problems.length === 1 && first !== undefined) return failed(rejected(first));
  return failed(rejected(['Nothing was changed:', ...problems].join('\n- ')));
}

const hashOf = ({before}: OpenFile): string | undefined => (before.kind === 'present' ? before.hash : undefined);

/** Caches the result of a plan that is a single replacement, because it depends only on the file's bytes. */
function cacheReplacement(edits: readonly FileEdit[], files: readonly OpenFile[], {replaced}: PlanContext): void {
  replaced.clear();
  const [edit, ...otherEdits] = edits;
  const [file] = files;
  if (edit?.kind !== 'replace' || otherEdits.length > 0 || file === undefined) return;
  const {path, draft} = file;
  const from = hashOf(file);
  const after = draft.content;
  if (from === undefined || after === undefined || after.length < minLarge) return;
  replaced.set(path, {edit, from, after, notes: draft.notes});
}

const repeatedMissAdvice =
  'texts were not found in it several times in a row; try another way: read the lines again and replace fewer of them, or ' +
  'write the whole file.';

/** A file that edits of this plan touch. `closed` if it can't be edited at all, which is reported once. */
interface OpenFile {
  readonly path: string;
  readonly shown: string;
  readonly before: FileSnapshot;
  readonly knowledge: ReadState;
  readonly quoting: QuotePolicy;
  readonly state: 'open' | 'closed';
  readonly draft: FileDraft;
  source: OpenFile | undefined;
  /** True if a rename moved the content to another path. */
  isMovedAway: boolean;
}

async function openFile(
  given: string,
  {files, context}: {readonly files: Map<string, OpenFile>; readonly context: PlanContext},
  signal: AbortSignal,
): Promise<Outcome<OpenFile, string>> {
  const {paths, known} = context;
  const malformed = invalidPathReason(given);
  if (malformed !== undefined) return failed(malformed);
  const {path, place} = paths.resolve(given);
  const open = files.get(path);
  if (open !== undefined) return ok(open);

  const shown = paths.show(path);
  const snapshot = await snapshotOf(path, context, signal);
  const before: FileSnapshot = snapshot.tag === 'ok' ? snapshot.value : {kind: 'absent'};
  const readAs = known.get(path);
  const knowledge =
    readAs === undefined ? 'unread' : before.kind === 'present' && readAs === before.hash ? 'as-read' : 'changed-since';
  // A file outside the workspace is not quoted, because the user may not have approved the read yet.
  const quoting = readAs === undefined && place === 'outside-workspace' ? 'line-numbers-only' : 'quotes';
  const state = snapshot.tag === 'ok' ? 'open' : 'closed';
  const file: OpenFile = {
    path,
    shown,
    before,
    knowledge,
    quoting,
    state,
    draft: makeFileDraft(before, {knowledge, quoting}),
    source: undefined,
    isMovedAway: false,
  };
  files.set(path, file);
  return snapshot.tag === 'ok' ? ok(file) : failed(`${shown}: ${snapshot.error}`);
}

async function snapshotOf(
  path: string,
  {isReadOnly, editorText}: PlanContext,
  signal: AbortSignal,
): Promise<Outcome<FileSnapshot, string>> {
  if (isReadOnly(path)) return failed('it is in the folder where weft keeps command output, which is read-only.');
  const open = await editorText(path, signal);
  const snapshot = await takeSnapshot(path);
  if (open !== undefined && isUnsaved(open, snapshot))
    return failed('it has unsaved changes in the editor. Ask the user to save it, then read it again.');
  if (snapshot.tag === 'ok' && snapshot.value.kind === 'present' && !(await isWritableByUser(path, snapshot.value))) {
    const mode = snapshot.value.mode.toString(8).padStart(4, '0');
    return failed(`it is write-protected (mode ${mode}); change its mode first.`);
  }
  return snapshot;
}

/** True if the path itself (its folders resolved) is a link. Deleting or renaming could mean the link or its target, so it is refused. */
async function isLinkAt(given: string, {paths, home}: PlanContext): Promise<boolean> {
  const written = resolve(paths.root, expandHome(given, home));
  const stats = await lstat(join(realPath(dirname(written)), basename(written))).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

function applyEdit(
  edit: FileEdit,
  file: OpenFile,
  target: OpenFile | undefined,
): readonly {readonly about: OpenFile; readonly problem: EditError; readonly which: string}[] {
  const {draft} = file;
  const here = (problems: readonly EditError[], which = '') => problems.map(problem => ({about: file, problem, which}));
  switch (edit.kind) {
    case 'write':
      return here(draft.write(edit.content));
    case 'replace':
      return edit.replacements.flatMap((replacement, at, {length}) =>
        here(draft.replace(replacement), length === 1 ? '' : `edit ${at + 1} of ${length}: `),
      );
    case 'replace-lines':
      return here(draft.replaceLines(edit.lines, edit.newText));
    case 'patch':
      return here(draft.patch(edit.hunks));
    case 'delete':
      return here(draft.remove());
    case 'rename': {
      if (target === undefined) return [];
      if (target === file) return here([{kind: 'other', message: 'its new name equals its old one.'}]);
      if (target.draft.content !== undefined) {
        const message = 'it exists already; delete it first, or choose another name.';
        return [{about: target, problem: {kind: 'other', message}, which: ''}];
      }
      const content = draft.takeContent();
      if (content.tag === 'failed') return here([content.error]);
      target.draft.setContent(content.value, []);
      target.source = file.source ?? file;
      file.source = undefined;
      file.isMovedAway = true;
      return [];
    }
    default:
      return unreachable(edit);
  }
}

/** Returns the current text where an edit of a changed file belongs; empty if that location is unknown. */
function currentLinesNote(wanted: string, {path, before, quoting}: OpenFile, {seen}: PlanContext): string {
  if (before.kind === 'absent' || quoting === 'line-numbers-only') return '';
  const lines = quoteAround(wanted, {seen: seen.get(path), present: textForDiff(before.bytes)});
  return lines === '' ? '' : `\nThe file now has there:\n${lines}`;
}

async function finishFiles(
  files: readonly OpenFile[],
  {shown}: PlanContext,
): Promise<Outcome<readonly PlannedFile[], readonly string[]>> {
  const planned: PlannedFile[] = [];
  const problems: string[] = [];
  const moved = new Set<OpenFile>();
  for (const file of files) {
    const {source} = file;
    if (source !== undefined && file.draft.content !== undefined && source.draft.content === undefined)
      moved.add(source);
  }
  for (const file of files) {
    const {before, draft} = file;
    if (moved.has(file)) continue;
    const source = file.source !== undefined && moved.has(file.source) ? file.source : undefined;
    const after = draft.content;
    if (before.kind === 'absent' && after === undefined && file.isMovedAway) continue;
    if (before.kind === 'absent' ? after === undefined : after !== undefined && before.bytes.equals(after)) {
      const why = after === undefined ? 'it would be created and deleted again.' : 'the file already has this content.';
      problems.push(`${file.shown}: nothing would change: ${why}`);
      continue;
    }
    planned.push(await plannedFile(file, {after, source, was: shown.get(file.shown)}));
  }
  if (problems.length === 0 && planned.length === 0) problems.push('nothing would change.');
  return problems.length === 0 ? ok(planned) : failed(problems);
}

async function plannedFile(
  {path, shown, before, draft, knowledge}: OpenFile,
  {
    after,
    source,
    was,
  }: {
    readonly after: Buffer | undefined;
    readonly source: OpenFile | undefined;
    readonly was: FileDiff | undefined;
  },
): Promise<PlannedFile> {
  const old = source?.before ?? before;
  const change = await diffContents(old, after, was);
  const notes = [...(source?.draft.notes ?? []), ...draft.notes];
  if (before.kind === 'present' && before.linkCount > 1) {
    const others =
      before.linkCount === 2
        ? 'its other name (hard link) keeps'
        : `its ${before.linkCount - 1} other names (hard links) keep`;
    notes.push(`${others} the old content`);
  }
  const isKnown =
    source === undefined ? before.kind === 'absent' || knowledge === 'as-read' : source.knowledge === 'as-read';
  return {
    path,
    before,
    after,
    modelKnowledge: isKnown ? 'known' : 'unknown',
    source: source?.before.kind === 'present' ? {path: source.path, before: source.before} : undefined,
    diff: withTruncationNote({path: shown, movedFrom: source?.shown, ...change, notes}),
  };
}

export interface PlannedFile {
  /** The real path, links resolved. */
  readonly path: string;
  readonly before: FileSnapshot;
  /** The new content; `undefined` if the file is deleted. */
  readonly after: Buffer | undefined;
  /** The file that is renamed to this one, and so is removed. */
  readonly source: {readonly path: string; readonly before: PresentFile} | undefined;
  /** Whether the model knows the whole content after the edit. It doesn't if it had not read the file, or if the user changed the edit. */
  readonly modelKnowledge: 'known' | 'unknown';
  readonly diff: FileDiff;
}

/** Returns the file that the new content replaces: the one at the same path, or the renamed one. */
export const oldSnapshotOf = ({before, source}: Pick<PlannedFile, 'before' | 'source'>): FileSnapshot =>
  source?.before ?? before;

export function oldBytes(file: Pick<PlannedFile, 'before' | 'source'>): Buffer | undefined {
  const old = oldSnapshotOf(file);
  return old.kind === 'present' ? old.bytes : undefined;
}

/** The maximum number of removed lines, and the maximum number of added lines, to show of one very large change. */
const maxShown = 20_000;

/** Returns the difference between old and new content. Reuses `shown` if it is the diff of the same two texts. */
export async function diffContents(
  old: FileSnapshot,
  after: Buffer | undefined,
  shown: FileDiff | undefined,
): Promise<Pick<FileDiff, 'before' | 'after' | 'added' | 'removed' | 'hunks'>> {
  const states = {
    before: old.kind === 'present' ? old.hash : 'absent',
    after: after === undefined ? 'absent' : sha256(after),
  };
  if (shown?.before === states.before && shown.after === states.after) {
    return {...states, added: shown.added, removed: shown.removed, hunks: shown.hunks};
  }
  return {
    ...states,
    ...(await diffHunks(textForDiff(old.kind === 'present' ? old.bytes : undefined), textForDiff(after), maxShown)),
  };
}

/** Adds a note to a diff that doesn't show every line it counts. */
export function withTruncationNote(diff: FileDiff): FileDiff {
  const notes = diff.notes.filter(note => note !== truncationNote);
  return {...diff, notes: showsAll(diff) ? notes : [...notes, truncationNote]};
}

const truncationNote =
  `too many lines change: only the first ${maxShown.toLocaleString('en-US')} removed and the first ` +
  `${maxShown.toLocaleString('en-US')} added ones are shown; accept or reject the edit as a whole`;

/** Returns the text of a file for a diff; empty for a binary file. */
export function textForDiff(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '';
  const decoded = decodeText(bytes);
  if (decoded.tag === 'failed') return '';
  const text = decoded.value.text.toWellFormed();
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
}

/** Returns the whole texts before and after, for an editor. Binary files are left out. */
export function draftTexts(planned: readonly PlannedFile[]): readonly DraftText[] {
  return planned.flatMap(file => {
    const before = editableTextOf(oldBytes(file));
    const text = editableTextOf(file.after);
    return before === undefined || text === undefined ? [] : [{path: file.diff.path, before, text}];
  });
}

/** Returns the text of a file, or `undefined` if an editor couldn't save it without loss. */
function editableTextOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return '';
  const decoded = decodeText(bytes);
  return decoded.tag === 'ok' && decoded.value.text.isWellFormed() ? decoded.value.text : undefined;
}

/** Bounds of a quotation: files, hunks per file, lines per hunk, lines by which a change may have moved, characters per line. */
const maxFiles = 5;
const maxHunks = 5;
const maxLines = 20;
const maxShift = 500;
const maxLineLength = 300;

/**
 * Quotes the current lines where the shown changes belong, for files that have changed since, so that the model's next try succeeds.
 * `quotable` returns the real path of a file that the model may see, or else `undefined`.
 */
export async function quoteCurrentLines(
  shown: readonly FileDiff[],
  quotable: (path: string) => string | undefined,
): Promise<readonly string[]> {
  const quotes: string[] = [];
  for (const diff of shown) {
    const name = diff.movedFrom ?? diff.path;
    const path = quotes.length < maxFiles && diff.before !== 'absent' ? quotable(name) : undefined;
    const snapshot = path === undefined ? undefined : await takeSnapshot(path);
    if (snapshot?.tag !== 'ok' || snapshot.value.kind === 'absent' || snapshot.value.hash === diff.before) continue;
    const lines = textForDiff(snapshot.value.bytes).split(/\r?\n/u);
    const quoted = diff.hunks.slice(0, maxHunks).map(hunk => quoteHunk(hunk, lines));
    const known = quoted.filter(text => text !== '');
    if (known.length > 0) quotes.push(`${name} has there now:\n${known.join('\n…\n')}`);
  }
  return quotes;
}

/** Lines of a file that the model was shown, and the number of the first one. */
export interface ShownLines {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** Lines of context around a quote, and the maximum number of lines for which a file is quoted whole. */
const context = 5;
const maxWhole = 30;

/**
 * Returns the current lines, numbered and with context, where the model saw `wanted`; all lines of a short file. Empty if that location is
 * unknown.
 */
function quoteAround(
  wanted: string,
  {seen, present}: {readonly seen: ShownLines | undefined; readonly present: string},
): string {
  const lines = present.replace(/\r?\n$/u, '').split(/\r?\n/u);
  if (lines.length <= maxWhole) return numberLines(lines, 0, lines.length);
  const target = wanted.split(/\r?\n/u).map(line => line.trim());
  const firstWantedLine = target.find(line => line !== '') ?? '';
  const place =
    seen?.lines.findIndex(
      line => line.trim() === firstWantedLine || (firstWantedLine !== '' && line.includes(firstWantedLine)),
    ) ?? -1;
  if (seen === undefined || firstWantedLine === '' || place < 0) return '';
  const from = Math.max(0, place - context);
  const old = seen.lines.slice(from, place + target.length + context).slice(0, maxLines + 2 * context);
  const start = seen.firstLine - 1 + from;
  const now = Math.max(0, start + shiftOf(old, lines, start));
  return numberLines(lines, now, old.length + context);
}

const numberLines = (lines: readonly string[], start: number, count: number): string =>
  lines
    .slice(start, start + count)
    .map((line, at) => `${start + at + 1}\t${clip(line, maxLineLength).toWellFormed()}`)
    .join('\n');

/** Returns the current lines at a hunk's location, numbered. */
function quoteHunk(hunk: DiffHunk, present: readonly string[]): string {
  const old = hunk.lines.flatMap(({kind, text}) => (kind === 'added' ? [] : [text])).slice(0, maxLines);
  const start = Math.max(0, hunk.oldStart - 1 + shiftOf(old, present, hunk.oldStart - 1));
  return numberLines(present, start, old.length);
}

/** Returns by how many lines `old` has moved: the nearest shift at which most of its lines reappear. */
function shiftOf(old: readonly string[], present: readonly string[], start: number): number {
  let best = {shift: 0, same: 0};
  for (let distance = 0; distance <= maxShift; distance += 1) {
    for (const shift of distance === 0 ? [0] : [distance, -distance]) {
      const same = old.filter((line, at) => present[start + shift + at] === line).length;
      if (same > best.same) best = {shift, same};
    }
  }
  return best.shift;
}
