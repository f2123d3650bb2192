import type {AgentEvent} from '../../actions/agent-event.ts';

/** Least time between two frames that only events asked for; keys are shown at once. */
const frameMs = 50;

/** The most characters of events that wait for a frame. A sender of more waits. */
const maxUndrawn = 1024 * 1024;

interface FrameHost {
  /** Milliseconds from any start. */
  now(): number;
  /** Whether the terminal can take a frame; else `handleReady` is called when it can. */
  ready(): boolean;
  /** Publishes what the screen shows, and says so by `published`. */
  draw(): void;
}

/** Draws at once after a key, at most every `frameMs` after events, and never while the terminal cannot take it. */
export class FrameSchedule {
  readonly #host: FrameHost;
  /** Another program has the terminal, or the UI has not begun or is over. */
  #isPaused = true;
  /** Something was to be shown while the terminal was not ready. */
  #isWaiting = false;
  /** What was published in this tick has yet to be drawn; keys that come together are drawn together. */
  #isBeingDrawn = false;
  #timer: NodeJS.Timeout | undefined;
  /** Characters of events that came since the last frame, and who waits for the next one. */
  #undrawn = 0;
  #drawn: PromiseWithResolvers<void> | undefined;
  #lastFrame = Number.NEGATIVE_INFINITY;
  #ticks: {readonly every: number | 'never'; readonly timer: NodeJS.Timeout | undefined} = {
    every: 'never',
    timer: undefined,
  };

  constructor(host: FrameHost) {
    this.#host = host;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  resume(): void {
    this.#isPaused = false;
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isPaused = true;
  }

  stop(): void {
    this.pause();
    this.#takeMore();
    clearInterval(this.#ticks.timer);
  }

  drawSoon(): void {
    if (this.#isPaused) return;
    const wait = this.#lastFrame + frameMs - this.#host.now();
    this.#timer ??= setTimeout(() => this.drawNow(), Math.min(frameMs, Math.max(0, wait)));
  }

  /** Draws what these events changed. If more than `maxUndrawn` waits for a frame, the promise settles with it or with `stop`. */
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a listener of the client returns nothing or a promise
  drawEvents(events: readonly AgentEvent[]): void | Promise<void> {
    this.drawSoon();
    // The view keeps only the tail of a command's output.
    for (const event of events) this.#undrawn += event.event === 'action-output' ? 0 : textLength(event);
    if (this.#undrawn <= maxUndrawn) return undefined;
    this.#drawn ??= Promise.withResolvers<void>();
    return this.#drawn.promise;
  }

  drawNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isPaused) return;
    this.#isWaiting = this.#isBeingDrawn || !this.#host.ready();
    if (this.#isWaiting) return;
    this.#host.draw();
    this.#lastFrame = this.#host.now();
    this.#takeMore();
  }

  handleReady(): void {
    if (this.#isWaiting) this.drawNow();
  }

  /** A frame was published, which React is about to draw. */
  published(): void {
    this.#isBeingDrawn = true;
    // React draws in a microtask of its own, before this one.
    queueMicrotask(() => {
      this.#isBeingDrawn = false;
      this.handleReady();
    });
  }

  #takeMore(): void {
    this.#undrawn = 0;
    this.#drawn?.resolve();
    this.#drawn = undefined;
  }

  /** Draws every so many milliseconds from now on. */
  tick(every: number | 'never'): void {
    if (every === this.#ticks.every) return;
    clearInterval(this.#ticks.timer);
    const timer = every === 'never' ? undefined : setInterval(() => this.drawSoon(), every);
    this.#ticks = {every, timer};
  }
}

/** How long all strings in some plain data are together. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 8;
  let sum = 8;
  for (const one of Object.values(value)) sum += textLength(one);
  return sum;
}
