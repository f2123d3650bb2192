/**
 * True if a sed script only prints, deletes and changes lines: `p`, `d`, `s/…/…/` and the like with their addresses. Commands
 * that write, read or run (`w`, `r`, `e`) are not allowed, not even as flags of `s`. Versions of sed differ in whether a slash
 * between brackets ends an expression: the script must be harmless in both readings, or rejected by sed in one.
 */
export const isHarmlessSed = (script: string): boolean =>
  readingOf(script, 'counts') === 'harmless' && (!script.includes('[') || readingOf(script, 'is text') !== 'unsure');

/** How an opening bracket in an expression is read. */
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

/** Represents the rest of a script that every sed rejects. */
const refused = '\0';

/** Returns the script after its first command, or `undefined` if that command is not harmless. */
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
  // The flag `e` runs the result, `w` writes it to a file.
  return rest === undefined ? undefined : afterMatch(rest, /^[gpiImM0-9]*[ \t]*(?=[;\n}]|$)/u);
}

/**
 * Returns the text after `parts` parts, which the first character separates. Returns `undefined` if a part contains a line end.
 */
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

/** The position of the closing separator. In a replacement brackets have no meaning. */
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
      // Versions of sed differ in what a backslash before a bracket or the separator means.
      if (end === undefined || /\n|\\\]/u.test(text.slice(at, end))) return undefined;
      at = end - 1;
    }
  }
  return undefined;
}

/**
 * True if an awk script only prints its input: it uses no commands, pipes, files or environment. The forbidden words are searched
 * for everywhere, even in strings. `>` and `|` are understood only if the quoting is plain.
 */
export function isHarmlessAwk(script: string): boolean {
  if (
    /@|\b(?:system|getline|close|fflush|ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB|func|function|extension|load)\b/u.test(
      script,
    )
  ) {
    return false;
  }
  if (!/[|>]/u.test(script)) return callsAreKnown(script);
  const code = withoutTexts(script);
  // In the head of a loop, `print x > "y"` is in parentheses.
  if (code === undefined || /\([^)]*\bprintf?\b/u.test(code)) return false;
  return callsAreKnown(script) && !hasPipe(code) && !hasOutput(code);
}

/**
 * Returns the script without strings and regular expressions, or `undefined` if these, comments and divisions could be confused.
 */
function withoutTexts(script: string): string | undefined {
  // A slash between brackets does not end an expression.
  if (hasSlashInBrackets(script)) return undefined;
  if (/[#\\]/u.test(script.replaceAll(/\\[nt".|/]/gu, ''))) return undefined;
  if (!script.includes('/')) return stripped(script, /"(?:[^"\\\n]|\\.)*"/gu, '"');
  if (!script.includes('"')) {
    // A slash begins an expression only if no value precedes it.
    return /[\w)\]$]\s*\//u.test(script.replaceAll(/\/(?:[^/\\\n]|\\.)*\//gu, ''))
      ? undefined
      : stripped(script, /(?<=^\s*|[{}(,;!~&|\n]\s*)\/(?:[^/\\\n]|\\.)*\//gu, '/');
  }
  const [, before = '', expression = '', rest = ''] =
    /^(\s*!?\s*)\/((?:[^/"\\\n]|\\[^"])*)\/([^/]*)$/u.exec(script) ?? [];
  return expression === '' ? undefined : stripped(before + rest, /"(?:[^"\\\n]|\\.)*"/gu, '"');
}

function hasSlashInBrackets(script: string): boolean {
  for (let at = script.indexOf('['); at >= 0; at = script.indexOf('[', at + 1)) {
    const end = bracketEnd(script, at);
    if (script.slice(at, end).includes('/')) return true;
  }
  return false;
}

function stripped(script: string, pattern: RegExp, sign: string): string | undefined {
  const rest = script.replaceAll(pattern, ' ');
  return rest.includes(sign) ? undefined : rest;
}

const hasPipe = (code: string): boolean => code.replaceAll('||', '').includes('|');

/** True if a `>` is not a comparison: in an action, outside parentheses, it may write a file. */
function hasOutput(code: string): boolean {
  let braces = 0;
  let parentheses = 0;
  for (const [at, char] of Array.from(code).entries()) {
    if (char === '{') braces += 1;
    else if (char === '}') braces -= 1;
    else if (char === '(') parentheses += 1;
    else if (char === ')') parentheses -= 1;
    else if (char === '>' && braces > 0 && parentheses <= 0 && !code.startsWith('>=', at)) return true;
    if (code.startsWith('>>', at) || parentheses < 0 || braces < 0) return true;
  }
  return false;
}

const callsAreKnown = (script: string): boolean =>
  [...script.matchAll(/([A-Za-z_]\w*)\(/gu)].every(([, name = '']) => functions.has(name));

const functions: ReadonlySet<string> = new Set(
  (
    'length substr index split tolower toupper sub gsub match sprintf int sqrt exp log sin cos atan2 rand srand print printf if while for ' +
    'gensub strftime systime mktime asort asorti strtonum and or xor not return exit in'
  ).split(' '),
);

/** True if a jq or yq filter uses only its input, and not the environment, other files or modules. */
export const isHarmlessJq = (filter: string): boolean =>
  !/\$ENV|\$__prog|\b(?:env|strenv|envsubst|load\w*|import|include|modulemeta|input_filename|get_search_list|getpath_file|halt_error|eval|system)\b/u.test(
    filter,
  );

/**
 * Returns the position after the `]` of the bracket expression that begins with the `[` at `from`, or `undefined` if it does not
 * end. A `]` directly after the opening does not end it, nor does one of `[:alpha:]` and the like.
 */
function bracketEnd(text: string, from: number): number | undefined {
  bracket.lastIndex = from;
  const match = bracket.exec(text);
  return match === null ? undefined : from + match[0].length;
}

const bracket = /\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]/uy;
