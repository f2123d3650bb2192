import {mayNameSecret} from '../secret-paths.ts';

/**
 * The names, or endings such as `*.ts`, that a find is told to look for, with a `|` between them; `undefined` where others may be
 * among what it finds. Its patterns reach hidden files too.
 */
export function soughtNames(texts: readonly string[]): string | undefined {
  const from = texts.indexOf('(');
  const to = texts.indexOf(')');
  const isGroup = from >= 0 && to > from && texts.slice(from, to).some(isOr);
  // Outside of the parentheses nothing may widen the search.
  const outside = isGroup ? [...texts.slice(0, from), ...texts.slice(to + 1)] : texts;
  if (outside.some(isOr)) return undefined;
  return isGroup ? alternatives(texts.slice(from + 1, to), texts[from - 1]) : singleName(texts);
}

const isOr = (text: string): boolean => /^(?:-or?|,)$/u.test(text);

const isNegation = (text: string | undefined): boolean => text === '!' || text === '-not';

function singleName(texts: readonly string[]): string | undefined {
  const at = texts.findIndex((text, index) => /^-i?name$/u.test(text) && !isNegation(texts[index - 1]));
  const name = texts[at + 1];
  return at >= 0 && name !== undefined && isEnding(name) ? name : undefined;
}

/** `-name '*.ts' -o -name '*.tsx'`. */
function alternatives(texts: readonly string[], before: string | undefined): string | undefined {
  if (isNegation(before) || texts.length % 3 !== 2) return undefined;
  const fits = texts.every((text, at) =>
    at % 3 === 0 ? /^-i?name$/u.test(text) : at % 3 === 1 ? isEnding(text) : /^-or?$/u.test(text),
  );
  return fits ? texts.filter((_, at) => at % 3 === 1).join('|') : undefined;
}

const isEnding = (name: string): boolean => /\.\w+$/u.test(name) && !name.includes('|');

export const seekSecrets = (names: string): boolean =>
  names.split('|').some(name => mayNameSecret(name, 'like other characters'));

/** Programs that tell little of what is in files, or only the lines that were searched for. */
export const tellsLittle: ReadonlySet<string> = new Set(
  'grep egrep fgrep wc ls stat du file basename dirname realpath readlink echo md5sum sha1sum sha256sum cksum test'.split(
    ' ',
  ),
);
