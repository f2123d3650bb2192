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
import {whyInvalidPath} from '../../base/invalid-path.ts';
import {expandHome, type Paths, realPath} from './resolve-path.ts';
import {decodeText} from './text-encoding.ts';

/** What planning needs: how paths are resolved, and what the model has read and was shown. */
export interface PlanContext extends Pick<FileMemory, 'known' | 'seen' | 'replaced'> {
  readonly paths: Paths;
  readonly home: string;
  /** Whether a real path must not be edited although it counts as inside the workspace. */
  readonly isReadOnly: (real: string) => boolean;
  /** The diffs that were shown to the user, by path. A diff of the same contents is not computed again. */
  readonly shown: ReadonlyMap<string, FileDiff>;
  /** Called for each file in which a text was not found; answers how often in a row that has happened to the file. */
  readonly missed: (real: string) => number;
}

/** What the model has read of the files of one workspace, by real path. */
export interface FileMemory {
  /** The SHA-256 of the bytes the model read last. */
  readonly known: Map<string, string>;
  /** The lines that it was shown last, for the files that it read last. */
  readonly seen: QuickLRU<string, ShownLines>;
  /** The result of the last replacement in a large file, from its planning until it is written; at most one. */
  readonly replaced: Map<string, CachedReplacement>;
  /** How often in a row a text was not found. */
  readonly misses: Map<string, number>;
}

/** A replacement and its result. An edit is planned once to be judged and once to be written; the second time reuses the result. */
interface CachedReplacement {
  readonly edit: FileEdit;
  readonly from: string;
  readonly after: Buffer;
  readonly notes: readonly string[];
}

/** Bytes from which on a result is cached. */
const minLarge = 500_000;

/** Plans all edits, each on the result of those before it. The fault names every error of every file. */
export async function planEdits(
  edits: readonly FileEdit[],
  context: PlanContext,
  signal: AbortSignal,
): Promise<Outcome<readonly PlannedFile[], Fault>> {
  const files = new Map<string, OpenFile>();
  const troubles: string[] = [];
  const missed = new Set<OpenFile>();
  for (const edit of edits) {
    if (signal.aborted) return failed(rejected('The edit was stopped before anything was written.'));
    const opened: OpenFile[] = [];
    for (const path of edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path]) {
      const file = await openFile(path, {files, context});
      if (file.tag === 'ok') opened.push(file.value);
      else troubles.push(file.error);
    }
    const [file, target] = opened;
    if (file === undefined || file.state === 'closed' || target?.state === 'closed') continue;
    if (edit.kind === 'delete' || edit.kind === 'rename') {
      const link = await linkAt(edit.path, context);
      if (link) {
        troubles.push(`${edit.path}: it is a symbolic link; name the file it leads to, or use a command.`);
        continue;
      }
    }
    const done = edits.length === 1 ? context.replaced.get(file.path) : undefined;
    if (done !== undefined && done.from === hashOf(file) && isDeepStrictEqual(done.edit, edit)) {
      file.draft.setContent(done.after, done.notes);
      continue;
    }
    for (const {about, trouble, which} of applyEdit(edit, file, target)) {
      const {shown, path} = about;
      const message =
        trouble.kind === 'missing-file' ? await missingFileText(path, context.paths.show) : trouble.message;
      if (trouble.kind === 'miss') missed.add(about);
      const isStale = trouble.kind === 'miss' && about.knowledge === 'changed-since';
      const around = isStale ? presentAround(trouble.wanted, about, context) : '';
      troubles.push(`${shown}: ${which}${isStale ? 'it changed since it was read, and ' : ''}${message}${around}`);
    }
  }
  for (const file of missed) {
    if (context.missed(file.path) > 1) troubles.push(`${file.shown}: ${otherWay}`);
  }
  if (troubles.length === 0) {
    const planned = await finishFiles([...files.values()], context);
    if (planned.tag === 'ok') {
      keepReplaced(edits, [...files.values()], context);
      return planned;
    }
    troubles.push(...planned.error);
  }
  const [first] = troubles;
  if (troubles.length === 1 && first !== undefined) return failed(rejected(first));
  return failed(rejected(['Nothing was changed:', ...troubles].join('\n- ')));
}

