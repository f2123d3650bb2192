/** Whether ignore files name the path. Ignored paths rank below all others. */
type PathRank = 'ordinary' | 'ignored';

/** The size of one chunk of path text, in bytes. A path never spans two chunks. */
const chunkBytes = 512 * 1024;

const maxPathBytes = 4096;

/**
 * Holds many distinct paths in little memory (about 15 bytes for each path besides its text). The folders above a path are added with it,
 * with a slash at their end. Paths are numbered in the order in which they were added; a path's `index` never changes.
 */
export class PathTable {
  readonly #maxPaths: number;
  readonly #chunks: Uint8Array[] = [];
  #used = chunkBytes;
  // The system allocates memory to these arrays only as they fill up.
  readonly #starts: Uint32Array;
  readonly #lengths: Uint16Array;
  readonly #masks: Uint32Array;
  readonly #ignored: Uint8Array;
  /** The paths read as Latin-1, while paths are added. */
  readonly #known = new Set<string>();
  #length = 0;

  constructor(maxPaths: number) {
    this.#maxPaths = maxPaths;
    this.#starts = new Uint32Array(maxPaths);
    this.#lengths = new Uint16Array(maxPaths);
    this.#masks = new Uint32Array(maxPaths);
    this.#ignored = new Uint8Array(maxPaths);
  }

  get length(): number {
    return this.#length;
  }

  get isFull(): boolean {
    return this.#length >= this.#maxPaths;
  }

  /** Adds a path (relative, UTF-8, separated by slashes) and the folders above it. */
  add(path: Uint8Array, rank: PathRank): void {
    if (path.length > maxPathBytes || path.some(byte => byte < 0x20 || byte === 0x7f)) return;
    const text = Buffer.from(path.buffer, path.byteOffset, path.length).toString('latin1');
    // If a path is known, so are its folders.
    for (let end = path.length; end > 0 && this.#put(path.subarray(0, end), text.slice(0, end), rank);) {
      end = text.lastIndexOf('/', end - 2) + 1;
    }
  }

  /** Whether the path at an index may contain the letters of `mask` (see `maskOfQuery`). `false` is certain. */
  mayContain(index: number, mask: number): boolean {
    return ((this.#masks[index] ?? 0) & mask) >>> 0 === mask;
  }

  isIgnored(index: number): boolean {
    return this.#ignored[index] === 1;
  }

  /** Returns the chunk with the text of a path; `from` and `size` say where in the chunk. */
  chunk(index: number): Uint8Array {
    return this.#chunks[Math.floor((this.#starts[index] ?? 0) / chunkBytes)] ?? empty;
  }

  from(index: number): number {
    return (this.#starts[index] ?? 0) % chunkBytes;
  }

  size(index: number): number {
    return this.#lengths[index] ?? 0;
  }

  textAt(index: number): string {
    const from = this.from(index);
    return decoder.decode(this.chunk(index).subarray(from, from + this.size(index)));
  }

  /** Frees what only `add` needs. No path may be added afterward. */
  freeze(): void {
    this.#known.clear();
  }

  #put(path: Uint8Array, text: string, rank: PathRank): boolean {
    if (this.isFull || this.#known.has(text)) return false;
    this.#known.add(text);
    if (this.#used + path.length > chunkBytes) {
      this.#chunks.push(new Uint8Array(chunkBytes));
      this.#used = 0;
    }
    const index = this.#length;
    this.#chunks.at(-1)?.set(path, this.#used);
    this.#starts[index] = (this.#chunks.length - 1) * chunkBytes + this.#used;
    this.#lengths[index] = path.length;
    this.#masks[index] = maskOfQuery(path);
    this.#ignored[index] = rank === 'ignored' ? 1 : 0;
    this.#used += path.length;
    this.#length += 1;
    return true;
  }
}

/**
 * Returns a bit set of the characters in `query` (UTF-8): one bit for each letter, ignoring case, one for all digits, and some for other
 * characters.
 */
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
const empty = new Uint8Array(0);
const decoder = new TextDecoder();

interface ScoredPath {
  readonly path: string;
  readonly score: number;
}

/** Keeps the best of many paths, best first: by score, then by length (shorter first), then by name. */
export class BestPaths {
  readonly #most: number;
  readonly #best: ScoredPath[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get paths(): readonly string[] {
    return this.#best.map(({path}) => path);
  }

  /** Adds a path if it is among the best. Calls `path` only if it may be. */
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
