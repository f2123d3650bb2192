import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import {drain} from '../state/drain.ts';
import type {Finished, View} from '../state/view.ts';
import {GrammarGate} from '../syntax/grammar-gate.ts';
import {isLong} from '../views/prompt-lines.ts';
import {finishedLines} from '../views/transcript.ts';
import type {EntryFrame} from '../views/verbosity.ts';

export interface ScrollbackHost {
  /** Called once, when there is something to write. */
  loadLexer(): Promise<MarkdownLexer>;
  /** Milliseconds from any start, never going back. */
  now(): number;
  /** What was waited for has come. */
  redraw(): void;
}

/** Folded entries that can still be shown whole; `/transcript` has all of them. */
const foldedKept = 20;

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
  /** What was written folded, the latest last. */
  #folded: readonly Finished[] = [];
  /** Finished entries wait for the reader of markdown, or for a grammar. */
  #isWaiting = false;
  #isUnfoldWanted = false;

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

  /** Has the latest folded entry written again, whole; each only once. `false` when there is none. */
  unfold(frame: EntryFrame): boolean {
    // What the user sees is not written yet: it is unfolded behind it.
    if (this.#isWaiting) this.#isUnfoldWanted = true;
    else {
      const lines = this.#unfolded(frame);
      if (lines.length === 0) return false;
      this.putAside(lines);
    }
    return true;
  }

  #unfolded(frame: EntryFrame): readonly string[] {
    const entry = this.#folded.at(-1);
    if (entry === undefined || this.#lexer === undefined) return [];
    this.#folded = this.#folded.slice(0, -1);
    return finishedLines(entry, this.#lexer, {...frame, verbosity: 'full'});
  }

  take(view: View, frame: EntryFrame): {readonly view: View; readonly finished: readonly string[]} {
    const lexer = this.#lexer;
    // Grammars are asked for beside it, not behind it.
    const isHeld = this.#gate.holds(view);
    this.#isWaiting = isHeld || (lexer === undefined && view.entries.length > 0);
    if (lexer === undefined) {
      if (view.entries.length > 0 || this.#aside.length > 0) void this.#load();
      return {view, finished: []};
    }
    if (isHeld) return {view, finished: []};
    const drained = drain(view);
    const finished = [...this.#aside, ...drained.finished.flatMap(one => this.#linesOf(one, lexer, frame))];
    this.#aside = [];
    if (!this.#isUnfoldWanted) return {view: drained.view, finished};
    this.#isUnfoldWanted = false;
    return {view: drained.view, finished: [...finished, ...this.#unfolded(frame)]};
  }

  #linesOf(finished: Finished, lexer: MarkdownLexer, frame: EntryFrame): readonly string[] {
    const lines = finishedLines(finished, lexer, frame);
    if (isFoldable(finished, frame) && frame.verbosity !== 'full') {
      this.#folded = [...this.#folded, finished].slice(-foldedKept);
    }
    return lines;
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#lexer = await this.#host.loadLexer();
    this.#host.redraw();
  }
}

function isFoldable(finished: Finished, frame: EntryFrame): boolean {
  const {kind} = finished;
  if (kind === 'prompt') return isLong(finished.text, frame);
  return kind === 'action' || kind === 'past-action' || kind === 'thinking';
}
