import {percentDecoded} from '../../domain/web-url.ts';

/** The maximum depth to which a text in a text is decoded: base64 of a percent-encoded text, and the like. */
const maxDepth = 3;
/** The maximum number of characters in the decoded forms of one text, in multiples of it. */
const maxGrowth = 6;

/**
 * Returns a text and its decoded forms, as a shell, a browser or a program would read it. It decodes base64, hexadecimal digits, percent
 * signs, escapes and entities. It joins pieces that code or a shell joins.
 */
export function decodedForms(text: string): readonly string[] {
  const forms = new Set([text]);
  let left = maxGrowth * text.length + 10_000;
  let depth = new Set([text]);
  for (let level = 0; level < maxDepth; level += 1) {
    const next = new Set([...depth].flatMap(form => decodings.flatMap(decode => decode(form))));
    depth = new Set([...next].filter(form => !forms.has(form) && (left -= form.length) > 0));
    for (const form of depth) forms.add(form);
  }
  return [...forms];
}

type Decoding = (text: string) => readonly string[];

/** Replaces all matches. */
const replacing =
  (form: RegExp, by: (...groups: readonly string[]) => string): Decoding =>
  text => [text.replaceAll(form, by)];

const character = (code: number): string => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : '');

const entities: Readonly<Record<string, string>> = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' '};

const decodings: readonly Decoding[] = [
  text => [percentDecoded(text)],
  replacing(/\\x([\da-f]{2})|\\u\{?([\da-f]{2,6})\}?/giu, (_, byte, point) =>
    character(Number.parseInt(byte ?? point ?? '', 16)),
  ),
  replacing(/\\0?([0-3]?[0-7]{2})/gu, (_, digits) => character(Number.parseInt(digits ?? '', 8))),
  replacing(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,5}));/giu, (all, decimal, hex, name) =>
    name === undefined
      ? character(Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10))
      : (entities[name.toLowerCase()] ?? all ?? ''),
  ),
  // Elements around letters of a page, and pieces in quotes that stand apart.
  replacing(/<\/?[a-z][^<>]{0,200}>/giu, () => ''),
  text => {
    const quoted = [...text.matchAll(/"([^"\n]+)"|'([^'\n]+)'/gu)].map(([, double, single]) => double ?? single ?? '');
    return quoted.length > 1 ? [quoted.join('')] : [];
  },
  text => (/\brev\b|\[::-1\]|reverse/u.test(text) ? [Array.from(text).toReversed().join('')] : []),
  // Invisible letters that models read.
  replacing(/[\u{E0020}-\u{E007E}]/gu, (tag = '') => character((tag.codePointAt(0) ?? 0) - 0xe_00_00)),
  // Pieces that code or a shell joins, and blanks in the forms of URLs and shells.
  replacing(/(["'`])\s*(?:\.\.|[+.,&|])?\s*(["'`])/gu, () => ''),
  replacing(/\$\{?IFS\}?|\+|\$@|\$\*/gu, () => ' '),
  replacing(/;|&&|\|\|/gu, () => ' '),
  withVariables,
  // The beginnings of lines in lists, quotations, transcripts and files.
  replacing(/^[ \t]*(?:\d+[\t→:|]|[$>#*+%•-]|\d+\.)[ \t]*/gmu, () => ''),
  text =>
    [...text.replaceAll(/["'\\\s]+/gu, match => (match.includes('\n') ? '\n' : ' ')).matchAll(base64)].flatMap(
      ([token]) => plainText(Buffer.from(token.replaceAll(/\s/gu, ''), 'base64')),
    ),
  text =>
    [...text.matchAll(/(?:(?:0x|\\x)?[\da-f]{2}[\s:,]*){16,}/giu)].flatMap(([token]) =>
      plainText(Buffer.from(token.replaceAll(/0x|\\x|[^\da-f]/giu, ''), 'hex')),
    ),
];

function withVariables(text: string): readonly string[] {
  const set = [...text.matchAll(/(?<![\w$])([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s;&|]+)/gu)].slice(0, maxVariables);
  const values = new Map(set.map(([, name = '', value = '']) => [name, value.replaceAll(/^["']|["']$/gu, '')]));
  if (values.size === 0) return [];
  return replacing(/\$\{?(\w+)\}?/gu, (all, name) => values.get(name ?? '') ?? all ?? '')(text);
}

const maxVariables = 100;

/** Matches a text in base64, or in the form for URLs, perhaps in several lines of equal length. */
const base64 = /[\w+/-]{20,}(?:\s[\w+/-]{20,})*(?:\s[\w+/-]+)?={0,2}/gu;

/** Returns the text in bytes if it looks like one. Windows writes two bytes for a letter. */
function plainText(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8').replaceAll('\0', '');
  const printable = text.match(/[\t\n\r -~]|[^\0-\u00FF\uFFFD]/gu)?.length ?? 0;
  return text.length >= 12 && printable >= text.length * 0.9 ? [text] : [];
}
