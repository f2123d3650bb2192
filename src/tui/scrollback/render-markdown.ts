import type {MarkedToken, Token, Tokens} from 'marked';
import {tryOr} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible} from '../../base/visible.ts';
import {cellWidth, styledWidth} from '../text/cell-width.ts';
import {type Frame, noIndent, spansText, type StyledSpan, wrapCode, wrapSpans, wrapText} from '../text/wrap.ts';
import {proseLink} from '../text/file-link.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Style, Theme} from '../theme/theme.ts';
import {highlightFence, highlightCode, type Fence} from './syntax/highlight.ts';
import {grammarOfFence} from './syntax/grammars.ts';

/** Parses one block of markdown. It is loaded after the first frame, because only answers need it. */
export type MarkdownLexer = (source: string) => readonly Token[];

export async function loadMarkdownLexer(): Promise<MarkdownLexer> {
  const {lexer} = await import('marked');
  return source => {
    try {
      return lexer(source);
    } catch {
      // Nesting thousands of levels deep exhausts the parser's stack. Show such text unparsed.
      return [{type: 'text', raw: source, text: source} satisfies Tokens.Text];
    }
  };
}

/** Renders a finished or unfinished block as lines. Control characters in `source` are made visible. */
export const renderMarkdown = (source: string, lexer: MarkdownLexer, frame: Frame): readonly string[] =>
  blocks(lexer(visible(source)), frame, 'spaced');

/** Renders the next lines of a code fence: unchanged, wrapped as code, indented by two. */
export function renderFence(
  text: string,
  {fence, extent}: {readonly fence: Fence; readonly extent: 'kept' | 'glimpsed'},
  frame: Frame,
): readonly string[] {
  return codeLines(highlightFence(visible(text).split('\n'), {fence, extent}), frame);
}

function codeLines(lines: readonly (readonly StyledSpan[])[], frame: Frame): readonly string[] {
  const inner = {...frame, width: Math.max(1, frame.width - codeIndent.length)};
  return lines.flatMap(spans =>
    spans.every(({text}) => text.trim() === '') ? [''] : wrapCode(spans, inner).map(line => codeIndent + line),
  );
}

const codeIndent = '  ';

function blocks(tokens: readonly Token[], frame: Frame, spacing: 'spaced' | 'tight'): readonly string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = blockLines(token, frame);
    if (block.length === 0) continue;
    if (lines.length > 0 && spacing === 'spaced') lines.push('');
    lines.push(...block);
  }
  return lines;
}

function blockLines(token: Token, frame: Frame): readonly string[] {
  if (!isKnownToken(token)) return wrapText(token.raw, [], frame);
  const prose = (tokens: readonly Token[], roles: readonly Style[] = []): readonly string[] =>
    wrapSpans(inlineSpans(tokens, roles, frame.theme), frame, noIndent);
  if (isInlineToken(token)) return prose([token]);
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return [];
    case 'def':
      // Link definitions are rendered as text, because they were parsed apart from the links that use them.
      return wrapText(token.raw.trim(), ['dim'], frame);
    case 'heading':
      return prose(token.tokens, ['heading']);
    case 'paragraph':
      return prose(token.tokens);
    case 'text':
      return prose(token.tokens ?? [token]);
    case 'code':
      return codeLines(highlightCode(token.text.split('\n'), grammarOfFence(token.lang ?? '')), frame);
    case 'blockquote':
      return quoteLines(token, frame);
    case 'list':
      return listLines(token, frame);
    case 'list_item':
      return blocks(token.tokens, frame, token.loose ? 'spaced' : 'tight');
    case 'table':
      return tableLines(token, frame);
    case 'hr':
      return [frame.theme.style(['dim'], '─'.repeat(Math.min(frame.width, 40)))];
    case 'html':
      return wrapText(token.text.trimEnd(), ['dim'], frame);
    default:
      return unreachable(token);
  }
}

/** The minimum width for the text of a quote or a list item, in cells. Below it, nesting adds no more indentation. */
const minRoom = 8;

function quoteLines(quote: Tokens.Blockquote, frame: Frame): readonly string[] {
  const width = frame.width - 2;
  if (width < minRoom) return blocks(quote.tokens, frame, 'spaced');
  const bar = frame.theme.style(['dim'], glyphs.quoteBar);
  return blocks(quote.tokens, {...frame, width}, 'spaced').map(line => (line === '' ? bar : `${bar} ${line}`));
}

function listLines(list: Tokens.List, frame: Frame): readonly string[] {
  const lines: string[] = [];
  const first = list.start === '' ? 1 : list.start;
  for (const [at, item] of list.items.entries()) {
    const number = list.ordered ? `${first + at}. ` : `${glyphs.bullet} `;
    const box = item.task ? `${item.checked === true ? glyphs.checkedBox : glyphs.emptyBox} ` : '';
    if (lines.length > 0 && list.loose) lines.push('');
    lines.push(...itemLines(item, number + box, frame));
  }
  return lines;
}

