import type {FileMemory, PlannedFile, ShownLines} from './plan-edits.ts';
import {whyInvalidPath} from '../../base/invalid-path.ts';
import {holds, limitToJudgedPaths, makePaths, type Paths} from './resolve-path.ts';
import type {ChangedPlan} from './user-changes.ts';
import QuickLRU from 'quick-lru';
import type {FilesPort, ReadRequest} from '../../actions/files-port.ts';
import type {UserChanges, EditRequest} from '../../domain/file-edit.ts';
import {showsAll, type DiffLine, type FileDiff} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText, faultText, rejected, type Fault} from '../../domain/fault.ts';
import type {FileWrite} from './write-files.ts';

/**
 * The files of the machine as seen from a workspace: the first of `roots`, where relative paths start; all roots count as
 * inside. It remembers by content hash what the model read, and refuses to overwrite what has changed since.
 */
export function makeFiles(options: {
  readonly roots: readonly string[];
  readonly home: string;
  /** Folders of weft's own (links resolved) that count as inside too, but hold nothing that may be edited. */
  readonly alsoReadable: () => readonly string[];
}): FilesPort {
  const memory: FileMemory = {
    known: new Map(),
    seen: new QuickLRU({maxSize: maxSeenFiles}),
    misses: new Map(),
    replaced: new Map(),
  };
  return filesOn(makePaths(options), options, memory);
}

/** Files whose lines are remembered, and characters of one. */
const maxSeenFiles = 30;
const maxSeen = 100_000;

