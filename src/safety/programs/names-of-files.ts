import {mayNameSecret} from '../secret-paths.ts';
import type {Told} from '../shell/argument.ts';

/**
 * The names, or endings such as `*.ts`, that a find is told to look for, with a `|` between them; `undefined` where others may be
 * among what it finds. Its patterns reach hidden files too.
 */
export function soughtNames(texts: readonly string[]): string | undefined {
  const {group, outside} = conjunction(texts);
  if (outside === undefined) return undefined;
  return group.length > 0 ? alternatives(group) : singleName(outside);
}

/** What a find tells of that is given these words. `folders` are those it is given to look in. */
export function toldByFind(folders: readonly string[], texts: readonly string[]): Told {
  const deepest = Number(/^\d+$/u.exec(texts[texts.indexOf('-maxdepth') + 1] ?? '')?.[0] ?? Infinity);
  const depth = texts.filter(text => text === '-maxdepth').length === 1 ? deepest : Infinity;
  const {outside = []} = conjunction(texts);
  const onlyFiles = outside.some(
    (text, at) => text === '-type' && outside[at + 1] === 'f' && !isNegation(outside[at - 1]),
  );
  return {
    below: (folders.length === 0 ? ['.'] : folders).map(folder => ({folder, depth})),
    hidden: 'with them',
    links: onlyFiles ? 'none' : 'may be among them',
    names: 'from here',
  };
}

/** The tests that all must hold, and the first pair of parentheses with alternatives in them; no `outside` where one test may do. */
function conjunction(texts: readonly string[]): {
  readonly group: readonly string[];
  readonly outside: readonly string[] | undefined;
} {
  const from = texts.indexOf('(');
  const to = texts.indexOf(')');
  if (from < 0) return {group: [], outside: texts.some(isOr) ? undefined : texts};
  // Outside of the parentheses nothing may widen the search, nor turn what is in them round.
  const outside = [...texts.slice(0, from), ...texts.slice(to + 1)];
  const isPlain =
    to > from && !isNegation(texts[from - 1]) && !outside.some(text => isOr(text) || /^[()]$/u.test(text));
  return {group: isPlain ? texts.slice(from + 1, to) : [], outside: isPlain ? outside : undefined};
}

const isOr = (text: string): boolean => /^(?:-or?|,)$/u.test(text);

const isNegation = (text: string | undefined): boolean => text === '!' || text === '-not';

function singleName(texts: readonly string[]): string | undefined {
  const at = texts.findIndex((text, index) => /^-i?name$/u.test(text) && !isNegation(texts[index - 1]));
  const name = texts[at + 1];
  return at >= 0 && name !== undefined && isEnding(name) ? name : undefined;
}

/** `-name '*.ts' -o -name '*.tsx'`. */
function alternatives(texts: readonly string[]): string | undefined {
  if (texts.length % 3 !== 2) return undefined;
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
