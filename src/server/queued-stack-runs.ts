import {setTimeout as delay} from 'node:timers/promises';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {type QueuedRun, stackSession} from '../domain/queued-run.ts';
import {runFinished, type DirectorOptions, type StackRunEnd} from '../tasks/stack/direct-stack.ts';
import type {AsksPort} from './agent-runs.ts';
import type {EventStream, NumberedEvent} from './event-stream.ts';
import type {DirectorPort, StackRunsPort} from './stack-runs.ts';

/** What happens in runs of the stack, for all processes of a store. */
export interface StackRunLogPort {
  add(data: string): void;
  after(id: number, most: number): readonly NumberedEvent[];
  last(): {readonly event: number; readonly start: number};
}

/** Milliseconds between two looks at what another process does, and for which one is waited that shall stop. */
const lookMs = 500;
const stopMs = 10_000;

/** Events at once from the store. */
const mostAtOnce = 200;

interface QueuedStackDeps {
  readonly queue: {add(run: QueuedRun): Promise<'added' | 'queued-already'>};
  readonly log: StackRunLogPort;
  readonly asks: AsksPort;
  /** Where it runs: the folder of the server, which a worker needs to have, too. */
  readonly directory: string;
}

/** The runs of the task stack where workers do them. */
export class QueuedStackRuns implements StackRunsPort {
  readonly #deps: QueuedStackDeps;

  constructor(deps: QueuedStackDeps) {
    this.#deps = deps;
  }

  get stream(): EventStream {
    const {log} = this.#deps;
    let seen = log.last().event;
    return {
      after: id => log.after(id, mostAtOnce),
      isOver: false,
      subscribe(listener) {
        const timer = setInterval(() => {
          const last = eventNow(log) ?? seen;
          if (last === seen) return;
          seen = last;
          listener();
        }, lookMs);
        timer.unref();
        return () => clearInterval(timer);
      },
    };
  }

  get begin(): number {
    const {event, start} = this.#deps.log.last();
    return this.#deps.asks.running().has(stackSession) ? Math.max(0, start - 1) : event;
  }

  async start(harness: string, {afterFailure, positions}: DirectorOptions): Promise<Outcome<undefined, string>> {
    const {queue, asks, directory} = this.#deps;
    const runs = 'The task stack runs already.';
    if (asks.running().has(stackSession)) return failed(runs);
    const added = await queue.add({kind: 'stack', harness, afterFailure, positions, directory});
    return added === 'added' ? ok(undefined) : failed(runs);
  }

  async stop(): Promise<void> {
    const {asks} = this.#deps;
    if (asks.answer(stackSession, 'stop', {kind: 'stop'}) === 'unknown') return;
    for (let waited = 0; waited < stopMs && asks.running().has(stackSession); waited += lookMs)
      // oxlint-disable-next-line no-await-in-loop -- it looks again and again
      await delay(lookMs);
  }
}

/** A database that does not answer for a moment has no news. */
function eventNow(log: StackRunLogPort): number | undefined {
  try {
    return log.last().event;
  } catch {
    return undefined;
  }
}

/** Runs the stack for a worker, until the signal or somebody who shares the store stops it. Rejects where another process runs it. */
export async function runStackFor(
  {harness, afterFailure, positions}: QueuedRun & {readonly kind: 'stack'},
  {director, log, asks}: {readonly director: DirectorPort; readonly log: StackRunLogPort; readonly asks: AsksPort},
  signal: AbortSignal,
): Promise<void> {
  const add = (event: object): void => log.add(JSON.stringify(event));
  const opened = await director
    .open(harness, add)
    .catch((cause: unknown) => failed({reason: causeText(cause), again: 'never'} as const));
  if (opened.tag === 'failed') {
    if (opened.error.again === 'later') throw new Error(opened.error.reason);
    add(runFinished({kind: 'not-begun', reason: opened.error.reason}));
    return;
  }
  const stopped = new AbortController();
  asks.open(stackSession, 'stop', '');
  const timer = setInterval(() => {
    try {
      if (asks.answers(stackSession).length > 0) stopped.abort();
    } catch {
      // The run itself will say what is wrong with the database.
    }
  }, lookMs);
  let end: StackRunEnd;
  try {
    end = await opened.value.run({afterFailure, positions}, AbortSignal.any([signal, stopped.signal]));
  } catch (cause) {
    end = {kind: 'not-begun', reason: causeText(cause)};
  } finally {
    clearInterval(timer);
    asks.clear(stackSession);
  }
  add(runFinished(end));
}
