import {missingSearchEngine, type WebPort} from '../../src/actions/web-port.ts';
import {failed} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';

/** Where a test needs none. */
export const noWeb: WebPort = {
  searching: 'none',
  fetch: async () => failed(rejected('There is no web here.')),
  search: async () => failed(missingSearchEngine),
};
