/** A line of the input, counted from 1; `too-long` comes once, in place of a line that is not worth holding. */
export type LineRead =
  | {readonly kind: 'line'; readonly text: string; readonly line: number}
  | {readonly kind: 'too-long'; readonly line: number};

/** Cuts text that comes in pieces into lines: at line feeds only, without the carriage return before one. */
export class LineSplitter {
  #line = 1;
  #held: string[] = [];
  #size = 0;
  readonly #longest: number;

  /** Holds at most `longest` UTF-16 units of a line that has not ended. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  *push(piece: string): Generator<LineRead> {
    let from = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      const read = this.#endLine(piece.slice(from, end));
      if (read !== undefined) yield read;
      from = end + 1;
    }
    const wasTooLong = this.#size > this.#longest;
    this.#hold(piece.slice(from));
    if (!wasTooLong && this.#size > this.#longest) yield {kind: 'too-long', line: this.#line};
  }

  /** The line that the input ends in, where there is one. */
  *end(): Generator<LineRead> {
    if (this.#size === 0) return;
    const read = this.#endLine('');
    if (read !== undefined) yield read;
  }

  #hold(text: string): void {
    this.#size += text.length;
    if (this.#size <= this.#longest) this.#held.push(text);
    else this.#held = [];
  }

  /** The line that `rest` completes; nothing for one that was told to be too long already. */
  #endLine(rest: string): LineRead | undefined {
    const line = this.#line;
    const wasTooLong = this.#size > this.#longest;
    if (this.#size > 0) this.#hold(rest);
    const text = this.#size === 0 ? rest : this.#held.join('');
    const isTooLong = Math.max(this.#size, rest.length) > this.#longest;
    this.#held = [];
    this.#size = 0;
    this.#line += 1;
    if (!isTooLong) return {kind: 'line', text: text.endsWith('\r') ? text.slice(0, -1) : text, line};
    return wasTooLong ? undefined : {kind: 'too-long', line};
  }
}
