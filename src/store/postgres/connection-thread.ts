import {MessageChannel, MessagePort, receiveMessageOnPort, Worker, workerData} from 'node:worker_threads';
import {types, Client, type QueryResult} from 'pg';
import {causeText, codeOf} from '../../domain/fault.ts';
import {ownSchema} from './own-schema.ts';

/** One statement for the connection, or several without values, parted by semicolons. */
export interface Statement {
  readonly url: string;
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
  /** The connection on which it has to run, as an answer named it: in a transaction that of its beginning. */
  readonly on: string;
}

export interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The process of the server that serves the connection and when it was opened: another one where the last was lost. */
  readonly connection: string;
}

/** What the server, or the way to it, said against a statement. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
  /** The five characters of SQLSTATE, or a name of the system's; empty where there is none. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Between the two threads: a statement, and what became of it. */
interface Call {
  readonly id: number;
  readonly statement: Statement;
}

type StatementOutcome =
  | {readonly tag: 'ok'; readonly answer: Answer}
  | {readonly tag: 'failed'; readonly message: string; readonly code: string};

type Reply = {readonly id: number} & StatementOutcome;

/** Milliseconds for which a statement is waited for; longer than the server works on one. */
const answerMs = 30_000;

let line: {readonly port: MessagePort; readonly bell: Int32Array<SharedArrayBuffer>} | undefined;
let calls = 0;

/**
 * Runs a statement and waits for its answer, while this thread stands still. Throws a `PostgresError`. (Libraries that make such a
 * thread find its program by a file of theirs beside it, which there is not in a bundle.)
 */
export function ask(statement: Statement): Answer {
  const {port, bell} = (line ??= openLine());
  calls += 1;
  const id = calls;
  port.postMessage({id, statement} satisfies Call);
  const until = Date.now() + answerMs;
  for (;;) {
    const rung = Atomics.load(bell, 0);
    const received: {readonly message: Reply} | undefined = receiveMessageOnPort(port);
    if (received === undefined) {
      if (Atomics.wait(bell, 0, rung, Math.max(0, until - Date.now())) === 'timed-out')
        throw new PostgresError('it did not answer in time', 'ETIMEDOUT');
      continue;
    }
    const {message: reply} = received;
    // What came too late is of an earlier statement.
    if (reply.id !== id) continue;
    if (reply.tag === 'failed') throw new PostgresError(reply.message, reply.code);
    return reply.answer;
  }
}

/** Begins the thread, which does not keep the process alive. */
function openLine(): NonNullable<typeof line> {
  const {port1, port2} = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), {
    workerData: {[threadName]: port2, bell},
    transferList: [port2],
    // Flags of the process may be none of a thread's (`--eval`).
    execArgv: [],
  });
  worker.unref();
  return {port: port1, bell};
}

/** The name under which the thread is given its end of the line. */
const threadName = 'weft-postgres';

function answerCalls(port: MessagePort, bell: Int32Array): void {
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

/** Milliseconds in which a server has to answer a first time. */
const connectMs = 10_000;

/**
 * What every connection begins with. A statement waits for what another process has locked as long as SQLite waits, and for its own end a
 * little less than the caller waits for it. A machine that is gone is noticed within half a minute, so that others may take up its work.
 */
const settings = `
  SET lock_timeout = '5s';
  SET statement_timeout = '20s';
  SET tcp_keepalives_idle = 10;
  SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3;
`;

interface Open {
  readonly client: Client;
  readonly name: string;
  readonly prepared: Map<string, string>;
}

const open = new Map<string, Open>();
let opened = 0;

// Counts and times are whole numbers far below the greatest that JavaScript holds exactly; their sums are numeric.
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.NUMERIC, Number);

/** Runs a statement on the one connection to `url`, which is opened where there is none. Throws where it has to run on one that is lost. */
async function execute(statement: Statement): Promise<Answer> {
  try {
    return await executeOnce(statement);
  } catch (cause) {
    const changesNothing = statement.on === 'any' && /^(?:SELECT|BEGIN)/u.test(statement.sql);
    if (!changesNothing || !isLost(cause)) throw cause;
    // The server was restarted, say. What changes something may have been done, and is not repeated.
    open.delete(statement.url);
    return executeOnce(statement);
  }
}

/** Whether the connection is gone, as the server or the system says. */
function isLost(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const code = codeOf(cause);
  return /^(?:57P0\d|08\w{3}|ECONNRESET|EPIPE)$/u.test(code) || /terminated|not queryable/u.test(cause.message);
}

async function executeOnce({url, sql, values, on}: Statement): Promise<Answer> {
  const {client, name, prepared} = open.get(url) ?? (await connect(url));
  if (on !== 'any' && on !== name) throw new Error('the connection was lost');
  if (values.length === 0 && !sql.startsWith('SELECT')) {
    // Of several statements there are several results.
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

async function connect(url: string): Promise<Open> {
  const client = new Client({
    connectionString: url,
    application_name: 'weft',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  });
  // The next statement opens another connection; this one fails by itself.
  const forget = (): void => {
    if (open.get(url)?.client === client) open.delete(url);
  };
  client.on('error', forget);
  client.on('end', forget);
  await client.connect();
  try {
    await client.query(settings);
    await ownSchema(client, 'weft');
    // Only now: what another role has put into the schema could stand for what the server has.
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

/** `?` as Postgres names values; none of the statements has one in a text. */
function withNumbers(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${String((count += 1))}`);
}

// This file is the thread's program, too.
const data: unknown = workerData;
if (typeof data === 'object' && data !== null && threadName in data && 'bell' in data) {
  const {[threadName]: port, bell} = data;
  if (port instanceof MessagePort && bell instanceof Int32Array) answerCalls(port, bell);
}
