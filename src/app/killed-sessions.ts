import {unfinishedChange} from '../domain/timeline.ts';
import type {KilledSession, Store} from '../store/open-store.ts';
import {checkpointRoots, openCheckpoints} from '../workspace/checkpoints/make-checkpoints.ts';

/**
 * Ends sessions whose process was killed: stores the state of the files at that time, so that later changes by others don't count as the
 * session's. Nothing is stored if the process changed no files, or if the states from before are lost.
 */
export async function storeKilledChanges(
  killed: readonly KilledSession[],
  {
    store,
    directory,
    folder,
  }: {readonly store: Pick<Store, 'fileRecords' | 'endKilled'>; readonly directory: string; readonly folder: string},
): Promise<void> {
  const records = store.fileRecords(directory);
  for (const session of killed) {
    const own = records.filter(each => each.session === session.id);
    const change = unfinishedChange(own.map(({record}) => record));
    const roots = change === undefined ? undefined : checkpointRoots(folder, change.known.at(-1) ?? '');
    if (change === undefined || roots === undefined) {
      store.endKilled(session, undefined);
      continue;
    }
    const at = Math.max(...own.map(each => each.at));
    const owner = {pid: session.owner.pid, at};
    const then = await openCheckpoints(roots, folder).whenKilled(
      {known: change.known, owner},
      new AbortController().signal,
    );
    const {prompt} = change;
    store.endKilled(
      session,
      then.tag === 'ok' ? {kind: 'checkpoint', prompt, moment: 'after', ...then.value} : undefined,
    );
  }
}
