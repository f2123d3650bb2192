/** Least time between two frames that only events asked for; keys are shown at once. */
const frameMs = 50;

interface FrameHost {
  /** Milliseconds from any start. */
  now(): number;
  /** Whether the terminal can take a frame; else `handleReady` is called when it can. */
  ready(): boolean;
  /** Publishes what the screen shows, and says so by `published`. */
  draw(): void;
}

/**
 * When a frame is drawn: at once after a key, at most every `frameMs` after events, and never while the terminal cannot take it or
 * another program has it. While something runs, frames come by themselves.
 */
export class FrameSchedule {
  readonly #host: FrameHost;
  /** Another program has the terminal, or the UI has not begun or is over. */
  #isPaused = true;
  /** Something was to be shown while the terminal was not ready. */
  #isWaiting = false;
  /** What was published in this tick has yet to be drawn; keys that come together are drawn together. */
  #isBeingDrawn = false;
  #timer: NodeJS.Timeout | undefined;
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

  /** Stops all timers. */
  stop(): void {
    this.pause();
    clearInterval(this.#ticks.timer);
  }

  drawSoon(): void {
    if (this.#isPaused) return;
    const wait = this.#lastFrame + frameMs - this.#host.now();
    this.#timer ??= setTimeout(() => this.drawNow(), Math.min(frameMs, Math.max(0, wait)));
  }

  drawNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isPaused) return;
    this.#isWaiting = this.#isBeingDrawn || !this.#host.ready();
    if (this.#isWaiting) return;
    this.#host.draw();
    this.#lastFrame = this.#host.now();
  }

  /** The terminal can take a frame again. */
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

  /** Draws every so many milliseconds from now on. */
  tick(every: number | 'never'): void {
    if (every === this.#ticks.every) return;
    clearInterval(this.#ticks.timer);
    const timer = every === 'never' ? undefined : setInterval(() => this.drawSoon(), every);
    this.#ticks = {every, timer};
  }
}
