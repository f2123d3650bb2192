import {ok} from '../base/outcome.ts';
import type {CheckpointsPort, SessionTrees} from '../domain/checkpoint.ts';
import type {CheckpointPlace} from '../workspace/checkpoints/make-checkpoints.ts';

/**
 * Loaded with the first action that may change something; without a place nothing is kept, for sessions that are not kept either.
 * Once a day what no session needs any more is removed first: `trees` tells what they need.
 */
export function lazyCheckpoints(
  place: CheckpointPlace | undefined,
  trees: () => Promise<readonly SessionTrees[]>,
): CheckpointsPort {
  if (place === undefined) return nothingKept;
  let made: Promise<CheckpointsPort> | undefined;
  const make = async (): Promise<CheckpointsPort> => {
    const {makeCheckpoints} = await import('../workspace/checkpoints/make-checkpoints.ts');
    await pruneWhenDue(place, trees);
    return makeCheckpoints(place);
  };
  const load = (): Promise<CheckpointsPort> => (made ??= make());
  return {
    lookAhead: async signal => (await load()).lookAhead(signal),
    notCovered: async (touched, signal) => (await load()).notCovered(touched, signal),
    take: async signal => (await load()).take(signal),
    preview: async (changes, signal) => (await load()).preview(changes, signal),
    revert: async (changes, signal) => (await load()).revert(changes, signal),
  };
}

/** What cannot be removed today is removed another day. */
async function pruneWhenDue(
  {folder, now}: CheckpointPlace,
  trees: () => Promise<readonly SessionTrees[]>,
): Promise<void> {
  try {
    const {isPruningDue, pruneCheckpoints} = await import('../workspace/checkpoints/prune-checkpoints.ts');
    if (isPruningDue(folder, now())) await pruneCheckpoints({folder, sessions: await trees(), now: now()});
  } catch {
    return;
  }
}

const nothing = {files: [], conflicts: [], leftOut: []} as const;

/** Without checkpoints there is no change to take back, so nobody asks for more than `take`. */
const nothingKept: CheckpointsPort = {
  lookAhead: async () => {},
  notCovered: async () => [],
  take: async () => ok('off'),
  preview: async () => ok(nothing),
  revert: async () => {
    throw new Error('no checkpoints are kept');
  },
};
