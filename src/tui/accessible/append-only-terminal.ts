import {visible} from '../../base/visible.ts';
import {cellWidth} from '../text/cell-width.ts';

export interface AppendOnlyTerminalOptions {
  readonly write: (text: string) => void;
  /** The terminal's current width, in cells. */
  readonly columns: () => number;
  /** `none` if the terminal echoes typed text itself, as the shells of Emacs do. */
  readonly echo: 'own' | 'none';
}

/** A terminal that is only appended to: whole lines, and the line being typed below them. Backspaces erase deleted letters. */
export class AppendOnlyTerminal {
  readonly #options: AppendOnlyTerminalOptions;
  #marker = '';
  #typed = '';
  /** Whether the last row is empty. */
  #row: 'fresh' | 'begun' = 'fresh';
  #queued: string[] = [];
  #isHeld = false;

  constructor(options: AppendOnlyTerminalOptions) {
    this.#options = options;
  }

  say(lines: readonly string[]): void {
    for (const line of lines) this.#queued.push(line);
  }

  /** Stops printing until `release`, while another program has the terminal. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Lets another program write while `use` runs, then prints the line being typed again unless it is hidden. */
  suspendFor(use: () => void, line: 'shown' | 'hidden'): void {
    this.#options.write(this.#toFreshRow());
    use();
    if (line === 'shown') this.print('now');
  }

  release(): void {
    this.#isHeld = false;
  }

  /** Sets the marker before the line that the user types. An empty marker means that no line is expected. */
  expect(marker: string): void {
    this.#marker = marker;
  }

  /** Prints the queued lines. `if-free` prints only while no line is being typed. `now` always prints, and repeats the line being typed below. */
  print(when: 'if-free' | 'now'): void {
    if (this.#isHeld || (when === 'if-free' && this.#typed !== '')) return;
    if (this.#queued.length > 0) {
      const lines = this.#queued;
      this.#queued = [];
      this.#options.write(this.#toFreshRow() + lines.map(line => `${visible(line)}\n`).join(''));
    }
    if (this.#row === 'begun') return;
    const shown = this.#options.echo === 'own' ? this.#typed : '';
    if (this.#marker + shown === '') return;
    this.#options.write(this.#marker + visible(shown));
    this.#row = 'begun';
  }

  /** Adds text to the end of the line being typed. `hidden` text is not shown. */
  type(text: string, shown: 'shown' | 'hidden'): void {
    const own = this.#options.echo === 'own' && shown === 'shown' ? visible(text) : '';
    this.#typed += text;
    if (own === '') return;
    this.#options.write(own);
    this.#row = 'begun';
  }

  /** Shortens the line being typed to its beginning `text`. */
  shorten(text: string): void {
    const gone = cellWidth(visible(this.#typed)) - cellWidth(visible(text));
    const isOneRow = cellWidth(this.#marker + visible(this.#typed)) < this.#options.columns();
    this.#typed = text;
    if (this.#options.echo === 'none') return;
    if (isOneRow) this.#options.write('\b \b'.repeat(gone));
    else this.rewrite(text);
  }

  /** Replaces the line being typed and prints it on the next row. */
  rewrite(text: string): void {
    this.#typed = text;
    this.#options.write(this.#toFreshRow());
    this.print('now');
  }

  /** Ends the line being typed when the user enters it. */
  enter(): void {
    this.#typed = '';
    // A terminal that echoes has already moved to the next row.
    if (this.#options.echo === 'own') this.#options.write('\n');
    this.#row = 'fresh';
  }

  bell(): void {
    if (!this.#isHeld) this.#options.write('\u0007');
  }

  close(): void {
    this.#isHeld = false;
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
