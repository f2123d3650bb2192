import type {MarkedToken, Token, Tokens} from 'marked';
import {unreachable} from '../../base/unreachable.ts';
import {visible} from '../../base/visible.ts';
import type {Span} from '../text/wrap.ts';
import type {Style, Theme} from '../theme/theme.ts';

/** Words, emphasis, code, links and images as spans of text that can be seen. */
export const inlineSpans = (tokens: readonly Token[], roles: readonly Style[], theme: Theme): readonly Span[] =>
  tokens.flatMap(token => spansOf(token, roles, theme));

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
export const isKnown = (token: Token): token is MarkedToken => known.has(token.type);

function spansOf(token: Token, roles: readonly Style[], theme: Theme): readonly Span[] {
  if (!isKnown(token)) return [{text: token.raw, roles}];
  switch (token.type) {
    case 'text':
      return token.tokens === undefined
        ? [{text: readable(token.text), roles}]
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
      return [{text: token.text, roles: [...roles, 'code']}];
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
 * The address is written behind the words wherever they are not it and the terminal shows no links, or where the words look
 * like an address themselves: a link must not say one thing and lead to another.
 */
function linkSpans(link: Tokens.Link, roles: readonly Style[], theme: Theme): readonly Span[] {
  const href = visible(link.href);
  const target = linkTarget(href);
  const words = inlineSpans(link.tokens, [...roles, ...(target === undefined ? [] : [{href: target}]), 'link'], theme);
  const said = words.map(span => span.text).join('');
  if (sameAddress(said, href)) return words;
  const isHidden = theme.links === 'osc8' && target !== undefined && said.trim() !== '' && !looksLikeAddress(said);
  return isHidden ? words : [...words, {text: ` (${href})`, roles: [...roles, 'dim']}];
}

function imageSpans(image: Tokens.Image, roles: readonly Style[], theme: Theme): readonly Span[] {
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

const looksLikeAddress = (words: string): boolean => /\w\.\w|:\/\//u.test(words);

/** The longest address that terminals take. */
const longestTarget = 2048;

/** What the terminal is given to open: only kinds of address that do nothing but show something. */
function linkTarget(href: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/iu.test(href)) return undefined;
  const target = encodeSafely(href);
  return target.length > longestTarget || !/^[!-~]+$/u.test(target) ? undefined : target;
}

/** Percent signs that are there already stay. */
function encodeSafely(text: string): string {
  try {
    return encodeURI(text).replaceAll('%25', '%');
  } catch {
    return text;
  }
}

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

/** The text with its character references read (the parser reads some itself); what they stand for may not steer the terminal. */
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
