import {isUtf8} from 'node:buffer';
import {unreachable} from '../../base/unreachable.ts';

/** How the bytes of a text file stand for text. `bytes-as-latin1` is for what is no Unicode: only its ASCII part is understood. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'bytes-as-latin1';

export interface TextForm {
  readonly encoding: TextEncoding;
  readonly mark: 'byte-order-mark' | 'no-mark';
}

export interface DecodedText {
  readonly form: TextForm;
  readonly text: string;
}

export const plainForm: TextForm = {encoding: 'utf-8', mark: 'no-mark'};

/** The encoding a byte order mark names, if there is one. */
export function markedEncoding(start: Uint8Array): Exclude<TextEncoding, 'bytes-as-latin1'> | undefined {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return 'utf-8';
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** Decodes without loss: `encodeText` gives back the same bytes. */
export function decodeText(bytes: Buffer): DecodedText {
  const marked = markedEncoding(bytes);
  if (marked === 'utf-8' && isUtf8(bytes)) {
    return {form: {encoding: 'utf-8', mark: 'byte-order-mark'}, text: bytes.toString('utf8', 3)};
  }
  if ((marked === 'utf-16le' || marked === 'utf-16be') && bytes.length % 2 === 0) {
    const little = marked === 'utf-16le' ? bytes : Buffer.from(bytes).swap16();
    return {form: {encoding: marked, mark: 'byte-order-mark'}, text: little.toString('utf16le', 2)};
  }
  return isUtf8(bytes)
    ? {form: plainForm, text: bytes.toString('utf8')}
    : {form: {encoding: 'bytes-as-latin1', mark: 'no-mark'}, text: bytes.toString('latin1')};
}

export function encodeText({form, text}: DecodedText): Buffer {
  const marked = form.mark === 'byte-order-mark' ? `\ufeff${text}` : text;
  switch (form.encoding) {
    case 'utf-8':
      return Buffer.from(marked, 'utf8');
    case 'utf-16le':
      return Buffer.from(marked, 'utf16le');
    case 'utf-16be':
      return Buffer.from(marked, 'utf16le').swap16();
    case 'bytes-as-latin1':
      return Buffer.from(text, 'latin1');
    default:
      return unreachable(form.encoding);
  }
}
