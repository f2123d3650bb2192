import type {FoundSecret} from './scan-forms.ts';

/** Units of a line, as `base64`, mail programs and keys have them. */
const narrowest = 60;
const widest = 76;

/** Units of a block that still grows, and of a first line that may be one. */
const longestBlock = 16_000;
const tellingLine = 16;

interface Line {
  readonly from: number;
  readonly to: number;
}

/**
 * Base64 in lines of one width: where what a block says (as bytes) is secret, each of its lines is. `openFrom` is where a block
 * stands that may go on behind the text.
 */
export function findWrapped(
  text: string,
  isSecret: (said: string) => boolean,
): {readonly found: readonly FoundSecret[]; readonly openFrom: number} {
  const found: FoundSecret[] = [];
  let block: Line[] = [];
  const close = (): void => {
    if (block.length > 1 && isSecret(decoded(block.map(({from, to}) => text.slice(from, to))))) {
      found.push(...block.map(line => ({...line, name: 'BASE64'})));
    }
    block = [];
  };
  let openFrom = text.length;
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    const line = {from: at, to: text[end - 1] === '\r' && end > at ? end - 1 : end};
    at = end + 1;
    const length = line.to - line.from;
    const [first] = block;
    const width = first === undefined ? widest : first.to - first.from;
    const fits = length > 0 && length <= width && isBase64(text.slice(line.from, line.to));
    if (first !== undefined && fits) block.push(line);
    else close();
    if (block.length === 0 && fits && length >= narrowest) block.push(line);
    if (feed < 0 && fits && (block.length > 0 || length >= tellingLine)) openFrom = block[0]?.from ?? line.from;
    else if (block.length > 1 && length < width) close();
  }
  // The last line was whole: the next one may belong to it.
  const [first] = block;
  if (first !== undefined) openFrom = Math.min(openFrom, first.from);
  close();
  return {found, openFrom: text.length - openFrom > longestBlock ? text.length : openFrom};
}

const isBase64 = (line: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/u.test(line);

const decoded = (lines: readonly string[]): string => Buffer.from(lines.join(''), 'base64').toString('latin1');
