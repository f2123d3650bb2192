import {hash} from 'node:crypto';
import {join} from 'node:path';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {FileHistory, LineAuthor} from '../domain/blame.ts';
import {messageText, toolCalls} from '../domain/conversation.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import type {SessionId} from '../domain/ids.ts';
import type {Store} from '../store/open-store.ts';
import {runGitQuery, repositoryTop} from '../workspace/checkpoints/git-query.ts';
import {realPath} from '../workspace/files/resolve-path.ts';
import {parseGitDiff} from '../workspace/review/review-source.ts';
import {runGit} from '../workspace/worktrees/run-git.ts';
import {type BlamePlace, knownFiles} from './blame.ts';
import {endKilledSessions} from './open-session.ts';

/** The ref of the notes, and the version of their format: the Git AI Standard. */
const notesRef = 'ai';
const schemaVersion = 'authorship/3.0.0';

/** The number of commits to look at if none is named. */
const maxCommits = 200;

export interface NotedCommit {
  readonly commit: string;
  readonly files: number;
  readonly lines: number;
  readonly sessions: number;
}

/** The lines of a commit that agents wrote, by path and session. Line numbers are ascending. */
type AttestedLines = ReadonlyMap<string, ReadonlyMap<SessionId, readonly number[]>>;

interface Repository {
  readonly top: string;
  /** Returns git's output, or an empty text if git fails. */
  readonly git: (...words: readonly string[]) => Promise<string>;
}

/**
 * Writes notes to `refs/notes/ai` about the lines that agents wrote in commits: in a commit, in a range, or in all since the first session
 * without a note. Changes no note and no other ref.
 */
export async function writeGitNotes(
  revision: string | undefined,
  place: BlamePlace,
  signal: AbortSignal,
): Promise<Outcome<readonly NotedCommit[], Fault>> {
  const run = (folder: string, words: readonly string[]): Promise<string | undefined> =>
    runGitQuery(words, {folder, environment: process.env, signal});
  const top = repositoryTop(await run(place.directory, ['rev-parse', '--show-toplevel']));
  if (top === undefined) return failed(rejected('This folder is not in a git repository, so there are no commits.'));
  const repository: Repository = {top, git: async (...words) => (await run(top, words)) ?? ''};
  await endKilledSessions(place);
  const known = knownFiles(place);
  const [first] = known.history.moments;
  const named = revision === undefined ? undefined : await run(top, commitsIn(revision));
  if (revision !== undefined && named === undefined)
    return failed(rejected(`There is no commit or range ${JSON.stringify(revision)} here.`));
  const since = new Date((first?.at ?? Date.now()) - 1000).toISOString();
  const listed =
    named ?? (await repository.git('rev-list', `--max-count=${String(maxCommits)}`, `--since=${since}`, 'HEAD'));
  const rows = (await repository.git('notes', `--ref=${notesRef}`, 'list')).split('\n');
  const noted = new Set(rows.map(row => row.split(' ')[1]));
  const done: NotedCommit[] = [];
  const commits = listed.split('\n').filter(each => each !== '' && !noted.has(each));
  for (const commit of commits.toReversed()) {
    const facts = await repository.git('show', '-s', '--format=%ct%n%an <%ae>', commit);
    const [seconds = '', human = ''] = facts.split('\n');
    const at = Number(seconds) * 1000 + 999;
    const history = historyUntil(known.history, at);
    const lines = await attestedLines(commit, repository, async (path, content) => {
      const authors = await known.checkpoints.blame({path, content, at, history}, signal);
      return authors.tag === 'ok' ? authors.value : [];
    });
    if (lines.size === 0) continue;
    const input = noteText(lines, {commit, human, at, store: place.store});
    const words = ['notes', `--ref=${notesRef}`, 'add', '-F', '-', commit];
    const added = await runGit(words, {folder: top, environment: process.env, input, signal});
    if (added.tag === 'failed')
      return failed(rejected(`Can't write the note of ${commit.slice(0, 10)}: ${added.error}`));
    const count = [...lines.values()].flatMap(bySession => [...bySession.values()].flat()).length;
    done.push({commit, files: lines.size, lines: count, sessions: sessionsIn(lines).length});
  }
  return ok(done);
}

/** Returns the words for git that list a commit, or the commits of a range. */
const commitsIn = (revision: string): readonly string[] =>
  revision.includes('..')
    ? ['rev-list', '--end-of-options', revision]
    : ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];

