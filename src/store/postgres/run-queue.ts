import {Client} from 'pg';
import {PgBoss} from 'pg-boss';
import * as z from 'zod/mini';
import {causeText} from '../../domain/fault.ts';
import {parseAgentTaskId, parseSessionId, planId, scheduleId, type SessionId} from '../../domain/ids.ts';
import {type QueuedRun, runKey} from '../../domain/queued-run.ts';
import {providerNames} from '../../domain/sandbox.ts';
import {StoreError} from '../store-fault.ts';
import {ForeignSchemaError, foreignSchemaFault, ownSchema} from './own-schema.ts';

/** Runs that wait for a worker. One whose worker dies goes to another. */
export interface RunQueue {
  /** `queued-already` where such a run waits or is at work. */
  add(run: QueuedRun): Promise<'added' | 'queued-already'>;
  /** An execution that waits will not be done; nothing where there is none of that session. */
  cancel(session: SessionId): Promise<void>;
  /**
   * Takes up runs, at most `concurrency` at a time. One that `handle` does not bring to its end, since it throws or the worker ends, is
   * taken up again, here or elsewhere. The signal of a run is aborted when it is not this worker's any more.
   */
  work(concurrency: number, handle: (run: QueuedRun, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Takes up nothing more, and waits some moments for what is at work. */
  close(): Promise<void>;
}

const queueName = 'weft_runs';
const queueSchema = 'weft_queue';

/** Seconds without a sign of life after which a worker is dead; the least that pg-boss knows. */
const heartbeatSeconds = 10;

/**
 * Opens the queue in the database at `url`; its tables are made, in a schema of their own. `note` hears of trouble with the server
 * later on. Rejects where the server cannot be reached.
 */
export async function openRunQueue(url: string, note: (line: string) => void): Promise<RunQueue> {
  await makeSchema(url);
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'weft queue',
    schema: queueSchema,
    createSchema: false,
    max: 4,
    // Schedules are weft's own, which make up for missed times; what is due is queued here.
    schedule: false,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    queueCacheIntervalSeconds: 2,
    useListenNotify: true,
  });
  let isClosing = false;
  boss.on('error', cause => {
    if (!isClosing) note(`queue: ${causeText(cause)}`);
  });
  await boss.start();
  await boss.createQueue(queueName, {
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds,
    // A day less a minute, the longest that pg-boss waits for a worker that gives signs of life.
    expireInSeconds: 86_340,
    retryLimit: 10,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 60,
  });
  return {
    async add(run) {
      const known = run.kind === 'execution' ? {id: run.session} : {};
      const id = await boss.send(queueName, run, {...known, singletonKey: runKey(run)});
      return id === null ? 'queued-already' : 'added';
    },
    async cancel(session) {
      await boss.cancel(queueName, session);
    },
    async work(concurrency, handle) {
      const options = {
        localConcurrency: concurrency,
        // News of a run wakes the workers; one that is to be taken up again is no news.
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 1,
        burstWhenReadyExceeds: 1,
        heartbeatRefreshSeconds: 3,
      };
      await boss.work<unknown>(queueName, options, async jobs => {
        for (const {data, signal} of jobs) {
          const run = runIn(data);
          // What a newer weft has queued is left to its workers.
          if (run === undefined) throw new Error('a run of a kind that this version of weft does not know');
          await handle(run, signal);
        }
      });
    },
    close() {
      isClosing = true;
      return boss.stop({graceful: true, timeout: 5000, close: true});
    },
  };
}

async function makeSchema(url: string): Promise<void> {
  const client = new Client({connectionString: url, application_name: 'weft queue'});
  try {
    await client.connect();
    await ownSchema(client, queueSchema);
  } catch (cause) {
    throw cause instanceof ForeignSchemaError ? new StoreError(foreignSchemaFault(cause.message), cause) : cause;
  } finally {
    await client.end();
  }
}

const parsed = <T>(parse: (raw: string) => T | undefined) =>
  z.pipe(
    z.string().check(z.refine(raw => parse(raw) !== undefined)),
    z.transform((raw): T => parse(raw) ?? z.NEVER),
  );

const queuedRun = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('execution'),
    task: parsed(parseAgentTaskId),
    session: parsed(parseSessionId),
    plan: z.pipe(z.string(), z.transform(planId)),
    prompt: z.string(),
    directory: z.string(),
    sandbox: z.enum([...providerNames, 'of-settings']),
    model: z.string(),
    baseUrl: z.string(),
    skills: z.string(),
  }),
  z.object({
    kind: z.literal('stack'),
    harness: z.string(),
    afterFailure: z.enum(['stop', 'go-on']),
    positions: z.enum(['all', 'one']),
    directory: z.string(),
  }),
  z.object({kind: z.literal('scheduled'), schedule: z.pipe(z.string(), z.transform(scheduleId))}),
]);

function runIn(data: unknown): QueuedRun | undefined {
  const read = queuedRun.safeParse(data);
  return read.success ? read.data : undefined;
}
