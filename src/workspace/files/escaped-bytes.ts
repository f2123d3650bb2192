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

export const escapeOf = (byte: number): string => String.fromCharCode(0xdc00 + byte);

/** The length of the UTF-8 sequence that begins at `at`; 0 where none does. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
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
