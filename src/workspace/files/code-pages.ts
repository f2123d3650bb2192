const multiByteEncodings = ['gb18030', 'shift_jis', 'euc-jp', 'euc-kr', 'big5'] as const;
type MultiByteEncoding = (typeof multiByteEncodings)[number];

/** Encodings of the time before Unicode whose files are read but not written: hardly anybody edits such files still. */
const readOnlyEncodings = ['euc-kr', 'big5', 'koi8-r'] as const;
export type ReadOnlyEncoding = (typeof readOnlyEncodings)[number];

/** Those that files are read in and written back in. */
export type CodePage = Exclude<MultiByteEncoding, ReadOnlyEncoding> | 'windows-1252' | 'windows-1251';

export const isReadOnlyEncoding = (encoding: string): encoding is ReadOnlyEncoding =>
  readOnlyEncodings.some(each => each === encoding);

/** An encoding of the time before Unicode, there and back. */
interface CodePageTable {
  /** Bytes that stand for nothing, or that `encode` would give otherwise, come as escapes: nothing is lost. */
  decode(bytes: Uint8Array): string;
  /** `undefined` where it has no bytes for a character. */
  encode(text: string): Buffer | undefined;
}

const tables = new Map<CodePage, CodePageTable>();

/** Made on first use. */
export function codePageTable(encoding: CodePage): CodePageTable {
  const made = tables.get(encoding) ?? makeTable(encoding);
  tables.set(encoding, made);
  return made;
}

/** The bytes that one character takes at `at`, as far as they are there; 1 for what begins none. */
function unitLength(encoding: CodePage | ReadOnlyEncoding, bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  switch (encoding) {
    case 'gb18030':
      if (first === 0x80 || first === 0xff) return 1;
      if (second >= 0x30 && second <= 0x39) return at + 3 < bytes.length ? 4 : 1;
      return second >= 0x40 && second !== 0x7f && second !== 0xff ? 2 : 1;
    case 'shift_jis':
      if ((first >= 0xa0 && first <= 0xdf) || first > 0xfc || first === 0x80) return 1;
      return second >= 0x40 && second !== 0x7f && second <= 0xfc ? 2 : 1;
    case 'euc-jp':
      if (first === 0x8f) return second >= 0xa1 && (bytes[at + 2] ?? 0) >= 0xa1 ? 3 : 1;
      return (first === 0x8e || first >= 0xa1) && second >= 0xa1 && second !== 0xff ? 2 : 1;
    case 'euc-kr':
      return first >= 0x81 && first !== 0xff && second >= 0x41 && second !== 0xff ? 2 : 1;
    case 'big5':
      return first >= 0x81 && first !== 0xff && second >= 0x40 && second !== 0xff ? 2 : 1;
    default:
      return 1;
  }
}

function makeTable(encoding: CodePage): CodePageTable {
  /** Characters by their bytes, read as one number; bytes by their character. */
  const characters = new Map<number, string>();
  const codes = new Map<string, Uint8Array>();
  const take = (unit: Uint8Array, character: string): void => {
    if (!isOneCharacter(character) || codes.has(character)) return;
    codes.set(character, unit);
    characters.set(numberOf(unit, 0, unit.length), character);
  };

  if (encoding === 'windows-1252') {
    for (let byte = 0x80; byte <= 0xff; byte += 1) {
      take(Uint8Array.of(byte), windows1252[byte - 0x80] ?? String.fromCharCode(byte));
    }
  } else {
    const units = allUnits(encoding);
    const texts = new TextDecoder(encoding).decode(Buffer.concat(units.flatMap(unit => [unit, lineFeed]))).split('\n');
    for (const [at, unit] of units.entries()) take(unit, texts[at] ?? '');
  }

  /** Four bytes stand for the rest of Unicode; they are looked up as they come. */
  const rare = new TextDecoder('gb18030');
  const decodeUnit = (bytes: Uint8Array, at: number, length: number): string | undefined => {
    const known = characters.get(numberOf(bytes, at, length));
    if (known !== undefined || length !== 4) return known;
    const unit = bytes.slice(at, at + length);
    take(unit, rare.decode(unit));
    return characters.get(numberOf(unit, 0, length));
  };

  return {
    decode(bytes) {
      const parts: string[] = [];
      let plain = 0;
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at < bytes.length;) {
        if ((bytes[at] ?? 0) < 0x80) {
          at += 1;
          continue;
        }
        parts.push(view.toString('latin1', plain, at));
        const length = unitLength(encoding, bytes, at);
        const character = decodeUnit(bytes, at, length);
        if (character === undefined) for (const byte of bytes.subarray(at, at + length)) parts.push(escapeOf(byte));
        else parts.push(character);
        at += length;
        plain = at;
      }
      parts.push(view.toString('latin1', plain));
      return parts.join('');
    },
    encode(text) {
      const bytes = Buffer.alloc(text.length * 4);
      let length = 0;
      for (const character of text) {
        const code = character.codePointAt(0) ?? 0;
        if (code < 0x80) bytes[length++] = code;
        else if (code >= 0xdc00 && code <= 0xdcff) bytes[length++] = code & 0xff;
        else {
          const unit = codes.get(character);
          if (unit === undefined) return undefined;
          bytes.set(unit, length);
          length += unit.length;
        }
      }
      return bytes.subarray(0, length);
    },
  };
}

