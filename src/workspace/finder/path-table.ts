/** What is known of one path besides its letters. */
export type PathRank = 'ordinary' | 'ignored';

/** Half a megabyte of paths lies together, none in two pieces. */
const pieceBytes = 512 * 1024;

const longestPath = 4096;

/**
 * Many paths in little memory (some 20 bytes each beside their letters), every path once, folders (with a slash at their end)
 * made from the paths that lie in them. Read by place: paths only ever come behind those that are there.
 */
export class PathTable {
  readonly #mostPaths: number;
  readonly #pieces: Uint8Array[] = [];
  #used = pieceBytes;
  #starts = new Uint32Array(1024);
  #lengths = new Uint16Array(1024);
  #masks = new Uint32Array(1024);
  #hashes = new Uint32Array(1024);
  #ignored = new Uint8Array(1024);
  /** Places of paths, each one more than it is, by their hash; 0 where none is. */
  #slots = new Uint32Array(4096);
  #length = 0;

  constructor(mostPaths: number) {
    this.#mostPaths = mostPaths;
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length >= this.#mostPaths;
  }

  /** Adds the path (relative, UTF-8, parts with slashes between) and the folders it lies in. */
  add(path: Uint8Array, rank: PathRank): void {
    if (path.length === 0 || path.length > longestPath) return;
    const folders: Folder[] = [];
    let hash = hashStart;
    let mask = 0;
    for (let at = 0; at < path.length; at += 1) {
      const byte = path[at] ?? 0;
      if (byte < 0x20 || byte === 0x7f) return;
      hash = Math.imul(hash ^ byte, hashFactor);
      mask |= maskOf(byte);
      if (byte === slash) folders.push({end: at + 1, hash: hash >>> 0, mask: mask >>> 0});
    }
    if (!this.#put(path, {end: path.length, hash: hash >>> 0, mask: mask >>> 0}, rank)) return;
    for (let at = folders.length - 1; at >= 0; at -= 1) {
      const folder = folders[at];
      if (folder === undefined || !this.#put(path, folder, rank)) return;
    }
  }

  /** Whether the path at a place may hold the letters of `mask` (see `maskOfQuery`). */
  mayHold(place: number, mask: number): boolean {
    return ((this.#masks[place] ?? 0) & mask) >>> 0 === mask;
  }

  isIgnored(place: number): boolean {
    return this.#ignored[place] === 1;
  }

  /** Where the letters of a path lie. */
  piece(place: number): Uint8Array {
    return this.#pieces[Math.floor((this.#starts[place] ?? 0) / pieceBytes)] ?? empty;
  }

  from(place: number): number {
    return (this.#starts[place] ?? 0) % pieceBytes;
  }

  size(place: number): number {
    return this.#lengths[place] ?? 0;
  }

  textAt(place: number): string {
    const from = this.from(place);
    return decoder.decode(this.piece(place).subarray(from, from + this.size(place)));
  }

  /** No path comes any more: what is needed only to keep them apart is let go. */
  seal(): void {
    this.#slots = new Uint32Array(0);
    this.#hashes = new Uint32Array(0);
  }

  #put(path: Uint8Array, {end, hash, mask}: Folder, rank: PathRank): boolean {
    if (this.isFull) return false;
    let slot = hash & (this.#slots.length - 1);
    for (let known = this.#slots[slot] ?? 0; known !== 0; known = this.#slots[slot] ?? 0) {
      if (this.#hashes[known - 1] === hash && this.#isAt(known - 1, path, end)) return false;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    if (this.#used + end > pieceBytes) {
      this.#pieces.push(new Uint8Array(pieceBytes));
      this.#used = 0;
    }
    const place = this.#length;
    if (place === this.#starts.length) this.#grow();
    this.#pieces.at(-1)?.set(path.subarray(0, end), this.#used);
    this.#starts[place] = (this.#pieces.length - 1) * pieceBytes + this.#used;
    this.#lengths[place] = end;
    this.#masks[place] = mask;
    this.#hashes[place] = hash;
    this.#ignored[place] = rank === 'ignored' ? 1 : 0;
    this.#used += end;
    this.#length += 1;
    this.#slots[slot] = this.#length;
    if (this.#length * 2 > this.#slots.length) this.#widen();
    return true;
  }

  #isAt(place: number, path: Uint8Array, end: number): boolean {
    if (this.size(place) !== end) return false;
    const piece = this.piece(place);
    const from = this.from(place);
    for (let at = 0; at < end; at += 1) if (piece[from + at] !== path[at]) return false;
    return true;
  }

  #grow(): void {
    const size = this.#starts.length * 2;
    this.#starts = longer(this.#starts, new Uint32Array(size));
    this.#lengths = longer(this.#lengths, new Uint16Array(size));
    this.#masks = longer(this.#masks, new Uint32Array(size));
    this.#hashes = longer(this.#hashes, new Uint32Array(size));
    this.#ignored = longer(this.#ignored, new Uint8Array(size));
  }

  #widen(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    for (let place = 0; place < this.#length; place += 1) {
      let slot = (this.#hashes[place] ?? 0) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = place + 1;
    }
    this.#slots = slots;
  }
}

/** The end of a folder in the path it was found in, and what goes with that beginning. */
interface Folder {
  readonly end: number;
  readonly hash: number;
  readonly mask: number;
}

/** One bit for each letter, one for all digits, some for signs: what of them `query` (UTF-8) has, without case. */
export function maskOfQuery(query: Uint8Array): number {
  let mask = 0;
  for (const byte of query) mask |= maskOf(byte);
  return mask >>> 0;
}

function maskOf(byte: number): number {
  if (byte >= 0x61 && byte <= 0x7a) return 1 << (byte - 0x61);
  if (byte >= 0x41 && byte <= 0x5a) return 1 << (byte - 0x41);
  if (byte >= 0x30 && byte <= 0x39) return 1 << 26;
  if (byte >= 0x80) return 1 << 27;
  return byte === slash ? 0 : 1 << (28 + (byte & 3));
}

const slash = 0x2f;
const hashStart = 0x811c9dc5;
const hashFactor = 0x01000193;
const empty = new Uint8Array(0);
const decoder = new TextDecoder();

function longer<T extends Uint8Array | Uint16Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
