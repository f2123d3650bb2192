/** Whether ignore files name the path: ignored paths rank below all others. */
type PathRank = 'ordinary' | 'ignored';

/** Bytes of one chunk of path text. A path never spans two chunks. */
const chunkBytes = 512 * 1024;

const longestPath = 4096;

/**
 * Holds many paths in little memory (about 20 bytes for each path beside its text). Each path is held once. The folders that a path
 * lies in are added with it, with a slash at their end. Paths are numbered in the order in which they were added; a `place` is such
 * a number, and it never changes.
 */
export class PathTable {
  readonly #mostPaths: number;
  readonly #chunks: Uint8Array[] = [];
  #used = chunkBytes;
  #starts = new Uint32Array(1024);
  #lengths = new Uint16Array(1024);
  #masks = new Uint32Array(1024);
  #hashes = new Uint32Array(1024);
  #ignored = new Uint8Array(1024);
  /** A hash table of the places: a slot holds the place plus one, or 0 while it is free. */
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

  /** Adds a path (relative, UTF-8, separated by slashes) and the folders that it lies in. */
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

  /** Whether the path at a place may contain the letters of `mask` (see `maskOfQuery`); `false` is certain. */
  mayHold(place: number, mask: number): boolean {
    return ((this.#masks[place] ?? 0) & mask) >>> 0 === mask;
  }

  isIgnored(place: number): boolean {
    return this.#ignored[place] === 1;
  }

  /** The chunk that holds the text of a path; `from` and `size` say where in the chunk. */
  chunk(place: number): Uint8Array {
    return this.#chunks[Math.floor((this.#starts[place] ?? 0) / chunkBytes)] ?? empty;
  }

  from(place: number): number {
    return (this.#starts[place] ?? 0) % chunkBytes;
  }

  size(place: number): number {
    return this.#lengths[place] ?? 0;
  }

  textAt(place: number): string {
    const from = this.from(place);
    return decoder.decode(this.chunk(place).subarray(from, from + this.size(place)));
  }

  /** Frees the hash table, which only `add` needs. No path may be added afterwards. */
  freeze(): void {
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
    if (this.#used + end > chunkBytes) {
      this.#chunks.push(new Uint8Array(chunkBytes));
      this.#used = 0;
    }
    const place = this.#length;
    if (place === this.#starts.length) this.#grow();
    this.#chunks.at(-1)?.set(path.subarray(0, end), this.#used);
    this.#starts[place] = (this.#chunks.length - 1) * chunkBytes + this.#used;
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
    const chunk = this.chunk(place);
    const from = this.from(place);
    for (let at = 0; at < end; at += 1) if (chunk[from + at] !== path[at]) return false;
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

/** A folder that a path lies in: how many bytes of the path name it, with the hash and the mask of those bytes. */
interface Folder {
  readonly end: number;
  readonly hash: number;
  readonly mask: number;
}

/** A bit set of the characters in `query` (UTF-8): one bit for each letter without its case, one for all digits, some for signs. */
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

/** A path that matches the query, and how well it matches. */
interface ScoredPath {
  readonly path: string;
  readonly score: number;
}

/** Keeps the best paths of many, best first: by score, then by length (shorter first), then by name. */
export class BestPaths {
  readonly #most: number;
  readonly #best: ScoredPath[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get paths(): readonly string[] {
    return this.#best.map(({path}) => path);
  }

  /** Adds a path if it is among the best; `path` is only called if it may be. */
  offer(score: number, path: () => string): void {
    const worst = this.#best[this.#most - 1];
    if (worst !== undefined && score < worst.score) return;
    const one = {score, path: path()};
    let at = this.#best.length;
    while (at > 0 && isBetter(one, this.#best[at - 1])) at -= 1;
    if (at >= this.#most) return;
    this.#best.splice(at, 0, one);
    this.#best.length = Math.min(this.#best.length, this.#most);
  }
}

function isBetter(one: ScoredPath, other: ScoredPath | undefined): boolean {
  if (other === undefined) return true;
  if (one.score !== other.score) return one.score > other.score;
  return one.path.length === other.path.length ? one.path < other.path : one.path.length < other.path.length;
}
