import {ok} from '../../src/base/outcome.ts';
import {nativeProof} from '../../src/domain/sandbox.ts';
import type {CommandSandbox} from '../../src/workspace/sandbox/sandbox.ts';

/** Commands run as they are. */
export const plainSandbox: CommandSandbox = {
  enclose: async () => ok({kind: 'plain'}),
  proof: async () => nativeProof,
  known: () => 'unknown',
  close: async () => {},
};
