import {countLostRows, unstyledText} from '../scrollback/lost-rows.ts';
import {linesAfterLost, restOfBlock} from '../scrollback/rest-of-block.ts';
import type {ScrollbackBuffer, TranscriptBlock} from '../scrollback/scrollback-buffer.ts';
import {atEnd, type ScrollPosition, scrollPosition, type ScrollStep} from '../state/scroll-position.ts';
import type {LinesAbove} from '../terminal/ink-terminal.tsx';
import {linesOfRows, type Reflow, rowsOf, sumOf} from '../terminal/reflow.ts';
import {withoutPicture} from '../text/cell-width.ts';
import type {EntryFrame} from '../text/wrap.ts';

interface TranscriptOutputDeps {
  /** In fullscreen mode, the buffer for the lines that inline mode writes to the terminal. */
  readonly buffer: 'none' | ScrollbackBuffer;
  readonly frame: () => EntryFrame;
  /** Returns the lines of the start screen. Empty once it is written. */
  readonly start: (frame: EntryFrame) => readonly string[];
  /** True while the agent writes, which moves the rows of what stands above. */
  readonly isMoving: () => boolean;
}

/** A block on its way to the terminal. Its `kept` lines stand there already, and the `lines` follow them. */
interface Pending {
  readonly block: TranscriptBlock;
  readonly kept: readonly string[];
  readonly lines: readonly string[];
}

/** Lines in the terminal. `start`: of a start screen that no entry follows. `stale`: of an earlier live region. */
interface Standing {
  readonly block: TranscriptBlock | 'start' | 'stale';
  readonly lines: readonly string[];
  /** The width for which the last of them were laid out. */
  readonly width: number;
}

interface Unsent {
  readonly pending: readonly Pending[];
  readonly standing: readonly Standing[];
  readonly lost: readonly string[];
  readonly away: readonly string[];
}

/** The lines of the transcript that may still be on the screen in inline mode. No screen has more rows. */
const maxRecentLines = 500;

const isBlock = (block: Standing['block']): block is TranscriptBlock => typeof block === 'function';

/** Everything above the live region: blocks on their way to the terminal's scrollback, or on the alternate screen. */
export class TranscriptOutput implements LinesAbove {
  readonly #buffer: 'none' | ScrollbackBuffer;
  readonly #frame: () => EntryFrame;
  readonly #start: TranscriptOutputDeps['start'];
  readonly isMoving: () => boolean;
  /** Blocks that aren't written yet. */
  #pending: readonly Pending[] = [];
  /** The state before the last frame. */
  #unsent: 'none' | Unsent = 'none';
  /** The newest lines in the terminal. Nothing else has been written between them and the live region. */
  #standing: readonly Standing[] = [];
  /** Lines of the live region that a resize pushed above it. The first may be of unfinished entries, which aren't drawn or written again. */
  #lost: readonly string[] = [];
  /** Earlier lost lines, between which and the live region something else stands. */
  #away: readonly string[] = [];
  /** Lines of an unfinished text that become lost lines with the next frame. */
  #begun: readonly string[] = [];
  #position: ScrollPosition = atEnd;
  #rows = 0;

  constructor({buffer, frame, start, isMoving}: TranscriptOutputDeps) {
    this.#buffer = buffer;
    this.#frame = frame;
    this.#start = start;
    this.isMoving = isMoving;
  }

