import type {SessionId} from '../domain/ids.ts';
import type {Store} from '../store/open-store.ts';
import type {SessionSize} from '../store/session-rows.ts';
import {defaultKeepSessions, type SettingsFile} from '../config/settings-schema.ts';

const dayMs = 24 * 60 * 60 * 1000;
const gigabyte = 1024 ** 3;

/** The newest sessions always stay. */
const alwaysKept = 50;

/** Returns the sessions beyond the limits of the setting, oldest first. `sizes` are all sessions, newest first. */
export function sessionsToPrune(
  sizes: readonly SessionSize[],
  keep: NonNullable<SettingsFile['keepSessions']>,
  now: number,
): readonly SessionSize[] {
  if (keep === 'forever') return [];
  const {days = defaultKeepSessions.days, gigabytes = defaultKeepSessions.gigabytes} = keep;
  let total = 0;
  return sizes
    .filter(({bytes, updatedAt, pinned}, index) => {
      const isKept = pinned || index < alwaysKept;
      const isBeyond = now - updatedAt > days * dayMs || total + bytes > gigabytes * gigabyte;
      if (isKept || !isBeyond) total += bytes;
      return isBeyond && !isKept;
    })
    .toReversed();
}

/** Deletes the sessions that are still not in use. `pause` runs between them. Returns the deleted ones. */
export async function pruneSessions(
  store: Store,
  sizes: readonly SessionSize[],
  pause: () => Promise<void>,
): Promise<readonly SessionSize[]> {
  const {deleteSessionFiles, pruneUnneededCheckpoints} = await import('./delete-session.ts');
  const pruned: SessionSize[] = [];
  for (const size of sizes) {
    if (store.prune(size)) pruned.push(size);
    await pause();
  }
  const ids: readonly SessionId[] = pruned.map(({id}) => id);
  await deleteSessionFiles(ids);
  if (ids.length > 0) await pruneUnneededCheckpoints(store);
  await store.releaseSpace(pause);
  return pruned;
}
