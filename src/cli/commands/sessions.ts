import type {ReadSession, Store} from '../../store/open-store.ts';
import {Option, type Command} from 'commander';
import {exiting, exitCode, type ExitCode, unwrap, UsageError} from '../../app/exit-code.ts';
import {addSubcommands, jsonFlag, wholeNumber, type JsonOption} from '../flags.ts';
import {withTilde} from '../../base/shown-path.ts';
import {timeAgo} from '../../base/time-ago.ts';
import {visibleLine} from '../../base/visible.ts';
import type {SessionSummary} from '../../domain/journal.ts';
import {moneyText} from '../../tui/state/selectors.ts';
import {cellWidth, fit} from '../../tui/text/cell-width.ts';
import {homedir} from 'node:os';
import type {SessionId} from '../../domain/ids.ts';
import {sessionTitle, shortSessionIds, titleIn} from '../../domain/session-list.ts';
import {sessionIdOf} from '../../app/open-session.ts';
import {sessionCosts} from '../../app/session-costs.ts';
import {openUserStore, readUserStore} from '../../app/user-database.ts';
import {userPlaces} from '../../app/user-data.ts';
import {note, print, printJson, stdoutWidth} from '../../app/output.ts';
import {exportJsonl, exportMarkdown} from '../../app/export-session.ts';
import {formatSession} from '../../app/transcript.ts';
import type {DiffOptions} from './sessions/diff.ts';
import type {PruneOptions} from './sessions/prune.ts';
import type {RewindOptions} from './sessions/rewind.ts';
import {printDocument, printRows} from '../rows.ts';
import {contextFor} from '../../app/run-context.ts';

const exportFormats = ['jsonl', 'markdown', 'claude', 'codex'] as const;

/** `weft sessions …`. */
export function add(sessions: Command): void {
  const session = ['<session>', 'Session id, or its first characters'] as const;
  const format = new Option('--format <format>', 'Output format').choices(exportFormats).default('jsonl');
  addSubcommands(sessions, [
    [
      'list',
      'List sessions, newest first',
      [
        new Option('--limit <n>', `List at most so many (default: ${listedSessions}, or all with --json)`).argParser(
          wholeNumber,
        ),
        jsonFlag,
      ],
      exiting(printSessions),
    ],
    ['show', 'Print a session', [session, jsonFlag], exiting(showSession)],
    [
      'export',
      'Write a session to stdout',
      [
        ['[session]', `${session[1]} (default: the latest of this folder)`],
        format,
        ['--receipts', 'Write an in-toto statement of the checks that ran instead'],
      ],
      exiting(exportSession),
    ],
    [
      'rewind',
      'Go back to before a prompt: files, conversation or both',
      [
        session,
        new Option('--to <n>', 'Go back to before this prompt (default: the last one)').argParser(wholeNumber),
        ['--files', 'Files only'],
        ['--talk', 'Conversation only'],
        ['--both', 'Files and conversation (default)'],
        ['--redo', 'Undo the last rewind'],
        ['--step <id>', 'Undo only the changes of this call or prompt, if that is exact'],
        ['--yes', 'Do not ask'],
        jsonFlag,
      ],
      exiting(async (id: string, options: RewindOptions) =>
        (await import('./sessions/rewind.ts')).rewindSavedSession(id, options),
      ),
    ],
    [
      'diff',
      'Print what prompts of a session changed, as a patch for git apply',
      [
        ['[range]', 'Prompts by number: 2..4, 2.. or 3, after SESSION: if need be (default: all)'],
        ['--session <id>', 'Session id (default: the latest of this folder)'],
        ['--stat', 'Print a line for each file instead'],
        jsonFlag,
      ],
      exiting(async (range: string | undefined, options: DiffOptions) =>
        (await import('./sessions/diff.ts')).diffSavedSession(range, options),
      ),
    ],
    ['cache', "Show what the provider's cache kept of each request", [session, jsonFlag], exiting(printCache)],
    ['delete', 'Delete a session', [session, jsonFlag], exiting(runDelete)],
    ['rename', 'Name a session', [session, ['<name...>', 'The new name']], exiting(rename)],
    ['pin', 'Keep a session when old ones are pruned', [session], exiting(async (id: string) => pin(id, true))],
    ['unpin', 'Let pruning delete a session', [session], exiting(async (id: string) => pin(id, false))],
    [
      'prune',
      'Delete sessions beyond the limits in keepSessions',
      [['--dry-run', 'Only list the sessions'], jsonFlag],
      exiting(async (options: PruneOptions) => (await import('./sessions/prune.ts')).pruneSavedSessions(options)),
    ],
  ]);
}