const lineFeed = Uint8Array.of(0x0a);

/** All sequences of up to three bytes that may stand for a character. */
function allUnits(encoding: CodePage): readonly Uint8Array[] {
  const units: Uint8Array[] = [];
  for (let first = 0x80; first <= 0xff; first += 1) {
    if (unitLength(encoding, Uint8Array.of(first, 0), 0) === 1) units.push(Uint8Array.of(first));
    for (let second = 0x40; second <= 0xfe; second += 1) {
      if (unitLength(encoding, Uint8Array.of(first, second), 0) === 2) units.push(Uint8Array.of(first, second));
    }
  }
  if (encoding !== 'euc-jp') return units;
  for (let second = 0xa1; second <= 0xfe; second += 1) {
    for (let third = 0xa1; third <= 0xfe; third += 1) units.push(Uint8Array.of(0x8f, second, third));
  }
  return units;
}

function numberOf(bytes: Uint8Array, at: number, length: number): number {
  let number = 0;
  for (let more = 0; more < length; more += 1) number = number * 256 + (bytes[at + more] ?? 0);
  return number;
}

const isOneCharacter = (text: string): boolean =>
  text !== '' &&
  !text.includes('\ufffd') &&
  text.isWellFormed() &&
  (text.codePointAt(0) ?? 0) >= 0x80 &&
  text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);

/** 0x80 to 0x9f; the rest is Latin-1. */
const windows1252 = Array.from(
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
    '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178',
);

/**
 * Decodes UTF-8 and stands U+DC00 plus the byte for each byte that is none: half a surrogate pair, which no valid text has,
 * so nothing is lost and nothing can be mistaken for it.
 */
export function escapeBytes(bytes: Buffer): string {
  const parts: string[] = [];
  let valid = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', valid, at), escapeOf(bytes[at] ?? 0));
    at += 1;
    valid = at;
  }
  parts.push(bytes.toString('utf8', valid));
  return parts.join('');
}

/** The way back. */
export function unescapeBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let done = 0;
  for (const match of text.matchAll(/[\udc00-\udcff]/gu)) {
    parts.push(Buffer.from(text.slice(done, match.index), 'utf8'), Buffer.from([text.charCodeAt(match.index) & 0xff]));
    done = match.index + 1;
  }
  parts.push(Buffer.from(text.slice(done), 'utf8'));
  return Buffer.concat(parts);
}

const escapeOf = (byte: number): string => String.fromCharCode(0xdc00 + byte);

/** The length of the UTF-8 sequence that begins at `at`; 0 where none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let more = 1; more < length; more += 1) {
    const byte = bytes[at + more] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  const second = bytes[at + 1] ?? 0;
  const overlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const beyond = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : length;
}

/** Bytes looked at: more would not change the guess. */
const mostLooked = 256 * 1024;

/** Below this share of bytes that look right an encoding is not believed. */
const leastShare = 0.6;

/**
 * The encoding of bytes that are not all UTF-8 and have no zeros: by how many of those beyond ASCII are what is frequent in
 * texts of that encoding. Mostly UTF-8 is UTF-8 with broken bytes; `unknown` where nothing fits well.
 */
export function guessEncoding(bytes: Uint8Array): CodePage | ReadOnlyEncoding | 'utf-8' | 'unknown' {
  const looked = bytes.subarray(0, mostLooked);
  const shares: [CodePage | ReadOnlyEncoding | 'utf-8', number][] = [
    ['utf-8', utf8Share(looked)],
    ...multiByteEncodings.map((encoding): [MultiByteEncoding, number] => [encoding, multiByteShare(encoding, looked)]),
    ['windows-1252', westernShare(looked)],
    ...cyrillicShares(looked),
  ];
  let best: readonly [CodePage | ReadOnlyEncoding | 'utf-8' | 'unknown', number] = ['unknown', leastShare];
  for (const share of shares) if (share[1] > best[1]) best = share;
  return best[0];
}

