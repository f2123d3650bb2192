import {randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {AgentRuns} from '../../../server/agent-runs.ts';
import {runQueued} from '../../../server/queued-runs.ts';
import {startScheduler} from '../../../server/scheduler.ts';
import {loadNext, openUserSchedules} from '../../../app/user-schedules.ts';
import {openUserAsks, openUserPlans, openUserTasks} from '../../../app/user-plans.ts';
import {openQueue, queueDue} from '../../../app/user-queue.ts';
import {openUserStore} from '../../../app/user-database.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {exitCode, type ExitCode, UsageError} from '../../../app/exit-code.ts';
import {print} from '../../../app/output.ts';
import {openServerLog, surviveFaults} from '../../server-log.ts';
import {onSignal} from '../../signals.ts';
import {openUserStack, openUserStackRunLog} from '../../../app/user-stack.ts';
import {runStackFor} from '../../../server/queued-stack-runs.ts';
import type {QueuedRun} from '../../../domain/queued-run.ts';
import {stackDirector} from '../serve/stack-director.ts';
import {agentSessions} from '../serve/agent-sessions.ts';
import type {WorkerOptions} from '../worker.ts';

const now = (): number => Date.now();

/** Milliseconds that running prompts have to settle when the worker ends. */
const stopMs = 3000;

/** `weft worker`: does what waits in the queue, until a signal ends it; what it was at is taken up by another, or by the next one. */
export async function runWorker({store: named, concurrency}: WorkerOptions): Promise<ExitCode> {
  const places = userPlaces(named);
  if (places.database.kind !== 'postgres')
    throw new UsageError(
      'A worker needs a store that machines can share: weft worker --store postgres://user@host/database',
    );
  const note = openServerLog(places.serverLog);
  const store = await openUserStore(places);
  const plans = await openUserPlans(places);
  const tasks = await openUserTasks(places);
  const asks = await openUserAsks(places);
  const schedules = await openUserSchedules(places);
  const stack = await openUserStack(places);
  const log = await openUserStackRunLog(places);
  const queue = await openQueue(places.database, note);
  const runs = new AgentRuns(randomUUID, asks, 'of-many', note);
  const deps = {
    agent: agentSessions(store, {named, url: () => '', artifacts: places.artifacts}),
    runs,
    plans,
    tasks,
    schedules,
    now,
    note,
    runStack: (run: QueuedRun & {readonly kind: 'stack'}, signal: AbortSignal) =>
      runStackFor(run, {director: stackDirector({stack, store, named}, run.directory), log, asks}, signal),
  };
  surviveFaults(note);
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<ExitCode>();
  onSignal('SIGINT', () => stopped.resolve(exitCode.interrupted));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => stopped.resolve(exitCode.terminated));
  await queue.work(concurrency, async (run, signal) => {
    try {
      await runQueued(run, deps, AbortSignal.any([signal, stopping.signal]));
    } catch (cause) {
      if (!stopping.signal.aborted) note(`${run.kind}: ${cause instanceof Error ? cause.message : String(cause)}`);
      throw cause;
    }
  });
  const scheduler = startScheduler({schedules, run: queueDue(queue, {schedules, now, note}), now, loadNext, note});
  print(`weft works, ${String(concurrency)} at a time\n`);
  const code = await stopped.promise;
  stopping.abort();
  scheduler.close();
  await Promise.race([Promise.all([runs.close(), queue.close()]), delay(stopMs, undefined, {ref: false})]);
  for (const each of [plans, tasks, asks, schedules, stack, log, store]) each.close();
  return code;
}
