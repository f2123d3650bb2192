import {randomUUID} from 'node:crypto';
import type {SessionsPort} from '../agent/ports.ts';
import {failed} from '../base/outcome.ts';
import {parseSessionId, type SessionId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';

/** Sessions that live as long as the process: `--no-session-persistence` and the demo. */
export const unkeptSessions: SessionsPort = {
  create: () => unkeptSession(newSessionId()),
  resume: () =>
    failed({
      kind: 'needs-user',
      message: 'Sessions are not kept here.',
      fix: 'Start weft without --no-session-persistence.',
    }),
};

export const unkeptSession = (id: SessionId): OpenSession => ({id, records: [], append: () => {}, close: () => {}});

export function newSessionId(): SessionId {
  const id = parseSessionId(randomUUID());
  if (id === undefined) throw new Error('randomUUID makes UUIDs');
  return id;
}
