import {ok} from '../base/outcome.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import type {CheckpointPlace} from '../workspace/checkpoints/make-checkpoints.ts';

/** Loaded with the first action that may change something; without a place nothing is kept, for sessions that are not kept either. */
export function lazyCheckpoints(place: CheckpointPlace | undefined): CheckpointsPort {
  if (place === undefined) return nothingKept;
  let made: Promise<CheckpointsPort> | undefined;
  const load = (): Promise<CheckpointsPort> =>
    (made ??= import('../workspace/checkpoints/make-checkpoints.ts').then(({makeCheckpoints}) =>
      makeCheckpoints(place),
    ));
  return {
    take: async signal => (await load()).take(signal),
    preview: async (changes, signal) => (await load()).preview(changes, signal),
    revert: async (changes, signal) => (await load()).revert(changes, signal),
  };
}

const nothing = {files: [], conflicts: [], leftOut: []} as const;

/** Without checkpoints there is no change to take back, so nobody asks for more than `take`. */
const nothingKept: CheckpointsPort = {
  take: async () => ok('off'),
  preview: async () => ok(nothing),
  revert: async () => {
    throw new Error('no checkpoints are kept');
  },
};
