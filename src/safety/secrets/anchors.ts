import {secretWordAnchors} from './contextual-secrets.ts';
import type {AlignedBytes} from './literal-finder.ts';
import {mayStateSecret} from './named-forms.ts';
import {isNameCloser, isWordOrDash, keyStarts, longestName, maxClosers} from './secret-forms.ts';
import {nameParts} from './secret-name.ts';

/** The only positions in a text at which the searches for secrets need to look, and until the next scan the low byte of each unit. */
export interface Anchors extends AlignedBytes {
  /** The positions at which a key may begin, and of separators after the names of secrets. */
  readonly forms: Uint32Array;
  /** The positions at which a word of `findStatedSecrets` may begin. */
  readonly words: Uint32Array;
  /** Whether the text contains `privateKeyMark`. */
  readonly mentionsPrivateKey: boolean;
}

/** The head of each private key contains these words. */
export const privateKeyMark = 'PRIVATE KEY';

/**
 * Returns the anchors of a text, or `undefined` if the searches may as well look everywhere. `aligned` is the text if its units
 * are bytes.
 */
export function findAnchors(text: string, aligned?: AlignedBytes): Anchors | undefined {
  if (text.length < shortestText) return undefined;
  scannedUnits += text.length;
  return automaton === undefined && scannedUnits < minUnitsForAutomaton ? undefined : scanForAnchors(text, aligned);
}

const shortestText = 512;

/** Scanning this many units directly costs as much as making the automaton, which most runs of weft never need. */
const minUnitsForAutomaton = 100_000;
let scannedUnits = 0;
let automaton: Automaton | undefined;

interface Literal {
  readonly kind: 'key' | 'url' | 'name' | 'word' | 'name-word' | 'private-key';
  readonly text: string;
}

/** Words of `findStatedSecrets` that are a whole match and a part of a name. */
const isInName = (word: string): boolean => /^[\w-]+$/u.test(word) && word !== 'contrase' && word !== 'key-data';

const literals: readonly Literal[] = [
  ...keyStarts.map(text => ({kind: 'key', text}) as const),
  {kind: 'url', text: '://'},
  ...nameParts.map(text => ({kind: 'name', text}) as const),
  ...secretWordAnchors.map(text => ({kind: isInName(text) ? 'name-word' : 'word', text}) as const),
  {kind: 'private-key', text: privateKeyMark},
];

const longestLiteral = Math.max(...literals.map(({text}) => text.length));

/** Finds all literals in one pass (Aho and Corasick), whatever their case. A state is the offset of its row in `next`. */
interface Automaton {
  /** The column of each byte. */
  readonly columns: Uint8Array;
  readonly next: Uint16Array;
  /** Each state from this one on ends at least one literal. */
  readonly firstEnd: number;
  /** The literals that end in the states from `firstEnd` on, by the number of the state. */
  readonly endsIn: readonly (readonly Literal[])[];
  readonly width: number;
}

function makeAutomaton(): Automaton {
  const columns = new Uint8Array(256);
  let width = 1;
  for (const {text} of literals) {
    for (const sign of text.toLowerCase()) columns[sign.charCodeAt(0)] ||= width++;
  }
  for (let capital = 0x41; capital <= 0x5a; capital += 1) columns[capital] = columns[capital + 0x20] ?? 0;

  const rows: Uint16Array[] = [new Uint16Array(width)];
  const ends: Literal[][] = [[]];
  for (const literal of literals) {
    let state = 0;
    for (const sign of literal.text) {
      const row = rows[state] ?? new Uint16Array();
      const column = columns[sign.charCodeAt(0)] ?? 0;
      if (row[column] === 0) {
        row[column] = rows.length;
        rows.push(new Uint16Array(width));
        ends.push([]);
      }
      state = row[column] ?? 0;
    }
    ends[state]?.push(literal);
  }
  completeRows(rows, ends);

  // States that end a literal get the highest numbers, so that one comparison recognizes them.
  const order = [...rows.keys()].toSorted((a, b) => Number(isEnd(ends, a)) - Number(isEnd(ends, b)) || a - b);
  const offsets = new Uint16Array(rows.length);
  for (const [at, state] of order.entries()) offsets[state] = at * width;
  const next = new Uint16Array(rows.length * width);
  const endsIn: (readonly Literal[])[] = [];
  let firstEnd = next.length;
  for (const [state, row] of rows.entries()) {
    const offset = offsets[state] ?? 0;
    next.set(
      row.map(to => offsets[to] ?? 0),
      offset,
    );
    if (!isEnd(ends, state)) continue;
    endsIn[offset / width] = ends[state] ?? [];
    firstEnd = Math.min(firstEnd, offset);
  }
  return {columns, next, firstEnd, endsIn, width};
}

