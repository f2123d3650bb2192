/**
 * Whether a sed script is known to do nothing but print, delete and change lines: `p`, `d`, `s/…/…/` and the like with their
 * addresses. Commands that write, read or run (`w`, `r`, `e`), also as flags of `s`, and everything else are not.
 */
export function isHarmlessSed(script: string): boolean {
  let rest = script;
  while (rest !== '') {
    const next = step(rest);
    if (next === undefined || next === rest) return false;
    rest = next;
  }
  return true;
}

/** The script behind its first command, or `undefined` when that is not a harmless one. */
function step(script: string): string | undefined {
  const blank = /^[\s;}]+/u.exec(script);
  if (blank !== null) return script.slice(blank[0].length);
  const addressed = afterAddresses(script);
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
      return afterSubstitution(after);
    case 'y': {
      const parts = delimited(after, 2);
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

function afterAddresses(script: string): string | undefined {
  const first = afterAddress(script);
  if (first === undefined) return undefined;
  const comma = /^\s*,\s*/u.exec(first);
  if (comma === null) return first;
  const rest = first.slice(comma[0].length);
  const relative = /^[+~]\d+/u.exec(rest);
  if (relative !== null) return rest.slice(relative[0].length);
  const second = afterAddress(rest);
  return second === rest ? undefined : second;
}

function afterAddress(script: string): string | undefined {
  const line = /^(?:\d+(?:~\d+)?|\$)/u.exec(script);
  if (line !== null) return script.slice(line[0].length);
  const custom = script.startsWith('\\');
  if (!custom && !script.startsWith('/')) return script;
  const rest = delimited(custom ? script.slice(1) : script, 1);
  return rest === undefined ? undefined : rest.replace(/^[IM]+/u, '');
}

function afterSubstitution(script: string): string | undefined {
  const rest = delimited(script, 2);
  // `e` runs what was put in, `w` writes it.
  return rest === undefined ? undefined : afterMatch(rest, /^[gpiImM0-9]*[ \t]*(?=[;\n}]|$)/u);
}

/** What follows so many parts that are set off by the first character. A line end in one of them is left to the user. */
function delimited(text: string, parts: number): string | undefined {
  const sign = text.charAt(0);
  if (!/^[/#|,:@!%+~_=-]$/u.test(sign)) return undefined;
  let at = 1;
  for (let part = 0; part < parts; part += 1) {
    const end = partEnd(text, {from: at, sign});
    if (end === undefined) return undefined;
    at = end + 1;
  }
  return text.slice(at);
}

/**
 * The position of the closing sign. Seds differ in whether one inside a bracket expression closes; both readings must agree, so
 * a part with a bracket expression that holds the sign is not taken.
 */
function partEnd(text: string, {from, sign}: {readonly from: number; readonly sign: string}): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\n') return undefined;
    if (char === '\\') at += 1;
    else if (char === sign) {
      const open = text.lastIndexOf('[', at);
      const inBrackets = open >= from && !text.slice(open + 1, at).includes(']');
      return inBrackets ? undefined : at;
    }
  }
  return undefined;
}
