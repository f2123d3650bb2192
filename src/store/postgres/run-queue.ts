import {Client} from 'pg';
import {PgBoss} from 'pg-boss';
import * as z from 'zod/mini';
import {causeText} from '../../domain/fault.ts';
import type {JobQueue} from '../../domain/job.ts';
import {StoreError} from '../store-fault.ts';
import {ForeignSchemaError, foreignSchemaFault, ownSchema} from './own-schema.ts';

/** The queue of a store that several machines share. A job whose worker dies goes to another. */
export interface RunQueue extends JobQueue {
  /**
   * Takes up jobs, at most `concurrency` at a time. One that `handle` does not bring to its end, since it throws or the worker ends, is
   * taken up again, here or elsewhere. The signal of a job is aborted when it is not this worker's any more.
   */
  work(concurrency: number, handle: (job: string, signal: AbortSignal) => Promise<void>): Promise<void>;
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
    async add(job) {
      const id = await boss.send(queueName, {job}, {singletonKey: job});
      return id === null ? 'queued-already' : 'added';
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
          const read = queued.safeParse(data);
          // What a newer weft has queued is left to its workers.
          if (!read.success) throw new Error('a run of a kind that this version of weft does not know');
          if ('job' in read.data) await handle(read.data.job, signal);
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

/** What earlier wefts have queued has no job to be done. */
const queued = z.union([z.object({job: z.string()}), z.object({kind: z.enum(['execution', 'stack', 'scheduled'])})]);
