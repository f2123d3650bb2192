import {resolve} from 'node:path';
import type {Amendment, EditRequest, FilesPort, ReadFile} from '../../actions/files-port.ts';
import type {ActionPorts, BlockSnapshot, BlocksPort, SearchPort, ShellPort, ShellReport} from '../../actions/ports.ts';
import {amendmentWith, textsOf, withTexts, type EditText} from '../../actions/edit-texts.ts';
import type {DiffHunk, FileDiff} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import type {JudgedPlace} from '../../domain/risk.ts';
import {concealFault} from './conceal-fault.ts';
import {guardMcp} from './guard-mcp.ts';
import type {Secrets} from './make-secrets.ts';
import {placeholderForm} from './placeholder.ts';
import {revealInCommand, unknownText} from './reveal-in-command.ts';
import {secretFilesIn} from './secret-file-name.ts';

type Machine = Pick<ActionPorts, 'shell' | 'files' | 'search' | 'blocks' | 'mcp'>;

/**
 * The machine as the conversation may see it: what comes out has placeholders for secrets, what goes in (commands, edits,
 * input) gets the secrets back. So edits fit the files as they are, and commands work, while no card, no journal and no model
 * sees a secret.
 */
export const guardMachine = (machine: Machine, secrets: Secrets): Machine => ({
  shell: guardShell(machine.shell, secrets),
  blocks: guardBlocks(machine.blocks, {secrets, shell: machine.shell}),
  files: guardFiles(machine.files, secrets),
  search: guardSearch(machine.search, secrets),
  mcp: guardMcp(machine.mcp, secrets),
});

function guardShell(shell: ShellPort, secrets: Secrets): ShellPort {
  return {
    get directory() {
      return shell.directory;
    },
    async run(request, observe, signal) {
      lookFor(request.command, {secrets, directory: shell.directory});
      const command = revealInCommand(request.command, secrets.valueOf);
      if (command.tag === 'failed') return notStarted(command.error, shell.directory);
      const report = await shell.run(
        {...request, command: command.value},
        chunk => observe(secrets.conceal(chunk)),
        signal,
      );
      return concealReport(report, secrets);
    },
  };
}

/** Reads what a command is about to read, so that it is known before it is printed. */
function lookFor(command: string, {secrets, directory}: {readonly secrets: Secrets; readonly directory: string}): void {
  secrets.refresh(secretFilesIn(command).map(path => resolve(directory, path)));
}

const notStarted = (why: string, directory: string): ShellReport => ({
  end: {kind: 'not-started', fault: rejected(`The command was not started: ${why}`)},
  output: {text: '', totalBytes: 0, leftOutLines: 0, file: undefined},
  durationMs: 0,
  directory,
  nextDirectory: directory,
  leftRunning: [],
  notes: [],
});

const concealReport = (report: ShellReport, secrets: Secrets): ShellReport => ({
  ...report,
  end: report.end.kind === 'not-started' ? {...report.end, fault: concealFault(report.end.fault, secrets)} : report.end,
  output: {...report.output, text: secrets.conceal(report.output.text)},
  leftRunning: report.leftRunning.map(secrets.conceal),
  notes: report.notes.map(secrets.conceal),
});

function guardBlocks(
  blocks: BlocksPort,
  {secrets, shell}: {readonly secrets: Secrets; readonly shell: ShellPort},
): BlocksPort {
  /** The commands as they were asked for, by block. */
  const asked = new Map<string, string>();
  const conceal = (found: Outcome<BlockSnapshot, Fault>): Outcome<BlockSnapshot, Fault> =>
    found.tag === 'failed'
      ? failed(concealFault(found.error, secrets))
      : ok(concealSnapshot(found.value, {secrets, command: asked.get(found.value.id)}));
  return {
    async start(request, signal) {
      lookFor(request.command, {secrets, directory: shell.directory});
      const command = revealInCommand(request.command, secrets.valueOf);
      if (command.tag === 'failed') return failed(rejected(`The command was not started: ${command.error}`));
      const started = await blocks.start({...request, command: command.value}, signal);
      if (started.tag === 'ok') asked.set(started.value.id, request.command);
      return conceal(started);
    },
    read: async (request, signal) => conceal(await blocks.read(request, signal)),
    async write(request, signal) {
      const unknown = secrets.unknownIn(request.input);
      if (unknown.length > 0) return failed(rejected(`Nothing was typed: ${unknownText(unknown)}`));
      return conceal(await blocks.write({...request, input: secrets.reveal(request.input)}, signal));
    },
  };
}

