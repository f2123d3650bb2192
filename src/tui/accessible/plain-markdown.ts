import {pluralize} from '../../base/clip.ts';
import type {Token, Tokens} from 'marked';
import {unreachable} from '../../base/unreachable.ts';
import {visible} from '../../base/visible.ts';
import {inlineSpans, isInlineToken, isKnownToken, type MarkdownLexer} from '../scrollback/render-markdown.ts';
import type {MarkdownPiece} from '../scrollback/split-markdown.ts';
import {spansText} from '../text/wrap.ts';
import {themeOf} from '../theme/theme.ts';

/** Turns finished markdown into lines that read well aloud: structure in words, one line per paragraph. */
export class PlainMarkdown {
  readonly #lexer: MarkdownLexer;
  #inCode = false;

  constructor(lexer: MarkdownLexer) {
    this.#lexer = lexer;
  }

  lines(pieces: readonly MarkdownPiece[]): readonly string[] {
    return pieces.flatMap(piece => {
      switch (piece.kind) {
        case 'block':
          return [
            ...this.close(),
            ...(piece.gap === 'line' ? [''] : []),
            ...blocks(this.#lexer(visible(piece.source))),
          ];
        case 'code-start': {
          const closed = this.close();
          this.#inCode = true;
          return [...closed, '', 'Code:'];
        }
        case 'code-lines':
          return visible(piece.text).split('\n');
        default:
          return unreachable(piece);
      }
    });
  }

  /** Returns the end of an open code block. Must be called before any other lines are printed. */
  close(): readonly string[] {
    if (!this.#inCode) return [];
    this.#inCode = false;
    return ['End of code.'];
  }
}

const blocks = (tokens: readonly Token[]): readonly string[] => tokens.flatMap(blockLines);

function blockLines(token: Token): readonly string[] {
  if (!isKnownToken(token)) return split(token.raw);
  if (isInlineToken(token)) return inline([token]);
  switch (token.type) {
    case 'space':
    case 'checkbox':
    case 'hr':
      return [];
    case 'def':
      return [token.raw.trim()];
    case 'heading':
      return [`Heading: ${inline(token.tokens).join(' ')}`];
    case 'paragraph':
      return inline(token.tokens);
    case 'text':
      return inline(token.tokens ?? [token]);
    case 'code':
      return ['Code:', ...token.text.split('\n'), 'End of code.'];
    case 'blockquote':
      return blocks(token.tokens).map((line, at) => (at === 0 ? `Quote: ${line}` : line));
    case 'list':
      return token.items.flatMap((item, at) => itemLines(item, token.ordered ? `${startOf(token) + at}. ` : '- '));
    case 'list_item':
      return blocks(token.tokens);
    case 'table':
      return tableLines(token);
    case 'html':
      return split(token.text.trimEnd());
    default:
      return unreachable(token);
  }
}

const startOf = ({start}: Tokens.List): number => (start === '' ? 1 : start);

function itemLines(item: Tokens.ListItem, marker: string): readonly string[] {
  const task = item.task ? (item.checked === true ? 'done: ' : 'to do: ') : '';
  const [top = '', ...rest] = blocks(item.tokens);
  return [marker + task + top, ...rest.map(line => `  ${line}`)];
}

/** Each row names its columns, because a listener can't see which column a cell is in. */
function tableLines({header, rows}: Tokens.Table): readonly string[] {
  const names = header.map(cell => inline(cell.tokens).join(' '));
  const count = pluralize(rows.length, 'row');
  return [
    `Table of ${count}, columns: ${names.join(', ')}.`,
    ...rows.map((row, at) => {
      const cells = row.map((cell, column) => `${names[column] ?? ''}: ${inline(cell.tokens).join(' ')}`);
      return `Row ${at + 1}. ${cells.join('; ')}`;
    }),
  ];
}

const inline = (tokens: readonly Token[]): readonly string[] =>
  split(spansText(inlineSpans(tokens, [], themeOf('plain'))));

const split = (text: string): readonly string[] => text.split('\n');
