import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import {type AgentTask, agentTaskStates, type TaskFile} from '../domain/agent-task.ts';
import type {Fault} from '../domain/fault.ts';
import {type AgentTaskId, parseAgentTaskId, parseSessionId, planId} from '../domain/ids.ts';
import type {Row} from './database.ts';
import {OwnedRows, type OwnedRowsOptions, textOf} from './owned-rows.ts';

/**
 * The tasks that programs have run over HTTP, with their events. One whose process was cut off reads as stopped, and so does one that is
 * still at work when the store is closed: nothing is kept from then on. All methods throw a
 * `StoreError` when the database fails; nothing was changed then.
 */
export interface AgentTaskStore {
  /** `used` where there is a task of that id. */
  add(task: AgentTask): 'added' | 'used';
  find(id: AgentTaskId): AgentTask | 'unknown';
  /** Newest first. */
  list(): readonly AgentTask[];
  /** Changes what is known of a task; nothing where there is none. */
  change(id: AgentTaskId, work: (task: AgentTask) => AgentTask): void;
  /** It runs, and is this process's own from now on. */
  begin(id: AgentTaskId): void;
  /** `data` is JSON in one line; `seq` counts from 1 without gaps. */
  addEvent(id: AgentTaskId, event: {readonly seq: number; readonly data: string}): void;
  /** Events with greater numbers, at most `most`, in order. */
  events(id: AgentTaskId, after: number, most: number): readonly {readonly id: number; readonly data: string}[];
  /** The number of the last event; 0 where there is none. */
  lastEvent(id: AgentTaskId): number;
  close(): void;
}

/** Opens the tasks; missing folders, file and tables are made. */
export function openAgentTaskStore(options: OwnedRowsOptions): Outcome<AgentTaskStore, Fault> {
  const opened = OwnedRows.open(options);
  return opened.tag === 'failed' ? opened : ok(new SqliteTasks(opened.value));
}

class SqliteTasks implements AgentTaskStore {
  readonly #rows: OwnedRows;
  #isClosed = false;

  constructor(rows: OwnedRows) {
    this.#rows = rows;
  }

  add(task: AgentTask): 'added' | 'used' {
    const {pid, started, at} = this.#rows.own();
    return this.#rows.transaction(`task ${task.id}`, () => {
      if (this.#rows.db.first('SELECT 1 FROM agent_tasks WHERE id = ?', task.id) !== undefined) return 'used';
      this.#rows.db.run(
        'INSERT INTO agent_tasks (id, body, created_at, pid, started, at) VALUES (?, ?, ?, ?, ?, ?)',
        task.id,
        JSON.stringify(task),
        Math.trunc(task.createdAt),
        pid,
        started,
        at,
      );
      return 'added';
    });
  }

  find(id: AgentTaskId): AgentTask | 'unknown' {
    return this.#rows.guard(() => this.#read(this.#rows.db.first('SELECT * FROM agent_tasks WHERE id = ?', id)));
  }

  list(): readonly AgentTask[] {
    return this.#rows.guard(() =>
      this.#rows.db
        .all('SELECT * FROM agent_tasks ORDER BY created_at DESC, rowid DESC')
        .map(row => this.#read(row))
        .filter(task => task !== 'unknown'),
    );
  }

  change(id: AgentTaskId, work: (task: AgentTask) => AgentTask): void {
    if (this.#isClosed) return;
    this.#rows.transaction(`task ${id}`, () => this.#write(id, work));
  }

  begin(id: AgentTaskId): void {
    const {pid, started, at} = this.#rows.own();
    this.#rows.transaction(`task ${id}`, () => {
      this.#rows.db.run('UPDATE agent_tasks SET pid = ?, started = ?, at = ? WHERE id = ?', pid, started, at, id);
      this.#write(id, task => ({...task, state: 'running', endedAt: 0}));
    });
  }

  addEvent(id: AgentTaskId, {seq, data}: {readonly seq: number; readonly data: string}): void {
    if (this.#isClosed) return;
    this.#rows.guard(() =>
      this.#rows.db.run(
        'INSERT INTO agent_task_events (task_id, seq, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        id,
        seq,
        data,
      ),
    );
  }

  events(id: AgentTaskId, after: number, most: number): readonly {readonly id: number; readonly data: string}[] {
    return this.#rows.guard(() =>
      this.#rows.db
        .all(
          'SELECT seq, data FROM agent_task_events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?',
          id,
          after,
          most,
        )
        .map(row => ({id: Number(row['seq']), data: String(row['data'])})),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#rows.db.close();
  }

  lastEvent(id: AgentTaskId): number {
    const sql = 'SELECT MAX(seq) AS last FROM agent_task_events WHERE task_id = ?';
    return this.#rows.guard(() => Number(this.#rows.db.first(sql, id)?.['last'] ?? 0));
  }

  #write(id: AgentTaskId, work: (task: AgentTask) => AgentTask): void {
    const task = this.#read(this.#rows.db.first('SELECT * FROM agent_tasks WHERE id = ?', id));
    if (task !== 'unknown')
      this.#rows.db.run('UPDATE agent_tasks SET body = ? WHERE id = ?', JSON.stringify(work(task)), id);
  }

  #read(row: Row | undefined): AgentTask | 'unknown' {
    const task = row === undefined ? undefined : taskIn(String(row['body']));
    if (row === undefined || task === undefined) return 'unknown';
    return task.state === 'running' && this.#rows.isCutOff(row) ? {...task, state: 'stopped'} : task;
  }
}

/** `undefined` for a row that is damaged. */
function taskIn(body: string): AgentTask | undefined {
  const parsed = parseJson(body);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return undefined;
  const {id, session, plan, prompt, directory, state, createdAt, endedAt, cost, files} = parsed.value;
  const own = parseAgentTaskId(textOf(id));
  const owner = parseSessionId(textOf(session));
  const known = agentTaskStates.find(each => each === state);
  if (own === undefined || owner === undefined || known === undefined) return undefined;
  return {
    id: own,
    session: owner,
    plan: planId(textOf(plan)),
    prompt: textOf(prompt),
    directory: textOf(directory),
    state: known,
    createdAt: Number(createdAt),
    endedAt: Number(endedAt),
    cost: Number(cost),
    files: Array.isArray(files) ? files.flatMap(fileIn) : [],
  };
}

function fileIn(file: Json): readonly TaskFile[] {
  if (!isJsonObject(file)) return [];
  const {path, action, at, toolUseId} = file;
  const known = (['created', 'modified', 'deleted', 'renamed'] as const).find(each => each === action);
  return known === undefined ? [] : [{path: textOf(path), action: known, at: Number(at), toolUseId: textOf(toolUseId)}];
}
