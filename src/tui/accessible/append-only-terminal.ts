import {visible} from '../../base/visible.ts';
import {cellWidth} from '../text/cell-width.ts';

export interface AppendOnlyTerminalOptions {
  readonly write: (text: string) => void;
  /** Cells of a row of the terminal now. */
  readonly columns: () => number;
  /** `none` where the terminal shows what is typed itself, as the shells of Emacs do. */
  readonly echo: 'own' | 'none';
}

/** A terminal that is only appended to: whole lines, and below them the line being typed; a deleted letter is erased by a backspace. */
export class AppendOnlyTerminal {
  readonly #options: AppendOnlyTerminalOptions;
  #marker = '';
  /** The letters of the line being typed. */
  #typed = '';
  /** Whether the last row has something on it. */
  #row: 'fresh' | 'begun' = 'fresh';
  #waiting: string[] = [];
  #held = false;

  constructor(options: AppendOnlyTerminalOptions) {
    this.#options = options;
  }

  say(lines: readonly string[]): void {
    for (const line of lines) this.#waiting.push(line);
  }

  /** Another program has the terminal: nothing is printed until `release`. */
  hold(): void {
    this.#held = true;
  }

  /** Lets another program write while `use` runs; afterwards the line being typed is printed again, but not a hidden one. */
  suspendFor(use: () => void, line: 'shown' | 'hidden'): void {
    this.#options.write(this.#toFreshRow());
    use();
    if (line === 'shown') this.print('now');
  }

  release(): void {
    this.#held = false;
  }

  /** Sets the marker that is printed before the line that the user types; empty if no line is expected. */
  expect(marker: string): void {
    this.#marker = marker;
  }

  /** Prints the queued lines. `if-free` prints only while no line is being typed; `now` prints always, and repeats the line being typed below. */
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

  /** Shortens the line being typed to `text`, with which it begins. */
  cut(text: string): void {
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

  /** Ends the line being typed, because it was entered. */
  enter(): void {
    this.#typed = '';
    // A terminal that echoes by itself has gone to the next row.
    if (this.#options.echo === 'own') this.#options.write('\n');
    this.#row = 'fresh';
  }

  bell(): void {
    if (!this.#held) this.#options.write('\u0007');
  }

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
