import {isJsonObject, parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {parseSessionId, type SessionId} from '../domain/ids.ts';
import type {RunningAgent} from '../domain/sub-agent.ts';
import {OwnedRows, type OwnedRowsOptions, textOf} from './owned-rows.ts';

/**
 * The sub-agents that are at work, of all processes of this user, for others to see and to stop. Those of a process that has ended are not
 * there. All methods throw a `StoreError` when the database fails.
 */
export interface RunningAgentStore {
  add(agent: RunningAgent): void;
  remove(id: SessionId): void;
  /** The oldest first. */
  list(): readonly RunningAgent[];
  /** Asks the process of the agent to stop it. */
  stop(id: SessionId): 'asked' | 'unknown';
  /** Those of this process that others want to be stopped. */
  toStop(): readonly SessionId[];
  close(): void;
}

/** Opens the list; what is missing is made. */
export function openRunningAgentStore(options: OwnedRowsOptions): Outcome<RunningAgentStore, Fault> {
  const opened = OwnedRows.open(options);
  if (opened.tag === 'failed') return opened;
  const rows = opened.value;
  return ok({
    add(agent) {
      const {pid, started, at} = rows.own();
      rows.transaction('running agents', () => {
        rows.db.run('DELETE FROM running_agents WHERE id = ?', agent.id);
        rows.db.run(
          'INSERT INTO running_agents (id, body, stop, pid, started, at) VALUES (?, ?, 0, ?, ?, ?)',
          agent.id,
          JSON.stringify(agent),
          pid,
          started,
          at,
        );
      });
    },
    remove(id) {
      rows.guard(() => rows.db.run('DELETE FROM running_agents WHERE id = ?', id));
    },
    list() {
      return rows
        .guard(() => rows.db.all('SELECT * FROM running_agents').filter(row => !rows.isCutOff(row)))
        .flatMap(row => agentIn(String(row['body'])))
        .toSorted((one, other) => one.startedAt - other.startedAt);
    },
    stop(id) {
      return rows.transaction('running agents', () => {
        const row = rows.db.first('SELECT * FROM running_agents WHERE id = ?', id);
        if (row === undefined || rows.isCutOff(row)) return 'unknown';
        rows.db.run('UPDATE running_agents SET stop = 1 WHERE id = ?', id);
        return 'asked';
      });
    },
    toStop() {
      const {pid, started} = rows.own();
      const sql = 'SELECT id FROM running_agents WHERE stop = 1 AND pid = ? AND started = ?';
      return rows.guard(() => rows.db.all(sql, pid, started)).flatMap(({id}) => parseSessionId(String(id)) ?? []);
    },
    close: () => rows.db.close(),
  });
}

/** Nothing for a row that is damaged. */
function agentIn(body: string): readonly RunningAgent[] {
  const parsed = parseJson(body);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return [];
  const {id, parent, name, kind, harness, directory, startedAt, pid} = parsed.value;
  const own = parseSessionId(textOf(id));
  const above = parseSessionId(textOf(parent));
  if (own === undefined || above === undefined) return [];
  return [
    {
      id: own,
      parent: above,
      name: textOf(name),
      kind: textOf(kind),
      harness: textOf(harness),
      directory: textOf(directory),
      startedAt: Number(startedAt),
      pid: Number(pid),
    },
  ];
}