const isEnd = (ends: readonly Literal[][], state: number): boolean => (ends[state]?.length ?? 0) > 0;

/** Fills the missing transitions of a trie with those of the longest other literal that may have begun. */
function completeRows(rows: readonly Uint16Array[], ends: readonly Literal[][]): void {
  const shorter = new Uint16Array(rows.length);
  const queue = [0];
  for (const state of queue) {
    const fallback = shorter[state] ?? 0;
    if (state !== 0) ends[state]?.push(...(ends[fallback] ?? []));
    const row = rows[state] ?? new Uint16Array();
    for (let column = 0; column < row.length; column += 1) {
      const to = row[column] ?? 0;
      const otherwise = state === 0 ? 0 : (rows[fallback]?.[column] ?? 0);
      if (to === 0) row[column] = otherwise;
      else {
        shorter[to] = otherwise;
        queue.push(to);
      }
    }
  }
}

/** The letters outside Latin-1 that a pattern which ignores case takes for `s` and `k`. */
const foldedLetters = [
  ['\u017F', 's'],
  ['\u212A', 'k'],
] as const;

/** Returns the anchors of a text of any length. */
export function scanForAnchors(text: string, aligned?: AlignedBytes): Anchors {
  automaton ??= makeAutomaton();
  const folded =
    aligned === undefined
      ? foldedLetters.reduce((all, [from, to]) => (all.includes(from) ? all.replaceAll(from, to) : all), text)
      : text;
  const {bytes, groups} = aligned ?? lowBytes(folded);
  const forms: number[] = [];
  const words: number[] = [];
  let mentionsPrivateKey = false;
  const {endsIn, width} = automaton;
  const take = (end: number, state: number): void => {
    for (const literal of endsIn[state / width] ?? []) {
      const at = end - literal.text.length;
      switch (literal.kind) {
        case 'key':
          if (text.startsWith(literal.text, at)) forms.push(at);
          break;
        case 'url':
          forms.push(at);
          break;
        case 'name': {
          const separator = separatorAfterName(text, end);
          if (separator >= 0) forms.push(separator);
          break;
        }
        case 'name-word':
          // `_key` needs a letter before it.
          if (mayStateSecret(text, at, literal.text)) words.push(literal.text === '_key' ? Math.max(0, at - 1) : at);
          break;
        case 'word':
          words.push(at);
          break;
        case 'private-key':
          mentionsPrivateKey ||= text.startsWith(privateKeyMark, at);
      }
    }
  };
  for (let window = 0; window < bytes.length; window += windowSize) {
    const {ends, states, quarters} = endsOfLiterals(
      bytes.subarray(window, window + windowSize + longestLiteral),
      automaton,
    );
    for (const [from, to] of quarters) {
      for (let nth = from; nth < to; nth += 1) take(window + (ends[nth] ?? 0), states[nth] ?? 0);
    }
  }
  // A key may have begun at the end of the text.
  for (let tail = Math.max(0, text.length - longestLiteral); tail < text.length; tail += 1) forms.push(tail);
  // A known secret may hold such a letter, so its search needs the text as it is.
  const own = folded === text ? {bytes, groups} : lowBytes(text);
  return {...own, forms: ascending(forms), words: ascending(words), mentionsPrivateKey};
}

/** How much of a text is scanned at once, in units. */
const windowSize = 256 * 1024;

const memoryOfTexts = alignedMemory();
const memoryOfBytes = alignedMemory();

function lowBytes(text: string): AlignedBytes {
  const memory = memoryOfTexts(text.length);
  return alignedBytes(memory, memory.write(text, 'latin1'));
}

/** Returns a text and more bytes as one text whose units are bytes, and until the next call these bytes. */
export function textOfBytes(before: string, more: Uint8Array): {readonly text: string; readonly aligned: AlignedBytes} {
  const length = before.length + more.length;
  const memory = memoryOfBytes(length);
  memory.write(before, 'latin1');
  memory.set(more, before.length);
  return {text: memory.toString('latin1', 0, length), aligned: alignedBytes(memory, length)};
}

/** Returns the bytes that base64 encodes as a text, and until the next call these bytes. */
export function textOfBase64(encoded: string): {readonly text: string; readonly aligned: AlignedBytes} {
  const memory = memoryOfBytes(encoded.length);
  const length = memory.write(encoded, 'base64');
  return {text: memory.toString('latin1', 0, length), aligned: alignedBytes(memory, length)};
}

