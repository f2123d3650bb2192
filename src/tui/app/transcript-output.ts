import type {ScrollbackBuffer, TranscriptBlock} from '../scrollback/scrollback-buffer.ts';
import {dropLostLines, unstyledText} from '../scrollback/lost-rows.ts';
import {atEnd, type ScrollPosition, scrollPosition, type ScrollStep} from '../state/scroll-position.ts';
import {type Reflow, rowsOf} from '../terminal/reflow.ts';
import type {EntryFrame} from '../text/wrap.ts';

interface TranscriptOutputDeps {
  /** In fullscreen mode, the buffer for the lines that inline mode writes to the terminal. */
  readonly buffer: 'none' | ScrollbackBuffer;
  readonly frame: () => EntryFrame;
}

interface Written {
  readonly block: TranscriptBlock;
  readonly lines: readonly string[];
}

/** The lines of the transcript that may still be on the screen in inline mode. No screen has more rows. */
const maxRecentLines = 500;

/** Everything above the live region: blocks on their way to the terminal's scrollback, or on the alternate screen. */
export class TranscriptOutput {
  readonly #buffer: 'none' | ScrollbackBuffer;
  readonly #frame: () => EntryFrame;
  /** Blocks that aren't written yet. */
  #pending: readonly Written[] = [];
  /** The blocks that are written with the last frame. */
  #inFlight: readonly Written[] = [];
  /** The newest written blocks. Nothing else has been written between them and the live region. */
  #recent: readonly Written[] = [];
  /** The part of the unfinished entries that a resize pushed into the scrollback. */
  #lost = '';
  #position: ScrollPosition = atEnd;
  #rows = 0;

  constructor({buffer, frame}: TranscriptOutputDeps) {
    this.#buffer = buffer;
    this.#frame = frame;
  }

  get lost(): string {
    return this.#lost;
  }

  /** The content of the alternate screen; `none` in inline mode. */
  get shown(): 'none' | {readonly kept: ScrollbackBuffer; readonly position: ScrollPosition} {
    return this.#buffer === 'none' ? 'none' : {kept: this.#buffer, position: this.#position};
  }

  /** Sets how many rows the transcript has on the alternate screen. */
  setRows(rows: number): void {
    this.#rows = rows;
  }

  /** Adds finished blocks. `left` says whether unfinished entries remain. */
  add(blocks: readonly TranscriptBlock[], left: 'some' | 'none'): void {
    const frame = this.#frame();
    if (this.#buffer !== 'none') {
      for (const block of blocks) this.#buffer.add(block, frame);
      return;
    }
    this.#pending = [...this.#pending, ...blocks.map(block => this.#layOut(this.#withoutLost(block)))];
    if (left === 'none') this.#lost = '';
  }

  /** Must not be called while Ink draws, because the start screen is drawn by Ink too. */
  #layOut(block: TranscriptBlock): Written {
    return {block, lines: block(this.#frame())};
  }

  #withoutLost(block: TranscriptBlock): TranscriptBlock {
    if (this.#lost === '') return block;
    const all = block(this.#frame());
    const {lines, lost} = dropLostLines(all, this.#lost);
    this.#lost = lost;
    return lines.length === all.length ? block : () => lines;
  }

  /** Takes the lines to write above the live region now. Returns each line only once. */
  take(): string {
    this.#inFlight = this.#pending;
    this.#pending = [];
    this.#recent = [...this.#recent, ...this.#inFlight];
    let left = maxRecentLines;
    const first = this.#recent.findLastIndex(({lines}) => (left -= lines.length) < 0);
    if (first >= 0) this.#recent = this.#recent.slice(first);
    return this.#inFlight.flatMap(({lines}) => lines.map(line => `${line}\n`)).join('');
  }

  /** Must be called if the last frame didn't reach the terminal. Its blocks are written with the next frame. */
  handleDropped(): void {
    this.#pending = [...this.#inFlight, ...this.#pending];
    this.#recent = this.#recent.slice(0, this.#recent.length - this.#inFlight.length);
    this.#inFlight = [];
  }

  /** Must be called before another program writes to the terminal. */
  forgetWritten(): void {
    this.#recent = [];
  }

  /**
   * Takes back the blocks that are whole on the screen, where `rows` rows are above the live region, so that they are written again at
   * the new width. Returns the number of rows that they occupy.
   */
  takeBack(rows: number, {columns, reflow}: {readonly columns: number; readonly reflow: Reflow}): number {
    let taken = 0;
    let from = this.#recent.length;
    for (; from > 0; from -= 1) {
      const lines = this.#recent[from - 1]?.lines ?? [];
      const more = lines.reduce((sum, line) => sum + (reflow === 'cut' ? 1 : rowsOf(line, columns)), 0);
      if (taken + more > rows) break;
      taken += more;
    }
    this.#pending = [...this.#recent.slice(from), ...this.#pending];
    this.#recent = this.#recent.slice(0, from);
    this.#inFlight = [];
    return taken;
  }

  /** Handles a resize. `lost` are the first lines of the live region that the terminal has pushed into its scrollback. */
  handleResize(lost: readonly string[], left: 'some' | 'none'): void {
    if (left === 'some') this.#lost += unstyledText(lost);
    // The lost rows are between the written blocks and the live region now, and may come back to the screen.
    if (lost.length > 0) this.#recent = [];
    this.#pending = this.#pending.map(({block}) => this.#layOut(block));
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