function filesOn(
  paths: Paths,
  options: {readonly home: string; readonly alsoReadable: () => readonly string[]},
  memory: FileMemory,
): FilesPort {
  const {known, seen, misses, replaced} = memory;

  async function read(request: ReadRequest, signal: AbortSignal): ReturnType<FilesPort['read']> {
    const trouble = whyInvalidPath(request.path);
    if (trouble !== undefined) return failed(rejected(trouble));
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
      const {readRegular} = await import('./read-file.ts');
      const answer = await readRegular({handle, size: found.stats.size, shown, request}, signal);
      if (answer.tag === 'failed') return answer;
      known.set(path, answer.value.hash);
      if (answer.value.file.kind === 'text') remember(path, answer.value.file);
      return ok(answer.value.file);
    } catch (cause) {
      return failed(rejected(`${shown} could not be read: ${causeText(cause)}.`));
    }
  }

  /** Remembers the lines that the model was shown, unless they are very long. */
  function remember(path: string, {firstLine, lines}: ShownLines): void {
    seen.delete(path);
    if (lines.reduce((sum, line) => sum + line.length, 0) > maxSeen) return;
    seen.set(path, {firstLine, lines});
  }

  const isReadOnly = (real: string): boolean => options.alsoReadable().some(folder => holds(folder, real));

  const context = (missed: (real: string) => number, shown: readonly FileDiff[]) => ({
    paths,
    home: options.home,
    known,
    seen,
    replaced,
    isReadOnly,
    missed,
    shown: new Map(shown.map(diff => [diff.path, diff])),
  });

  const countMiss = (real: string): number => {
    const times = (misses.get(real) ?? 0) + 1;
    misses.set(real, times);
    return times;
  };

  /** What the edits come to once the user has changed them. */
  async function planned(
    {edits, userChanges}: EditRequest,
    {missed, shown}: {readonly missed: (real: string) => number; readonly shown: readonly FileDiff[]},
    signal: AbortSignal,
  ): Promise<Outcome<ChangedPlan, Fault>> {
    const {planEdits} = await import('./plan-edits.ts');
    const proposed = await planEdits(edits, context(missed, userChanges.kind === 'none' ? shown : []), signal);
    if (proposed.tag === 'failed') return proposed;
    if (userChanges.kind === 'none') return ok({planned: proposed.value, userChanged: []});
    const {applyUserChanges} = await import('./user-changes.ts');
    return applyUserChanges(proposed.value, userChanges);
  }

  /** A file outside of the workspace that the model has not read is not quoted. */
  const quotable = (shown: string): string | undefined => {
    const {path, place} = paths.resolve(shown);
    return place === 'inside-workspace' || known.has(path) ? path : undefined;
  };

  async function withPresent(fault: Fault, shown: readonly FileDiff[]): Promise<Fault> {
    const {presentLines} = await import('./plan-edits.ts');
    const present = await presentLines(shown, quotable);
    return present.length === 0 ? fault : rejected([faultText(fault), ...present].join('\n'));
  }

  return {
    limitedTo: judged => filesOn(limitToJudgedPaths(paths, judged), options, memory),
    resolve(path) {
      const resolved = paths.resolve(path);
      return isReadOnly(resolved.path) ? {...resolved, place: 'inside-workspace'} : resolved;
    },
    read,
    async plan(request, signal) {
      const plan = await planned(request, {missed: countMiss, shown: []}, signal);
      return plan.tag === 'ok' ? ok(plan.value.planned.map(({diff}) => diff)) : plan;
    },
    async draft(request, signal) {
      const plan = await planned(request, {missed: () => 0, shown: []}, signal);
      if (plan.tag === 'failed') return plan;
      const {draftTexts} = await import('./plan-edits.ts');
      return ok(draftTexts(plan.value.planned));
    },
    async apply(request, shown, signal) {
      const plan = await planned(request, {missed: () => 0, shown}, signal);
      if (plan.tag === 'failed') return failed(await withPresent(plan.error, shown));
      const files = plan.value.planned;
      const unapproved = findUnapproved(files, {shown, userChanges: request.userChanges});
      if (unapproved !== undefined) return failed(await withPresent(rejected(unapproved), shown));
      const {writeFiles} = await import('./write-files.ts');
      const written = await writeFiles(files.flatMap(writesOf), signal);
      if (written.tag === 'failed') return failed(await withPresent(written.error, shown));
      replaced.clear();
      for (const {path, source, after, afterwards, diff} of files) {
        misses.delete(path);
        if (source !== undefined) known.delete(source.path);
        if (after === undefined) known.delete(path);
        else if (afterwards === 'known') known.set(path, diff.after);
      }
      return ok({files: await Promise.all(files.map(withSyntaxNote)), userChanged: plan.value.userChanged});
    },
  };
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
 * Says how the plan differs from the edit that the user approved; `undefined` if it does not. A change by another program beside the
 * edit does not matter as long as the added and removed lines are the same; changes by the user apply to exactly one text.
 */
function findUnapproved(
  planned: readonly PlannedFile[],
  {shown, userChanges}: {readonly shown: readonly FileDiff[]; readonly userChanges: UserChanges},
): string | undefined {
  const agreed = new Map(shown.map(diff => [diff.path, diff]));
  for (const {diff} of planned) {
    const was = agreed.get(diff.path);
    const same = was?.before === diff.before && was.after === diff.after;
    if (!same && (was === undefined || userChanges.kind !== 'none' || !changesAlike(was, diff))) {
      return `${diff.path} changed since the edit was shown; nothing was written. Read it again.`;
    }
  }
  return planned.length === shown.length ? undefined : 'The edit is not the one that was shown; nothing was written.';
}

function changesAlike(shown: FileDiff, planned: FileDiff): boolean {
  // Lines that were not shown cannot be compared.
  if (!showsAll(shown) || !showsAll(planned)) return false;
  return kindOfChange(shown) === kindOfChange(planned) && linesThatChange(shown) === linesThatChange(planned);
}

const kindOfChange = (diff: FileDiff): string =>
  [diff.before === 'absent', diff.after === 'absent', diff.movedFrom].join('\n');

const linesThatChange = ({hunks}: FileDiff): string =>
  hunks
    .flatMap(({lines}) =>
      lines.filter(({kind}: DiffLine) => kind !== 'context').map(({kind, text}) => `${kind} ${text}`),
    )
    .join('\n');
