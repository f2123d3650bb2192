import type {Preview} from '../../actions/preview.ts';
import {finishedLines, isLong, openLines} from './entries.ts';
import type {MarkdownLexer} from './render-markdown.ts';
import type {TranscriptBlock} from './scrollback-buffer.ts';
import {grammarOfDiff, isGrammarLoaded, loadGrammar} from './syntax/highlight.ts';
import {isStable} from './split-markdown.ts';
import {type GrammarName, grammarOfFence} from './syntax/grammars.ts';
import {takeFinished} from '../state/reduce.ts';
import type {Entry, FinishedEntry, View} from '../state/view.ts';
import type {EntryFrame} from '../text/wrap.ts';

interface ScrollbackHost {
  /** Loads the markdown lexer. Called at most once. */
  loadLexer(): Promise<MarkdownLexer>;
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Called when the lexer or a grammar has been loaded. */
  redraw(): void;
}

/** The number of recent folded entries that can be expanded. `/transcript` shows all of them. */
const foldedKept = 20;

interface Taken {
  readonly view: View;
  readonly finished: readonly TranscriptBlock[];
  /** An unfinished text that is too long for the live region, and the beginning of which no longer changes. */
  readonly begun: TranscriptBlock | 'none';
}

/** Takes finished entries out of the view and renders them. Waits for the markdown lexer, and briefly for grammars. */
export class Scrollback {
  readonly #host: ScrollbackHost;
  readonly #gate: GrammarGate;
  #lexer: MarkdownLexer | undefined;
  #isLoading = false;
  #printed: readonly TranscriptBlock[] = [];
  /** Entries that were written folded, latest last. */
  #folded: readonly FinishedEntry[] = [];
  /** True if finished entries wait for the markdown lexer or a grammar. */
  #isWaiting = false;
  #isExpandWanted = false;

