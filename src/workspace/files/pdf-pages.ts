import {inflateSync} from 'node:zlib';

/** Bytes that one compressed part may grow to. */
const largestPart = 10_000_000;

/** How many pages a PDF has, as far as it says so openly; `undefined` where it does not (it may be encrypted). */
export function pdfPages(bytes: Buffer): number | undefined {
  const parts = [bytes.toString('latin1'), ...objectStreams(bytes)];
  const pages = parts.reduce((sum, part) => sum + (part.match(/\/Type\s*\/Page(?![A-Za-z])/gu)?.length ?? 0), 0);
  return pages === 0 ? undefined : pages;
}

/** Objects that newer files keep compressed. */
function objectStreams(bytes: Buffer): readonly string[] {
  const text = bytes.toString('latin1');
  const found: string[] = [];
  for (const match of text.matchAll(/\/Type\s*\/ObjStm/gu)) {
    const start = text.indexOf('stream', match.index);
    const end = text.indexOf('endstream', start);
    if (start < 0 || end < 0) break;
    const first = start + 'stream'.length + (text[start + 6] === '\r' ? 2 : 1);
    try {
      found.push(inflateSync(bytes.subarray(first, end), {maxOutputLength: largestPart}).toString('latin1'));
    } catch {
      // Encrypted, or packed in a way that is not understood: its pages are not counted.
    }
  }
  return found;
}