const concealSnapshot = (
  snapshot: BlockSnapshot,
  {secrets, command}: {readonly secrets: Secrets; readonly command: string | undefined},
): BlockSnapshot => ({
  ...snapshot,
  command: command ?? secrets.conceal(snapshot.command),
  output: {...snapshot.output, text: secrets.conceal(snapshot.output.text)},
  notes: snapshot.notes.map(secrets.conceal),
  state:
    snapshot.state.kind === 'waiting'
      ? {...snapshot.state, lastLine: secrets.conceal(snapshot.state.lastLine)}
      : snapshot.state,
});

function guardFiles(files: FilesPort, secrets: Secrets): FilesPort {
  const concealed = (found: Outcome<readonly FileDiff[], Fault>): Outcome<readonly FileDiff[], Fault> =>
    found.tag === 'ok'
      ? ok(found.value.map(diff => concealDiff(diff, secrets)))
      : failed(concealFault(found.error, secrets));

  /** Lines in the middle of a key look like any others: what stands before them tells. */
  async function lookBefore(file: Extract<ReadFile, {kind: 'text'}>, path: string, signal: AbortSignal): Promise<void> {
    const [first = ''] = file.lines;
    if (file.firstLine === 1 || !/^[^A-Za-z0-9+/]*[A-Za-z0-9+/]{16,}={0,2}$/u.test(first.trim())) return;
    const offset = Math.max(1, file.firstLine - linesBefore);
    const before = await files.read({path, offset, limit: linesBefore + file.lines.length}, signal);
    if (before.tag === 'ok' && before.value.kind === 'text') secrets.conceal(before.value.lines.join('\n'));
  }

  return {
    judged: places => guardFiles(files.judged(revealedPlaces(places, secrets)), secrets),
    resolve: path => files.resolve(secrets.reveal(path)),
    async read(request, signal) {
      const path = secrets.reveal(request.path);
      secrets.refresh(secretFilesIn(path).length > 0 ? [files.resolve(path).path] : []);
      const found = await files.read({...request, path}, signal);
      if (found.tag === 'failed') return failed(concealFault(found.error, secrets));
      if (found.value.kind === 'text') await lookBefore(found.value, path, signal);
      return ok(concealFile(found.value, secrets));
    },
    async plan(request, signal) {
      const revealed = revealRequest(request, secrets);
      return revealed.tag === 'ok' ? concealed(await files.plan(revealed.value, signal)) : revealed;
    },
    async draft(request, signal) {
      const revealed = revealRequest(request, secrets);
      if (revealed.tag === 'failed') return revealed;
      const drafts = await files.draft(revealed.value, signal);
      if (drafts.tag === 'failed') return failed(concealFault(drafts.error, secrets));
      const {conceal} = secrets;
      return ok(
        drafts.value.map(({path, before, text}) => ({
          path: conceal(path),
          before: conceal(before),
          text: conceal(text),
        })),
      );
    },
    async apply(request, shown, signal) {
      const revealed = revealRequest(request, secrets);
      if (revealed.tag === 'failed') return revealed;
      const asPlanned = shown.map(diff => ({
        ...diff,
        path: secrets.reveal(diff.path),
        movedFrom: diff.movedFrom === undefined ? undefined : secrets.reveal(diff.movedFrom),
      }));
      // Of what was shown nothing has to be concealed again.
      const asShown = new Set(shown.flatMap(({hunks}) => hunks));
      const applied = await files.apply(revealed.value, asPlanned, signal);
      if (applied.tag === 'failed') return failed(concealFault(applied.error, secrets));
      return ok({
        files: applied.value.files.map(diff => concealDiff(diff, secrets, asShown)),
        amended: applied.value.amended.map(({path, kind, hunks}) => ({
          path: secrets.conceal(path),
          kind,
          hunks: hunks.map(hunk => concealHunk(hunk, secrets)),
        })),
      });
    },
  };
}

const revealedPlaces = (places: readonly JudgedPlace[], secrets: Secrets): readonly JudgedPlace[] =>
  places.map(place => ({...place, written: secrets.reveal(place.written)}));

