import {isUtf8} from 'node:buffer';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';

const multiByteEncodings = ['gb18030', 'shift_jis', 'euc-jp', 'euc-kr', 'big5'] as const;
type MultiByteEncoding = (typeof multiByteEncodings)[number];

/** Legacy encodings that weft reads but doesn't write, because such files are rarely edited. */
const readOnlyEncodings = ['euc-kr', 'big5', 'koi8-r'] as const;
type ReadOnlyEncoding = (typeof readOnlyEncodings)[number];

/** Legacy encodings that weft reads and writes. */
type CodePage = Exclude<MultiByteEncoding, ReadOnlyEncoding> | 'windows-1252' | 'windows-1251';

const isReadOnlyEncoding = (encoding: string): encoding is ReadOnlyEncoding =>
  readOnlyEncodings.some(each => each === encoding);

/**
 * How the bytes of a text file map to text. A byte without a character becomes a separate escape (see `escapeBytes`),
 * so that decoding loses nothing. `unknown` understands only ASCII.
 */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | CodePage | ReadOnlyEncoding | 'unknown';

export interface TextForm {
  readonly encoding: TextEncoding;
  readonly mark: 'byte-order-mark' | 'no-mark';
}

export interface DecodedText {
  readonly form: TextForm;
  readonly text: string;
}

export const utf8Form: TextForm = {encoding: 'utf-8', mark: 'no-mark'};

/** Encoding names for people and models. */
export const encodingNames: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  gb18030: 'GBK (GB 18030)',
  shift_jis: 'Shift_JIS',
  'euc-jp': 'EUC-JP',
  'euc-kr': 'EUC-KR',
  big5: 'Big5',
  'windows-1252': 'Latin-1 (Windows-1252)',
  'windows-1251': 'Windows-1251',
  'koi8-r': 'KOI8-R',
  unknown: 'in an unknown encoding',
};

/** Detects the encoding of a file from its first bytes or all of them. Returns `undefined` if it is not text. */
export function detectForm(bytes: Buffer, part: 'all' | 'start'): TextForm | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return {encoding: 'utf-8', mark: 'byte-order-mark'};
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return {encoding: 'utf-16le', mark: 'byte-order-mark'};
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return {encoding: 'utf-16be', mark: 'byte-order-mark'};
  if (bytes.includes(0)) {
    const encoding = detectUtf16(bytes);
    return encoding === undefined ? undefined : {encoding, mark: 'no-mark'};
  }
  const whole = part === 'all' ? bytes : withoutSplitCharacter(bytes);
  return {encoding: isUtf8(whole) ? 'utf-8' : guessEncoding(whole), mark: 'no-mark'};
}

/** Decodes without loss: `encodeText` returns the same bytes, except for read-only encodings. Fails if the bytes are not text. */
export function decodeText(bytes: Buffer): Outcome<DecodedText, 'binary'> {
  const form = detectForm(bytes, 'all');
  if (form === undefined) return failed('binary');
  const text = decodeAs(bytes, form);
  return text === undefined || text.includes('\0') ? failed('binary') : ok({form, text});
}

function decodeAs(bytes: Buffer, {encoding, mark}: TextForm): string | undefined {
  const skip = mark === 'no-mark' ? 0 : encoding === 'utf-8' ? 3 : 2;
  switch (encoding) {
    case 'utf-8':
    case 'unknown':
      return isUtf8(bytes) ? bytes.toString('utf8', skip) : escapeBytes(bytes.subarray(skip));
    case 'utf-16le':
      return bytes.length % 2 === 0 ? bytes.toString('utf16le', skip) : undefined;
    case 'utf-16be':
      return bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString('utf16le', skip) : undefined;
    case 'euc-kr':
    case 'big5':
    case 'koi8-r':
      return new TextDecoder(encoding).decode(bytes);
    default:
      return codePageTable(encoding).decode(bytes);
  }
}

/**
 * Returns why a file of this encoding can't be edited, or `undefined` if it can. The text continues a sentence that begins with the file's
 * name.
 */