  /** The lines of unfinished entries that stand above the live region already. */
  get lost(): readonly string[] {
    return [...this.#away, ...this.#lost];
  }

  /** True if a resize pushed the start screen above the live region. */
  get hasStart(): boolean {
    return this.#standing.some(({block}) => block === 'start');
  }

  /** The content of the alternate screen; `none` in inline mode. */
  get shown(): 'none' | {readonly kept: ScrollbackBuffer; readonly position: ScrollPosition} {
    return this.#buffer === 'none' ? 'none' : {kept: this.#buffer, position: this.#position};
  }

  /** Sets how many rows the transcript has on the alternate screen. */
  setRows(rows: number): void {
    this.#rows = rows;
  }

  /** Adds the start screen as a block, unless it stands above the live region already. */
  addStart([start]: readonly TranscriptBlock[]): void {
    if (start === undefined) return;
    if (!this.hasStart) return this.add([start]);
    this.#standing = this.#standing.map(one => (one.block === 'start' ? {...one, block: start} : one));
  }

  add(blocks: readonly TranscriptBlock[]): void {
    const frame = this.#frame();
    if (this.#buffer !== 'none') {
      for (const block of blocks) this.#buffer.add(block, frame);
      return;
    }
    for (const block of blocks) this.#pending = [...this.#pending, this.#withoutLost(block)];
  }

  /** Must not be called while Ink draws, because the start screen is drawn by Ink too. */
  #withoutLost(block: TranscriptBlock): Pending {
    const frame = this.#frame();
    const lines = block(frame);
    const whole = {block, kept: [], lines};
    if (this.#pending.some(one => one.lines.length > 0)) return whole;
    const {lost} = this;
    const count = countLostRows(lines, lost);
    const away = this.#away.slice(0, count);
    const kept = this.#lost.slice(0, count - away.length);
    this.#away = count === 0 ? [] : this.#away.slice(count);
    if (count === 0) return whole;
    this.#lost = this.#lost.slice(kept.length);
    const isNear = away.length === 0 && this.#lost.length === 0 && this.#pending.length === 0;
    if (isNear) return {block, kept, lines: restOfBlock(block, {kept, written: lines}, frame).lines};
    this.#standing = [...this.#standing, {block: () => kept, lines: kept, width: frame.width}];
    const rest: TranscriptBlock = at => linesAfterLost(block, lost.slice(0, count), at);
    return {block: rest, kept: [], lines: rest(frame)};
  }

  /** Writes the beginning of a long unfinished text with the next frame. The live region shows only the last `rows` lines. */
  writeBegun(open: TranscriptBlock | 'none', rows: number): void {
    const isWritten = open !== 'none' && this.#buffer === 'none';
    this.#begun = isWritten ? linesAfterLost(open, this.lost, this.#frame()).slice(0, -rows) : [];
  }

  /** Takes the lines to write above the live region now. Returns each line only once. */
  take(): string {
    const {width} = this.#frame();
    this.#unsent = {pending: this.#pending, standing: this.#standing, lost: this.#lost, away: this.#away};
    const written = this.#pending.map(({block, kept, lines}) => ({
      block,
      lines: [...kept, ...lines.map(withoutPicture)],
      width,
    }));
    const text = this.#pending.flatMap(({lines}) => lines.map(line => `${line}\n`)).join('');
    this.#pending = [];
    if (text !== '' && this.#lost.length > 0) {
      this.#standing = [...this.#standing, {block: 'stale', lines: this.#lost, width}];
      this.#away = this.lost;
      this.#lost = [];
    }
    this.#standing = [...this.#standing, ...written];
    const begun = this.#begun.map(line => `${line}\n`).join('');
    this.#lost = [...this.#lost, ...this.#begun];
    this.#begun = [];
    let left = maxRecentLines;
    const first = this.#standing.findLastIndex(({lines}) => (left -= lines.length) < 0);
    if (first >= 0) this.#standing = this.#standing.slice(first);
    return text + begun;
  }

  /** Must be called if the last frame didn't reach the terminal. Its blocks are written with the next frame. */
  handleDropped(): void {
    if (this.#unsent === 'none') return;
    const {pending, standing, lost, away} = this.#unsent;
    this.#pending = [...pending, ...this.#pending];
    this.#standing = standing;
    this.#lost = lost;
    this.#away = away;
    this.#unsent = 'none';
  }

  /** Must be called before another program writes to the terminal. */
  forgetWritten(): void {
    this.#unsent = 'none';
    this.#standing = [];
    this.#away = this.lost;
    this.#lost = [];
  }

  lines(): readonly string[] {
    return [...this.#standing.flatMap(({lines}) => lines), ...(this.#pending[0]?.kept ?? []), ...this.#lost];
  }

  stale(): number {
    const rests = this.#standing.slice(this.#standing.findLastIndex(({block}) => isBlock(block)) + 1);
    return this.#lost.length + (this.#pending.length > 0 ? 0 : rests.flatMap(({lines}) => lines).length);
  }

  rowsToRewrite(rows: number, {columns, reflow}: {readonly columns: number; readonly reflow: Reflow}): number {
    if (this.isMoving()) return 0;
    const frame = this.#frame();
    const lost = {block: 'stale', lines: this.#lost, width: frame.width} as const;
    let taken = 0;
    let isChanged = false;
    for (const {block, lines, width} of [...this.#standing, lost].toReversed()) {
      const counts = lines.map(line => (reflow === 'cut' ? 1 : rowsOf(line, columns)));
      let left = rows - taken;
      const first = counts.findLastIndex(count => (left -= count) < 0) + 1;
      // Only xterm.js is known to forget that an erased row went on from the row above.
      const begun = first > 0 && reflow === 'adrift' ? left + (counts[first - 1] ?? 0) : 0;
      const above = sumOf(counts.slice(0, first)) - begun;
      const parts = {kept: linesOfRows(lines, above, columns, reflow), written: lines};
      if (first > 0 && isBlock(block) && !restOfBlock(block, parts, frame).isLaidOut) break;
      taken += sumOf(counts) - above;
      isChanged ||= above < sumOf(counts) && (!isBlock(block) || width !== frame.width);
      if (first > 0) break;
    }
    return isChanged ? taken : 0;
  }

  handleErased(lines: readonly string[]): void {
    this.#unsent = 'none';
    const erased: Pending[] = [];
    const standing: Standing[] = [];
    let at = 0;
    for (const one of this.#standing) {
      const kept = lines.slice(at, (at += one.lines.length));
      if (kept.length === one.lines.length && kept.at(-1) === one.lines.at(-1)) standing.push(one);
      else if (isBlock(one.block)) erased.push(this.#pend(one.block, kept, one.lines));
      else if (kept.length > 0) standing.push({...one, lines: kept});
    }
    const [first, ...others] = this.#pending;
    if (first !== undefined) {
      const kept = lines.slice(at, (at += first.kept.length));
      this.#pending = [this.#pend(first.block, kept, [...first.kept, ...first.lines]), ...others];
    }
    this.#pending = [...erased, ...this.#pending];
    const lost = lines.slice(at);
    const start = unstyledText(this.hasStart ? [] : this.#start(this.#frame()));
    const isOfStart = (text: string): boolean => text !== '' && start.includes(text);
    const ofStart = lost.findLastIndex(line => isOfStart(unstyledText([line]))) + 1;
    if (ofStart > 0) standing.push({block: 'start', lines: lost.slice(0, ofStart), width: this.#frame().width});
    this.#standing = standing;
    this.#lost = lost.slice(ofStart);
  }

  /** Lays out the part of a block that follows its `kept` lines. */
  #pend(block: TranscriptBlock, kept: readonly string[], written: readonly string[]): Pending {
    return {block, kept, lines: restOfBlock(block, {kept, written}, this.#frame()).lines};
  }

  /** Lays out again what isn't written yet. */
  handleResize(): void {
    this.#pending = this.#pending.map(({block, kept, lines}) => this.#pend(block, kept, [...kept, ...lines]));
    if (this.#buffer === 'none') return;
    const moved = this.#buffer.layOut(this.#frame());
    const position = this.#position;
    if (position.at === 'line') this.#position = {at: 'line', first: moved(position.first), end: moved(position.end)};
  }

  /** Scrolls on the alternate screen. `open` is the number of lines after the finished ones. */
  scroll(step: ScrollStep, open: number): void {
    if (this.#buffer === 'none') return;
    const range = {start: this.#buffer.start, end: this.#buffer.end + open, room: this.#rows};
    this.#position = scrollPosition(this.#position, step, range);
  }
}
