/** Splits the bytes of a peer into lines of at most `longest` bytes. Bytes that are not UTF-8 become U+FFFD. */
export class ByteLineSplitter {
  readonly #longest: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the lines that end in this chunk, without their ends and without empty ones; `too-long` if a line passes the bound. */
  push(chunk: Uint8Array): readonly string[] | 'too-long' {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, at));
      from = at + 1;
      if (this.#length > this.#longest) return 'too-long';
      lines.push(this.rest());
    }
    this.#keep(chunk.subarray(from));
    return this.#length > this.#longest ? 'too-long' : lines.filter(line => line !== '');
  }

  /** Removes and returns the text after the last line's end: at the end of a stream, its last line. */
  rest(): string {
    const line = Buffer.concat(this.#parts).toString('utf8').replace(/\r$/u, '');
    this.#parts = [];
    this.#length = 0;
    return line;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#length += part.length;
  }
}
