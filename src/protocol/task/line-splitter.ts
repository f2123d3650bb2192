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
      yield* this.#hold(piece.slice(from, end));
      yield* this.#endLine();
      from = end + 1;
    }
    yield* this.#hold(piece.slice(from));
  }

  /** The line that the input ends in, where there is one. */
  *end(): Generator<LineRead> {
    if (this.#size > 0) yield* this.#endLine();
  }

  *#hold(text: string): Generator<LineRead> {
    const wasTooLong = this.#size > this.#longest;
    this.#size += text.length;
    if (this.#size <= this.#longest) this.#held.push(text);
    else if (!wasTooLong) {
      this.#held = [];
      yield {kind: 'too-long', line: this.#line};
    }
  }

  *#endLine(): Generator<LineRead> {
    if (this.#size <= this.#longest) {
      const text = this.#held.length === 1 ? (this.#held[0] ?? '') : this.#held.join('');
      yield {kind: 'line', text: text.endsWith('\r') ? text.slice(0, -1) : text, line: this.#line};
    }
    this.#held = [];
    this.#size = 0;
    this.#line += 1;
  }
}
