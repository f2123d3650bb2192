import {InvalidArgumentError, Option, type Command} from 'commander';
import {exiting, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {AgentRuns} from '../../jobs/agent-runs.ts';
import {runDelivered, type JobDeps} from '../../jobs/run-jobs.ts';
import {startScheduler} from '../../jobs/scheduler.ts';
import {loadNextTime, openUserQueue, openUserStores} from '../../app/user-jobs.ts';
import {now} from '../../app/user-database.ts';
import {userPlaces} from '../../app/user-data.ts';
import {note as tellUser, print} from '../../app/output.ts';
import {openLog, surviveFaults} from '../../app/log-file.ts';
import {onStopSignal} from '../signals.ts';
import {agentSessions} from './serve/agent-sessions.ts';
import {stackDirector} from './stack/director.ts';
import {causeText} from '../../domain/fault.ts';

interface WorkerOptions {
  readonly store?: string;
  readonly concurrency: number;
}

/** `weft worker`. */
export function add(command: Command): void {
  command
    .option('--store <where>', 'The store: postgres://… (default: WEFT_STORE)')
    .addOption(new Option('--concurrency <n>', 'Number of jobs to run at the same time').argParser(count).default(2))
    .action(exiting(runWorker));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/u.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999.');
  return Number(text);
}

/** Milliseconds for running prompts to settle when the worker ends. */
const stopMs = 3000;

/** `weft worker`: runs queued jobs until a signal arrives. Another worker continues its unfinished jobs. */
async function runWorker({store: named, concurrency}: WorkerOptions): Promise<ExitCode> {
  const places = userPlaces(named);
  if (places.database.kind !== 'postgres')
    throw new UsageError('A worker needs a shared Postgres store: weft worker --store postgres://user@host/database');
  const note = openLog(places.log, tellUser);
  const stores = await openUserStores(places);
  const {sessions, jobs, schedules} = stores;
  const queue = await openUserQueue(places.database, note);
  const runs = new AgentRuns({uuid: randomUUID, jobs, processes: 'of-many', now, note});
  const deps: JobDeps = {
    ...stores,
    agent: agentSessions(sessions, {named, url: () => '', artifacts: places.artifacts, workRoots: []}),
    runs,
    director: stackDirector({...stores, named}),
  };
  surviveFaults(note);
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<ExitCode>();
  onStopSignal(stopped.resolve);
  await queue.work(concurrency, async (job, signal) => {
    try {
      await runDelivered(job, deps, AbortSignal.any([signal, stopping.signal]));
    } catch (cause) {
      if (!stopping.signal.aborted) note(`${job}: ${causeText(cause)}`);
      throw cause;
    }
  });
  const scheduler = startScheduler({
    schedules,
    queue,
    jobs,
    run: async () => {},
    uuid: randomUUID,
    now,
    loadNextTime,
    note,
  });
  print(`weft is working, ${String(concurrency)} jobs at a time\n`);
  const code = await stopped.promise;
  stopping.abort();
  scheduler.close();
  await Promise.race([Promise.all([runs.close(), queue.close()]), delay(stopMs, undefined, {ref: false})]);
  stores.close();
  return code;
}
