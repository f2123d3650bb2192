import type {CodePlace} from '../../actions/ports.ts';
import {clip} from '../../base/clip.ts';
import type {QueryTerm} from './query-terms.ts';

/** How often each term of a query stands in a file, in the order of the terms. */
export interface TermCounts {
  readonly path: string;
  readonly counts: readonly number[];
}

/**
 * How much a file fits a query, by how often the terms stand in it and how rare they are: BM25, with the usual constants. `files` are
 * all in which a term was found, of `searched` files.
 */
export function codeScorer(
  terms: readonly QueryTerm[],
  {files, searched}: {readonly files: readonly TermCounts[]; readonly searched: number},
) {
  const weights = terms.map((_, at) => {
    const having = files.reduce((sum, {counts}) => sum + ((counts[at] ?? 0) > 0 ? 1 : 0), 0);
    return Math.log(1 + (Math.max(searched, files.length) - having + 0.5) / (having + 0.5));
  });
  const expected = expectedKinds(terms);
  return {
    /** The weight of each term: a rare one tells more. */
    weights,
    /** `length` in units of an average file's; 1 where it is not known. */
    score({path, counts}: TermCounts, length: number): number {
      const words = {plain: path, lower: path.toLowerCase()};
      const sum = terms.reduce((total, term, at) => {
        const count = (counts[at] ?? 0) + (term.count(words) > 0 ? inPath : 0);
        const saturated = (count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
        return total + (weights[at] ?? 0) * saturated;
      }, 0);
      return sum * kindFactor(words.lower, expected);
    },
  };
}

/** What a term counts in the name of a file or of a folder on the way to it, and in that of a definition: as often in its text. */
const inPath = 5;
const inDefinition = 1.5;

/** Tests and documents speak of everything in the words of questions. They come after code, unless the query asks for them. */
function kindFactor(path: string, expected: ReadonlySet<FileKind>): number {
  return kinds.reduce(
    (factor, {kind, paths, counts}) => (paths.test(path) && !expected.has(kind) ? factor * counts : factor),
    1,
  );
}

type FileKind = 'test' | 'document' | 'data' | 'declaration';

const expectedKinds = (terms: readonly QueryTerm[]): ReadonlySet<FileKind> =>
  new Set(kinds.flatMap(({kind, words}) => (terms.some(({text}) => words.includes(text)) ? [kind] : [])));

const kinds: readonly {
  readonly kind: FileKind;
  /** On the path in lower case. */
  readonly paths: RegExp;
  readonly counts: number;
  /** Terms of a query that asks for them. */
  readonly words: readonly string[];
}[] = [
  {
    kind: 'test',
    paths:
      /(?:^|\/)(?:tests?|specs?|__tests__|testdata|fixtures?|bench(?:es|suite|marks?)?|examples?|fuzz)\/|(?:^|\/)test_|[._-](?:test|tests|spec|bench)\.[^/]*$/u,
    counts: 0.5,
    words: ['test', 'spec', 'fixtur', 'benchmark', 'bench', 'exampl'],
  },
  {
    kind: 'document',
    paths: /\.(?:md|mdx|rst|adoc|txt|tex)$|^docs?\/|(?:^|\/)changelog/u,
    counts: 0.5,
    words: ['doc', 'document', 'readm', 'changelog', 'guid', 'manual'],
  },
  {
    kind: 'data',
    paths:
      /(?:^|\/)[^/.]*$|\.(?!(?:[cm]?[jt]sx?|py|rs|go|java|kts?|scala|c|h|cc|cpp|cxx|hpp|hh|m|mm|cs|fs|rb|php|swift|dart|ex|exs|erl|hs|ml|clj|lua|pl|pm|r|jl|sh|bash|zsh|fish|ps1|sql|vue|svelte|astro|proto|graphql|zig|nim|v|sol|tf)$)[^./]*$/u,
    counts: 0.6,
    words: ['json', 'yaml', 'toml', 'css', 'html', 'config', 'configur', 'lock', 'workflow', 'ci', 'build'],
  },
  {kind: 'declaration', paths: /\.d\.[cm]?ts$|\.pyi$/u, counts: 0.6, words: ['typ', 'declar']},
];

/** Lines of a passage, at most, and how many of them are shown. */
const passageLines = 40;
const shownLines = 3;

/** Units of a line that are read, and shown. */
const longestLine = 1000;
const longestShown = 500;

/** A line of a key or of other encoded data: words in it are there by chance. */
const unbroken = /^\s*[\w+/=-]{40,}\s*$/u;

/** A file that was read: how often the terms stand in it, those in names of definitions more, and the passage that has most of them. */
export interface ReadCode {
  readonly counts: readonly number[];
  readonly length: number;
  readonly place: CodePlace;
}

/** Looks a file over for the terms; `undefined` where none is in it. */
export function readCode(
  file: {readonly path: string; readonly lines: readonly string[]},
  terms: readonly QueryTerm[],
  weights: readonly number[],
): ReadCode | undefined {
  const counts = terms.map(() => 0);
  const hits: Hit[] = [];
  let length = 0;
  for (const [at, whole] of file.lines.entries()) {
    length += whole.length + 1;
    const plain = whole.slice(0, longestLine);
    if (unbroken.test(plain)) continue;
    const text = {plain, lower: plain.toLowerCase()};
    const found = terms.map(term => term.count(text));
    if (found.every(count => count === 0)) continue;
    const name = definedIn(plain);
    const inName = {plain: name, lower: name.toLowerCase()};
    const held = terms.flatMap((term, index) => {
      const count = found[index] ?? 0;
      const named = count > 0 && name !== '' && term.count(inName) > 0;
      counts[index] = (counts[index] ?? 0) + count + (named ? inDefinition : 0);
      return count > 0 ? [{index, weight: (weights[index] ?? 0) * (named ? 2 : 1)}] : [];
    });
    hits.push({line: at + 1, held});
  }
  const passage = bestPassage(hits);
  if (passage === undefined) return undefined;
  return {counts, length, place: placeOf(file, passage)};
}

/** A line with terms of the query: which, and what each is worth there. */
interface Hit {
  readonly line: number;
  readonly held: readonly {readonly index: number; readonly weight: number}[];
}

const worth = ({held}: Hit): number => held.reduce((sum, {weight}) => sum + weight, 0);

/** The lines that stand together and have the most, and the rarest, of the terms; each term counts once. */
function bestPassage(hits: readonly Hit[]): readonly Hit[] | undefined {
  let best: readonly Hit[] | undefined;
  let bestWorth = -1;
  for (const [at, first] of hits.entries()) {
    const within = hits.slice(at, at + passageLines).filter(({line}) => line < first.line + passageLines);
    const each = new Map<number, number>();
    for (const {held} of within)
      for (const {index, weight} of held) each.set(index, Math.max(weight, each.get(index) ?? 0));
    const total = [...each.values()].reduce((sum, weight) => sum + weight, 0) + within.length * 0.01;
    if (total > bestWorth) [best, bestWorth] = [within, total];
  }
  return best;
}

function placeOf(
  {path, lines}: {readonly path: string; readonly lines: readonly string[]},
  passage: readonly Hit[],
): CodePlace {
  const from = passage[0]?.line ?? 1;
  const shown = passage
    .toSorted((a, b) => worth(b) - worth(a) || a.line - b.line)
    .slice(0, shownLines)
    .toSorted((a, b) => a.line - b.line);
  return {
    path,
    from,
    to: passage.at(-1)?.line ?? from,
    within: enclosing(lines, from),
    lines: shown.map(({line}) => ({line, text: clip((lines[line - 1] ?? '').trim(), longestShown)})),
  };
}

/** Lines above a passage in which what it stands in is looked for. */
const enclosingLines = 200;

/** The name of the nearest definition at or above a line that is indented less than the line, or begins there; empty where none is. */
function enclosing(lines: readonly string[], line: number): string {
  const first = lines[line - 1] ?? '';
  const depth = /^\s*/u.exec(first)?.[0].length ?? 0;
  for (let at = line; at >= Math.max(1, line - enclosingLines); at -= 1) {
    const text = (lines[at - 1] ?? '').slice(0, longestLine);
    const indented = /^\s*/u.exec(text)?.[0].length ?? 0;
    if (at < line && (indented >= depth || text.trim() === '') && depth > 0) continue;
    const name = definedIn(text);
    if (name !== '') return clip(name, 80);
    if (at < line && depth === 0) return '';
  }
  return '';
}

/** The name that a line of code defines, in the languages that say it by a word or by braces behind brackets; empty where it defines none. */
const definedIn = (line: string): string =>
  byWord.exec(line)?.[1] ?? (notMethods.test(line) ? '' : (method.exec(line)?.[1] ?? ''));

const byWord =
  /(?:^|[^\w.])(?:function\*?|class|interface|type|enum|struct|union|trait|impl|def|fn|func|module|mod|macro_rules!|const|let|var|val|object|record|namespace|sub|proc|package)\s+(?:\([^)]{0,100}\)\s*)?([A-Za-z_$][\w$]*)/u;
const method = /^\s*(?:[\w<>[\],*&:]{1,60}\s+){0,5}[*&#]?([A-Za-z_$][\w$]*)\s*\([^()]{0,300}\)[^;=]{0,100}\{\s*$/u;
const notMethods = /^\s*\}?\s*(?:if|else|for|while|switch|catch|return|with|match|loop|do|try|await|new|throw)\b/u;
