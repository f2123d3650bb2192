import {visible} from '../../base/visible.ts';
import {cellWidth} from '../text/cell-width.ts';

export interface PaperOptions {
  readonly write: (text: string) => void;
  /** Cells of a row of the terminal now. */
  readonly columns: () => number;
  /** `none` where whoever holds the terminal shows what is typed itself, as the shells of Emacs do. */
  readonly echo: 'own' | 'none';
}

/**
 * A terminal as paper in a printer: whole lines are added at the end, and the line that the user is typing is the last one.
 * Nothing that stands there is changed, but that a deleted letter is struck by backspace, blank, backspace, as the terminal's own
 * line discipline does it. What the program says waits while a line is being typed.
 */
export class Paper {
  readonly #options: PaperOptions;
  #marker = '';
  /** The letters of the line being typed. */
  #typed = '';
  /** Whether the last row has something on it. */
  #row: 'fresh' | 'begun' = 'fresh';
  #waiting: string[] = [];
  #held = false;

  constructor(options: PaperOptions) {
    this.#options = options;
  }

  /** Lines for the next `print`. */
  say(lines: readonly string[]): void {
    for (const line of lines) this.#waiting.push(line);
  }

  /** The terminal is somebody else's: nothing is printed until it is back. */
  hold(): void {
    this.#held = true;
  }

  /** Somebody else writes until `use` returns; then the line being typed is begun again, a hidden one without its letters. */
  lend(use: () => void, line: 'shown' | 'hidden'): void {
    this.#options.write(this.#toFreshRow());
    use();
    if (line === 'shown') this.print('now');
  }

  release(): void {
    this.#held = false;
  }

  /** What stands before a line that is to be typed; empty where none is expected. */
  expect(marker: string): void {
    this.#marker = marker;
  }

  /** Prints what waits: `if-free` only where no line is being typed; else that line is begun again below it. */
  print(when: 'if-free' | 'now'): void {
    if (this.#held || (when === 'if-free' && this.#typed !== '')) return;
    if (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#options.write(this.#toFreshRow() + lines.map(line => `${visible(line)}\n`).join(''));
    }
    if (this.#row === 'begun') return;
    const shown = this.#options.echo === 'own' ? this.#typed : '';
    if (this.#marker + shown === '') return;
    this.#options.write(this.#marker + visible(shown));
    this.#row = 'begun';
  }

  /** Letters at the end of the line being typed; `hidden` ones are not shown. */
  type(text: string, shown: 'shown' | 'hidden'): void {
    const own = this.#options.echo === 'own' && shown === 'shown' ? visible(text) : '';
    this.#typed += text;
    if (own === '') return;
    this.#options.write(own);
    this.#row = 'begun';
  }

  /** The line being typed is `text` now, which it begins with. */
  cut(text: string): void {
    const gone = cellWidth(visible(this.#typed)) - cellWidth(visible(text));
    const isOneRow = cellWidth(this.#marker + visible(this.#typed)) < this.#options.columns();
    this.#typed = text;
    if (this.#options.echo === 'none') return;
    if (isOneRow) this.#options.write('\b \b'.repeat(gone));
    else this.rewrite(text);
  }

  /** Begins the line anew, on the next row. */
  rewrite(text: string): void {
    this.#typed = text;
    this.#options.write(this.#toFreshRow());
    this.print('now');
  }

  /** The line has been entered. */
  enter(): void {
    this.#typed = '';
    // Who echoes by itself has gone to the next row.
    if (this.#options.echo === 'own') this.#options.write('\n');
    this.#row = 'fresh';
  }

  bell(): void {
    if (!this.#held) this.#options.write('\u0007');
  }

  /** Prints what waits, and leaves the cursor on a row of its own. */
  close(): void {
    this.#held = false;
    this.#marker = '';
    this.#typed = '';
    this.print('now');
    this.#options.write(this.#toFreshRow());
  }

  #toFreshRow(): string {
    if (this.#row === 'fresh') return '';
    this.#row = 'fresh';
    return '\n';
  }
}
