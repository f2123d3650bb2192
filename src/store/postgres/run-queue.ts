import {Client} from 'pg';
import {PgBoss} from 'pg-boss';
import * as z from 'zod/mini';
import {causeText} from '../../domain/fault.ts';
import type {JobQueue} from '../../domain/job.ts';
import {StoreError} from '../store-fault.ts';
import {ForeignSchemaError, foreignSchemaFault, createOwnedSchema} from './owned-schema.ts';

/** The queue of a store that several machines share. If a worker dies, its job goes to another. */
export interface RunQueue extends JobQueue {
  /**
   * Runs queued jobs, at most `concurrency` at a time. If `handle` throws or the worker ends, the job is delivered again, here or
   * elsewhere. A job's signal aborts when the job is no longer this worker's.
   */
  work(concurrency: number, handle: (job: string, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Takes no more jobs, and waits a few seconds for the running ones. */
  close(): Promise<void>;
}

const queueName = 'weft_runs';
const queueSchema = 'weft_queue';

/** Seconds without a heartbeat after which a worker counts as dead; pg-boss's minimum. */
const heartbeatSeconds = 10;

/**
 * Opens the queue in the database at `url`, and creates its tables in a separate schema. Reports later problems with
 * the server to `note`. Rejects if the server can't be reached.
 */
export async function openRunQueue(url: string, note: (line: string) => void): Promise<RunQueue> {
  await makeSchema(url);
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'weft queue',
    schema: queueSchema,
    createSchema: false,
    max: 4,
    // weft has its own scheduler, which catches up on missed times; due jobs are queued here.
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
    // A day minus a minute: the longest that pg-boss waits for a worker with heartbeats.
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
        // Notifications of new jobs wake the workers, but a job to retry sends none.
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 1,
        burstWhenReadyExceeds: 1,
        heartbeatRefreshSeconds: 3,
      };
      await boss.work<unknown>(queueName, options, async jobs => {
        for (const {data, signal} of jobs) {
          const read = queued.safeParse(data);
          // Leave a job from a newer version of weft to workers of that version.
          if (!read.success) throw new Error('this version of weft does not know this kind of run');
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
    await createOwnedSchema(client, queueSchema);
  } catch (cause) {
    throw cause instanceof ForeignSchemaError ? new StoreError(foreignSchemaFault(cause.message), cause) : cause;
  } finally {
    await client.end();
  }
}

/** Entries queued by earlier versions of weft name no job. */
const queued = z.union([z.object({job: z.string()}), z.object({kind: z.enum(['execution', 'stack', 'scheduled'])})]);
