import {join} from 'node:path';
import type {ReadSession, Store} from '../../store/open-store.ts';
import {findSession} from '../find-session.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {openUserStore} from '../load-surroundings.ts';
import type {JsonOption} from '../place-options.ts';
import {exportJsonl, exportMarkdown} from '../sessions/export-session.ts';
import {formatSession} from '../sessions/format-session.ts';
import {formatSessionList} from '../sessions/format-session-list.ts';
import {note, print, printJson, stdoutWidth} from '../say.ts';
import {userPlaces} from '../user-places.ts';
import {valueOf} from '../value-of.ts';

/** `weft sessions list`: all folders' sessions, newest first; `--json` prints one array. */
export async function listSessions({json}: JsonOption): Promise<ExitCode> {
  const summaries = (await userStore()).list({});
  if (json !== undefined) printJson(`${JSON.stringify(summaries, undefined, 2)}\n`);
  else if (summaries.length === 0) note('no sessions are kept yet');
  else print(formatSessionList(summaries, {now: Date.now(), width: stdoutWidth() ?? 120}));
  return exitCode.done;
}

/** `weft sessions show <id>`: a transcript to read; `--json` prints the summary and every record as one object. */
export async function showSession(idText: string, {json}: JsonOption): Promise<ExitCode> {
  const {summary, records} = read(await userStore(), idText);
  if (json === undefined) print(formatSession(records));
  else
    printJson(
      `{"session":${JSON.stringify(summary)},"records":[${exportJsonl(records).trimEnd().split('\n').join(',')}]}\n`,
    );
  return exitCode.done;
}

/** `weft sessions export <id>`: everything that is kept (jsonl), or a document (markdown). */
export async function exportSession(
  idText: string,
  {format}: {readonly format: 'jsonl' | 'markdown'},
): Promise<ExitCode> {
  const {summary, records} = read(await userStore(), idText);
  if (format === 'jsonl') printJson(exportJsonl(records));
  else print(exportMarkdown(summary, records));
  return exitCode.done;
}

/** `weft sessions delete <id>`. */
export async function deleteSession(idText: string, {json}: JsonOption): Promise<ExitCode> {
  const store = await userStore();
  const id = findSession(store, idText);
  const deleted = store.delete(id);
  // The advice to go on with a copy is for those who resume.
  if (deleted.tag === 'failed') throw new Error(deleted.error.message);
  const {pruneCheckpoints} = await import('../../workspace/checkpoints/prune-checkpoints.ts');
  // Where another weft runs it is done another day.
  await pruneCheckpoints({folder: checkpointsFolder(), sessions: store.keptTrees(), now: Date.now()}).catch(() => {});
  if (json === undefined) note(`deleted ${id}`);
  else printJson(`${JSON.stringify({deleted: id})}\n`);
  return exitCode.done;
}

const checkpointsFolder = (): string => join(userPlaces().data, 'checkpoints');

const userStore = (): Promise<Store> => openUserStore(userPlaces());

function read(store: Store, idText: string): ReadSession {
  const session = valueOf(store.read(findSession(store, idText)));
  for (const {seq, reason} of session.skipped) {
    note(`record ${seq} cannot be read and is left out: ${reason}`);
  }
  return session;
}
