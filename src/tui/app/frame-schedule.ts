import type {AgentEvent} from '../../actions/agent-event.ts';

/** The shortest time between two frames caused only by events, in milliseconds. Keys are drawn at once. */
const frameMs = 50;

/** The maximum number of characters of events that wait for a frame. A sender of more must wait. */
const maxUndrawn = 1024 * 1024;

interface FrameHost {
  /** Milliseconds since an arbitrary start. */
  now(): number;
  /** True if the terminal can take a frame. Otherwise `handleReady` is called as soon as it can. */
  ready(): boolean;
  /** Publishes the screen and then calls `published`. */
  draw(): void;
}

/** Schedules frames: at once after a key, at most every `frameMs` after events, and never while the terminal can't take one. */
export class FrameSchedule {
  readonly #host: FrameHost;
  /** True while another program has the terminal, and before the UI starts and after it ends. */
  #isPaused = true;
  /** True if a frame was due while the terminal wasn't ready. */
  #isWaiting = false;
  /** True until React has drawn the frame published in this tick. Keys that arrive together are drawn together. */
  #isBeingDrawn = false;
  #timer: NodeJS.Timeout | undefined;
  /** Characters of events since the last frame. */
  #undrawn = 0;
  /** Settles with the next frame, for senders that must wait. */
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
    this.#releaseSenders();
    clearInterval(this.#ticks.timer);
  }

  drawSoon(): void {
    if (this.#isPaused) return;
    const wait = this.#lastFrame + frameMs - this.#host.now();
    this.#timer ??= setTimeout(() => this.drawNow(), Math.min(frameMs, Math.max(0, wait)));
  }

  /**
   * Draws the changes of these events. If more than `maxUndrawn` characters wait, returns a promise that settles with the next
   * frame or `stop`.
   */
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a listener of the client returns nothing or a promise
  drawEvents(events: readonly AgentEvent[]): void | Promise<void> {
    this.drawSoon();
    // The view keeps only the tail of a command's output, so output isn't counted.
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
    this.#releaseSenders();
  }

  handleReady(): void {
    if (this.#isWaiting) this.drawNow();
  }

  /** Must be called when a frame was published. React is about to draw it. */
  published(): void {
    this.#isBeingDrawn = true;
    // React draws in its own microtask, before this one.
    queueMicrotask(() => {
      this.#isBeingDrawn = false;
      this.handleReady();
    });
  }

  #releaseSenders(): void {
    this.#undrawn = 0;
    this.#drawn?.resolve();
    this.#drawn = undefined;
  }

  /** Draws at this interval, in milliseconds, from now on. */
  tick(every: number | 'never'): void {
    if (every === this.#ticks.every) return;
    clearInterval(this.#ticks.timer);
    const timer = every === 'never' ? undefined : setInterval(() => this.drawSoon(), every);
    this.#ticks = {every, timer};
  }
}

/** Returns the total length of all strings in plain data. Other values count as 8. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 8;
  let sum = 8;
  for (const one of Object.values(value)) sum += textLength(one);
  return sum;
}
