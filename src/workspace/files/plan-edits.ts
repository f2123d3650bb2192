import {lstat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import type {FileEdit} from '../../actions/files-port.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {draftOf, type FileDraft, type Knowledge, type Trouble} from './file-draft.ts';
import type {Quoting} from './explain-miss.ts';
import {isWritable, missingText, takeSnapshot, type FileSnapshot} from './file-snapshot.ts';
import {changeIn, shownText, withCutNote, type PlannedFile} from './planned-file.ts';
import {linesAround, type SeenLines} from './present-lines.ts';
import {expandHome, pathTrouble, realPath, type Paths} from './resolve-path.ts';

/** What the plan needs to know: how paths are meant, and which hash the model knows a file by. */
export interface PlanContext {
  readonly paths: Paths;
  readonly home: string;
  /** The SHA-256 of the bytes the model read last, by real path. */
  readonly known: ReadonlyMap<string, string>;
  /** What the model was shown last of a file, by real path. */
  readonly seen: ReadonlyMap<string, SeenLines>;
  /** Whether a real path is for reading only, although it counts as inside the workspace. */
  readonly isReadOnly: (real: string) => boolean;
  /** What the last replacement in a large file came to, by real path; at most one. */
  readonly replaced: Map<string, Replaced>;
  /** The diffs as they were shown, by path; those of the same contents are taken from there. */
  readonly shown: ReadonlyMap<string, FileDiff>;
  /** Told of each file in which a text was not where the model thought; answers how often that was so in a row. */
  readonly missed: (real: string) => number;
}

/** A replacement and what it makes of certain bytes: it is planned to be judged, and again to be written. */
export interface Replaced {
  readonly edit: FileEdit;
  readonly from: string;
  readonly after: Buffer;
  readonly notes: readonly string[];
}

/** Bytes from which on a file is large. */
const leastLarge = 500_000;

/** Works out all edits, each on what those before it leave; every trouble of every file is in the fault. */
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
      file.draft.fill(done.after, done.notes);
      continue;
    }
    for (const {about, trouble, which} of applyEdit(edit, file, target)) {
      const {shown, path} = about;
      const message = trouble.kind === 'missing-file' ? await missingText(path, context.paths.show) : trouble.message;
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

/** Only a single one is kept: what it makes depends on nothing but the bytes that were there. */
function keepReplaced(edits: readonly FileEdit[], files: readonly OpenFile[], {replaced}: PlanContext): void {
  replaced.clear();
  const [edit, ...otherEdits] = edits;
  const [file] = files;
  if (edit?.kind !== 'replace' || otherEdits.length > 0 || file === undefined) return;
  const {path, draft} = file;
  const from = hashOf(file);
  const after = draft.content;
  if (from === undefined || after === undefined || after.length < leastLarge) return;
  replaced.set(path, {edit, from, after, notes: draft.notes});
}

const otherWay =
  'texts were not found in it several times in a row; go another way now: Read the lines and replace them by number (Edit with ' +
  'an empty old_string, start_line and end_line), or Write the whole file.';

/** A file that edits of this plan touch; `closed` where it cannot be edited at all, which was told once. */
interface OpenFile {
  readonly path: string;
  readonly shown: string;
  readonly before: FileSnapshot;
  readonly knowledge: Knowledge;
  readonly quoting: Quoting;
  readonly state: 'open' | 'closed';
  readonly draft: FileDraft;
  source: OpenFile | undefined;
  /** Whether its content has gone on to another name. */
  isPassedOn: boolean;
}

async function openFile(
  given: string,
  {files, context}: {readonly files: Map<string, OpenFile>; readonly context: PlanContext},
): Promise<Outcome<OpenFile, string>> {
  const {paths, known} = context;
  const malformed = pathTrouble(given);
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
  // Outside the workspace somebody is asked before anything is read, and this may be before that.
  const quoting = readAs === undefined && place === 'outside-workspace' ? 'line-numbers-only' : 'quotes';
  const state = snapshot.tag === 'ok' ? 'open' : 'closed';
  const file: OpenFile = {
    path,
    shown,
    before,
    knowledge,
    quoting,
    state,
    draft: draftOf(before, {knowledge, quoting}),
    source: undefined,
    isPassedOn: false,
  };
  files.set(path, file);
  return snapshot.tag === 'ok' ? ok(file) : failed(`${shown}: ${snapshot.error}`);
}

async function snapshotOf(path: string, {isReadOnly}: PlanContext): Promise<Outcome<FileSnapshot, string>> {
  if (isReadOnly(path)) return failed('it lies where weft keeps the output of commands; nothing is edited there.');
  const snapshot = await takeSnapshot(path);
  if (snapshot.tag === 'ok' && snapshot.value.kind === 'present' && !(await isWritable(path, snapshot.value))) {
    const mode = snapshot.value.mode.toString(8).padStart(4, '0');
    return failed(`it is write-protected (mode ${mode}); nothing is written to it unless that is changed first.`);
  }
  return snapshot;
}

/** Whether the path itself, its folders resolved, is a link: taking it away would leave or take the wrong thing. */
async function linkAt(given: string, {paths, home}: PlanContext): Promise<boolean> {
  const written = resolve(paths.root, expandHome(given, home));
  const stats = await lstat(join(realPath(dirname(written)), basename(written))).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

function applyEdit(
  edit: FileEdit,
  file: OpenFile,
  target: OpenFile | undefined,
): readonly {readonly about: OpenFile; readonly trouble: Trouble; readonly which: string}[] {
  const {draft} = file;
  const here = (troubles: readonly Trouble[], which = '') => troubles.map(trouble => ({about: file, trouble, which}));
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
      const content = draft.leave();
      if (content.tag === 'failed') return here([content.error]);
      target.draft.fill(content.value, []);
      target.source = file.source ?? file;
      file.source = undefined;
      file.isPassedOn = true;
      return [];
    }
    default:
      return unreachable(edit);
  }
}

/** The text that stands now where an edit of a file that has changed was meant to be; empty where nothing can be said. */
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
