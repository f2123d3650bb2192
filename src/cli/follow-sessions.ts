import {recordingSession} from '../agent/recording-session.ts';
import type {SessionsPort} from '../agent/ports.ts';
import {ok} from '../base/outcome.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';

/** The same sessions, and what is kept of the one that was opened last. */
export function followSessions(first: OpenSession, sessions: SessionsPort) {
  let open = recordingSession(first);
  const follow = (session: OpenSession): OpenSession => (open = recordingSession(session));
  const followed: SessionsPort = {
    create: details => follow(sessions.create(details)),
    resume(id) {
      const resumed = sessions.resume(id);
      return resumed.tag === 'failed' ? resumed : ok(follow(resumed.value));
    },
  };
  return {session: open, sessions: followed, records: (): readonly JournalRecord[] => open.records};
}
