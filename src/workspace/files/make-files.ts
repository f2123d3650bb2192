import type {FileMemory, PlannedFile, ShownLines} from './plan-edits.ts';
import {invalidPathReason} from '../../base/invalid-path.ts';
import {containsPath, limitToJudgedPaths, makePaths, type Paths} from './resolve-path.ts';
import type {ChangedPlan} from './user-changes.ts';
import QuickLRU from 'quick-lru';
import type {EditorFiles, FilesPort, ReadRequest} from '../../actions/files-port.ts';
import type {UserChanges, EditRequest} from '../../domain/file-edit.ts';
import {showsAll, type DiffLine, type FileDiff} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, faultText, rejected, type Fault} from '../../domain/fault.ts';
import type {FileWrite} from './write-files.ts';

interface FilesOptions {
  readonly roots: readonly string[];
  readonly home: string;
  /** weft's own folders (links resolved) that count as inside but whose files can't be edited. */
  readonly alsoReadable: () => readonly string[];
  readonly editor: EditorFiles | 'none';
  /** Called with the files of an edit just before the first of them changes. */
  readonly beforeWrite?: (writes: readonly FileWrite[]) => Promise<void>;
}

/**
 * The machine's files as seen from a workspace. Relative paths start at the first of `roots`; all roots count as inside. The port remembers
 * by content hash what the model read, and refuses to overwrite what has changed since.
 */
export function makeFiles(options: FilesOptions): FilesPort {
  const memory: FileMemory = {
    known: new Map(),
    seen: new QuickLRU({maxSize: maxSeenFiles}),
    misses: new Map(),
    replaced: new Map(),
  };
  return makeFilesPort(makePaths(options), options, memory);
}

/** The number of files whose lines are remembered, and the maximum number of characters for one. */
const maxSeenFiles = 30;
const maxSeen = 100_000;

function makeFilesPort(paths: Paths, options: Omit<FilesOptions, 'roots'>, memory: FileMemory): FilesPort {
  const {known, seen, misses, replaced} = memory;

  async function read(request: ReadRequest, signal: AbortSignal): ReturnType<FilesPort['read']> {
    const problem = invalidPathReason(request.path);
    if (problem !== undefined) return failed(rejected(problem));
    const {path} = paths.resolve(request.path);
    const shown = paths.show(path);
    try {
      const {openRegular} = await import('./regular-files.ts');
      const found = await openRegular(path);
      switch (found.kind) {
        case 'missing': {
          const {missingFileText: missingText} = await import('./file-snapshot.ts');
          return failed(rejected(`${shown}: ${await missingText(path, paths.show)}`));
        }
        case 'refused':
          return failed(rejected(`${shown} cannot be read: ${found.reason}.`));
        case 'directory': {
          const {listDirectory} = await import('./list-folder.ts');
          return ok(await listDirectory(path, {path: shown, request}));
        }
        case 'file':
          break;
      }
      await using handle = found.handle;
      const {readChunks, readRegular} = await import('./read-file.ts');
      const unsaved = await unsavedText(path, signal);
      const chunks = unsaved === undefined ? readChunks(handle, signal) : chunksOf(unsaved);
      const answer = await readRegular({chunks, size: found.stats.size, shown, request}, signal);
      if (answer.tag === 'failed') return answer;
      known.set(path, answer.value.hash);
      if (unsaved !== undefined && answer.value.file.kind === 'text')
        return ok({...answer.value.file, notes: [...answer.value.file.notes, unsavedNote]});
      if (answer.value.file.kind === 'text') remember(path, answer.value.file);
      return ok(answer.value.file);
    } catch (cause) {
      return failed(rejected(`${shown} could not be read: ${causeText(cause)}.`));
    }
  }

  const editorText = async (path: string, signal: AbortSignal): Promise<string | undefined> =>
    options.editor === 'none' ? undefined : options.editor.read(path, signal);

  async function unsavedText(path: string, signal: AbortSignal): Promise<string | undefined> {
    const text = await editorText(path, signal);
    if (text === undefined) return undefined;
    const [{isUnsaved}, {takeSnapshot}] = await Promise.all([
      import('./unsaved-text.ts'),
      import('./file-snapshot.ts'),
    ]);
    return isUnsaved(text, await takeSnapshot(path)) ? text : undefined;
  }

  /** Remembers the lines that the model was shown, unless they are too long. */
  function remember(path: string, {firstLine, lines}: ShownLines): void {
    seen.delete(path);
    if (lines.reduce((sum, line) => sum + line.length, 0) > maxSeen) return;
    seen.set(path, {firstLine, lines});
  }

  const isReadOnly = (real: string): boolean => options.alsoReadable().some(folder => containsPath(folder, real));

  const context = (onMiss: (real: string) => number, shown: readonly FileDiff[]) => ({
    paths,
    home: options.home,
    known,
    seen,
    replaced,
    isReadOnly,
    editorText,
    onMiss,
    shown: new Map(shown.map(diff => [diff.path, diff])),
  });

  const countMiss = (real: string): number => {
    const times = (misses.get(real) ?? 0) + 1;
    misses.set(real, times);
    return times;
  };

  /** Plans the edits with the user's changes applied. */
  async function planWithUserChanges(
    {edits, userChanges}: EditRequest,
    {onMiss, shown}: {readonly onMiss: (real: string) => number; readonly shown: readonly FileDiff[]},
    signal: AbortSignal,
  ): Promise<Outcome<ChangedPlan, Fault>> {
    const {planEdits} = await import('./plan-edits.ts');
    const proposed = await planEdits(edits, context(onMiss, userChanges.kind === 'none' ? shown : []), signal);
    if (proposed.tag === 'failed') return proposed;
    if (userChanges.kind === 'none') return ok({planned: proposed.value, userChanged: []});
    const {applyUserChanges} = await import('./user-changes.ts');
    return applyUserChanges(proposed.value, userChanges);
  }

  /** Returns the path if its file may be quoted. A file outside the workspace that the model hasn't read is not. */
  const quotablePath = (shown: string): string | undefined => {
    const {path, place} = paths.resolve(shown);
    return place === 'inside-workspace' || known.has(path) ? path : undefined;
  };

  async function withCurrentLines(fault: Fault, shown: readonly FileDiff[]): Promise<Fault> {
    const {quoteCurrentLines} = await import('./plan-edits.ts');
    const present = await quoteCurrentLines(shown, quotablePath);
    return present.length === 0 ? fault : rejected([faultText(fault), ...present].join('\n'));
  }

  return {
    limitedTo: judged => makeFilesPort(limitToJudgedPaths(paths, judged), options, memory),
    resolve(path) {
      const resolved = paths.resolve(path);
      return isReadOnly(resolved.path) ? {...resolved, place: 'inside-workspace'} : resolved;
    },
    read,
    async plan(request, signal) {
      const plan = await planWithUserChanges(request, {onMiss: countMiss, shown: []}, signal);
      return plan.tag === 'ok' ? ok(plan.value.planned.map(({diff}) => diff)) : plan;
    },
    async draft(request, signal) {
      const plan = await planWithUserChanges(request, {onMiss: () => 0, shown: []}, signal);
      if (plan.tag === 'failed') return plan;
      const {draftTexts} = await import('./plan-edits.ts');
      return ok(draftTexts(plan.value.planned));
    },
    async apply(request, shown, signal) {
      const plan = await planWithUserChanges(request, {onMiss: () => 0, shown}, signal);
      if (plan.tag === 'failed') return failed(await withCurrentLines(plan.error, shown));
      const files = plan.value.planned;
      const unapproved = approvalMismatch(files, {shown, userChanges: request.userChanges});
      if (unapproved !== undefined) return failed(await withCurrentLines(rejected(unapproved), shown));
      const {writeFiles} = await import('./write-files.ts');
      const writes = files.flatMap(writesOf);
      // A failure makes only the undo of a killed edit less exact.
      await options.beforeWrite?.(writes).catch(() => {});
      const written = await writeFiles(writes, signal);
      if (written.tag === 'failed') return failed(await withCurrentLines(written.error, shown));
      replaced.clear();
      for (const {path, source, after, modelKnowledge, diff} of files) {
        misses.delete(path);
        if (source !== undefined) known.delete(source.path);
        if (after === undefined) known.delete(path);
        else if (modelKnowledge === 'known') known.set(path, diff.after);
      }
      return ok({files: await Promise.all(files.map(withSyntaxNote)), userChanged: plan.value.userChanged});
    },
  };
}

