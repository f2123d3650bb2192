/** A line of the input, counted from 1. `too-long` is reported once, instead of a line that exceeds the limit. */
export type LineRead =
  | {readonly kind: 'line'; readonly text: string; readonly line: number}
  | {readonly kind: 'too-long'; readonly line: number};

/**
 * Splits text that arrives in pieces into lines. A line ends with a line feed, a carriage return or both, as in
 * server-sent events. JSON and base64 values contain neither.
 */
export class LineSplitter {
  #line = 1;
  #held: string[] = [];
  #size = 0;
  /** True if the previous piece ended with a carriage return, whose line feed may begin the next piece. */
  #afterReturn = false;
  readonly #longest: number;

  /** Holds at most `longest` UTF-16 units of an unfinished line. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  *push(piece: string): Generator<LineRead> {
    if (piece === '') return;
    let from = this.#afterReturn && piece.startsWith('\n') ? 1 : 0;
    this.#afterReturn = piece.endsWith('\r');
    let feed = piece.indexOf('\n', from);
    let carriage = piece.indexOf('\r', from);
    while (feed >= 0 || carriage >= 0) {
      const end = feed < 0 || (carriage >= 0 && carriage < feed) ? carriage : feed;
      const read = this.#endLine(piece.slice(from, end));
      if (read !== undefined) yield read;
      from = end + (end === carriage && feed === end + 1 ? 2 : 1);
      if (feed >= 0 && feed < from) feed = piece.indexOf('\n', from);
      if (carriage >= 0 && carriage < from) carriage = piece.indexOf('\r', from);
    }
    const wasTooLong = this.#size > this.#longest;
    this.#hold(piece.slice(from));
    if (!wasTooLong && this.#size > this.#longest) yield {kind: 'too-long', line: this.#line};
  }

  /** Yields the unfinished last line of the input, if there is one. */
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

  /** Returns the line that `rest` completes, or nothing if it was already reported as too long. */
  #endLine(rest: string): LineRead | undefined {
    const line = this.#line;
    const wasTooLong = this.#size > this.#longest;
    if (this.#size > 0) this.#hold(rest);
    const text = this.#size === 0 ? rest : this.#held.join('');
    const isTooLong = Math.max(this.#size, rest.length) > this.#longest;
    this.#held = [];
    this.#size = 0;
    this.#line += 1;
    if (!isTooLong) return {kind: 'line', text, line};
    return wasTooLong ? undefined : {kind: 'too-long', line};
  }
}

/** A line of a server-sent event stream: data, another field or a comment, the end of an event, or none of these. */
type SseLine =
  | {readonly kind: 'data'; readonly text: string}
  | {readonly kind: 'passed-over'}
  | {readonly kind: 'end'}
  | {readonly kind: 'stranger'};

/**
 * Parses a line of a server-sent event. Unknown fields are skipped as in the standard, even a name without a colon. A
 * line that can't be a field, such as data without its `data:`, is a `stranger`, and should be reported.
 */
export function parseSseLine(line: string): SseLine {
  if (line === '') return {kind: 'end'};
  if (line.startsWith('data:')) return {kind: 'data', text: line.slice(line.startsWith(' ', 5) ? 6 : 5)};
  if (line === 'data') return {kind: 'data', text: ''};
  return line.startsWith(':') || isPossibleSseField(line) ? {kind: 'passed-over'} : {kind: 'stranger'};
}

/** True if a line belongs to a server-sent event stream, in input that may hold other formats too. */
export const looksLikeSse = (line: string): boolean =>
  /^(?:(?:data|event|id|retry)?:|(?:data|event|id|retry)$)/u.test(line);

/** True if a line may be a field that the standard does not define. */
export const isPossibleSseField = (line: string): boolean => /^[A-Za-z][\w.-]{0,31}:|^[a-z]{1,16}$/u.test(line);