export const readOnlyEncodingProblem = (encoding: TextEncoding): string | undefined =>
  isReadOnlyEncoding(encoding)
    ? `it is ${encodingNames[encoding]}, which weft reads but does not write. Convert it first ` +
      `(iconv -f ${encoding.toUpperCase()} -t UTF-8), or change it with a command.`
    : undefined;

/** Returns `undefined` if the encoding lacks a character of the text, and for read-only encodings. */
export function encodeText({form, text}: DecodedText): Buffer | undefined {
  const marked = form.mark === 'byte-order-mark' ? `\ufeff${text}` : text;
  switch (form.encoding) {
    case 'utf-8':
    case 'unknown':
      return unescapeBytes(marked);
    case 'utf-16le':
      return Buffer.from(marked, 'utf16le');
    case 'utf-16be':
      return Buffer.from(marked, 'utf16le').swap16();
    case 'gb18030':
    case 'shift_jis':
    case 'euc-jp':
    case 'windows-1252':
    case 'windows-1251':
      return codePageTable(form.encoding).encode(text);
    case 'euc-kr':
    case 'big5':
    case 'koi8-r':
      return undefined;
    default:
      return unreachable(form.encoding);
  }
}

/** Detects UTF-16 without a mark: Western text has a zero in every second byte, and nowhere else. */
function detectUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const looked = Math.min(bytes.length - (bytes.length % 2), 64 * 1024);
  if (looked < 4) return undefined;
  const zeros = {even: 0, odd: 0};
  for (let at = 0; at < looked; at += 2) {
    if (bytes[at] === 0) zeros.even += 1;
    if (bytes[at + 1] === 0) zeros.odd += 1;
  }
  const most = looked / 2;
  if (zeros.even === 0 && zeros.odd >= most * 0.4) return 'utf-16le';
  return zeros.odd === 0 && zeros.even >= most * 0.4 ? 'utf-16be' : undefined;
}

/** Drops up to three bytes of an incomplete character, because a chunk may end within one. */
function withoutSplitCharacter(bytes: Buffer): Buffer {
  for (let cut = 1; cut <= 3 && cut <= bytes.length; cut += 1) {
    const byte = bytes[bytes.length - cut] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - cut);
  }
  return bytes;
}

/** Match the non-ASCII bytes of one character, in bytes read as Latin-1. A byte that begins no character matches alone. */
const characterPatterns: Readonly<Record<MultiByteEncoding | 'utf-8', RegExp>> = {
  'utf-8':
    /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/gu,
  gb18030: /[\x81-\xfe](?:[0-9][^]{2}|[\x40-\x7e\x80-\xfe])|[\x80-\xff]/gu,
  shift_jis: /[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\x80-\xff]/gu,
  'euc-jp': /\x8f[\xa1-\xff]{2}|[\x8e\xa1-\xff][\xa1-\xfe]|[\x80-\xff]/gu,
  'euc-kr': /[\x81-\xfe][\x41-\xfe]|[\x80-\xff]/gu,
  big5: /[\x81-\xfe][\x40-\xfe]|[\x80-\xff]/gu,
};
const singleBytes = /[\x80-\xff]/gu;

const characterPatternOf = (encoding: CodePage): RegExp =>
  encoding === 'windows-1252' || encoding === 'windows-1251' ? singleBytes : characterPatterns[encoding];

/** Decodes and encodes one legacy encoding. */
interface CodePageTable {
  /** Decodes without loss: bytes without a character, and those that `encode` would write differently, become escapes. */
  decode(bytes: Buffer): string;
  /** Returns `undefined` if the encoding lacks a character. */
  encode(text: string): Buffer | undefined;
}

const tables = new Map<CodePage, CodePageTable>();

/** Builds the table on first use. */
function codePageTable(encoding: CodePage): CodePageTable {
  const made = tables.get(encoding) ?? makeTable(encoding);
  tables.set(encoding, made);
  return made;
}

