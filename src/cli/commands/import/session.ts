import {closeSync, openSync, readFileSync, readSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {join, relative} from 'node:path';
import {withTilde} from '../../../base/shown-path.ts';
import {timeAgo} from '../../../base/time-ago.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {parseSessionId} from '../../../domain/ids.ts';
import {readClaudeSession} from '../../../extensions/transcripts/claude.ts';
import {readCodexSession} from '../../../extensions/transcripts/codex.ts';
import type {ForeignSession} from '../../../extensions/transcripts/session-builder.ts';
import {randomUuid} from '../../../app/clock-and-ids.ts';
import {exitCode, type ExitCode, unwrap, UsageError} from '../../../app/exit-code.ts';
import {askLine, isStdoutTerminal, note, print} from '../../../app/output.ts';
import {claudeFolder, codexFolder, userPlaces} from '../../../app/user-data.ts';
import {openUserStore} from '../../../app/user-database.ts';
import {entriesBelow, isFolder} from '../../../workspace/files/list-folder.ts';
import type {JsonOption} from '../../flags.ts';
import {printDocument} from '../../rows.ts';

export type SessionAgent = 'claude' | 'codex';

/** How weft finds and reads the sessions of each agent. Codex moves old sessions to `archived_sessions`. */
const agents = {
  claude: {
    folders: () => [join(claudeFolder(), 'projects')],
    file: /(?:^|\/)(?<id>[0-9a-f-]{36})\.jsonl$/u,
    read: readClaudeSession,
  },
  codex: {
    folders: () => ['sessions', 'archived_sessions'].map(name => join(codexFolder(), name)),
    file: /(?:^|\/)rollout-.*(?<id>[0-9a-f-]{36})\.jsonl$/u,
    read: readCodexSession,
  },
} as const;

interface SessionFile {
  readonly id: string;
  readonly path: string;
  readonly changedAt: number;
}

const listed = 30;

/** The beginning of a file that a list reads, in bytes. */
const headLength = 256 * 1024;

/** `weft import session`: makes a session of weft from one of another agent, or lists them. */
export async function importSession(
  agent: SessionAgent,
  given: string | undefined,
  options: JsonOption,
): Promise<ExitCode> {
  const files = filesOf(agent);
  if (given === undefined) {
    const rows = files
      .slice(0, listed)
      .map(file => ({...file, ...about(agents[agent].read(head(file.path), randomUuid))}));
    if (options.json !== undefined) return printDocument(rows);
    if (rows.length === 0) note(`no sessions in ${agents[agent].folders().join(' and ')}`);
    for (const [at, {id, changedAt, title, directory}] of rows.entries()) {
      const where = withTilde(directory, homedir());
      print(
        `${visibleExactLine(`${at + 1}  ${id}  ${timeAgo(Date.now() - changedAt)}  ${title || '(no title)'}  ${where}`)}\n`,
      );
    }
    if (files.length > rows.length) note(`These are the newest ${rows.length} of ${files.length} sessions.`);
    if (rows.length === 0 || !isStdoutTerminal() || !process.stdin.isTTY) return exitCode.done;
    const chosen = (await askLine('Number or id of the session to import (Enter: none): ')).trim();
    return chosen === ''
      ? exitCode.done
      : saveFile(agent, fileNamed(files, rows[Number(chosen) - 1]?.id ?? chosen), {});
  }
  return saveFile(agent, fileNamed(files, given), options);
}

function fileNamed(files: readonly SessionFile[], given: string): SessionFile {
  const [file, second] = files.filter(({id}) => id.startsWith(given.toLowerCase()));
  if (file === undefined)
    throw new UsageError(`There is no session ${JSON.stringify(given)}. List them without an id.`);
  if (second !== undefined)
    throw new UsageError(`Several sessions begin with ${JSON.stringify(given)}. Write more of the id.`);
  return file;
}

async function saveFile(agent: SessionAgent, file: SessionFile, {json}: JsonOption): Promise<ExitCode> {
  const session = agents[agent].read(readFileSync(file.path, 'utf8'), randomUuid);
  if (!session.records.some(({kind}) => kind === 'prompt' || kind === 'compaction'))
    throw new UsageError(`${file.path} contains no conversation.`);
  const store = await openUserStore(userPlaces());
  const {directory, model, title} = session;
  const id = parseSessionId(file.id);
  const details = {directory, model: model || agent, title};
  const saved = id === undefined ? store.create(details) : unwrap(store.createWithId(id, details));
  for (const record of session.records) saved.append(record);
  saved.close();
  const leftOut = Object.fromEntries(session.leftOut);
  if (json !== undefined) return printDocument({id: saved.id, from: file.path, ...about(session), leftOut});
  note(`imported ${saved.id} from ${visibleExactLine(file.path)}`);
  for (const [kind, count] of session.leftOut) note(visibleExactLine(`left out: ${kind} (${count})`));
  if (!isFolder(directory)) note(`its folder is missing: ${visibleExactLine(directory)}`);
  note(`continue it: weft --resume ${saved.id}`);
  return exitCode.done;
}

const about = ({title, directory, model, records}: ForeignSession) => ({
  title,
  directory,
  model,
  prompts: records.filter(({kind}) => kind === 'prompt').length,
});

/** Returns the files of an agent's sessions, newest first. Sub-agents have their own files in Claude Code, and are not listed. */
function filesOf(agent: SessionAgent): readonly SessionFile[] {
  const {folders, file} = agents[agent];
  const found = folders().flatMap(folder => {
    return [...entriesBelow(folder)].flatMap(({parentPath, name}) => {
      const path = join(parentPath, name);
      const id = file.exec(relative(folder, path))?.groups?.['id'];
      if (id === undefined) return [];
      const stats = statSync(path, {throwIfNoEntry: false});
      return stats?.isFile() === true ? [{id, path, changedAt: stats.mtimeMs}] : [];
    });
  });
  return found.toSorted((a, b) => b.changedAt - a.changedAt);
}

/** Returns the whole lines at the beginning of a file. */
function head(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(headLength);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, headLength, 0));
    return text.slice(0, text.lastIndexOf('\n') + 1);
  } finally {
    closeSync(file);
  }
}