const unsavedNote = "these lines are those in the user's editor, which the user has not saved";

async function* chunksOf(text: string): AsyncGenerator<Buffer, void> {
  yield Buffer.from(text);
}

function writesOf({path, before, after, source, diff}: PlannedFile): readonly FileWrite[] {
  const write: FileWrite = {path, shown: diff.path, before, after, like: source?.before ?? before};
  if (source === undefined) return [write];
  const shown = diff.movedFrom ?? source.path;
  return [write, {path: source.path, shown, before: source.before, after: undefined, like: source.before}];
}

async function withSyntaxNote(file: PlannedFile): Promise<FileDiff> {
  const [{syntaxNote}, {oldBytes}] = await Promise.all([import('./syntax-note.ts'), import('./plan-edits.ts')]);
  const {path, after, diff} = file;
  const note = await syntaxNote(path, oldBytes(file), after);
  return note === undefined ? diff : {...diff, notes: [...diff.notes, note]};
}

/**
 * Returns how the plan differs from the edit that the user approved, or `undefined` if it doesn't. A change elsewhere in the file by
 * another program is fine as long as the added and removed lines are the same. The user's own changes apply to exactly one text.
 */
function approvalMismatch(
  planned: readonly PlannedFile[],
  {shown, userChanges}: {readonly shown: readonly FileDiff[]; readonly userChanges: UserChanges},
): string | undefined {
  const agreed = new Map(shown.map(diff => [diff.path, diff]));
  for (const {diff} of planned) {
    const was = agreed.get(diff.path);
    const same = was?.before === diff.before && was.after === diff.after;
    if (!same && (was === undefined || userChanges.kind !== 'none' || !isSameChange(was, diff))) {
      return `${diff.path} changed since the edit was shown; nothing was written. Read it again.`;
    }
  }
  return planned.length === shown.length ? undefined : 'The edit differs from the one shown; nothing was written.';
}

function isSameChange(shown: FileDiff, planned: FileDiff): boolean {
  // Lines that weren't shown can't be compared.
  if (!showsAll(shown) || !showsAll(planned)) return false;
  return kindOfChange(shown) === kindOfChange(planned) && changedLines(shown) === changedLines(planned);
}

const kindOfChange = (diff: FileDiff): string =>
  [diff.before === 'absent', diff.after === 'absent', diff.movedFrom].join('\n');

const changedLines = ({hunks}: FileDiff): string =>
  hunks
    .flatMap(({lines}) =>
      lines.filter(({kind}: DiffLine) => kind !== 'context').map(({kind, text}) => `${kind} ${text}`),
    )
    .join('\n');
