/** An error in bytes, with its position. Thrown only inside this folder, whose readers turn it into a value. */
export class WireFormatError extends Error {
  override readonly name: string = 'WireFormatError';
  /** Bytes from the start of the input. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** The protobuf wire types of a complete field. */
export const wireType = {varint: 0, fixed64: 1, lengthDelimited: 2, group: 3, fixed32: 5} as const;
const endOfGroup = 4;

/** The deepest nesting of messages and groups, the same limit as in protobuf's own readers. */
export const maxNesting = 100;

/**
 * Walks over the fields of one message without reading their content. `next` moves to the next field and returns false if there
 * is none. `trouble` then says whether the message has ended or its bytes are broken. Never throws, and never reads past `end`.
 */
export class WireCursor {
  /** The current field: its number, its wire type, the position of its tag, and the range of its content. */
  number = 0;
  type = 0;
  start = 0;
  from = 0;
  to = 0;
  error: WireFormatError | undefined;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  #value = 0;

  constructor(bytes: Uint8Array, range: {readonly from: number; readonly to: number}) {
    this.#bytes = bytes;
    this.#at = range.from;
    this.#end = range.to;
  }

  /** The end of the current field, including the closing tag of a group. */
  get after(): number {
    return this.#at;
  }

  next(): boolean {
    if (this.#at >= this.#end || this.error !== undefined) return false;
    if (!this.#tag()) return false;
    if (this.type === endOfGroup) return this.#fail('the end of a group that was not opened', this.start);
    if (this.type !== wireType.group) return this.#content();
    return this.#group();
  }

  /** Moves past the content of a field that is not a group. */
  #content(): boolean {
    this.from = this.#at;
    switch (this.type) {
      case wireType.varint:
        if (!this.#varint()) return false;
        break;
      case wireType.fixed64:
        this.#at += 8;
        break;
      case wireType.fixed32:
        this.#at += 4;
        break;
      case wireType.lengthDelimited:
        if (!this.#varint()) return false;
        if (this.#value > this.#end - this.#at) {
          const size = Number.isSafeInteger(this.#value) ? String(this.#value) : 'more than 2^53';
          return this.#fail(`a field of ${size} bytes where ${this.#end - this.#at} are left`, this.from);
        }
        this.from = this.#at;
        this.#at += this.#value;
        break;
      default:
        return this.#fail(`wire type ${this.type}, which does not exist`, this.start);
    }
    if (this.#at > this.#end) return this.#fail('a field that is cut short', this.start);
    this.to = this.#at;
    return true;
  }

  /** Finds the end of a group. `from` and `to` are the range between its tags. */
  #group(): boolean {
    const {number, start} = this;
    const from = this.#at;
    const open = [number];
    while (open.length > 0) {
      if (this.#at >= this.#end) return this.#fail('a group that does not end', start);
      if (!this.#tag()) return false;
      if (this.type === endOfGroup) {
        if (open.pop() !== this.number) return this.#fail('the end of another group', this.start);
      } else if (this.type === wireType.group) {
        if (open.push(this.number) > maxNesting) return this.#fail(tooDeep, this.start);
      } else if (!this.#content()) return false;
    }
    this.to = this.start;
    this.from = from;
    this.start = start;
    this.number = number;
    this.type = wireType.group;
    return true;
  }

  #tag(): boolean {
    this.start = this.#at;
    if (!this.#varint()) return false;
    if (this.#value > 0xff_ff_ff_ff) return this.#fail('a field number that is too large', this.start);
    this.number = Math.floor(this.#value / 8);
    this.type = this.#value % 8;
    return this.number > 0 || this.#fail('field number 0, which does not exist', this.start);
  }

  /** Reads a varint. Exact below 2^53; a larger value is only known to be large. */
  #varint(): boolean {
    const start = this.#at;
    let value = 0;
    let weight = 1;
    for (let length = 0; length < 10; length += 1) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
      if (byte === undefined) return this.#fail('a number that is cut short', start);
      this.#at += 1;
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) {
        this.#value = value;
        return true;
      }
      weight *= 0x80;
    }
    return this.#fail('a number of more than 10 bytes', start);
  }

  #fail(message: string, position: number): false {
    this.error = new WireFormatError(message, position);
    return false;
  }
}

export const tooDeep = `messages nested more than ${maxNesting} deep`;
