import {runFinished, type DirectorOptions, type StackRunEnd, type StackRunEvent} from '../tasks/stack/direct-stack.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {EventLog, type EventStream} from './event-stream.ts';

/** Why there can be no run now, and whether there may be one later. */
export interface NoDirector {
  readonly reason: string;
  readonly again: 'later' | 'never';
}

/** What runs the task stack, as `weft serve` needs it. */
export interface DirectorPort {
  /** Makes ready a run, in which weft or the agent of a harness does the tasks. The error says why there can be none: another process runs the stack, no model. */
  open(
    harness: string,
    observe: (event: StackRunEvent) => void,
  ): Promise<Outcome<{run(options: DirectorOptions, signal: AbortSignal): Promise<StackRunEnd>}, NoDirector>>;
}

/** The runs of the task stack, as requests see them. */
export interface StackRunsPort {
  /** All that happens from now on, and what has happened in the run that goes on. It never ends. */
  readonly stream: EventStream;
  /** The last event that a reader who has none yet does not get. */
  readonly begin: number;
  /** Begins a run with the agent of a harness, or `weft`; it goes on when this settles. The error says why there is none. */
  start(harness: string, options: DirectorOptions): Promise<Outcome<undefined, string>>;
  /** Stops what runs, and settles when that is kept. */
  stop(): Promise<void>;
}

/** The runs of the task stack, one at a time, and what happens in them: one stream for as long as the server lives. */
export class StackRuns implements StackRunsPort {
  readonly #port: DirectorPort;
  readonly #log = new EventLog(() => {});
  /** The number of the last event before the run that goes on now. */
  #before = 0;
  #running: {readonly stopping: AbortController; readonly ended: Promise<void>} | 'nothing' = 'nothing';

  constructor(port: DirectorPort) {
    this.#port = port;
  }

  get stream(): EventStream {
    return this.#log;
  }

  get begin(): number {
    return this.#running === 'nothing' ? this.#log.last : this.#before;
  }

  async start(harness: string, options: DirectorOptions): Promise<Outcome<undefined, string>> {
    if (this.#running !== 'nothing') return failed('The task stack runs already.');
    const stopping = new AbortController();
    const ended = Promise.withResolvers<void>();
    this.#running = {stopping, ended: ended.promise};
    this.#before = this.#log.last;
    const end = (): void => {
      this.#running = 'nothing';
      ended.resolve();
    };
    try {
      const director = await this.#port.open(harness, event => this.#log.add(event));
      if (director.tag === 'failed') {
        end();
        return failed(director.error.reason);
      }
      void this.#run(() => director.value.run(options, stopping.signal), end);
      return ok(undefined);
    } catch (cause) {
      end();
      return failed(`The task stack cannot run: ${causeText(cause)}`);
    }
  }

  async stop(): Promise<void> {
    if (this.#running === 'nothing') return;
    this.#running.stopping.abort();
    await this.#running.ended;
  }

  /** Never rejects. */
  async #run(run: () => Promise<StackRunEnd>, end: () => void): Promise<void> {
    let came: StackRunEnd;
    try {
      came = await run();
    } catch (cause) {
      came = {kind: 'not-begun', reason: causeText(cause)};
    }
    end();
    this.#log.add(runFinished(came));
  }
}
