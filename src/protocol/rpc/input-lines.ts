/** A line of a stream of lines, without its end; or one that was too long to be kept, of which `head` is how it began. */
export type InputLine =
  | {readonly kind: 'line'; readonly text: string}
  | {readonly kind: 'too-long'; readonly bytes: number; readonly head: string};

/** Most bytes of one line. */
const mostLineBytes = 50 * 1024 * 1024;
const headBytes = 2048;

const lineFeed = 0x0a;

/**
 * Cuts bytes into lines at LF and nowhere else: U+2028 and a lone CR are data. A CR before the LF belongs to the end of the line.
 * Takes any chunking; empty lines are left out. What of a line is longer than `mostBytes` is not kept.
 */
export class InputLines {
  readonly #mostBytes: number;
  #pieces: Uint8Array[] = [];
  /** Of the line that has begun, kept or not. */
  #bytes = 0;

  constructor(mostBytes: number = mostLineBytes) {
    this.#mostBytes = mostBytes;
  }

  push(chunk: Uint8Array): readonly InputLine[] {
    const lines: InputLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, at));
      lines.push(...this.end());
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** The line that the end of the stream ends. */
  end(): readonly InputLine[] {
    const bytes = this.#bytes;
    const text = decode(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (bytes > this.#mostBytes) return [{kind: 'too-long', bytes, head: text.slice(0, headBytes)}];
    return text.trim() === '' ? [] : [{kind: 'line', text: text.endsWith('\r') ? text.slice(0, -1) : text}];
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const before = this.#bytes;
    this.#bytes += piece.length;
    if (this.#bytes <= this.#mostBytes) {
      // A copy: the reader of the stream may use the chunk's memory again.
      this.#pieces.push(piece.slice());
      return;
    }
    if (before <= this.#mostBytes) this.#pieces = [joined([...this.#pieces, piece.subarray(0, headBytes)], headBytes)];
  }
}

function joined(pieces: readonly Uint8Array[], most: number): Uint8Array {
  const whole = new Uint8Array(
    Math.min(
      most,
      pieces.reduce((sum, {length}) => sum + length, 0),
    ),
  );
  let at = 0;
  for (const piece of pieces) {
    const fits = piece.subarray(0, whole.length - at);
    whole.set(fits, at);
    at += fits.length;
  }
  return whole;
}

/** Bytes that are no UTF-8 become U+FFFD; a byte order mark at the start of a line is left out. */
function decode(pieces: readonly Uint8Array[]): string {
  const [first] = pieces;
  if (first === undefined) return '';
  const decoder = new TextDecoder();
  return pieces.length === 1
    ? decoder.decode(first)
    : pieces.map(piece => decoder.decode(piece, {stream: true})).join('') + decoder.decode();
}
