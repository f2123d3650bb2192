import type {Token, Tokens} from 'marked';
import {visible} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import {grammarOfFence} from '../syntax/grammars.ts';
import {colourFence, colourWhole, type Fence} from '../syntax/colour-code.ts';
import {cellWidth} from '../text/cell-width.ts';
import {hardWrapSpans, noIndent, wrapSpans, wrapText, type Frame, type Span} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {inlineSpans, isKnown} from './inline-spans.ts';
import {tableLines} from './table-lines.ts';

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

/** The next lines of a code fence: kept as they are, cut at the width, set in by two. */
export function renderFence(
  text: string,
  {fence, extent}: {readonly fence: Fence; readonly extent: 'kept' | 'glimpsed'},
  frame: Frame,
): readonly string[] {
  return codeLines(colourFence(visible(text).split('\n'), {fence, extent}), frame);
}

function codeLines(lines: readonly (readonly Span[])[], frame: Frame): readonly string[] {
  const inner = {...frame, width: Math.max(1, frame.width - codeIndent.length)};
  return lines.flatMap(spans =>
    spans.length === 0 ? [''] : hardWrapSpans(spans, inner).map(line => codeIndent + line),
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
  if (!isKnown(token)) return wrapText(token.raw, [], frame);
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return [];
    case 'def':
      // What it defines was read apart from it, so that the names of links stayed as they were written.
      return wrapText(token.raw.trim(), ['dim'], frame);
    case 'heading':
      return wrapSpans(inlineSpans(token.tokens, ['heading'], frame.theme), frame, noIndent);
    case 'paragraph':
      return wrapSpans(inlineSpans(token.tokens, [], frame.theme), frame, noIndent);
    case 'text':
      return wrapSpans(inlineSpans(token.tokens ?? [token], [], frame.theme), frame, noIndent);
    case 'code':
      return codeLines(colourWhole(token.text.split('\n'), grammarOfFence(token.lang ?? '')), frame);
    case 'blockquote':
      return quoteLines(token, frame);
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
      return wrapSpans(inlineSpans([token], [], frame.theme), frame, noIndent);
    default:
      return unreachable(token);
  }
}

/** Cells that must be left for the text of a quote or an item; where there are fewer it is not set in any more. */
const leastRoom = 8;

function quoteLines(quote: Tokens.Blockquote, frame: Frame): readonly string[] {
  const width = frame.width - 2;
  if (width < leastRoom) return blocks(quote.tokens, frame, 'spaced');
  const bar = frame.theme.paint(['dim'], glyphs.quoteBar);
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
  if (width < leastRoom) {
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
