import {failed, ok, type Outcome} from '../../base/outcome.ts';

/**
 * The bytes of base64 text in either alphabet, padded or not; line ends in between are passed over. The error is the
 * position of the first character that does not belong, or the length where the text is cut short.
 */
export function decodeBase64(text: string): Outcome<Uint8Array, number> {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let length = 0;
  let at = 0;
  // Four characters at a time, as long as they are nothing else.
  for (; at + 4 <= text.length; at += 4) {
    const a = valueAt(text, at);
    const b = valueAt(text, at + 1);
    const c = valueAt(text, at + 2);
    const d = valueAt(text, at + 3);
    if ((a | b | c | d) > 63) break;
    bytes[length] = (a << 2) | (b >> 4);
    bytes[length + 1] = (b << 4) | (c >> 2);
    bytes[length + 2] = (c << 6) | d;
    length += 3;
  }
  return withEnd({text, at, bytes, length});
}

const valueAt = (text: string, at: number): number => values[text.charCodeAt(at)] ?? stranger;

/** Goes on character by character: through line ends, the last characters and the padding. */
function withEnd(start: {
  readonly text: string;
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}): Outcome<Uint8Array, number> {
  const {text, bytes} = start;
  let {at, length} = start;
  let bits = 0;
  let held = 0;
  for (; at < text.length; at += 1) {
    const value = valueAt(text, at);
    if (value < 64) {
      held = (held << 6) | value;
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        bytes[length] = held >> bits;
        length += 1;
        held &= (1 << bits) - 1;
      }
    } else if (value === padding) break;
    else if (value === stranger) return failed(at);
  }
  for (let pads = 0; at < text.length; at += 1) {
    const value = valueAt(text, at);
    if (value === padding) pads += 1;
    if (pads > 2 || (value !== padding && value !== blank)) return failed(at);
  }
  return bits === 6 ? failed(text.length) : ok(bytes.subarray(0, length));
}

/** Standard base64, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + pieceBytes))));
  }
  return pieces.join('');
}

/** A multiple of 3, so that pieces can be joined, and few enough to be arguments of one call. */
const pieceBytes = 0x60_00;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const stranger = 255;
const padding = 254;
const blank = 253;

/** By UTF-16 unit: all of them, so that a look-up never misses. */
const values = new Uint8Array(65_536).fill(stranger);
for (let index = 0; index < alphabet.length; index += 1) values[alphabet.charCodeAt(index)] = index;
for (const [characters, value] of [
  ['+-', 62],
  ['/_', 63],
  ['=', padding],
  ['\r\n', blank],
] as const) {
  for (const character of characters) values[character.charCodeAt(0)] = value;
}
