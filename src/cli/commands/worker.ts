import {InvalidArgumentError, Option, type Command} from 'commander';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {AgentRuns} from '../../jobs/agent-runs.ts';
import {doDelivered, type JobDeps} from '../../jobs/run-jobs.ts';
import {startScheduler} from '../../jobs/scheduler.ts';
import {
  loadNext,
  openUserJobs,
  openUserPlans,
  openUserQueue,
  openUserSchedules,
  openUserStack,
} from '../../app/user-jobs.ts';
import {openUserStore} from '../../app/user-database.ts';
import {userPlaces} from '../../app/user-data.ts';
import {print} from '../../app/output.ts';
import {openServerLog, surviveFaults} from '../server-log.ts';
import {onSignal} from '../signals.ts';
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
    .addOption(new Option('--concurrency <n>', 'Runs at a time').argParser(count).default(2))
    .action(exiting(runWorker));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/u.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999.');
  return Number(text);
}

const now = (): number => Date.now();

/** Milliseconds that running prompts have to settle when the worker ends. */
const stopMs = 3000;

/** `weft worker`: does what waits in the queue, until a signal ends it; what it was at is taken up by another, or by the next one. */
async function runWorker({store: named, concurrency}: WorkerOptions): Promise<ExitCode> {
  const places = userPlaces(named);
  if (places.database.kind !== 'postgres')
    throw new UsageError(
      'A worker needs a store that machines can share: weft worker --store postgres://user@host/database',
    );
  const note = openServerLog(places.serverLog);
  const store = await openUserStore(places);
  const plans = await openUserPlans(places);
  const jobs = await openUserJobs(places);
  const schedules = await openUserSchedules(places);
  const stack = await openUserStack(places);
  const queue = await openUserQueue(places.database, note);
  const runs = new AgentRuns({uuid: randomUUID, jobs, are: 'of-many', now, note});
  const deps: JobDeps = {
    agent: agentSessions(store, {named, url: () => '', artifacts: places.artifacts}),
    runs,
    jobs,
    plans,
    schedules,
    director: stackDirector({stack, store, named}),
  };
  surviveFaults(note);
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<ExitCode>();
  onSignal('SIGINT', () => stopped.resolve(exitCode.interrupted));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => stopped.resolve(exitCode.terminated));
  await queue.work(concurrency, async (job, signal) => {
    try {
      await doDelivered(job, deps, AbortSignal.any([signal, stopping.signal]));
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
    loadNext,
    note,
  });
  print(`weft works, ${String(concurrency)} at a time\n`);
  const code = await stopped.promise;
  stopping.abort();
  scheduler.close();
  await Promise.race([Promise.all([runs.close(), queue.close()]), delay(stopMs, undefined, {ref: false})]);
  for (const each of [plans, jobs, schedules, stack, store]) each.close();
  return code;
}
