import type {MarkedToken, Token, Tokens} from 'marked';
import {cellWidth} from '../text/cell-width.ts';
import {visible} from '../../base/visible.ts';
import {hardWrap, noIndent, wrapSpans, wrapText, type Frame, type Span} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/theme.ts';
import {unreachable} from '../../base/unreachable.ts';

/** Reads one block of markdown; loaded after the first frame, because nothing needs it before the first answer. */
export type MarkdownLexer = (source: string) => readonly Token[];

export async function loadMarkdownLexer(): Promise<MarkdownLexer> {
  const {lexer} = await import('marked');
  return source => {
    try {
      return lexer(source);
    } catch {
      // Nesting thousands deep exhausts the parser's stack; such text is shown as it is.
      return [{type: 'text', raw: source, text: source} satisfies Tokens.Text];
    }
  };
}

/** One finished or unfinished block as lines for the screen. Control characters in `source` come out visible. */
export const renderMarkdown = (source: string, lexer: MarkdownLexer, frame: Frame): readonly string[] =>
  blocks(lexer(visible(source)), frame, 'spaced');

/** Lines of a code fence: kept as they are, cut at the width, set in by two. */
export function renderCodeLines(text: string, frame: Frame): readonly string[] {
  const width = Math.max(1, frame.width - codeIndent.length);
  return visible(text)
    .split('\n')
    .flatMap(line => hardWrap(line, width))
    .map(line => (line === '' ? '' : codeIndent + frame.theme.paint(codeRoles, line)));
}

const codeIndent = '  ';
const codeRoles: readonly Role[] = ['code-block'];
const plainRoles: readonly Role[] = [];

/** Unknown token types of a newer parser fall back to their raw text. */
const known: ReadonlySet<string> = new Set([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
]);
const isKnown = (token: Token): token is MarkedToken => known.has(token.type);

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
  if (!isKnown(token)) return wrapText(token.raw, plainRoles, frame);
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return wrapSpans(inline(token.tokens, ['heading']), frame, noIndent);
    case 'paragraph':
      return wrapSpans(inline(token.tokens, plainRoles), frame, noIndent);
    case 'text':
      return wrapSpans(
        token.tokens === undefined ? [{text: token.text, roles: []}] : inline(token.tokens, []),
        frame,
        noIndent,
      );
    case 'code':
      return renderCodeLines(token.text, frame);
    case 'blockquote':
      return prefixed(blocks(token.tokens, narrower(frame, 2), 'spaced'), {
        first: `${frame.theme.paint(['dim'], glyphs.quoteBar)} `,
        rest: `${frame.theme.paint(['dim'], glyphs.quoteBar)} `,
      });
    case 'list':
      return listLines(token, frame);
    case 'list_item':
      return blocks(token.tokens, frame, token.loose ? 'spaced' : 'tight');
    case 'table':
      return tableLines(token, frame);
    case 'hr':
      return [frame.theme.paint(['dim'], '─'.repeat(Math.min(frame.width, 40)))];
    case 'html':
      return wrapText(token.text.trimEnd(), ['dim'], frame);
    case 'strong':
    case 'em':
    case 'del':
    case 'codespan':
    case 'br':
    case 'escape':
    case 'link':
    case 'image':
      return wrapSpans(inline([token], plainRoles), frame, noIndent);
    default:
      return unreachable(token);
  }
}

function listLines(list: Tokens.List, frame: Frame): readonly string[] {
  const lines: string[] = [];
  const first = list.start === '' ? 1 : list.start;
  for (const [at, item] of list.items.entries()) {
    const number = list.ordered ? `${first + at}. ` : `${glyphs.bullet} `;
    const box = item.task ? `${item.checked === true ? glyphs.checkedBox : glyphs.emptyBox} ` : '';
    const marker = number + box;
    const body = blocks(item.tokens, narrower(frame, marker.length), item.loose ? 'spaced' : 'tight');
    if (lines.length > 0 && list.loose) lines.push('');
    lines.push(...prefixed(body.length === 0 ? [''] : body, {first: marker, rest: ' '.repeat(marker.length)}));
  }
  return lines;
}

