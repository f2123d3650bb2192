import {rm} from 'node:fs/promises';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {SessionId} from '../domain/ids.ts';
import {transcriptPath} from '../extensions/hooks/transcript.ts';
import type {Store} from '../store/open-store.ts';
import {pruneCheckpoints} from '../workspace/checkpoints/prune-checkpoints.ts';
import {artifactFolder} from '../workspace/files/artifacts.ts';
import {userPlaces} from './user-data.ts';

/** Deletes a session, its transcript, its artifacts and the checkpoints that only it needs. The error says why not. */
export async function deleteSession(store: Store, id: SessionId): Promise<Outcome<undefined, string>> {
  const deleted = store.delete(id);
  // Leave out the fault's advice to continue in a copy: it is for `--resume`.
  if (deleted.tag === 'failed') return failed(deleted.error.message);
  await deleteSessionFiles([id]);
  await pruneUnneededCheckpoints(store);
  return ok(undefined);
}

/** Deletes the transcripts and artifacts of deleted sessions. */
export async function deleteSessionFiles(ids: readonly SessionId[]): Promise<void> {
  const places = userPlaces();
  for (const id of ids) {
    await rm(transcriptPath(places.transcripts, id), {force: true});
    await rm(artifactFolder(places.artifacts, id), {recursive: true, force: true});
  }
}

/** Deletes the checkpoints that no session needs. */
export async function pruneUnneededCheckpoints(store: Store): Promise<void> {
  const places = userPlaces();
  // Fails if another weft process is running. Then the daily pruning removes the checkpoints.
  await pruneCheckpoints({folder: places.checkpoints, sessions: store.checkpointTrees(), now: Date.now()}).catch(
    () => {},
  );
}