const hashOf = ({before}: OpenFile): string | undefined => (before.kind === 'present' ? before.hash : undefined);

/** Caches the result of a plan that is a single replacement: it depends on nothing but the bytes of the file. */
function keepReplaced(edits: readonly FileEdit[], files: readonly OpenFile[], {replaced}: PlanContext): void {
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

const otherWay =
  'texts were not found in it several times in a row; go another way now: Read the lines and replace them by number (Edit with ' +
  'an empty old_string, start_line and end_line), or Write the whole file.';

/** A file that edits of this plan touch; `closed` if it cannot be edited at all, which is reported once. */
interface OpenFile {
  readonly path: string;
  readonly shown: string;
  readonly before: FileSnapshot;
  readonly knowledge: ReadState;
  readonly quoting: QuotePolicy;
  readonly state: 'open' | 'closed';
  readonly draft: FileDraft;
  source: OpenFile | undefined;
  /** Whether the content was moved to another path by a rename. */
  isPassedOn: boolean;
}

async function openFile(
  given: string,
  {files, context}: {readonly files: Map<string, OpenFile>; readonly context: PlanContext},
): Promise<Outcome<OpenFile, string>> {
  const {paths, known} = context;
  const malformed = whyInvalidPath(given);
  if (malformed !== undefined) return failed(malformed);
  const {path, place} = paths.resolve(given);
  const open = files.get(path);
  if (open !== undefined) return ok(open);

  const shown = paths.show(path);
  const snapshot = await snapshotOf(path, context);
  const before: FileSnapshot = snapshot.tag === 'ok' ? snapshot.value : {kind: 'absent'};
  const readAs = known.get(path);
  const knowledge =
    readAs === undefined ? 'unread' : before.kind === 'present' && readAs === before.hash ? 'as-read' : 'changed-since';
  // A file outside the workspace is not quoted: the user is asked before it is read, and may not have been asked yet.
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
    isPassedOn: false,
  };
  files.set(path, file);
  return snapshot.tag === 'ok' ? ok(file) : failed(`${shown}: ${snapshot.error}`);
}

async function snapshotOf(path: string, {isReadOnly}: PlanContext): Promise<Outcome<FileSnapshot, string>> {
  if (isReadOnly(path)) return failed('it lies where weft keeps the output of commands; nothing is edited there.');
  const snapshot = await takeSnapshot(path);
  if (snapshot.tag === 'ok' && snapshot.value.kind === 'present' && !(await isWritableByUser(path, snapshot.value))) {
    const mode = snapshot.value.mode.toString(8).padStart(4, '0');
    return failed(`it is write-protected (mode ${mode}); nothing is written to it unless that is changed first.`);
  }
  return snapshot;
}

/** Whether the path itself (its folders resolved) is a link. Deleting or renaming would hit either the link or its target, so it is refused. */
async function linkAt(given: string, {paths, home}: PlanContext): Promise<boolean> {
  const written = resolve(paths.root, expandHome(given, home));
  const stats = await lstat(join(realPath(dirname(written)), basename(written))).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

function applyEdit(
  edit: FileEdit,
  file: OpenFile,
  target: OpenFile | undefined,
): readonly {readonly about: OpenFile; readonly trouble: EditError; readonly which: string}[] {
  const {draft} = file;
  const here = (troubles: readonly EditError[], which = '') => troubles.map(trouble => ({about: file, trouble, which}));
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
      if (target === file) return here([{kind: 'other', message: 'its new name is the one it has.'}]);
      if (target.draft.content !== undefined) {
        const message = 'it exists already; delete it first, or choose another name.';
        return [{about: target, trouble: {kind: 'other', message}, which: ''}];
      }
      const content = draft.takeContent();
      if (content.tag === 'failed') return here([content.error]);
      target.draft.setContent(content.value, []);
      target.source = file.source ?? file;
      file.source = undefined;
      file.isPassedOn = true;
      return [];
    }
    default:
      return unreachable(edit);
  }
}

