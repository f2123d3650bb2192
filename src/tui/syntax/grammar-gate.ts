import type {Preview} from '../../actions/preview.ts';
import type {Entry, View} from '../state/view.ts';
import {isGrammarRead, readGrammar} from './code-reader.ts';
import {grammarOfDiff} from './colour-diff.ts';
import {grammarOfFence, type GrammarName} from './grammars.ts';

/** What is written cannot be painted over: code waits this long for its grammar, in milliseconds, and then does without. */
const longestWait = 100;

/** Has grammars read when code in their language comes up, and holds frames back for a moment meanwhile. */
export class GrammarGate {
  readonly #now: () => number;
  readonly #onRead: () => void;
  /** When each was asked for; a grammar is asked for once. */
  readonly #asked = new Map<GrammarName, number>();

  /** `now` in milliseconds; `onRead` is called when a grammar has come, or will not. */
  constructor(now: () => number, onRead: () => void) {
    this.#now = now;
    this.#onRead = onRead;
  }

  /** Whether what is finished should wait for the next frame. */
  holds(view: View): boolean {
    let isWaiting = false;
    for (const grammar of grammarsIn(view)) {
      if (isGrammarRead(grammar)) continue;
      const asked = this.#asked.get(grammar) ?? this.#ask(grammar);
      if (this.#now() - asked < longestWait) isWaiting = true;
    }
    return isWaiting;
  }

  #ask(grammar: GrammarName): number {
    const asked = this.#now();
    this.#asked.set(grammar, asked);
    // One that cannot be read leaves its code plain.
    void readGrammar(grammar)
      .catch(() => {})
      .finally(this.#onRead);
    return asked;
  }
}

/** The grammars of the code that is open. */
export function grammarsIn({entries, approvals}: Pick<View, 'entries' | 'approvals'>): ReadonlySet<GrammarName> {
  const found = new Set<GrammarName>();
  const add = (grammar: GrammarName | undefined): void => {
    if (grammar !== undefined) found.add(grammar);
  };
  for (const entry of entries) {
    if (entry.kind === 'text') {
      if (entry.place.kind === 'fence') add(entry.place.fence.grammar);
      for (const [, info = ''] of entry.rest.matchAll(fenceOpening)) add(grammarOfFence(info));
    } else {
      for (const file of filesOf(previewOf(entry))) add(grammarOfDiff(file));
    }
  }
  for (const {preview} of approvals) for (const file of filesOf(preview)) add(grammarOfDiff(file));
  return found;
}

/** At any depth of a list or a quote. */
const fenceOpening = /^[ \t>]*(?:[-*+] +)?(?:`{3,}|~{3,})[ \t]*([\w+#.-][^\n`]*)$/gmu;

const previewOf = (entry: Entry): Preview =>
  entry.kind === 'action' && entry.stage.stage !== 'queued' ? entry.stage.preview : {kind: 'none'};

const filesOf = (preview: Preview) => (preview.kind === 'diff' ? preview.files : []);