/** Lines a private key has at most, roughly. */
const linesBefore = 120;

function concealFile(file: ReadFile, secrets: Secrets): ReadFile {
  const path = secrets.conceal(file.path);
  switch (file.kind) {
    case 'text':
      return {...file, path, lines: concealLines(file.lines, secrets), notes: file.notes.map(secrets.conceal)};
    case 'image':
    case 'document':
      return {...file, path};
    case 'directory':
      return {...file, path, entries: file.entries.map(secrets.conceal)};
    default:
      return unreachable(file);
  }
}

/** Together, since some secrets are known by the lines around them. */
const concealLines = (lines: readonly string[], secrets: Secrets): readonly string[] =>
  lines.length === 0 ? lines : secrets.conceal(lines.join('\n')).split('\n');

/** The difference of a file as the model may read it. */
export const concealDiff = (
  diff: FileDiff,
  secrets: Secrets,
  concealed: ReadonlySet<DiffHunk> = new Set(),
): FileDiff => ({
  ...diff,
  path: secrets.conceal(diff.path),
  movedFrom: diff.movedFrom === undefined ? undefined : secrets.conceal(diff.movedFrom),
  notes: diff.notes.map(secrets.conceal),
  hunks: diff.hunks.map(hunk => (concealed.has(hunk) ? hunk : concealHunk(hunk, secrets))),
});

function concealHunk(hunk: DiffHunk, secrets: Secrets): DiffHunk {
  const joined = hunk.lines.map(({text}) => text).join('\n');
  const concealed = secrets.conceal(joined);
  // A hunk can be as long as a file: without a secret it stays the one it is.
  if (concealed === joined) return hunk;
  const texts = concealed.split('\n');
  return {
    ...hunk,
    lines: hunk.lines.map((line, at) => {
      const text = texts[at] ?? '';
      return {...line, text, changed: text === line.text ? line.changed : []};
    }),
  };
}

/** A placeholder nobody knows must not take the place of the secret it stood for. */
function revealRequest({edits, amendment}: EditRequest, secrets: Secrets): Outcome<EditRequest, Fault> {
  const unknown = [...edits.flatMap(textsOf), ...textsIn(amendment)].flatMap(({oldText, newText}) =>
    secrets.unknownIn(newText).filter(placeholder => !oldText.includes(placeholder)),
  );
  if (unknown.length > 0) return failed(rejected(`Nothing was changed: ${unknownText(unknown)}`));
  return ok({
    edits: edits.map(edit => withTexts(edit, secrets.reveal)),
    amendment: amendmentWith(amendment, secrets.reveal),
  });
}

const textsIn = (amendment: Amendment): readonly EditText[] =>
  amendment.kind === 'texts' ? amendment.texts.map(({text}) => ({newText: text, oldText: ''})) : [];

function guardSearch(search: SearchPort, secrets: Secrets): SearchPort {
  const {conceal, reveal} = secrets;
  return {
    judged: places => guardSearch(search.judged(revealedPlaces(places, secrets)), secrets),
    async grep(request, signal) {
      secrets.refresh([]);
      const found = await search.grep(
        {
          ...request,
          queries: request.queries.map(query => revealInPattern(query, secrets)),
          path: reveal(request.path),
          globs: request.globs.map(reveal),
        },
        signal,
      );
      if (found.tag === 'failed') return failed(concealFault(found.error, secrets));
      secrets.refresh(secretFilesIn(found.value.lines.join('\n')));
      return ok({...found.value, lines: concealLines(found.value.lines, secrets)});
    },
    async glob(request, signal) {
      const found = await search.glob(
        {...request, patterns: request.patterns.map(reveal), path: reveal(request.path)},
        signal,
      );
      return found.tag === 'ok'
        ? ok({...found.value, paths: found.value.paths.map(conceal)})
        : failed(concealFault(found.error, secrets));
    },
  };
}

/** In a regular expression a secret means its own characters. */
const revealInPattern = (query: string, secrets: Secrets): string =>
  query.replaceAll(placeholderForm, placeholder => {
    const value = secrets.valueOf(placeholder);
    return value === undefined ? placeholder : value.replaceAll(/[\\^$.*+?()[\]{}|#&~-]/gu, String.raw`\$&`);
  });