function makeTable(encoding: CodePage): CodePageTable {
  /** Characters by their bytes, and bytes by their character. */
  const characters = new Map<string, string>();
  const codes = new Map<string, string>();
  const take = (unit: string, character: string): void => {
    if (!isOneCharacter(character) || codes.has(character)) return;
    codes.set(character, unit);
    characters.set(unit, character);
  };
  const decodeAll = (text: string): string => {
    const decoder = new TextDecoder(encoding);
    // Node 22.13 decodes windows-1252 as Latin-1 if it decodes everything at once.
    return decoder.decode(Buffer.from(text, 'latin1'), {stream: true}) + decoder.decode();
  };
  const all = allUnits(encoding);
  const texts = decodeAll(all.join('\n')).split('\n');
  for (const [at, unit] of all.entries()) take(unit, texts[at] ?? '');
  return {
    decode: bytes =>
      bytes.toString('latin1').replaceAll(characterPatternOf(encoding), unit => {
        // In GB 18030 four bytes encode the rest of Unicode, so they are looked up on demand.
        if (unit.length === 4 && !characters.has(unit)) take(unit, decodeAll(unit));
        return characters.get(unit) ?? toEscapes(unit);
      }),
    encode(text) {
      let isWhole = true;
      const encoded = text.replaceAll(/[\u{80}-\u{10ffff}]/gu, character => {
        const code = character.charCodeAt(0);
        const isEscape = character.length === 1 && code >= 0xdc00 && code <= 0xdcff;
        const unit = isEscape ? String.fromCharCode(code & 0xff) : codes.get(character);
        isWhole &&= unit !== undefined;
        return unit ?? '';
      });
      return isWhole ? Buffer.from(encoded, 'latin1') : undefined;
    },
  };
}

/** The bytes from `from` to 0xfe. */
const range = (from: number): readonly string[] =>
  Array.from({length: 0xff - from}, (_, at) => String.fromCharCode(from + at));

/** Returns all byte sequences of up to three bytes that may encode a character. */
function allUnits(encoding: CodePage): readonly string[] {
  const isUnit = (unit: string): boolean => unit.match(characterPatternOf(encoding))?.length === 1;
  const firsts = [...range(0x80), '\xff'];
  const short = firsts.flatMap(first => [first, ...range(0x40).map(second => first + second)]);
  const long = range(0xa1).flatMap(second => range(0xa1).map(third => `\x8f${second}${third}`));
  return [...short, ...(encoding === 'euc-jp' ? long : [])].filter(isUnit);
}

const isOneCharacter = (text: string): boolean =>
  !text.includes('\ufffd') && text.isWellFormed() && /^[\u{80}-\u{10ffff}]$/u.test(text);

/** Maps each byte to U+DC00 plus the byte: half a surrogate pair, which valid text never contains. */
const toEscapes = (unit: string): string =>
  unit.replaceAll(/[^]/gu, byte => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));

/** Decodes UTF-8; invalid bytes become escapes. */
const escapeBytes = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replaceAll(characterPatterns['utf-8'], unit =>
      unit.length === 1 ? toEscapes(unit) : Buffer.from(unit, 'latin1').toString('utf8'),
    );

/** Reverses `escapeBytes`. */
const unescapeBytes = (text: string): Buffer =>
  text.isWellFormed()
    ? Buffer.from(text, 'utf8')
    : Buffer.concat(
        text
          .split(/([\udc00-\udcff])/u)
          .map((part, at) => (at % 2 === 0 ? Buffer.from(part, 'utf8') : Buffer.of(part.charCodeAt(0) & 0xff))),
      );

/** The number of bytes to examine: more wouldn't change the guess. */
const maxSampleBytes = 256 * 1024;

/** An encoding needs at least this share of plausible bytes. */
const minShare = 0.6;

/**
 * Guesses the encoding of bytes that are not all UTF-8 and contain no zeros. Compares the share of non-ASCII bytes that are frequent in
 * texts of each encoding. Mostly UTF-8 means UTF-8 with broken bytes; `unknown` if nothing fits well.
 */
