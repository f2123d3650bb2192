import {isUtf8} from 'node:buffer';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {
  codePageTable,
  escapeBytes,
  guessEncoding,
  isReadOnlyEncoding,
  unescapeBytes,
  type CodePage,
  type ReadOnlyEncoding,
} from './code-pages.ts';

/**
 * How the bytes of a text file stand for text. What a byte that fits nowhere stands for is an escape of its own (see
 * `escapeBytes`), so that decoding loses nothing. In `unknown` only ASCII is understood.
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

export const plainForm: TextForm = {encoding: 'utf-8', mark: 'no-mark'};

/** The name of an encoding for people and models. */
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

/** What the first bytes of a file, or all of them, say of its form; `undefined` for what is no text. */
export function formOf(bytes: Buffer, part: 'all' | 'start'): TextForm | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return {encoding: 'utf-8', mark: 'byte-order-mark'};
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return {encoding: 'utf-16le', mark: 'byte-order-mark'};
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return {encoding: 'utf-16be', mark: 'byte-order-mark'};
  if (bytes.includes(0)) {
    const encoding = unmarkedUtf16(bytes);
    return encoding === undefined ? undefined : {encoding, mark: 'no-mark'};
  }
  const whole = part === 'all' ? bytes : withoutSplitCharacter(bytes);
  return {encoding: isUtf8(whole) ? 'utf-8' : guessEncoding(whole), mark: 'no-mark'};
}

/**
 * Decodes without loss (`encodeText` gives back the same bytes), but for encodings that are only read. Fails, with nothing to say,
 * for what is no text.
 */
export function decodeText(bytes: Buffer): Outcome<DecodedText, 'binary'> {
  const form = formOf(bytes, 'all');
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

/** Why a file of this encoding is not edited, as the end of a sentence that begins with its name; `undefined` where it may be. */
export const whyNotEdited = (encoding: TextEncoding): string | undefined =>
  isReadOnlyEncoding(encoding)
    ? `it is ${encodingNames[encoding]}, which weft reads but does not write. Convert it first ` +
      `(iconv -f ${encoding.toUpperCase()} -t UTF-8), or change it with a command.`
    : undefined;

/** `undefined` where the encoding has no bytes for a character of the text, and for encodings that are only read. */
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

/** Western text in UTF-16 has a zero in every second byte, and nowhere else. */
function unmarkedUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
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

/** A chunk may end within a character: up to three bytes of it are left out. */
function withoutSplitCharacter(bytes: Buffer): Buffer {
  for (let cut = 1; cut <= 3 && cut <= bytes.length; cut += 1) {
    const byte = bytes[bytes.length - cut] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - cut);
  }
  return bytes;
}