/** Columns as wide as their contents where that fits; else the widest give way and their cells wrap. */
function tableLines(table: Tokens.Table, frame: Frame): readonly string[] {
  const header = table.header.map(cell => inline(cell.tokens, ['bold']));
  const rows = table.rows.map(row => row.map(cell => inline(cell.tokens, plainRoles)));
  const widths = fitColumns(
    header.map((cell, at) => Math.max(1, ...[cell, ...rows.map(row => row[at] ?? [])].map(spansWidth))),
    frame.width - 3 * (header.length - 1),
  );
  const bar = frame.theme.paint(['dim'], ' │ ');
  const rowLines = (cells: readonly (readonly Span[])[]): readonly string[] => {
    const wrapped = widths.map((width, at) => wrapSpans(cells[at] ?? [], {...frame, width}, noIndent));
    const height = Math.max(...wrapped.map(cell => cell.length));
    return Array.from({length: height}, (_, line) =>
      widths
        .map((width, at) => pad(wrapped[at]?.[line] ?? '', width, table.align[at] ?? 'left'))
        .join(bar)
        .trimEnd(),
    );
  };
  const rule = frame.theme.paint(['dim'], widths.map(width => '─'.repeat(width)).join('─┼─'));
  return [...rowLines(header), rule, ...rows.flatMap(rowLines)].flatMap(line =>
    styledWidth(line) > frame.width ? hardWrap(line.replaceAll(styling, ''), frame.width) : [line],
  );
}

function fitColumns(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - room; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= 3) break;
    widths[widest] = width - 1;
  }
  return widths;
}

function pad(text: string, width: number, align: 'left' | 'center' | 'right'): string {
  const free = Math.max(0, width - styledWidth(text));
  const left = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(free - left);
}

// oxlint-disable-next-line no-control-regex -- SGR begins with ESC
const styling = /\u001B\[[\d;]*m/gu;
const styledWidth = (text: string): number => cellWidth(text.replaceAll(styling, ''));
const spansWidth = (spans: readonly Span[]): number =>
  Math.max(
    0,
    ...spans
      .map(span => span.text)
      .join('')
      .split('\n')
      .map(cellWidth),
  );

function inline(tokens: readonly Token[], roles: readonly Role[]): readonly Span[] {
  return tokens.flatMap(token => inlineSpans(token, roles));
}

function inlineSpans(token: Token, roles: readonly Role[]): readonly Span[] {
  if (!isKnown(token)) return [{text: token.raw, roles}];
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? [{text: unescapeHtml(token.text), roles}] : inline(token.tokens, roles);
    case 'escape':
      return [{text: token.text, roles}];
    case 'strong':
      return inline(token.tokens, [...roles, 'bold']);
    case 'em':
      return inline(token.tokens, [...roles, 'italic']);
    case 'del':
      return inline(token.tokens, [...roles, 'struck']);
    case 'codespan':
      return [{text: token.text, roles: [...roles, 'code']}];
    case 'br':
      return [{text: '\n', roles}];
    case 'link':
      return linkSpans(token, roles);
    case 'image':
      return [{text: `[image: ${token.text === '' ? token.href : token.text}]`, roles: [...roles, 'dim']}];
    case 'html':
      return [{text: token.text, roles}];
    case 'checkbox':
    case 'space':
    case 'def':
      return [];
    case 'paragraph':
    case 'heading':
      return inline(token.tokens, roles);
    case 'blockquote':
    case 'code':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'table':
      return [{text: token.raw, roles}];
    default:
      return unreachable(token);
  }
}

/** The address is always shown where the words are not it: a link must not say one thing and lead to another. */
function linkSpans(link: Tokens.Link, roles: readonly Role[]): readonly Span[] {
  const linkRoles: readonly Role[] = [...roles, 'link'];
  const words = inline(link.tokens, linkRoles);
  if (link.href === link.text || link.href === `mailto:${link.text}`) return words;
  return [...words, {text: ` (${link.href})`, roles: [...roles, 'dim']}];
}

const entities: Readonly<Record<string, string>> = {amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' '};
const unescapeHtml = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/gu, (raw, name: string) => entities[name] ?? raw)
    : text;

function prefixed(lines: readonly string[], {first, rest}: {readonly first: string; readonly rest: string}): string[] {
  return lines.map((line, at) => (at === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line));
}

const narrower = (frame: Frame, cells: number): Frame => ({...frame, width: Math.max(8, frame.width - cells)});
