import {MessageChannel, MessagePort, receiveMessageOnPort, Worker, workerData} from 'node:worker_threads';
import {types, Client, type QueryResult} from 'pg';
import {causeText, codeOf} from '../../domain/fault.ts';
import {createOwnedSchema} from './owned-schema.ts';

/** One statement for the connection, or several without values, separated by semicolons. */
export interface Statement {
  readonly url: string;
  /** Statements without values that run first; empty, or those that begin a transaction. */
  readonly begin: string;
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
  /** The name of the connection to run on, from an earlier answer; in a transaction the one that began it. */
  readonly requiredConnection: string;
}

export interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Identifies the connection; a new name means that the last one was lost. */
  readonly connection: string;
}

/** An error from the server, or from the connection to it. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
  /** The five characters of SQLSTATE, or the system's error code; empty if there is none. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** The messages between the two threads: a statement and its outcome. */
interface Call {
  readonly id: number;
  readonly statement: Statement;
}

type StatementOutcome =
  | {readonly tag: 'ok'; readonly answer: Answer}
  | {readonly tag: 'failed'; readonly message: string; readonly code: string};

type Reply = {readonly id: number} & StatementOutcome;

/** Milliseconds to wait for a statement; longer than the server's own time limit. */
const maxAnswerMs = 30_000;

let channel: {readonly port: MessagePort; readonly bell: Int32Array<SharedArrayBuffer>} | undefined;
let calls = 0;

/**
 * Runs a statement and blocks this thread until the answer. Throws a `PostgresError`.
 *
 * weft uses no library for this, because such libraries load a worker file next to their own, which a bundle doesn't have.
 */
export function runStatement(statement: Statement): Answer {
  const {port, bell} = (channel ??= startThread());
  calls += 1;
  const id = calls;
  port.postMessage({id, statement} satisfies Call);
  const until = Date.now() + maxAnswerMs;
  for (;;) {
    const rung = Atomics.load(bell, 0);
    const received: {readonly message: Reply} | undefined = receiveMessageOnPort(port);
    if (received === undefined) {
      if (Atomics.wait(bell, 0, rung, Math.max(0, until - Date.now())) === 'timed-out')
        throw new PostgresError("it didn't answer in time", 'ETIMEDOUT');
      continue;
    }
    const {message: reply} = received;
    // A late answer to an earlier statement.
    if (reply.id !== id) continue;
    if (reply.tag === 'failed') throw new PostgresError(reply.message, reply.code);
    return reply.answer;
  }
}

/** Starts the thread, which doesn't keep the process alive. */
function startThread(): NonNullable<typeof channel> {
  const {port1, port2} = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), {
    workerData: {[threadName]: port2, bell},
    transferList: [port2],
    // Flags of the process may be invalid for a thread (`--eval`).
    execArgv: [],
  });
  worker.unref();
  return {port: port1, bell};
}

/** The name under which the thread receives its port. */
const threadName = 'weft-postgres';

function serveCalls(port: MessagePort, bell: Int32Array): void {
  port.on('message', ({id, statement}: Call) => {
    void outcomeOf(statement).then(outcome => {
      port.postMessage({id, ...outcome} satisfies Reply);
      Atomics.add(bell, 0, 1);
      return Atomics.notify(bell, 0);
    });
  });
}

async function outcomeOf(statement: Statement): Promise<StatementOutcome> {
  try {
    return {tag: 'ok', answer: await execute(statement)};
  } catch (cause) {
    return {tag: 'failed', message: causeText(cause), code: codeOf(cause)};
  }
}

/** Milliseconds in which a server has to answer for the first time. */
const connectMs = 10_000;

/**
 * Settings for every connection. A statement waits for locks as long as in SQLite, and times out a little before the caller does. A
 * vanished machine is detected within half a minute, so that others may take over its work.
 */
const settings = `
  SET lock_timeout = '5s';
  SET statement_timeout = '20s';
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3;
`;

interface OpenConnection {
  readonly client: Client;
  readonly name: string;
  readonly prepared: Map<string, string>;
}

const open = new Map<string, OpenConnection>();
let opened = 0;

// Counts and times are whole numbers far below JavaScript's safe limit; their sums are numeric.
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.NUMERIC, Number);

/** Runs a statement on the one connection to `url`, opening it if necessary. Throws if the statement requires a connection that is lost. */
async function execute(statement: Statement): Promise<Answer> {
  try {
    return await executeOnce(statement);
  } catch (cause) {
    const changesNothing =
      statement.requiredConnection === 'any' && (statement.begin !== '' || statement.sql.startsWith('SELECT'));
    if (!changesNothing || !isConnectionLost(cause)) throw cause;
    // The server may have restarted. A statement that changes something may have been executed, so it is not repeated.
    open.delete(statement.url);
    return executeOnce(statement);
  }
}

/** True if the server or the system reports that the connection is gone. */
function isConnectionLost(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const code = codeOf(cause);
  return /^(?:57P0\d|08\w{3}|ECONNRESET|EPIPE)$/u.test(code) || /terminated|not queryable/u.test(cause.message);
}

async function executeOnce({url, begin, sql, values, requiredConnection}: Statement): Promise<Answer> {
  const {client, name, prepared} = open.get(url) ?? (await connect(url));
  if (requiredConnection !== 'any' && requiredConnection !== name) throw new Error('the connection was lost');
  if (begin !== '') await client.query(begin);
  if (values.length === 0 && !sql.startsWith('SELECT')) {
    // Several statements return several results.
    const results: QueryResult | readonly QueryResult[] = await client.query(sql);
    const last = Array.isArray(results) ? results.at(-1) : results;
    return {rows: rowsOf(last), connection: name};
  }
  let statement = prepared.get(sql);
  if (statement === undefined) prepared.set(sql, (statement = `weft_${String(prepared.size)}`));
  const result = await client.query({name: statement, text: withNumbers(sql), values: [...values]});
  return {rows: rowsOf(result), connection: name};
}

const rowsOf = (result: QueryResult<Record<string, unknown>> | undefined): Answer['rows'] => result?.rows ?? [];

async function connect(url: string): Promise<OpenConnection> {
  const client = new Client({
    connectionString: url,
    application_name: 'weft',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  });
  // Only this statement fails; the next one opens a new connection.
  const forget = (): void => {
    if (open.get(url)?.client === client) open.delete(url);
  };
  client.on('error', forget);
  client.on('end', forget);
  await client.connect();
  try {
    await client.query(settings);
    await createOwnedSchema(client, 'weft');
    // Set the search path only now: functions that another role put into the schema could replace the server's own.
    await client.query('SET search_path = weft, pg_catalog');
  } catch (cause) {
    await client.end();
    throw cause;
  }
  opened += 1;
  const made = {client, name: String(opened), prepared: new Map<string, string>()};
  open.set(url, made);
  return made;
}

/** Converts `?` to Postgres's numbered parameters. No statement has a `?` inside a text. */
function withNumbers(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${String((count += 1))}`);
}

// This file is also the thread's program.
const data: unknown = workerData;
if (typeof data === 'object' && data !== null && threadName in data && 'bell' in data) {
  const {[threadName]: port, bell} = data;
  if (port instanceof MessagePort && bell instanceof Int32Array) serveCalls(port, bell);
}
