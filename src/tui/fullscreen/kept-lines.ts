/** How the view moves over the lines. */
export type ScrollStep = 'page-up' | 'page-down' | 'top' | 'bottom';

/**
 * What the inline UI would leave to the terminal's scrollback, kept for the fullscreen one: the newest lines, each with the number
 * it has had since it came. Lines that came earlier than the newest `most` are dropped.
 */
export interface KeptLines {
  /** Whole lines. */
  add(text: string): void;
  /** The number behind that of the last line. */
  readonly end: number;
  /** The number of the first line that is kept. */
  readonly start: number;
  /** The lines from one number to before another one; what is dropped is left out. */
  lines(from: number, to: number): readonly string[];
  /** The user has asked for something: what comes from here on is the answer to it. */
  mark(): void;
  /** What came since the last mark, at most as many lines as are read at a glance; nothing without a mark. */
  answer(): readonly string[];
}

const mostLines = 20_000;

/** Dropping moves all that is kept, so it is done for many lines at once. */
const slack = 1000;

/** Of an answer that is left on the screen the user comes back to. */
const mostAnswerLines = 400;

export function openKeptLines(most = mostLines): KeptLines {
  let kept: string[] = [];
  let start = 0;
  let marked: number | undefined;
  const lines = (from: number, to: number): readonly string[] =>
    kept.slice(Math.max(0, from - start), Math.max(0, to - start));
  return {
    add(text) {
      if (text === '') return;
      for (const line of (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')) kept.push(line);
      if (kept.length <= most + slack) return;
      start += kept.length - most;
      kept = kept.slice(-most);
    },
    get end() {
      return start + kept.length;
    },
    get start() {
      return start;
    },
    lines,
    mark() {
      marked = start + kept.length;
    },
    answer() {
      if (marked === undefined) return [];
      const end = start + kept.length;
      const all = lines(Math.max(marked, end - mostAnswerLines), end);
      const left = end - marked - all.length;
      return left > 0 ? [`(${left} lines before these: weft --continue, then /transcript)`, ...all] : all;
    },
  };
}
