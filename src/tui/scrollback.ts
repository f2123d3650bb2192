import type {MarkdownLexer} from './markdown/render-markdown.ts';
import {drain} from './state/drain.ts';
import type {View} from './state/view.ts';
import {GrammarGate} from './syntax/grammar-gate.ts';
import type {Frame} from './text/wrap.ts';
import {finishedLines} from './views/transcript.ts';

export interface ScrollbackHost {
  /** Called once, when there is something to write. */
  loadLexer(): Promise<MarkdownLexer>;
  /** Milliseconds from any start, never going back. */
  now(): number;
  /** What was waited for has come. */
  redraw(): void;
}

/**
 * Takes what is finished out of the view as lines for the terminal's scrollback, where nothing can be painted over: it waits
 * for the reader of markdown, and a moment for the grammars of the code in it.
 */
export class Scrollback {
  readonly #host: ScrollbackHost;
  readonly #gate: GrammarGate;
  #lexer: MarkdownLexer | undefined;
  #isLoading = false;
  /** Lines that go ahead of what is open. */
  #aside: readonly string[] = [];

  constructor(host: ScrollbackHost) {
    this.#host = host;
    this.#gate = new GrammarGate(
      () => host.now(),
      () => host.redraw(),
    );
  }

  /** `undefined` until it has been loaded. */
  get lexer(): MarkdownLexer | undefined {
    return this.#lexer;
  }

  /** Has lines written ahead of what is open. */
  putAside(lines: readonly string[]): void {
    this.#aside = [...this.#aside, ...lines];
  }

  take(view: View, frame: Frame): {readonly view: View; readonly finished: readonly string[]} {
    const lexer = this.#lexer;
    // Grammars are asked for beside it, not behind it.
    const isHeld = this.#gate.holds(view);
    if (lexer === undefined) {
      if (view.entries.length > 0 || this.#aside.length > 0) void this.#load();
      return {view, finished: []};
    }
    if (isHeld) return {view, finished: []};
    const drained = drain(view);
    const finished = [...this.#aside, ...drained.finished.flatMap(one => finishedLines(one, lexer, frame))];
    this.#aside = [];
    return {view: drained.view, finished};
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#lexer = await this.#host.loadLexer();
    this.#host.redraw();
  }
}
