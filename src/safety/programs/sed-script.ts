import {bracketEnd} from './bracket-end.ts';

/**
 * Whether a sed script is known to do nothing but print, delete and change lines: `p`, `d`, `s/…/…/` and the like with their
 * addresses. Commands that write, read or run (`w`, `r`, `e`), also as flags of `s`, and everything else are not. Seds differ in
 * whether a slash between brackets ends an expression: the other reading must be harmless, too, or one that sed refuses.
 */
export const isHarmlessSed = (script: string): boolean =>
  readingOf(script, 'counts') === 'harmless' && (!script.includes('[') || readingOf(script, 'is text') !== 'unsure');

/** What an opening bracket does in an expression. */
type Bracket = 'counts' | 'is text';

function readingOf(script: string, bracket: Bracket): 'harmless' | 'refused' | 'unsure' {
  let rest = script;
  while (rest !== '') {
    const next = step(rest, bracket);
    if (next === refused) return 'refused';
    if (next === undefined || next === rest) return 'unsure';
    rest = next;
  }
  return 'harmless';
}

/** Stands for a rest that no sed takes. */
const refused = '\0';

/** The script behind its first command, or `undefined` when that is not a harmless one. */
function step(script: string, bracket: Bracket): string | undefined {
  const blank = /^[\s;}]+/u.exec(script);
  if (blank !== null) return script.slice(blank[0].length);
  const addressed = afterAddresses(script, bracket);
  if (addressed === undefined) return undefined;
  const rest = addressed.replace(/^\s*!?\s*/u, '');
  const command = rest.charAt(0);
  const after = rest.slice(1);
  switch (command) {
    case '':
      return undefined;
    case '{':
      return after;
    case ':':
    case 'b':
    case 't':
    case 'T':
      return afterMatch(after, /^[ \t]*[A-Za-z0-9_]*[ \t]*(?=[;\n}]|$)/u);
    case 's':
      return afterSubstitution(after, bracket);
    case 'y': {
      const parts = delimited(after, {parts: 2, bracket: 'is text'});
      return parts === undefined ? undefined : ended(parts);
    }
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      return afterMatch(after, /^[ \t]*\d*[ \t]*(?=[;\n}]|$)/u);
    default:
      return /^[pPdDnNgGhHxz=]$/u.test(command) ? ended(after) : undefined;
  }
}

const ended = (rest: string): string | undefined => afterMatch(rest, /^[ \t]*(?=[;\n}]|$)/u);

function afterMatch(text: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(text);
  return match === null ? undefined : text.slice(match[0].length);
}

function afterAddresses(script: string, bracket: Bracket): string | undefined {
  const first = afterAddress(script, bracket);
  if (first === undefined) return undefined;
  const comma = /^\s*,\s*/u.exec(first);
  if (comma === null) return first;
  const rest = first.slice(comma[0].length);
  const relative = /^[+~]\d+/u.exec(rest);
  if (relative !== null) return rest.slice(relative[0].length);
  const second = afterAddress(rest, bracket);
  return second === rest ? undefined : second;
}

function afterAddress(script: string, bracket: Bracket): string | undefined {
  const line = /^(?:\d+(?:~\d+)?|\$)/u.exec(script);
  if (line !== null) return script.slice(line[0].length);
  const custom = script.startsWith('\\');
  if (!custom && !script.startsWith('/')) return script;
  const rest = delimited(custom ? script.slice(1) : script, {parts: 1, bracket});
  return rest === undefined ? undefined : rest.replace(/^[IM]+/u, '');
}

function afterSubstitution(script: string, bracket: Bracket): string | undefined {
  const rest = delimited(script, {parts: 2, bracket});
  if (rest !== undefined && /^[gpiImM0-9]*[^gpiImMeEw0-9\s;}#]/u.test(rest)) return refused;
  // `e` runs what was put in, `w` writes it.
  return rest === undefined ? undefined : afterMatch(rest, /^[gpiImM0-9]*[ \t]*(?=[;\n}]|$)/u);
}

/** What follows so many parts that are set off by the first character. A line end in one of them is left to the user. */
function delimited(
  text: string,
  {parts, bracket}: {readonly parts: number; readonly bracket: Bracket},
): string | undefined {
  const sign = text.charAt(0);
  if (!/^[/#|,:@!%+~_=-]$/u.test(sign)) return undefined;
  let at = 1;
  for (let part = 0; part < parts; part += 1) {
    const end = partEnd(text, {from: at, sign, bracket: part === 0 ? bracket : 'is text'});
    if (end === undefined) return undefined;
    at = end + 1;
  }
  return text.slice(at);
}

/** The position of the closing sign. A replacement has no brackets that count. */
function partEnd(
  text: string,
  {from, sign, bracket}: {readonly from: number; readonly sign: string; readonly bracket: Bracket},
): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\n') return undefined;
    if (char === '\\') at += 1;
    else if (char === sign) return at;
    else if (char === '[' && bracket === 'counts') {
      const end = bracketEnd(text, at);
      // A backslash before a bracket or the sign means one thing to some seds and another to others.
      if (end === undefined || /\n|\\\]/u.test(text.slice(at, end))) return undefined;
      at = end - 1;
    }
  }
  return undefined;
}
