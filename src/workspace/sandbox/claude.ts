import {failed} from '../../base/outcome.ts';
import type {SandboxProvider} from './sandbox.ts';

export const claude: SandboxProvider = {
  name: 'claude',
  find: async () => failed('not built yet'),
  enclose: async () => failed('not built yet'),
};