function guessEncoding(bytes: Buffer): CodePage | ReadOnlyEncoding | 'utf-8' | 'unknown' {
  const text = bytes.toString('latin1', 0, maxSampleBytes);
  const shares: [CodePage | ReadOnlyEncoding | 'utf-8', number][] = [
    ['utf-8', utf8Share(text)],
    ...multiByteEncodings.map((encoding): [MultiByteEncoding, number] => [encoding, multiByteShare(encoding, text)]),
    ['windows-1252', westernShare(text)],
    ...cyrillicShares(text),
  ];
  let best: readonly [CodePage | ReadOnlyEncoding | 'utf-8' | 'unknown', number] = ['unknown', minShare];
  for (const share of shares) if (share[1] > best[1]) best = share;
  return best[0];
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Legacy text contains such sequences by chance, so only a large share counts as evidence. */
function utf8Share(text: string): number {
  const right = (text.match(characterPatterns['utf-8']) ?? []).reduce(
    (sum, {length}) => sum + (length > 1 ? length : 0),
    0,
  );
  return right === 0 ? 0 : right / count(text, singleBytes);
}

/** Returns 0 if any sequence is invalid, except at the very end, because a character may be cut there. */
function multiByteShare(encoding: MultiByteEncoding, text: string): number {
  let right = 0;
  let found = 0;
  for (const {0: unit, index} of text.matchAll(characterPatterns[encoding])) {
    const first = unit.charCodeAt(0);
    const single = unit.length === 1 && encoding === 'shift_jis' && first >= 0xa1 && first <= 0xdf;
    if (unit.length === 1 && !single) {
      return index >= text.length - 4 && text.length === maxSampleBytes ? right / found : 0;
    }
    found += 1;
    right += weight[encoding](first, text.charCodeAt(index + 1) || 0);
  }
  if (found === 0) return 0;
  // A few characters that Korean and Chinese share are more often Chinese.
  return encoding === 'euc-kr' && found < fewUnits ? (0.95 * right) / found : right / found;
}

const fewUnits = 6;

/** Returns 1 if the bytes are frequent in texts of the encoding, 0 if not. */
const weight: Readonly<Record<MultiByteEncoding, (first: number, second: number) => number>> = {
  // Punctuation, full-width forms, and the 3,755 most frequent characters.
  gb18030: (first, second) =>
    second >= 0xa1 && ((first >= 0xb0 && first <= 0xd7) || first === 0xa1 || first === 0xa3) ? 0.97 : 0,
  // Punctuation, kana and the frequent characters; half-width kana are rare.
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

/** Accented letters stand alone between ASCII letters and spaces. */
function westernShare(text: string): number {
  const runs = (text.match(/[\x80-\xff]{3,}/gu) ?? []).reduce((sum, {length}) => sum + length, 0);
  const right = Math.max(0, count(text, frequentWestern) - runs);
  return right === 0 ? 0 : (0.94 * right) / count(text, singleBytes);
}

const frequentWestern =
  /[\x80\x85\x91-\x94\x96\x97\xa0\xa3\xa7\xa9\xab\xae\xb0\xb5\xb7\xbb\xc0-\xcf\xd1-\xd6\xd8-\xef\xf1-\xf6\xf8-\xfd]/gu;

/**
 * Tells the two Cyrillic encodings apart: words are non-ASCII runs of two or more letters, mostly lowercase, and lowercase letters have
 * different bytes in each.
 */
function cyrillicShares(text: string): readonly ['windows-1251' | 'koi8-r', number][] {
  const high = count(text, singleBytes);
  const lowRow = count(text, /[\xc0-\xdf]/gu);
  const highRow = count(text, /[\xe0-\xff]/gu);
  const inWords = count(text, /(?<=[\xc0-\xff])[\x80-\xff]|[\x80-\xff](?=[\xc0-\xff])/gu);
  if (high < fewUnits || new Set(text).size < fewUnits) return [];
  const share = (0.92 * inWords * (lowRow + highRow)) / (high * high);
  return highRow > 4 * lowRow ? [['windows-1251', share]] : lowRow > 4 * highRow ? [['koi8-r', share]] : [];
}