/** The number of sessions that people see at once. */
const listedSessions = 100;

/** `weft sessions list`: prints the newest sessions of all folders, or one array of all with `--json`. */
async function printSessions({json, limit}: JsonOption & {readonly limit?: number}): Promise<ExitCode> {
  const store = await readUserStore(userPlaces());
  const shown = limit ?? (json === undefined ? listedSessions : undefined);
  const found = store.list({limit: shown === undefined ? shown : shown + 1});
  const summaries = found.slice(0, shown);
  const costs = sessionCosts(store, contextFor({}).settings.models, {limit: shown});
  if (json !== undefined)
    return printDocument(summaries.map(summary => ({...summary, costUsd: costs.get(summary.id) ?? 0})));
  if (summaries.length === 0) note('no sessions yet');
  // Sessions whose ids begin alike, also those that are not shown.
  const alike = summaries.flatMap(({id}) => store.list({idPrefix: id.slice(0, 8)}));
  const ids = shortSessionIds([...new Map(alike.map(session => [session.id, session])).values()]);
  print(formatSessionList(summaries, {now: Date.now(), width: stdoutWidth() ?? 120, home: homedir(), costs, ids}));
  if (limit === undefined && found.length > summaries.length)
    note(`These are the newest ${summaries.length} sessions. Show more with --limit.`);
  return exitCode.done;
}

/** `weft sessions show <id>`: prints a transcript, or one object with the summary and every record with `--json`. */
async function showSession(idText: string, {json}: JsonOption): Promise<ExitCode> {
  const {summary, records} = read(await readUserStore(userPlaces()), idText);
  if (json === undefined) print(formatSession(records));
  else
    printJson(
      `{"session":${JSON.stringify(summary)},"records":[${exportJsonl(records).trimEnd().split('\n').join(',')}]}\n`,
    );
  return exitCode.done;
}

/** `weft sessions cache <id>`: prints what each request read from the provider's cache, or one array with `--json`. */
async function printCache(idText: string, {json}: JsonOption): Promise<ExitCode> {
  const store = await readUserStore(userPlaces());
  const [{cacheReport}, {cachedRequestText}] = await Promise.all([
    import('../../domain/cache-report.ts'),
    import('../../domain/cached-request.ts'),
  ]);
  return printRows({
    rows: cacheReport(store.timedRecords(sessionIdOf(store, idText))),
    json,
    line: row => visibleLine(cachedRequestText(row)),
    toJson: ({at, usage, broken, ...rest}) => ({
      ...rest,
      at: new Date(at).toISOString(),
      ...usage,
      ...(broken === 'none' ? {} : {broken}),
    }),
    none: 'no requests yet',
  });
}

/** `weft sessions export [id]`: prints all records (jsonl), a document (markdown), a file of another agent, or a statement about the checks. */
async function exportSession(
  idText: string | undefined,
  {format, receipts}: {readonly format: (typeof exportFormats)[number]; readonly receipts?: true},
): Promise<ExitCode> {
  if (receipts !== undefined) return (await import('./sessions/export-receipts.ts')).exportReceipts(idText);
  const {openSaved} = await import('./sessions/saved-session.ts');
  const session = await openSaved(idText);
  if (format === 'claude' || format === 'codex')
    return (await import('./sessions/export-foreign.ts')).exportForeign(session, format);
  const {summary, records} = session;
  if (format === 'jsonl') printJson(exportJsonl(records));
  else print(exportMarkdown(summary, records));
  return exitCode.done;
}

