import type {Duplex} from 'node:stream';
import type {AgentClient} from '../agent/client.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {parseSessionId, type SessionId} from '../domain/ids.ts';
import type {AgentRuns} from '../jobs/agent-runs.ts';
import {serveClientOver} from './client-stream.ts';
import {type AgentPort, emptyModelConfig} from '../jobs/agent-port.ts';
import type {AttachRequest} from './start-server.ts';

type Attached = Outcome<(connection: Duplex) => void, {readonly status: number; readonly error: string}>;

/**
 * Opens a session for a terminal, or joins it if it is already open here. Front ends of one session see the same events, and each may
 * answer. When the terminal leaves, running work continues unless the request says otherwise.
 */
export async function attachSession(
  request: AttachRequest,
  {agent, runs, version}: {readonly agent: AgentPort; readonly runs: AgentRuns; readonly version: string},
): Promise<Attached> {
  if (request.version !== version)
    return failed({
      status: 409,
      error: `This server is weft ${version}, and the terminal is another version. Use the same version for both.`,
    });
  const session = request.session === undefined ? 'new' : parseSessionId(request.session);
  if (session === undefined) return failed({status: 404, error: 'There is no such session.'});
  const here = session === 'new' ? 'none' : runs.opened(session);
  const opened =
    here === 'none'
      ? await agent.open({
          session,
          workDir: request.workDir,
          model: emptyModelConfig,
          work: {kind: 'terminal', frontEnd: request.frontEnd},
        })
      : ok(here);
  if (opened.tag === 'failed') return opened;
  const client = opened.value;
  const detach = runs.attach(session === 'new' ? sessionOf(client) : session, client);
  return ok(connection => {
    // A server connection stays open until both sides end it, so end this side, too.
    connection.once('end', () => connection.end());
    connection.once('close', () => {
      if (request.leaving === 'stops') client.submit({op: 'interrupt'});
      void detach();
    });
    // Leaving does not close the session.
    const shared: AgentClient = {
      submit: op => client.submit(op),
      subscribe: listener => runs.live(client).subscribe(listener),
      query: (query, signal) => client.query(query, signal),
      watch: (watch, listener, signal) => client.watch(watch, listener, signal),
      close: async () => {},
    };
    serveClientOver(shared, connection);
  });
}

/** Returns the session of a client, which reports it at once to a subscriber. */
function sessionOf(client: AgentClient): SessionId {
  let found: SessionId | undefined;
  client.subscribe(events => {
    for (const event of events) if (event.event === 'session-opened') found = event.session.id;
  })();
  if (found === undefined) throw new Error('the client reported no session');
  return found;
}
