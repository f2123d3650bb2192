import type {ConversationsPort} from '../../src/actions/conversations-port.ts';
import {failed} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';

/** Where a test needs none. */
export const noConversations: ConversationsPort = {
  fetch: async () => failed(rejected('There are no sessions here.')),
};