  constructor(host: ScrollbackHost) {
    this.#host = host;
    this.#gate = new GrammarGate(
      () => host.now(),
      () => host.redraw(),
    );
  }

  /** The markdown lexer; `undefined` until it has been loaded. */
  get lexer(): MarkdownLexer | undefined {
    return this.#lexer;
  }

  /** Loads the markdown lexer early. Streamed text can't be written or laid out before it is loaded. */
  preload(): void {
    void this.#load();
  }

  /** Writes a block with the next frame, before the unfinished entries. */
  print(block: TranscriptBlock): void {
    this.#printed = [...this.#printed, block];
  }

  /** Writes the latest folded entry again in full, each entry once. Returns `false` if none is left. */
  expand(): boolean {
    // The latest entry on the screen has not been written yet. Expand it once it is.
    if (this.#isWaiting) {
      this.#isExpandWanted = true;
      return true;
    }
    const expanded = this.#expanded();
    for (const block of expanded) this.print(block);
    return expanded.length > 0;
  }

  #expanded(): readonly TranscriptBlock[] {
    const entry = this.#folded.at(-1);
    const lexer = this.#lexer;
    if (entry === undefined || lexer === undefined) return [];
    this.#folded = this.#folded.slice(0, -1);
    return [blockOf(entry, lexer, 'full')];
  }

  /** `rows` is the number of rows that an unfinished text has in the live region. */
  take(view: View, frame: EntryFrame, rows: number): Taken {
    const lexer = this.#lexer;
    // Load grammars at the same time as the lexer.
    const isHeld = this.#gate.holds(view);
    this.#isWaiting = isHeld || (lexer === undefined && view.entries.length > 0);
    if (lexer === undefined) {
      if (view.entries.length > 0 || this.#printed.length > 0) void this.#load();
      return {view, finished: [], begun: 'none'};
    }
    if (isHeld) return {view, finished: [], begun: 'none'};
    const drained = takeFinished(this.#printed.length === 0 ? view : withNewBullet(view));
    const {verbosity} = frame;
    const finished = [...this.#printed, ...drained.finished.map(one => blockOf(one, lexer, verbosity))];
    this.#printed = [];
    if (verbosity !== 'full') {
      const foldable = drained.finished.filter(one => isFoldable(one, frame));
      this.#folded = [...this.#folded, ...foldable].slice(-foldedKept);
    }
    const begun: TranscriptBlock | 'none' = isLongText(drained.view, frame, rows)
      ? at => openLines(drained.view, {lexer, actions: new Map()}, at)
      : 'none';
    if (!this.#isExpandWanted) return {view: drained.view, finished, begun};
    this.#isExpandWanted = false;
    return {view: drained.view, finished: [...finished, ...this.#expanded()], begun};
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#lexer = await this.#host.loadLexer();
    this.#host.redraw();
  }
}

/** Gives the rest of a streamed text its bullet again, because what is printed stands in the middle. Code goes on as code. */
const withNewBullet = (view: View): View => ({
  ...view,
  entries: view.entries.map(entry =>
    entry.kind === 'text' && entry.position.kind !== 'fence' ? {...entry, written: 'nothing'} : entry,
  ),
});

/** A block keeps the verbosity at which it was first written. */
const blockOf =
  (entry: FinishedEntry, lexer: MarkdownLexer, verbosity: EntryFrame['verbosity']): TranscriptBlock =>
  frame =>
    finishedLines(entry, lexer, {...frame, verbosity});

function isLongText({entries: [entry, next]}: View, {width}: EntryFrame, rows: number): boolean {
  if (entry?.kind !== 'text' || next !== undefined) return false;
  const {rest} = entry;
  // No character takes more than two cells.
  return (rest.length * 2) / width + rest.split('\n').length > rows && isStable(rest);
}

function isFoldable(finished: FinishedEntry, frame: EntryFrame): boolean {
  const {kind} = finished;
  if (kind === 'prompt') return isLong(finished.text, frame);
  return kind === 'action' || kind === 'past-action' || kind === 'exploration' || kind === 'thinking';
}

/**
 * The longest time that code waits for its grammar, in milliseconds. After that, the code is written without colors and stays
 * without them.
 */
const maxWaitMs = 100;

/** Loads grammars when code in their language appears, and briefly delays finished entries until then. */
export class GrammarGate {
  readonly #now: () => number;
  readonly #onLoaded: () => void;
  readonly #asked = new Map<GrammarName, number>();

  /** `now` returns milliseconds. `onLoaded` is called when a grammar has been loaded or has failed to load. */
  constructor(now: () => number, onLoaded: () => void) {
    this.#now = now;
    this.#onLoaded = onLoaded;
  }

  /** True if finished entries should wait for a grammar that is loading. */
  holds(view: View): boolean {
    let isWaiting = false;
    for (const grammar of grammarsIn(view)) {
      if (isGrammarLoaded(grammar)) continue;
      const asked = this.#asked.get(grammar) ?? this.#ask(grammar);
      if (this.#now() - asked < maxWaitMs) isWaiting = true;
    }
    return isWaiting;
  }

  #ask(grammar: GrammarName): number {
    const asked = this.#now();
    this.#asked.set(grammar, asked);
    // If a grammar fails to load, its code stays plain.
    void loadGrammar(grammar)
      .catch(() => {})
      .finally(this.#onLoaded);
    return asked;
  }
}

export function grammarsIn({entries, approvals}: Pick<View, 'entries' | 'approvals'>): ReadonlySet<GrammarName> {
  const found = new Set<GrammarName>();
  const add = (grammar: GrammarName | undefined): void => {
    if (grammar !== undefined) found.add(grammar);
  };
  for (const entry of entries) {
    if (entry.kind === 'text') {
      if (entry.position.kind === 'fence') add(entry.position.fence.grammar);
      for (const [, info = ''] of entry.rest.matchAll(fenceOpening)) add(grammarOfFence(info));
    } else {
      for (const file of filesOf(previewOf(entry))) add(grammarOfDiff(file));
    }
  }
  for (const {preview} of approvals) for (const file of filesOf(preview)) add(grammarOfDiff(file));
  return found;
}

/** The first line of a code fence, at any depth of lists and quotes. */
const fenceOpening = /^[ \t>]*(?:[-*+] +)?(?:`{3,}|~{3,})[ \t]*([\w+#.-][^\n`]*)$/gmu;

const previewOf = (entry: Entry): Preview =>
  entry.kind === 'action' && entry.stage.stage !== 'queued' ? entry.stage.preview : {kind: 'none'};

const filesOf = (preview: Preview) => (preview.kind === 'diff' || preview.kind === 'changes' ? preview.files : []);