/** Returns the history up to a time. Longer changes end there, too. */
function historyUntil({moments, writings}: FileHistory, at: number): FileHistory {
  const before = moments.filter(moment => moment.at <= at);
  const end = before.length;
  return {
    moments: before,
    writings: writings.flatMap(each => (each.from < end ? [{...each, to: Math.min(each.to, end)}] : [])),
  };
}

async function attestedLines(
  commit: string,
  {top, git}: Repository,
  authorsOf: (path: string, content: Buffer) => Promise<readonly LineAuthor[]>,
): Promise<AttestedLines> {
  const flags =
    '--root --no-commit-id -M --unified=0 --no-color --no-ext-diff --no-textconv --src-prefix=a/ --dst-prefix=b/';
  const patch = await git('diff-tree', '-p', ...flags.split(' '), commit);
  const found = new Map<string, Map<SessionId, number[]>>();
  for (const {path, after, hunks} of parseGitDiff(patch)) {
    const added = hunks.flatMap(({newStart, lines}) =>
      lines.filter(({kind}) => kind !== 'removed').flatMap(({kind}, at) => (kind === 'added' ? [newStart + at] : [])),
    );
    if (after === 'absent' || added.length === 0) continue;
    const content = Buffer.from(await git('cat-file', 'blob', `${commit}:${path}`));
    const authors = await authorsOf(join(realPath(top), path), content);
    const bySession = new Map<SessionId, number[]>();
    for (const line of added) {
      const author = authors[line - 1];
      if (author?.by !== 'agent' || author.session === undefined) continue;
      bySession.set(author.session, [...(bySession.get(author.session) ?? []), line]);
    }
    if (bySession.size > 0) found.set(path, bySession);
  }
  return found;
}

/** Returns a note in the form of the Git AI Standard 3.0.0. */
function noteText(
  lines: AttestedLines,
  facts: {
    readonly commit: string;
    readonly human: string;
    readonly at: number;
    readonly store: Pick<Store, 'timedRecords'>;
  },
): string {
  const rows = [...lines].flatMap(([path, bySession]) => [
    /[ \t\n]/u.test(path) ? `"${path}"` : path,
    ...[...bySession].map(([session, numbers]) => `  ${sessionHash(session)} ${rangesText(numbers)}`),
  ]);
  const prompts = sessionsIn(lines).map(session => {
    const count = [...lines.values()].flatMap(bySession => bySession.get(session) ?? []).length;
    return [sessionHash(session), promptRecord(session, count, facts)] as const;
  });
  const metadata = {
    schema_version: schemaVersion,
    base_commit_sha: facts.commit,
    prompts: Object.fromEntries(prompts),
  };
  return `${rows.join('\n')}\n---\n${JSON.stringify(metadata, undefined, 2)}\n`;
}

const sessionsIn = (lines: AttestedLines): readonly SessionId[] => [
  ...new Set([...lines.values()].flatMap(bySession => [...bySession.keys()])),
];

const sessionHash = (session: SessionId): string => hash('sha256', `weft:${session}`, 'hex').slice(0, 16);

/** Returns ascending line numbers as `1-4,9`. */
function rangesText(numbers: readonly number[]): string {
  const ranges: {readonly first: number; last: number}[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({first: number, last: number});
  }
  return ranges.map(({first, last}) => (first === last ? String(first) : `${String(first)}-${String(last)}`)).join(',');
}

/** Returns the record of a session: its conversation up to the commit, without results of calls. */
function promptRecord(
  session: SessionId,
  count: number,
  {human, at: until, store}: {readonly human: string; readonly at: number; readonly store: Pick<Store, 'timedRecords'>},
): Readonly<Record<string, unknown>> {
  const records = store.timedRecords(session).filter(({at}) => at <= until);
  const model = records.flatMap(({record}) => (record.kind === 'answer' ? [record.message.model] : [])).at(-1);
  const messages = records.flatMap(({record, at}) => {
    const timestamp = new Date(at).toISOString();
    if (record.kind === 'prompt') return [{type: 'user', text: messageText(record.message), timestamp}];
    if (record.kind !== 'answer') return [];
    const text = messageText(record.message);
    return [
      ...(text === '' ? [] : [{type: 'assistant', text, timestamp}]),
      ...toolCalls(record.message).map(({name, input}) => ({type: 'tool_use', name, input, timestamp})),
    ];
  });
  return {
    agent_id: {tool: 'weft', id: session, model: model ?? ''},
    human_author: human,
    messages,
    total_additions: count,
    total_deletions: 0,
    accepted_lines: count,
    // The standard's table and its example spell this field differently.
    overridden_lines: 0,
    overriden_lines: 0,
  };
}