/** The present text at the place of an edit in a file that has changed; empty where the place is not known. */
function presentAround(wanted: string, {path, before, quoting}: OpenFile, {seen}: PlanContext): string {
  if (before.kind === 'absent' || quoting === 'line-numbers-only') return '';
  const lines = linesAround(wanted, {seen: seen.get(path), present: shownText(before.bytes)});
  return lines === '' ? '' : `\nThe file has there now:\n${lines}`;
}

async function finishFiles(
  files: readonly OpenFile[],
  {shown}: PlanContext,
): Promise<Outcome<readonly PlannedFile[], readonly string[]>> {
  const planned: PlannedFile[] = [];
  const troubles: string[] = [];
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
    if (before.kind === 'absent' && after === undefined && file.isPassedOn) continue;
    if (before.kind === 'absent' ? after === undefined : after !== undefined && before.bytes.equals(after)) {
      const why = after === undefined ? 'it would be made and removed again.' : 'the file has this content already.';
      troubles.push(`${file.shown}: nothing would change: ${why}`);
      continue;
    }
    planned.push(await plannedFile(file, {after, source, was: shown.get(file.shown)}));
  }
  if (troubles.length === 0 && planned.length === 0) troubles.push('nothing would change.');
  return troubles.length === 0 ? ok(planned) : failed(troubles);
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
  const change = await changeIn(old, after, was);
  const notes = [...(source?.draft.notes ?? []), ...draft.notes];
  if (before.kind === 'present' && before.names > 1) {
    const others =
      before.names === 2 ? 'its other name (hard link) keeps' : `its ${before.names - 1} other names (hard links) keep`;
    notes.push(`${others} the old content`);
  }
  const isKnown =
    source === undefined ? before.kind === 'absent' || knowledge === 'as-read' : source.knowledge === 'as-read';
  return {
    path,
    before,
    after,
    afterwards: isKnown ? 'known' : 'unknown',
    source: source?.before.kind === 'present' ? {path: source.path, before: source.before} : undefined,
    diff: withCutNote({path: shown, movedFrom: source?.shown, ...change, notes}),
  };
}

export interface PlannedFile {
  /** The real path, links followed. */
  readonly path: string;
  readonly before: FileSnapshot;
  /** The new content; `undefined` if the file is deleted. */
  readonly after: Buffer | undefined;
  /** The file that is renamed to this one, and so is removed. */
  readonly source: {readonly path: string; readonly before: PresentFile} | undefined;
  /** Whether the model knows the whole content after the edit. It does not if it had not read the file, or if the user changed the edit. */
  readonly afterwards: 'known' | 'unknown';
  readonly diff: FileDiff;
}

/** The file that the new content replaces: the one at the same path, or the one that is renamed. */
export const oldOf = ({before, source}: Pick<PlannedFile, 'before' | 'source'>): FileSnapshot =>
  source?.before ?? before;

export function oldBytes(file: Pick<PlannedFile, 'before' | 'source'>): Buffer | undefined {
  const old = oldOf(file);
  return old.kind === 'present' ? old.bytes : undefined;
}

/** Removed lines, and added lines, that are shown of one very large change. */
const maxShown = 20_000;

/** The difference between old and new content. If `shown` is the diff of the same two contents, it is used. */
export async function changeIn(
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
    ...(await diffHunks(shownText(old.kind === 'present' ? old.bytes : undefined), shownText(after), maxShown)),
  };
}

/** Adds a note to a diff that does not show every line that it counts. */
export function withCutNote(diff: FileDiff): FileDiff {
  const notes = diff.notes.filter(note => note !== cutNote);
  return {...diff, notes: showsAll(diff) ? notes : [...notes, cutNote]};
}

const cutNote =
  `so many lines change that only the first ${maxShown.toLocaleString('en-US')} of those that go and of those that ` +
  'come are shown; the edit is taken or left as a whole';

/** The text that a diff shows of a file; empty for a binary file. */
export function shownText(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '';
  const decoded = decodeText(bytes);
  if (decoded.tag === 'failed') return '';
  const text = decoded.value.text.toWellFormed();
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
}

/** The whole texts before and after, for an editor. Binary files are left out. */
export function draftTexts(planned: readonly PlannedFile[]): readonly DraftText[] {
  return planned.flatMap(file => {
    const before = textOf(oldBytes(file));
    const text = textOf(file.after);
    return before === undefined || text === undefined ? [] : [{path: file.diff.path, before, text}];
  });
}

