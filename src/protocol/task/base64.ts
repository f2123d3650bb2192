import {util} from 'protobufjs/minimal.js';
import {failed, ok, type Outcome} from '../../base/outcome.ts';

/**
 * Decodes base64 in either alphabet, with or without padding. Line breaks are skipped. The error is the position of
 * the first invalid character, or the length if the text is truncated.
 */
export function decodeBase64(text: string): Outcome<Uint8Array, number> {
  const end = indexOfFirst(text, /[^\w+/\r\n-]/u);
  const padding = text.slice(end);
  const second = padding.indexOf('=', 1);
  const third = second < 0 ? -1 : padding.indexOf('=', second + 1);
  const stray = Math.min(indexOfFirst(padding, /[^=\r\n]/u), third < 0 ? padding.length : third);
  if (stray < padding.length) return failed(end + stray);
  const digits = text.slice(0, end).replaceAll(/[\r\n]/gu, '');
  if (digits.length % 4 === 1) return failed(text.length);
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  util.base64.decode(digits, bytes, 0);
  return ok(bytes);
}

/** Returns the index of the first such character, or the length if there is none. */
function indexOfFirst(text: string, character: RegExp): number {
  const at = text.search(character);
  return at < 0 ? text.length : at;
}

/** Encodes as standard base64 with padding. */
export const encodeBase64 = (bytes: Uint8Array): string => util.base64.encode(bytes, 0, bytes.length);