const alignedBytes = (memory: Buffer, length: number): AlignedBytes => ({
  bytes: memory.subarray(0, length),
  groups: new Uint32Array(memory.buffer, 0, length >> 2),
});

/** Returns memory that is reused, because allocating takes longer than scanning. Long texts get memory of their own. */
function alignedMemory(): (length: number) => Buffer {
  let memory: Buffer | undefined;
  return length =>
    length > windowSize ? Buffer.allocUnsafeSlow(length) : (memory ??= Buffer.allocUnsafeSlow(windowSize));
}

/** The ends of literals in a text and the states there, nearly in order; some twice. Valid until the next scan. */
interface LiteralEnds {
  readonly ends: Uint32Array;
  readonly states: Uint16Array;
  /** The range of each quarter in these lists. */
  readonly quarters: readonly (readonly [from: number, to: number])[];
}

let ends = new Uint32Array();
let states = new Uint16Array();

/**
 * Each step waits for the one before, so the four quarters of a text at once take half the time. Each quarter continues until all
 * literals that begin in it have ended.
 */
function endsOfLiterals(bytes: Uint8Array, {columns, next, firstEnd}: Automaton): LiteralEnds {
  const size = bytes.length >> 2;
  const room = size + longestLiteral;
  if (ends.length < 4 * room) {
    ends = new Uint32Array(4 * room);
    states = new Uint16Array(4 * room);
  }
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let inA = 0;
  let inB = room;
  let inC = 2 * room;
  let inD = 3 * room;
  for (let at = 0; at < size; at += 1) {
    a = next[a + (columns[bytes[at] ?? 0] ?? 0)] ?? 0;
    b = next[b + (columns[bytes[at + size] ?? 0] ?? 0)] ?? 0;
    c = next[c + (columns[bytes[at + 2 * size] ?? 0] ?? 0)] ?? 0;
    d = next[d + (columns[bytes[at + 3 * size] ?? 0] ?? 0)] ?? 0;
    if (a >= firstEnd) {
      ends[inA] = at + 1;
      states[inA] = a;
      inA += 1;
    }
    if (b >= firstEnd) {
      ends[inB] = at + size + 1;
      states[inB] = b;
      inB += 1;
    }
    if (c >= firstEnd) {
      ends[inC] = at + 2 * size + 1;
      states[inC] = c;
      inC += 1;
    }
    if (d >= firstEnd) {
      ends[inD] = at + 3 * size + 1;
      states[inD] = d;
      inD += 1;
    }
  }
  const reached: readonly (readonly [state: number, count: number])[] = [
    [a, inA],
    [b, inB],
    [c, inC],
    [d, inD],
  ];
  const quarters = reached.map(([last, count], quarter): [number, number] => {
    let state = last;
    let to = count;
    const from = (quarter + 1) * size;
    const end = quarter === 3 ? bytes.length : Math.min(bytes.length, from + longestLiteral);
    for (let at = from; at < end; at += 1) {
      state = next[state + (columns[bytes[at] ?? 0] ?? 0)] ?? 0;
      if (state < firstEnd) continue;
      ends[to] = at + 1;
      states[to] = state;
      to += 1;
    }
    return [quarter * room, to];
  });
  return {ends, states, quarters};
}

/** Returns the position of the `=` or `:` after a name, or -1 if there is none. The name continues at `at`. */
function separatorAfterName(text: string, at: number): number {
  let end = at;
  while (end - at < longestName && isWordOrDash(text.charCodeAt(end))) end += 1;
  for (let closers = 0; closers < maxClosers && isNameCloser(text.charCodeAt(end)); closers += 1) end += 1;
  const code = text.charCodeAt(end);
  return code === equalsSign || code === colon ? end : -1;
}

const equalsSign = 0x3d;
const colon = 0x3a;

/** Returns the positions in order, each once. They are nearly in order, so each has a short way to its place. */
function ascending(positions: readonly number[]): Uint32Array {
  const sorted = new Uint32Array(positions.length);
  let count = 0;
  for (const position of positions) {
    let at = count;
    while (at > 0 && (sorted[at - 1] ?? 0) > position) at -= 1;
    if (at > 0 && sorted[at - 1] === position) continue;
    if (at < count) sorted.copyWithin(at + 1, at, count);
    sorted[at] = position;
    count += 1;
  }
  return sorted.subarray(0, count);
}