/** The text of a file; `undefined` if an editor could not save it without loss. */
function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return '';
  const decoded = decodeText(bytes);
  return decoded.tag === 'ok' && decoded.value.text.isWellFormed() ? decoded.value.text : undefined;
}

/** Bounds of a quotation: files, hunks of a file, lines of a hunk, lines by which a change may have moved, characters of a line. */
const maxFiles = 5;
const maxHunks = 5;
const maxLines = 20;
const farthest = 500;
const longestLine = 300;

/**
 * Quotes the present lines at the places of the shown changes, for files that have changed since, so that the model's next try
 * succeeds. `quotable` answers the real path of a file that the model may see, else `undefined`.
 */
export async function presentLines(
  shown: readonly FileDiff[],
  quotable: (path: string) => string | undefined,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const diff of shown) {
    const name = diff.movedFrom ?? diff.path;
    const path = told.length < maxFiles && diff.before !== 'absent' ? quotable(name) : undefined;
    const snapshot = path === undefined ? undefined : await takeSnapshot(path);
    if (snapshot?.tag !== 'ok' || snapshot.value.kind === 'absent' || snapshot.value.hash === diff.before) continue;
    const lines = shownText(snapshot.value.bytes).split(/\r?\n/u);
    const quoted = diff.hunks.slice(0, maxHunks).map(hunk => quotedAt(hunk, lines));
    const known = quoted.filter(text => text !== '');
    if (known.length > 0) told.push(`${name} has there now:\n${known.join('\n…\n')}`);
  }
  return told;
}

/** Lines of a file that the model was shown, and the number of the first one. */
export interface ShownLines {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** Lines of context around a quoted place, and lines up to which a file is quoted whole. */
const context = 5;
const maxWhole = 30;

/**
 * The present lines, numbered and with context, at the place where `wanted` was in the lines that the model was shown; all lines of
 * a short file. Empty where the place is not known.
 */
function linesAround(
  wanted: string,
  {seen, present}: {readonly seen: ShownLines | undefined; readonly present: string},
): string {
  const lines = present.replace(/\r?\n$/u, '').split(/\r?\n/u);
  if (lines.length <= maxWhole) return numbered(lines, 0, lines.length);
  const target = wanted.split(/\r?\n/u).map(line => line.trim());
  const telling = target.find(line => line !== '') ?? '';
  const place =
    seen?.lines.findIndex(line => line.trim() === telling || (telling !== '' && line.includes(telling))) ?? -1;
  if (seen === undefined || telling === '' || place < 0) return '';
  const from = Math.max(0, place - context);
  const old = seen.lines.slice(from, place + target.length + context).slice(0, maxLines + 2 * context);
  const start = seen.firstLine - 1 + from;
  const now = Math.max(0, start + shiftOf(old, lines, start));
  return numbered(lines, now, old.length + context);
}

const numbered = (lines: readonly string[], start: number, count: number): string =>
  lines
    .slice(start, start + count)
    .map((line, at) => `${start + at + 1}\t${clip(line, longestLine).toWellFormed()}`)
    .join('\n');

/** The present lines at the place of a hunk, numbered. */
function quotedAt(hunk: DiffHunk, present: readonly string[]): string {
  const old = hunk.lines.flatMap(({kind, text}) => (kind === 'added' ? [] : [text])).slice(0, maxLines);
  const start = Math.max(0, hunk.oldStart - 1 + shiftOf(old, present, hunk.oldStart - 1));
  return numbered(present, start, old.length);
}

/** By how many lines `old` has moved: the nearest shift at which most of its lines are found again. */
function shiftOf(old: readonly string[], present: readonly string[], start: number): number {
  let best = {shift: 0, same: 0};
  for (let distance = 0; distance <= farthest; distance += 1) {
    for (const shift of distance === 0 ? [0] : [distance, -distance]) {
      const same = old.filter((line, at) => present[start + shift + at] === line).length;
      if (same > best.same) best = {shift, same};
    }
  }
  return best.shift;
}
