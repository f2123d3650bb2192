/** A line of a stream of lines, without its end; or one that was too long to be kept, of which `head` is how it began. */
export type InputLine =
  | {readonly kind: 'line'; readonly text: string}
  | {readonly kind: 'too-long'; readonly bytes: number; readonly head: string};

/** Most bytes of one line. */
const maxLineBytes = 50 * 1024 * 1024;
const headLength = 2048;

/**
 * Cuts bytes into lines at LF and nowhere else: U+2028 and a lone CR are data. A CR before the LF belongs to the end of the line.
 * Takes any chunking; empty lines are left out. What of a line is longer than `maxBytes` is not kept. Bytes that are no UTF-8
 * become U+FFFD; a byte order mark at the start of a line is left out.
 */
export class InputLines {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();
  /** Of the line that has begun. */
  #texts: string[] = [];
  /** Of it all, kept or not. */
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

  /** The line that the end of the stream ends. */
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