/** A legacy text holds such sequences by chance, so a share of them must be larger to tell. */
function utf8Share(bytes: Uint8Array): number {
  let right = 0;
  let high = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length !== 1) high += Math.max(1, length);
    if (length > 1) right += length;
    at += Math.max(1, length);
  }
  return high === 0 ? 0 : right / high;
}

/** One sequence that is none in this encoding is enough against it, the very last apart: it may be cut. */
function multiByteShare(encoding: MultiByteEncoding, bytes: Uint8Array): number {
  let right = 0;
  let units = 0;
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) {
      at += 1;
      continue;
    }
    const length = unitLength(encoding, bytes, at);
    const single = length === 1 && encoding === 'shift_jis' && first >= 0xa1 && first <= 0xdf;
    if (length === 1 && !single) return at >= bytes.length - 4 && bytes.length === mostLooked ? right / units : 0;
    units += 1;
    right += weight[encoding](first, bytes[at + 1] ?? 0);
    at += length;
  }
  if (units === 0) return 0;
  // A few characters that Korean and Chinese bytes have in common are more often Chinese.
  return encoding === 'euc-kr' && units < fewUnits ? (0.95 * right) / units : right / units;
}

const fewUnits = 6;

/** 1 for what is frequent in such texts, 0 for what is not. */
const weight: Readonly<Record<MultiByteEncoding, (first: number, second: number) => number>> = {
  // Punctuation and full-width forms, and the 3,755 most frequent characters.
  gb18030: (first, second) =>
    second >= 0xa1 && ((first >= 0xb0 && first <= 0xd7) || first === 0xa1 || first === 0xa3) ? 0.97 : 0,
  // Punctuation, kana, and the frequent characters; half-width kana rarely.
  shift_jis: (first, second) => {
    if (first === 0x82 || first === 0x83 || first === 0x81) return 1;
    if (first >= 0x88 && first <= 0x97) return 0.95;
    return first >= 0xa1 && first <= 0xdf && second >= 0xa1 && second <= 0xdf ? 0.65 : 0;
  },
  'euc-jp': first =>
    first === 0xa4 || first === 0xa5 ? 1.2 : first === 0xa1 || (first >= 0xb0 && first <= 0xcf) ? 0.9 : 0,
  'euc-kr': (first, second) => (second >= 0xa1 && first >= 0xb0 && first <= 0xc8 ? 1 : first === 0xa1 ? 0.9 : 0),
  big5: (first, second) => (first >= 0xa4 && first <= 0xc6 ? (second < 0x80 ? 1.05 : 0.93) : first === 0xa1 ? 0.93 : 0),
};

/** Letters with accents stand alone between ASCII letters and spaces. */
function westernShare(bytes: Uint8Array): number {
  let right = 0;
  let high = 0;
  let run = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80) {
      high += 1;
      run += 1;
      if (isFrequentWestern(byte)) right += 1;
    } else {
      if (run > 2) right -= run;
      run = 0;
    }
  }
  return high === 0 ? 0 : (0.94 * Math.max(0, right)) / high;
}

const isFrequentWestern = (byte: number): boolean =>
  (byte >= 0xc0 &&
    byte !== 0xd7 &&
    byte !== 0xf7 &&
    byte !== 0xfe &&
    byte !== 0xff &&
    byte !== 0xf0 &&
    byte !== 0xd0) ||
  [0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xa0, 0xa3, 0xa7, 0xa9, 0xab, 0xae, 0xb0, 0xb5, 0xb7, 0xbb].includes(
    byte,
  );

/** Words of two letters and more, all beyond ASCII, small ones mostly: where those lie tells the two apart. */
function cyrillicShares(bytes: Uint8Array): readonly ['windows-1251' | 'koi8-r', number][] {
  let high = 0;
  let lowRow = 0;
  let highRow = 0;
  let inWords = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    high += 1;
    if (byte >= 0xe0) highRow += 1;
    else if (byte >= 0xc0) lowRow += 1;
    if ((bytes[at - 1] ?? 0) >= 0xc0 || (bytes[at + 1] ?? 0) >= 0xc0) inWords += 1;
  }
  if (high < fewUnits || new Set(bytes).size < fewUnits) return [];
  const share = (0.92 * inWords * (lowRow + highRow)) / (high * high);
  return highRow > 4 * lowRow ? [['windows-1251', share]] : lowRow > 4 * highRow ? [['koi8-r', share]] : [];
}
