/** A line without its line break, or a line that was too long to keep, with its beginning in `head`. */
export type InputLine =
  | {readonly kind: 'line'; readonly text: string}
  | {readonly kind: 'too-long'; readonly bytes: number; readonly head: string};

/** The maximum number of bytes of one line. */
const maxLineBytes = 50 * 1024 * 1024;
const headLength = 2048;

/**
 * Splits bytes into lines at LF only: U+2028 and a lone CR are data. A CR before the LF belongs to the line break.
 * Accepts any chunking and skips empty lines. A line longer than `maxBytes` is not kept. Invalid UTF-8 becomes
 * U+FFFD, and a byte order mark at the start of a line is dropped.
 */
export class InputLines {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();
  #texts: string[] = [];
  /** The size of the whole current line, kept or not. */
  #bytes = 0;

  constructor(maxBytes: number = maxLineBytes) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): readonly InputLine[] {
    const lines: InputLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      this.#keep(chunk.subarray(from, at));
      lines.push(...this.end());
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** Returns the last line, which the end of the stream completes. */
  end(): readonly InputLine[] {
    const bytes = this.#bytes;
    const text = this.#texts.join('') + this.#decoder.decode();
    this.#texts = [];
    this.#bytes = 0;
    if (bytes > this.#maxBytes) return [{kind: 'too-long', bytes, head: text.slice(0, headLength)}];
    return text.trim() === '' ? [] : [{kind: 'line', text: text.endsWith('\r') ? text.slice(0, -1) : text}];
  }

  #keep(piece: Uint8Array): void {
    const wasTooLong = this.#bytes > this.#maxBytes;
    this.#bytes += piece.length;
    if (this.#bytes <= this.#maxBytes) this.#texts.push(this.#decoder.decode(piece, {stream: true}));
    else if (!wasTooLong) {
      const head = this.#texts.join('') + this.#decoder.decode(piece.subarray(0, headLength));
      this.#texts = [head.slice(0, headLength)];
    }
  }
}
