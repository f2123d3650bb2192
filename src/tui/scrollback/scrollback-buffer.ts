/** The newest `most` lines of the transcript, numbered from the start of the run. */
export interface ScrollbackBuffer {
  /** Adds whole lines. */
  add(text: string): void;
  /** One more than the number of the last line. */
  readonly end: number;
  /** The number of the first kept line. */
  readonly start: number;
  /** Returns the lines from `from` up to but not including `to`, without dropped ones. */
  lines(from: number, to: number): readonly string[];
  /** Remembers that a prompt begins here. */
  markPrompt(): void;
  /** Returns the lines since the last prompt, at most 400. Empty without a prompt. */
  linesSincePrompt(): readonly string[];
}

const maxLines = 20_000;

/** The lines beyond the limit before old ones are dropped. Dropping copies the whole buffer, so it drops many at once. */
const slack = 1000;

/** The maximum number of lines of the last answer to print on the normal screen at exit. */
const maxAnswerLines = 400;

export function openScrollbackBuffer(most = maxLines): ScrollbackBuffer {
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
    markPrompt() {
      marked = start + kept.length;
    },
    linesSincePrompt() {
      if (marked === undefined) return [];
      const end = start + kept.length;
      const all = lines(Math.max(marked, end - maxAnswerLines), end);
      const left = end - marked - all.length;
      return left > 0 ? [`(${left} earlier lines: weft --continue, then /transcript)`, ...all] : all;
    },
  };
}