function itemLines(item: Tokens.ListItem, marker: string, frame: Frame): readonly string[] {
  const indent = cellWidth(marker);
  const width = frame.width - indent;
  const spacing = item.loose ? 'spaced' : 'tight';
  if (width < minRoom) {
    const head = marker.trimEnd();
    const body = blocks(item.tokens, frame, spacing);
    return cellWidth(head) <= frame.width ? [head, ...body] : body;
  }
  const [top = '', ...rest] = blocks(item.tokens, {...frame, width}, spacing);
  return [
    top === '' ? marker.trimEnd() : marker + top,
    ...rest.map(line => (line === '' ? '' : ' '.repeat(indent) + line)),
  ];
}

type Cell = readonly StyledSpan[];

/** The minimum width of a column, in cells. If the columns do not fit, each row becomes a record with one line per cell. */
const minColumn = 6;
const between = ' │ ';

/** Renders a table. If the columns do not fit at full width, the widest ones are narrowed and their cells wrap. */
function tableLines(table: Tokens.Table, frame: Frame): readonly string[] {
  const header = table.header.map(cell => inlineSpans(cell.tokens, ['bold'], frame.theme));
  const rows = table.rows.map(row => row.map(cell => inlineSpans(cell.tokens, [], frame.theme)));
  const natural = header.map((cell, at) => Math.max(1, ...[cell, ...rows.map(row => row[at] ?? [])].map(spansWidth)));
  const room = frame.width - between.length * (header.length - 1);
  const widths = fitColumns(natural, room);
  if (widths === undefined) return recordLines(header, rows, frame);
  const bar = frame.theme.style(['dim'], between);
  const rowLines = (cells: readonly Cell[]): readonly string[] => {
    const wrapped = widths.map((width, at) => wrapSpans(cells[at] ?? [], {...frame, width}, noIndent));
    const height = Math.max(1, ...wrapped.map(cell => cell.length));
    return Array.from({length: height}, (_, line) =>
      widths
        .map((width, at) => pad(wrapped[at]?.[line] ?? '', width, table.align[at] ?? 'left'))
        .join(bar)
        .trimEnd(),
    );
  };
  const rule = frame.theme.style(['dim'], widths.map(width => '─'.repeat(width)).join('─┼─'));
  return [...rowLines(header), rule, ...rows.flatMap(rowLines)];
}

/** Renders each row of a table as lines of `Name: value`, with a rule between rows. */
function recordLines(header: readonly Cell[], rows: readonly (readonly Cell[])[], frame: Frame): readonly string[] {
  const rule = frame.theme.style(['dim'], '─'.repeat(Math.min(frame.width, 12)));
  if (rows.length === 0) return header.flatMap(cell => wrapSpans(cell, frame, noIndent));
  const hanging = {first: '', rest: frame.width >= 16 ? '  ' : '', roles: []};
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [rule]),
    ...header.flatMap((name, column) => {
      const value = row[column] ?? [];
      if (spansWidth(value) === 0) return [];
      return wrapSpans(
        [...name, ...(spansWidth(name) === 0 ? [] : [{text: ': ', roles: []}]), ...value],
        frame,
        hanging,
      );
    }),
  ]);
}

function fitColumns(natural: readonly number[], room: number): readonly number[] | undefined {
  const least = natural.map(width => Math.min(width, minColumn));
  if (least.reduce((sum, width) => sum + width, 0) > room) return undefined;
  // Find the largest width limit at which all columns fit together.
  let most = Math.max(...natural);
  const sumAt = (limit: number): number => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  while (most > 1 && sumAt(most) > room) most--;
  const widths = natural.map(width => Math.min(width, most));
  let free = room - sumAt(most);
  return widths.map((width, at) => {
    const more = free > 0 && (natural[at] ?? 0) > width ? 1 : 0;
    free -= more;
    return width + more;
  });
}

function pad(text: string, width: number, align: 'left' | 'center' | 'right'): string {
  const free = Math.max(0, width - styledWidth(text));
  const left = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(free - left);
}

const spansWidth = (spans: Cell): number => Math.max(0, ...spansText(spans).split('\n').map(cellWidth));

export const inlineSpans = (tokens: readonly Token[], roles: readonly Style[], theme: Theme): readonly StyledSpan[] =>
  tokens.flatMap(token => spansOf(token, roles, theme));

/** Known token types. Unknown ones from a newer parser fall back to their raw text. */
const blockTypes = 'blockquote checkbox code def heading hr html list list_item paragraph space table text'.split(' ');
const inlineTypes = ['br', 'codespan', 'del', 'em', 'escape', 'image', 'link', 'strong'] as const;
const known = new Set<string>([...blockTypes, ...inlineTypes]);
export const isKnownToken = (token: Token): token is MarkedToken => known.has(token.type);

type InlineToken = Extract<MarkedToken, {readonly type: (typeof inlineTypes)[number]}>;
export const isInlineToken = (token: MarkedToken): token is InlineToken =>
  inlineTypes.some(type => type === token.type);

