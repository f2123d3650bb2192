import {failed} from '../../base/outcome.ts';
import type {SandboxProvider} from './sandbox.ts';

export const codex: SandboxProvider = {
  name: 'codex',
  find: async () => failed('not built yet'),
  enclose: async () => failed('not built yet'),
};
