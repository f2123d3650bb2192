import {dirname} from 'node:path';
import {UsageError, unwrap} from '../../../app/exit-code.ts';
import {endKilledSessions, sessionIdOf} from '../../../app/open-session.ts';
import {existingFolder} from '../../../app/run-context.ts';
import {readUserStore} from '../../../app/user-database.ts';
import {userPlaces} from '../../../app/user-data.ts';
import type {SessionId} from '../../../domain/ids.ts';
import type {Places} from '../../../config/places.ts';
import type {ReadSession, Store} from '../../../store/open-store.ts';
import {
  checkpointRoots,
  openCheckpoints,
  type SavedCheckpoints,
} from '../../../workspace/checkpoints/make-checkpoints.ts';

export interface SavedSession extends ReadSession {
  readonly store: Store;
  readonly places: Places;
  readonly roots: readonly [string, ...string[]];
  readonly checkpoints: SavedCheckpoints;
}

/** Opens the checkpoints of the workspace of a session: of the folders of its last checkpoint. */
export function checkpointsOf(
  {summary, records}: Pick<ReadSession, 'summary' | 'records'>,
  {checkpoints: folder}: Pick<Places, 'checkpoints'>,
): Pick<SavedSession, 'roots' | 'checkpoints'> {
  const last = records.findLast(record => record.kind === 'checkpoint');
  const [first = summary.directory, ...others] = (last && checkpointRoots(folder, last.tree)) ?? [];
  const roots = [first, ...others] as const;
  return {roots, checkpoints: openCheckpoints(roots, folder)};
}

type Having = Parameters<Store['latest']>[1];

/** Returns the latest session of a folder, or of the nearest folder around it. */
function latestAround(store: Store, folder: string, having: Having): SessionId | undefined {
  const found = store.latest(folder, having)?.id;
  return found !== undefined || dirname(folder) === folder ? found : latestAround(store, dirname(folder), having);
}

/** Opens a saved session by its id or the first characters; without one, the latest of this folder that has such a record. Throws if there is none. */
export async function openSaved(idText: string | undefined, having?: Having): Promise<SavedSession> {
  const places = userPlaces();
  const store = await readUserStore(places);
  const id = idText === undefined ? latestAround(store, existingFolder('.'), having) : sessionIdOf(store, idText);
  if (id === undefined)
    throw new UsageError(
      `${having === 'receipt' ? 'No check ran in a session of' : 'No session in'} this folder. Name a session: weft sessions list`,
    );
  const {summary} = unwrap(store.read(id));
  await endKilledSessions({store, directory: summary.directory, folder: places.checkpoints});
  const session = unwrap(store.read(id));
  return {...session, store, places, ...checkpointsOf(session, places)};
}
