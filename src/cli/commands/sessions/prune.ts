import {setTimeout as delay} from 'node:timers/promises';
import {pluralize} from '../../../base/clip.ts';
import {timeAgo} from '../../../base/time-ago.ts';
import {visibleLine} from '../../../base/visible.ts';
import {sessionTitle, shortSessionIds} from '../../../domain/session-list.ts';
import type {ExitCode} from '../../../app/exit-code.ts';
import {note} from '../../../app/output.ts';
import {pruneSessions, sessionsToPrune} from '../../../app/prune-sessions.ts';
import {contextFor} from '../../../app/run-context.ts';
import {openUserStore} from '../../../app/user-database.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {limitOutputs, outputParent} from '../../../workspace/exec/output-folder.ts';
import {printRows} from '../../rows.ts';

/** How long the copy of the database from before an update is kept. */
const copyAgeMs = 30 * 24 * 60 * 60 * 1000;

export interface PruneOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

/** `weft sessions prune`: deletes sessions beyond the limits, prints them, and makes the database smaller. */
export async function pruneSavedSessions({dryRun, json}: PruneOptions): Promise<ExitCode> {
  const places = userPlaces();
  const store = await openUserStore(places);
  const sizes = store.sizes();
  const found = sessionsToPrune(sizes, contextFor({}).settings.keepSessions, Date.now());
  const free = found.filter(({id}) => !store.isInUse(id));
  // A pause lets other processes write.
  const pruned = dryRun === undefined ? await pruneSessions(store, free, () => delay(1)) : free;
  if (dryRun === undefined) limitOutputs(outputParent());
  const {file} = store.space();
  store.close();
  if (dryRun === undefined && places.database.kind === 'sqlite') {
    const {rebuildSqlite, removeCopies} = await import('../../../store/sqlite-database.ts');
    removeCopies(places.database.file, Date.now() - copyAgeMs);
    if (file === 'fixed' && rebuildSqlite(places.database.file) === 'in-use')
      note('The database keeps its size while weft runs elsewhere. Close it, and run weft sessions prune again.');
  }
  const ids = shortSessionIds(sizes);
  const code = printRows({
    rows: pruned,
    json,
    line: session =>
      `${ids.get(session.id) ?? session.id}  ${timeAgo(Date.now() - session.updatedAt)}  ${megabytesText(session.bytes)}  ${visibleLine(sessionTitle(session))}`,
    toJson: ({id, title, updatedAt, bytes}) => ({id, title, updatedAt: new Date(updatedAt).toISOString(), bytes}),
    none: '',
  });
  const bytes = pruned.reduce((all, session) => all + session.bytes, 0);
  const done = dryRun === undefined ? 'deleted' : 'would delete';
  if (json === undefined) note(`${done} ${pluralize(pruned.length, 'session')}, ${megabytesText(bytes)}`);
  return code;
}

const megabytesText = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