/** `weft sessions delete <id>`: deletes a session, its transcript, its artifacts and the checkpoints that only it needs. */
async function runDelete(idText: string, {json}: JsonOption): Promise<ExitCode> {
  const store = await userStore();
  const id = sessionIdOf(store, idText);
  const {deleteSession} = await import('../../app/delete-session.ts');
  const deleted = await deleteSession(store, id);
  if (deleted.tag === 'failed') throw new Error(deleted.error);
  if (json === undefined) note(`deleted ${id}`);
  else printJson(`${JSON.stringify({deleted: id})}\n`);
  return exitCode.done;
}

async function rename(idText: string, words: readonly string[]): Promise<ExitCode> {
  const title = titleIn(words.join(' '));
  if (title === '') throw new UsageError('The name is empty.');
  const store = await userStore();
  const id = sessionIdOf(store, idText);
  store.rename(id, title);
  note(`renamed ${id}: ${visibleLine(title)}`);
  return exitCode.done;
}

async function pin(idText: string, pinned: boolean): Promise<ExitCode> {
  const store = await userStore();
  const id = sessionIdOf(store, idText);
  store.pin(id, pinned);
  note(`${pinned ? 'pinned' : 'unpinned'} ${id}`);
  return exitCode.done;
}

const userStore = (): Promise<Store> => openUserStore(userPlaces());

function read(store: Store, idText: string): ReadSession {
  const session = unwrap(store.read(sessionIdOf(store, idText)));
  for (const {seq, reason} of session.skipped) {
    note(`skipped record ${seq}: ${reason}`);
  }
  return session;
}

/**
 * Formats one line per session: short id, time since the last change, cost, title, folder. Empty if there are no sessions. No
 * line is wider than `width` cells, except that the id is never cut. `now` is in milliseconds since the epoch.
 */
export function formatSessionList(
  summaries: readonly SessionSummary[],
  {now, width, home, costs, ids}: SessionListOptions,
): string {
  // Many sessions are in few folders.
  const folders = new Map<string, string>();
  const folderOf = (directory: string): string => {
    const folder = folders.get(directory) ?? visibleLine(withTilde(directory, home));
    folders.set(directory, folder);
    return folder;
  };
  const rows = summaries.map(summary => {
    const usd = costs.get(summary.id);
    const title = visibleLine(sessionTitle(summary));
    return {
      id: ids.get(summary.id) ?? summary.id,
      age: timeAgo(now - summary.updatedAt),
      cost: usd === undefined ? '' : usd === 'unknown' ? usd : moneyText(usd),
      title,
      cells: cellWidth(title),
      folder: folderOf(summary.directory),
    };
  });
  const most = (size: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((largest, row) => Math.max(largest, size(row)), 0);
  const idWidth = most(row => row.id.length);
  const ageWidth = most(row => row.age.length);
  const costWidth = most(row => row.cost.length);
  const widestTitle = most(row => row.cells);
  const titleWidth = Math.min(widestTitle, maxTitle);
  return rows
    .map(({id, age, cost, title, cells, folder}) => {
      const lead = `${id.padEnd(idWidth)}  ${age.padStart(ageWidth)}  ${costWidth === 0 ? '' : `${cost.padStart(costWidth)}  `}`;
      const shown = cells <= titleWidth ? title : fit(title, titleWidth);
      const padding = titleWidth - (shown === title ? cells : cellWidth(shown));
      const rest = `${shown}${' '.repeat(padding)}  ${folder}`;
      return `${lead}${fit(rest, Math.max(0, width - lead.length))}`.trimEnd().concat('\n');
    })
    .join('');
}

interface SessionListOptions {
  readonly now: number;
  readonly width: number;
  readonly home: string;
  /** The cost in US dollars of each session that has asked a model. */
  readonly costs: ReadonlyMap<SessionId, number | 'unknown'>;
  readonly ids: ReadonlyMap<SessionId, string>;
}

const maxTitle = 60;
