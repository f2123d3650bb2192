import {bracketEnd} from './bracket-end.ts';

/**
 * Whether an awk script surely does nothing but print what it is given: no commands, pipes, files or environment. The words it
 * may not have are looked for everywhere, in strings too; what `>` and `|` mean is only told where quoting is plain.
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
  // In the head of a loop `print x > "y"` stands between parentheses.
  if (code === undefined || /\([^)]*\bprintf?\b/u.test(code)) return false;
  return callsAreKnown(script) && !hasPipe(code) && !hasOutput(code);
}

/** Without strings or regular expressions; `undefined` where the two, comments or divisions could be taken for one another. */
function withoutTexts(script: string): string | undefined {
  // A slash between brackets does not end an expression.
  if (hasSlashInBrackets(script)) return undefined;
  if (/[#\\]/u.test(script.replaceAll(/\\[nt".|/]/gu, ''))) return undefined;
  if (!script.includes('/')) return stripped(script, /"(?:[^"\\\n]|\\.)*"/gu, '"');
  if (!script.includes('"')) {
    // A slash begins an expression only where no value stands before it.
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

/** A `>` that is no comparison: in an action and outside of parentheses it may name a file. */
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
