import {util} from 'protobufjs/minimal.js';
import {failed, ok, type Outcome} from '../../base/outcome.ts';

/**
 * The bytes of base64 text in either alphabet, padded or not; line ends in between are passed over. The error is the
 * position of the first character that does not belong, or the length where the text is cut short.
 */
export function decodeBase64(text: string): Outcome<Uint8Array, number> {
  const end = firstAt(text, /[^\w+/\r\n-]/u);
  const padding = text.slice(end);
  const second = padding.indexOf('=', 1);
  const third = second < 0 ? -1 : padding.indexOf('=', second + 1);
  const stray = Math.min(firstAt(padding, /[^=\r\n]/u), third < 0 ? padding.length : third);
  if (stray < padding.length) return failed(end + stray);
  const digits = text.slice(0, end).replaceAll(/[\r\n]/gu, '');
  if (digits.length % 4 === 1) return failed(text.length);
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  util.base64.decode(digits, bytes, 0);
  return ok(bytes);
}

/** Where the text has such a character first; its length where it has none. */
function firstAt(text: string, character: RegExp): number {
  const at = text.search(character);
  return at < 0 ? text.length : at;
}

/** Standard base64, padded. */
export const encodeBase64 = (bytes: Uint8Array): string => util.base64.encode(bytes, 0, bytes.length);
