import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import {type AgentTask, agentTaskStates, type TaskFile} from '../domain/agent-task.ts';
import type {Fault} from '../domain/fault.ts';
import {type AgentTaskId, parseAgentTaskId, parseSessionId, planId} from '../domain/ids.ts';
import {openDatabase, type Database, type Row} from './database.ts';
import {isAlive, markProcess, type ProcessMark} from './process-start.ts';
import {storeFault, StoreError} from './store-fault.ts';

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
  /** `data` is JSON in one line; `seq` counts from 1 without gaps. */
  addEvent(id: AgentTaskId, event: {readonly seq: number; readonly data: string}): void;
  /** Events with greater numbers, at most `most`, in order. */
  events(id: AgentTaskId, after: number, most: number): readonly {readonly id: number; readonly data: string}[];
  close(): void;
}

export interface AgentTaskStoreOptions {
  /** The database, or `:memory:`. */
  readonly file: string;
  readonly now: () => number;
  readonly process: {readonly pid: number};
}

/** Opens the tasks; missing folders, file and tables are made. */
export function openAgentTaskStore(options: AgentTaskStoreOptions): Outcome<AgentTaskStore, Fault> {
  const opened = openDatabase(options.file);
  return opened.tag === 'failed' ? opened : ok(new SqliteTasks(opened.value, options));
}

class SqliteTasks implements AgentTaskStore {
  readonly #db: Database;
  readonly #options: AgentTaskStoreOptions;
  #mark: ProcessMark | undefined;
  #isClosed = false;

  constructor(db: Database, options: AgentTaskStoreOptions) {
    this.#db = db;
    this.#options = options;
  }

  add(task: AgentTask): 'added' | 'used' {
    const {pid, started, at} = this.#own();
    return this.#guard(() =>
      this.#db.transaction(() => {
        if (this.#db.first('SELECT 1 FROM agent_tasks WHERE id = ?', task.id) !== undefined) return 'used';
        this.#db.run(
          'INSERT INTO agent_tasks (id, body, created_at, pid, started, at) VALUES (?, ?, ?, ?, ?, ?)',
          task.id,
          JSON.stringify(task),
          Math.trunc(task.createdAt),
          pid,
          started,
          at,
        );
        return 'added';
      }),
    );
  }

  find(id: AgentTaskId): AgentTask | 'unknown' {
    return this.#guard(() => this.#read(this.#db.first('SELECT * FROM agent_tasks WHERE id = ?', id)));
  }

  list(): readonly AgentTask[] {
    return this.#guard(() =>
      this.#db
        .all('SELECT * FROM agent_tasks ORDER BY created_at DESC, rowid DESC')
        .map(row => this.#read(row))
        .filter(task => task !== 'unknown'),
    );
  }

  change(id: AgentTaskId, work: (task: AgentTask) => AgentTask): void {
    if (this.#isClosed) return;
    this.#guard(() =>
      this.#db.transaction(() => {
        const task = this.#read(this.#db.first('SELECT * FROM agent_tasks WHERE id = ?', id));
        if (task !== 'unknown')
          this.#db.run('UPDATE agent_tasks SET body = ? WHERE id = ?', JSON.stringify(work(task)), id);
      }),
    );
  }

  addEvent(id: AgentTaskId, {seq, data}: {readonly seq: number; readonly data: string}): void {
    if (this.#isClosed) return;
    this.#guard(() =>
      this.#db.run('INSERT OR IGNORE INTO agent_task_events (task_id, seq, data) VALUES (?, ?, ?)', id, seq, data),
    );
  }

  events(id: AgentTaskId, after: number, most: number): readonly {readonly id: number; readonly data: string}[] {
    return this.#guard(() =>
      this.#db
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
    this.#db.close();
  }

  #read(row: Row | undefined): AgentTask | 'unknown' {
    const task = row === undefined ? undefined : taskIn(String(row['body']));
    if (row === undefined || task === undefined) return 'unknown';
    if (task.state !== 'running') return task;
    const mark = {pid: Number(row['pid']), started: String(row['started']), at: Number(row['at'])};
    const isOwn = mark.pid === this.#options.process.pid && mark.started === this.#own().started;
    return isOwn || isAlive(mark) ? task : {...task, state: 'stopped'};
  }

  #own(): ProcessMark {
    return (this.#mark ??= markProcess(this.#options.process.pid, Math.trunc(this.#options.now())));
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new StoreError(storeFault(cause, this.#options.file), cause);
    }
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

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
