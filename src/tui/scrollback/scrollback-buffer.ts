import type {EntryFrame} from '../text/wrap.ts';

/** A part of the transcript. It can be laid out at any width. */
export type TranscriptBlock = (frame: EntryFrame) => readonly string[];

/** The newest `most` lines of the transcript, numbered from the start of the run. */
export interface ScrollbackBuffer {
  add(block: TranscriptBlock, frame: EntryFrame): void;
  /** Lays out all lines again if the width has changed. Returns a function from old line numbers to new ones. */
  layOut(frame: EntryFrame): (line: number) => number;
  /** One more than the number of the last line. */
  readonly end: number;
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

interface Kept {
  readonly block: TranscriptBlock;
  /** The number of its first line, and how many lines it has. */
  readonly from: number;
  readonly count: number;
}

export function openScrollbackBuffer(most = maxLines): ScrollbackBuffer {
  let blocks: Kept[] = [];
  let kept: string[] = [];
  let start = 0;
  let width = 0;
  let marked: number | undefined;
  const end = (): number => start + kept.length;
  const append = (block: TranscriptBlock, frame: EntryFrame): void => {
    const lines = block(frame);
    blocks.push({block, from: end(), count: lines.length});
    for (const line of lines) kept.push(line);
  };
  const lines = (from: number, to: number): readonly string[] =>
    kept.slice(Math.max(0, from - start), Math.max(0, to - start));
  return {
    add(block, frame) {
      if (blocks.length === 0) width = frame.width;
      append(block, frame);
      if (kept.length <= most + slack) return;
      const first = blocks.findIndex(({from, count}) => end() - from - count < most);
      const {from} = blocks[first] ?? {from: start};
      blocks = blocks.slice(first);
      kept = kept.slice(from - start);
      start = from;
    },
    layOut(frame) {
      if (frame.width === width) return line => line;
      width = frame.width;
      const before = blocks;
      const oldEnd = end();
      blocks = [];
      kept = [];
      for (const {block} of before) append(block, frame);
      const moved = (line: number): number => {
        const at = before.findLastIndex(({from}) => from <= line);
        const [old, now] = [before[at], blocks[at]];
        if (line >= oldEnd || old === undefined || now === undefined) return line - oldEnd + end();
        return now.from + Math.floor(((line - old.from) * now.count) / Math.max(1, old.count));
      };
      if (marked !== undefined) marked = moved(marked);
      return moved;
    },
    get end() {
      return end();
    },
    get start() {
      return start;
    },
    lines,
    markPrompt() {
      marked = end();
    },
    linesSincePrompt() {
      if (marked === undefined) return [];
      const all = lines(Math.max(marked, end() - maxAnswerLines), end());
      const left = end() - marked - all.length;
      return left > 0 ? [`(${left} earlier lines: weft --continue, then /transcript)`, ...all] : all;
    },
  };
}
