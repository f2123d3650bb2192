/** The least length of a text that counts, in characters other than white space and quotes. */
export const leastLength = 24;

/** The characters of a text that count, folded to lower case and to one byte each, and the position of each in the text. */
interface Folded {
  readonly bytes: Uint8Array;
  readonly at: Int32Array;
}

/** Matches the characters that do not count besides ASCII ones: spaces, quotes, and invisible characters. */
const uncounted = /[\s"'`\\\p{Cf}\p{Pi}\p{Pf}\u201A\u201E]/u;
const countsAscii = Array.from({length: 128}, (_, code) => code > 32 && !uncounted.test(String.fromCharCode(code)));

/** Folds a text. Letters of other scripts keep one byte, which is enough to compare with. */
function fold(text: string): Folded {
  const bytes = new Uint8Array(text.length);
  const at = new Int32Array(text.length);
  let length = 0;
  for (let from = 0; from < text.length; from += 1) {
    const written = text.charCodeAt(from);
    // Full-width letters are read as plain ones.
    const code = written >= 0xff_01 && written <= 0xff_5e ? written - 0xfe_e0 : written;
    if (code < 128 ? countsAscii[code] !== true : uncounted.test(text.charAt(from))) continue;
    const lower = code < 128 ? code : text.charAt(from).toLowerCase().charCodeAt(0);
    bytes[length] = code >= 65 && code <= 90 ? code + 32 : lower < 128 ? lower : 128 | (lower ^ (lower >> 7));
    at[length] = from;
    length += 1;
  }
  return {bytes: bytes.subarray(0, length), at: at.subarray(0, length)};
}

/** The length of the grams in the index. With one gram in every twelve places, each text of 24 characters has a whole one. */
const gram = 13;
const gap = leastLength - gram + 1;
const base = 0x01_00_01_93;
const oldest = Array.from({length: gram}).reduce<number>(power => Math.imul(power, base), 1);

/** The number of characters that neighboring stretches share. */
const lap = leastLength - 1;
/** The number of grams under one hash beyond which weft does not count. */
const crowded = 4;
const pieceLength = 4096;
/** The least length of a piece of a text that is split, and the maximum numbers of pieces of one action and of places of one piece. */
const leastPiece = 5;
const maxPieces = 200;
const maxPlaces = 200;
/** The maximum number of runs at one place, for texts that repeat themselves. */
const maxRuns = 16;

/**
 * Holds texts and finds their parts in other texts: every part of at least 24 characters that count. It keeps each stretch of text once,
 * with about one byte for a character and one byte for its index.
 */
export class TextFinder {
  #bytes = new Uint8Array(1024);
  #length = 0;
  /** The newest gram under each hash, from 1, and for each gram the one before. */
  #heads = new Int32Array(256);
  #before = new Int32Array(128);
  #places = new Int32Array(128);
  #grams = 0;
  /** The end of each stretch, and whose text it is. */
  readonly #ends: number[] = [];
  readonly #owners: number[] = [];

  get length(): number {
    return this.#length;
  }

  /** Adds a text of `owner`, without what the index knows already. */
  add(text: string, owner: number): void {
    const {bytes} = fold(text);
    // In pieces, so that a text that repeats itself is kept once.
    for (let from = 0; from === 0 || from + leastLength <= bytes.length; from += pieceLength - leastLength + 1)
      this.#addPiece(bytes.subarray(from, from + pieceLength), owner);
  }

  /** Finds the parts of a text that the index holds, in order. Parts of several owners may overlap. */
  find(text: string): readonly Match[] {
    const {bytes, at} = fold(text);
    const parts: Match[] = [];
    for (const run of this.#runs(bytes, 'everywhere').toSorted(inOrder)) {
      const last = parts.at(-1);
      // Stretches of one text lap over each other.
      const isNext = last !== undefined && last.owner === run.owner && run.from <= last.to - lap;
      if (isNext) parts.pop();
      parts.push(isNext ? {...last, to: Math.max(last.to, run.to)} : run);
    }
    return parts.map(({from, to, owner}) => ({from: at[from] ?? 0, to: (at[to - 1] ?? 0) + 1, owner}));
  }

  /** Finds pieces that stand side by side in its texts and are long enough together, whatever else is among them. */
  findJoined(pieces: readonly string[]): readonly {readonly text: string; readonly owner: number}[] {
    const known = Buffer.from(this.#bytes.buffer, 0, this.#length);
    const places = pieces.slice(0, maxPieces).flatMap(text => {
      const {bytes} = fold(text);
      const found: {readonly from: number; readonly to: number; readonly text: string}[] = [];
      if (bytes.length < leastPiece) return found;
      for (let at = known.indexOf(bytes); at >= 0 && found.length < maxPlaces; at = known.indexOf(bytes, at + 1))
        found.push({from: at, to: at + bytes.length, text});
      return found;
    });
    // The longest chain of pieces that ends at each place.
    const chains = new Map<number, {readonly from: number; readonly text: string}>();
    const joined = new Map<string, number>();
    for (const {from, to, text} of places.toSorted((a, b) => a.from - b.from)) {
      const before = chains.get(from);
      const chain = {from: before?.from ?? from, text: `${before?.text ?? ''}${text}`};
      if (to - chain.from > to - (chains.get(to)?.from ?? to)) chains.set(to, chain);
      if (before !== undefined && to - chain.from >= leastLength)
        joined.set(chain.text, this.#owners[this.#stretchAt(from)] ?? 0);
    }
    return [...joined].map(([text, owner]) => ({text, owner}));
  }

  /** Adds the stretches between the known runs. A stretch laps over each run by one character less than counts. */
  #addPiece(bytes: Uint8Array, owner: number): void {
    let from = 0;
    for (const run of this.#runs(bytes, 'here and there').toSorted(inOrder)) {
      this.#addStretch(bytes.subarray(from, run.from + lap), owner);
      from = Math.max(from, run.to - lap);
    }
    this.#addStretch(bytes.subarray(from), owner);
  }

  #addStretch(bytes: Uint8Array, owner: number): void {
    if (bytes.length < leastLength) return;
    const start = this.#length;
    this.#length += bytes.length;
    this.#bytes = enlarged(this.#bytes, this.#length);
    this.#bytes.set(bytes, start);
    this.#ends.push(this.#length);
    this.#owners.push(owner);
    let last = start - 1;
    while (last < this.#length - leastLength) {
      last = this.#leastCrowded(last + 1, Math.min(last + gap, this.#length - gram));
      this.#addGram(last);
    }
  }

  /** Returns the place whose hash has the fewest grams: the rarer the grams, the faster the search. */
  #leastCrowded(from: number, to: number): number {
    let best = to;
    let fewest = Infinity;
    for (let place = to; place >= from && fewest > 0; place -= 1) {
      let count = 0;
      for (
        let at = this.#heads[this.#slot(hashOf(this.#bytes, place))] ?? 0;
        at > 0 && count <= crowded;
        at = this.#before[at] ?? 0
      )
        count += 1;
      if (count < fewest) [best, fewest] = [place, count];
    }
    return best;
  }

  #addGram(place: number): void {
    this.#grams += 1;
    this.#places = enlarged(this.#places, this.#grams + 1);
    this.#before = enlarged(this.#before, this.#grams + 1);
    this.#places[this.#grams] = place;
    if (this.#grams <= this.#heads.length) return this.#link(this.#grams);
    this.#heads = new Int32Array(this.#heads.length * 2);
    for (let at = 1; at <= this.#grams; at += 1) this.#link(at);
  }

  #link(at: number): void {
    const slot = this.#slot(hashOf(this.#bytes, this.#places[at] ?? 0));
    this.#before[at] = this.#heads[slot] ?? 0;
    this.#heads[slot] = at;
  }

  #slot(hash: number): number {
    return (Math.imul(hash, 0x9e_37_79_b1) >>> 8) & (this.#heads.length - 1);
  }

  /**
   * Finds the known runs, as positions in folded bytes. It looks at every place, or at some only, which finds every long run and is
   * enough to keep text once.
   */
  #runs(bytes: Uint8Array, looks: 'everywhere' | 'here and there'): readonly Match[] {
    const runs: Match[] = [];
    const step = looks === 'everywhere' ? 1 : gap - 1;
    let hash = -1;
    let known = 0;
    for (let from = 0; this.#grams > 0 && from + gram <= bytes.length; from += step) {
      hash =
        from === 0 || step > 1 ? hashOf(bytes, from) : rolled(hash, bytes[from - 1] ?? 0, bytes[from + gram - 1] ?? 0);
      // Every run that begins here is inside a known one.
      if (from + leastLength <= known) continue;
      for (const run of this.#runsAt(bytes, from, hash)) {
        if (run.to <= known && from + gram <= known) continue;
        runs.push(run);
        known = Math.max(known, run.to);
      }
    }
    return runs;
  }

  *#runsAt(bytes: Uint8Array, from: number, hash: number): Generator<Match> {
    let found = 0;
    for (let at = this.#heads[this.#slot(hash)] ?? 0; at > 0 && found < maxRuns; at = this.#before[at] ?? 0) {
      const place = this.#places[at] ?? 0;
      let right = 0;
      while (right < gram && bytes[from + right] === this.#bytes[place + right]) right += 1;
      if (right < gram) continue;
      const stretch = this.#stretchAt(place);
      const [start, end] = [this.#ends[stretch - 1] ?? 0, this.#ends[stretch] ?? 0];
      let left = 0;
      while (place + right < end && from + right < bytes.length && bytes[from + right] === this.#bytes[place + right])
        right += 1;
      while (left < from && place - left > start && bytes[from - left - 1] === this.#bytes[place - left - 1]) left += 1;
      if (left + right < leastLength) continue;
      found += 1;
      yield {from: from - left, to: from + right, owner: this.#owners[stretch] ?? 0};
    }
  }

  #stretchAt(place: number): number {
    let [low, high] = [0, this.#ends.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** A part of a text that an index holds, and whose text it is. */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly owner: number;
}

const inOrder = (a: Match, b: Match): number => a.from - b.from;

/** Returns the array, or a larger one with the same content. */
function enlarged<Numbers extends Uint8Array | Int32Array>(numbers: Numbers, length: number): Numbers;
function enlarged(numbers: Uint8Array | Int32Array, length: number): Uint8Array | Int32Array {
  if (length <= numbers.length) return numbers;
  const room = Math.max(length, Math.ceil(numbers.length * 1.25));
  const larger = numbers instanceof Uint8Array ? new Uint8Array(room) : new Int32Array(room);
  larger.set(numbers);
  return larger;
}

function hashOf(bytes: Uint8Array, place: number): number {
  let hash = 0;
  for (let at = place; at < place + gram; at += 1) hash = (Math.imul(hash, base) + (bytes[at] ?? 0)) | 0;
  return hash;
}

const rolled = (hash: number, left: number, entered: number): number =>
  (Math.imul(hash, base) + entered - Math.imul(left, oldest)) | 0;
