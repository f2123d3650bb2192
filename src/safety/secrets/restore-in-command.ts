import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {placeholderForm} from './placeholders.ts';

/**
 * Restores secrets in a shell command so that the shell takes each literally. Inside quotes it escapes a secret for these quotes,
 * elsewhere it quotes it. Fails for an unknown placeholder, and for a secret with special characters in a place where quoting is
 * impossible.
 */
export function restoreInCommand(
  command: string,
  valueOf: (placeholder: string) => string | undefined,
): Outcome<string, string> {
  const places = [...command.matchAll(placeholderForm)];
  const quoting = makeQuoting(command);
  let result = '';
  let done = 0;
  for (const {index, 0: placeholder} of places) {
    const value = valueOf(placeholder);
    if (value === undefined) return failed(unknownPlaceholderText([placeholder]));
    const quote = quoting.at(index);
    const put = isHarmless(value) ? value : protect(value, quote);
    if (put === undefined) {
      return failed(
        `${placeholder} contains characters that are special to the shell, in a place where they can't be quoted. Put it in quotes, outside of backquotes, \${…} and here-documents.`,
      );
    }
    // A comment keeps its placeholder.
    result += command.slice(done, index) + (quote === 'comment' ? placeholder : put);
    done = index + placeholder.length;
  }
  return ok(result + command.slice(done));
}

/** Returns the error for the model about placeholders that are not known. */
export const unknownPlaceholderText = (placeholders: readonly string[]): string =>
  `weft no longer knows ${placeholders.join(', ')}. Read the source again, or ask the user.`;

const isHarmless = (value: string): boolean => /^[\w+/.,:@%=-]*$/u.test(value);

type Quote = 'plain' | 'single' | 'double' | 'ansi' | 'comment' | 'other';

function protect(value: string, quote: Quote): string | undefined {
  switch (quote) {
    case 'plain':
      return `'${value.replaceAll("'", String.raw`'\''`)}'`;
    case 'single':
      return value.replaceAll("'", String.raw`'\''`);
    case 'double':
      return value.replaceAll(/[\\$`"]/gu, String.raw`\$&`);
    case 'ansi':
      return value.replaceAll(/[\\']/gu, String.raw`\$&`);
    case 'comment':
      return '';
    case 'other':
      return undefined;
    default:
      return unreachable(quote);
  }
}

/** Finds the quotes around positions in a command. Positions must be queried from left to right. */
function makeQuoting(command: string): {readonly at: (place: number) => Quote} {
  /** The open quotes and brackets, the innermost last. `(` is a substitution or a subshell. */
  const open: ('(' | '"' | "'" | "$'" | '`' | '{' | '#')[] = [];
  let heredoc = false;
  let read = 0;

  function step(): number {
    const char = command[read] ?? '';
    const inside = open.at(-1);
    const next = command.slice(read, read + 2);
    switch (inside) {
      case "'":
        if (char === "'") open.pop();
        return 1;
      case "$'":
        if (char === '\\') return 2;
        if (char === "'") open.pop();
        return 1;
      case '#':
        if (char === '\n') open.pop();
        return 1;
      default:
        break;
    }
    if (char === '\\') return 2;
    if (char === '`') return toggle('`');
    if (char === '"') return toggle('"');
    if (next === '$(') return push('(', 2);
    if (next === '${') return push('{', 2);
    if (inside === '{' && char === '}') open.pop();
    if (inside === '"') return 1;
    if (next === "$'") return push("$'", 2);
    if (char === "'") return push("'", 1);
    if (char === '(') return push('(', 1);
    if (char === ')' && inside === '(') open.pop();
    if (char === '#' && (read === 0 || /[\s;&|(]/u.test(command[read - 1] ?? ''))) return push('#', 1);
    if (next === '<<' && command[read + 2] !== '<') heredoc = true;
    return next === '<<' ? 3 : 1;
  }

  function push(what: (typeof open)[number], length: number): number {
    open.push(what);
    return length;
  }

  function toggle(what: '`' | '"'): number {
    if (open.at(-1) === what) open.pop();
    else open.push(what);
    return 1;
  }

  return {
    at(place) {
      while (read < place) read += step();
      const inside = open.at(-1);
      // A here-document may follow `<<`, and quotes have no meaning in it.
      if (heredoc || read > place || open.includes('`') || open.includes('{')) return 'other';
      switch (inside) {
        case undefined:
        case '(':
          return 'plain';
        case '"':
          return 'double';
        case "'":
          return 'single';
        case "$'":
          return 'ansi';
        case '#':
          return 'comment';
        case '`':
        case '{':
          return 'other';
        default:
          return unreachable(inside);
      }
    },
  };
}