function spansOf(token: Token, roles: readonly Style[], theme: Theme): readonly StyledSpan[] {
  if (!isKnownToken(token)) return [{text: token.raw, roles}];
  switch (token.type) {
    case 'text':
      return token.tokens === undefined
        ? numberSpans(readable(token.text), roles, theme)
        : inlineSpans(token.tokens, roles, theme);
    case 'escape':
      return [{text: token.text, roles}];
    case 'strong':
      return inlineSpans(token.tokens, [...roles, 'bold'], theme);
    case 'em':
      return inlineSpans(token.tokens, [...roles, 'italic'], theme);
    case 'del':
      return inlineSpans(token.tokens, [...roles, 'struck'], theme);
    case 'codespan':
      return [
        {
          text: token.text,
          roles: [
            ...roles,
            ...(roles.some(role => typeof role === 'object') ? [] : proseLink(token.text, theme)),
            'code',
          ],
        },
      ];
    case 'br':
      return [{text: '\n', roles}];
    case 'link':
      return linkSpans(token, roles, theme);
    case 'image':
      return imageSpans(token, roles, theme);
    case 'html':
      return [{text: /^<br\s*\/?>$/iu.test(token.text.trim()) ? '\n' : token.text, roles}];
    case 'checkbox':
    case 'space':
      return [];
    case 'paragraph':
    case 'heading':
      return inlineSpans(token.tokens, roles, theme);
    case 'blockquote':
    case 'code':
    case 'def':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'table':
      return [{text: token.raw, roles}];
    default:
      return unreachable(token);
  }
}

/**
 * Appends the address to a link's text if the terminal has no hyperlinks, or if the text looks like a different address.
 * A link must not show one address and open another.
 */
function linkSpans(link: Tokens.Link, roles: readonly Style[], theme: Theme): readonly StyledSpan[] {
  const href = visible(link.href);
  const target = linkTarget(href);
  const words = inlineSpans(link.tokens, [...roles, ...(target === undefined ? [] : [{href: target}]), 'link'], theme);
  const said = spansText(words);
  if (sameAddress(said, href)) return words;
  const isHidden = theme.links === 'osc8' && target !== undefined && said.trim() !== '' && !looksLikeAddress(said);
  return isHidden ? words : [...words, {text: ` (${href})`, roles: [...roles, 'dim']}];
}

/** A number of a pull request or an issue, after a word that says so. */
const numberedRequest = /(\b(?:PR|pull request|issue|fixes|closes|resolves) )(#([1-9]\d{0,5})\b)/giu;

/** Returns a text whose numbers of pull requests link to their pages. GitHub leads on to an issue of that number. */
function numberSpans(text: string, roles: readonly Style[], {repository}: Theme): readonly StyledSpan[] {
  if (repository === '' || !text.includes('#') || roles.some(role => typeof role === 'object')) return [{text, roles}];
  const spans: StyledSpan[] = [];
  let end = 0;
  for (const {0: whole, 1: word = '', 2: shown = '', 3: number = '', index} of text.matchAll(numberedRequest)) {
    spans.push({text: text.slice(end, index) + word, roles});
    spans.push({text: shown, roles: [...roles, {href: `${repository}/pull/${number}`}, 'link']});
    end = index + whole.length;
  }
  return [...spans, {text: text.slice(end), roles}];
}

function imageSpans(image: Tokens.Image, roles: readonly Style[], theme: Theme): readonly StyledSpan[] {
  const href = visible(image.href);
  const target = linkTarget(href);
  const linked: readonly Style[] = target === undefined ? [] : [{href: target}];
  const said = readable(image.text);
  const label = {text: said === '' ? '[image]' : `[image: ${said}]`, roles: [...roles, ...linked, 'dim' as const]};
  return theme.links === 'osc8' && target !== undefined && !looksLikeAddress(said)
    ? [label]
    : [label, {text: `(${href})`, roles: [...roles, 'dim']}];
}

const sameAddress = (said: string, href: string): boolean =>
  href === said || href === `mailto:${said}` || href === `http://${said}` || href === encodeSafely(said);

export const looksLikeAddress = (words: string): boolean => /\w\.\w|:\/\//u.test(words);

const longestTarget = 2048;

/** Returns the address of a link, or `undefined` for schemes other than http, https and mailto, which may do more than show a page. */
function linkTarget(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/iu.test(href)) return undefined;
  const target = encodeSafely(href);
  return target.length > longestTarget || !/^[!-~]+$/u.test(target) ? undefined : target;
}

/** Percent-encodes an address, but leaves existing percent signs. */
const encodeSafely = (text: string): string => tryOr(() => encodeURI(text).replaceAll('%25', '%'), text);

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  larr: '←',
  rarr: '→',
  times: '×',
  bull: '•',
  middot: '·',
};

/** Decodes character references that the parser left, and makes control characters visible. */
const readable = (text: string): string =>
  visible(text.includes('&') ? text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/giu, characterOf) : text);

function characterOf(
  raw: string,
  decimal: string | undefined,
  hex: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) return entities[name] ?? raw;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : raw;
}
