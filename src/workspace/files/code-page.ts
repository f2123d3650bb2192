import {escapeOf} from './escaped-bytes.ts';

export const multiByteEncodings = ['gb18030', 'shift_jis', 'euc-jp', 'euc-kr', 'big5'] as const;
export type MultiByteEncoding = (typeof multiByteEncodings)[number];
type SingleByteEncoding = 'windows-1252' | 'windows-1251' | 'koi8-r';
export type CodePage = MultiByteEncoding | SingleByteEncoding;

/** An encoding of the time before Unicode, there and back. */
export interface CodePageTable {
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
export function unitLength(encoding: CodePage, bytes: Uint8Array, at: number): number {
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
