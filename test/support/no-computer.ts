import type {ComputerPort} from '../../src/actions/computer-port.ts';
import {failed} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';

const none = failed(rejected('There is no display here.'));

/** Where a test needs none. */
export const noComputer: ComputerPort = {
  using: 'none',
  probe: async () => none,
  act: async () => none,
  screenshot: async () => none,
};
