import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {placeholderForm} from './placeholders.ts';

/**
 * Restores secrets in a shell command so that each stays the text it is, whatever characters it has: inside quotes it is escaped as these
 * quotes need it, elsewhere it is quoted. It fails for a placeholder that is not known, and for a secret with special characters in a
 * place where nothing can protect them.
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
        `${placeholder} holds characters that are special to the shell, and stands where they cannot be protected; put it between quotes, outside of backquotes, \${…} and here-documents.`,
      );
    }
    // In a comment the placeholder stays.
    result += command.slice(done, index) + (quote === 'comment' ? placeholder : put);
    done = index + placeholder.length;
  }
  return ok(result + command.slice(done));
}

/** Says to the model why a text with these placeholders cannot be used. */
export const unknownPlaceholderText = (placeholders: readonly string[]): string =>
  `${placeholders.join(', ')} stands for no secret that weft knows any more; read again what it came from, or ask the user.`;

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

/** Finds the quotes around places of a command, which have to be asked for from left to right. */
function makeQuoting(command: string): {readonly at: (place: number) => Quote} {
  /** The quotes and brackets that are open, the innermost last; `(` is a substitution or a subshell. */
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
      // Behind `<<` there may be the text of a here-document, where quotes have no meaning.
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
