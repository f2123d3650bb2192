import type {CodeMatch} from '../../actions/ports.ts';
import {clip} from '../../base/clip.ts';
import type {QueryTerm} from './query-terms.ts';

/** How often each term of a query occurs in a file, in the order of the terms. */
export interface TermCounts {
  readonly path: string;
  readonly counts: readonly number[];
}

/**
 * Scores how well a file fits a query, by how often the terms occur and how rare they are: BM25 with the usual constants. `files` are all
 * files with a term, out of `searched` files.
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
    /** The weight of each term; rare terms weigh more. */
    weights,
    /** `length` is relative to an average file's; 1 if unknown. */
    score({path, counts}: TermCounts, length: number): number {
      const words = {plain: path, lower: path.toLowerCase()};
      const sum = terms.reduce((total, term, at) => {
        const count = (counts[at] ?? 0) + (term.count(words) > 0 ? pathBonus : 0);
        const saturated = (count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
        return total + (weights[at] ?? 0) * saturated;
      }, 0);
      return sum * kindFactor(words.lower, expected);
    },
  };
}

/** The weight of a term in the path, and the extra weight of a term in the name of a definition; an occurrence in the text weighs 1. */
const pathBonus = 5;
const definitionBonus = 1.5;

/** Lowers the rank of tests and documents unless the query asks for them: they describe everything in the words of questions. */
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
  /** Tested on the path in lower case. */
  readonly paths: RegExp;
  readonly counts: number;
  /** Terms of a query that asks for this kind. */
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

/** The maximum number of lines of a passage, and how many of them are shown. */
const maxPassageLines = 40;
const maxShownLines = 3;

/** The maximum number of UTF-16 units of a line to read, and to show. */
const maxLineLength = 1000;
const maxShownLength = 500;

/** A line of a key or other encoded data, which contains words only by chance. */
const encodedData = /^\s*[\w+/=-]{40,}\s*$/u;

/** A file's term counts, with names of definitions weighted, and its passage with the most terms. */
export interface CodeScan {
  readonly counts: readonly number[];
  readonly length: number;
  readonly place: CodeMatch;
}

/** Scans a file for the terms. Returns `undefined` if it contains none. */
export function scanCode(
  file: {readonly path: string; readonly lines: readonly string[]},
  terms: readonly QueryTerm[],
  weights: readonly number[],
): CodeScan | undefined {
  const counts = terms.map(() => 0);
  const hits: Hit[] = [];
  let length = 0;
  for (const [at, whole] of file.lines.entries()) {
    length += whole.length + 1;
    const plain = whole.slice(0, maxLineLength);
    if (encodedData.test(plain)) continue;
    const text = {plain, lower: plain.toLowerCase()};
    const found = terms.map(term => term.count(text));
    if (found.every(count => count === 0)) continue;
    const name = definedName(plain);
    const inName = {plain: name, lower: name.toLowerCase()};
    const termHits = terms.flatMap((term, index) => {
      const count = found[index] ?? 0;
      const named = count > 0 && name !== '' && term.count(inName) > 0;
      counts[index] = (counts[index] ?? 0) + count + (named ? definitionBonus : 0);
      return count > 0 ? [{index, weight: (weights[index] ?? 0) * (named ? 2 : 1)}] : [];
    });
    hits.push({line: at + 1, termHits});
  }
  const passage = bestPassage(hits);
  if (passage === undefined) return undefined;
  return {counts, length, place: toCodePlace(file, passage)};
}

/** A line with terms of the query, and what each is worth there. */
interface Hit {
  readonly line: number;
  readonly termHits: readonly {readonly index: number; readonly weight: number}[];
}

const hitWeight = ({termHits}: Hit): number => termHits.reduce((sum, {weight}) => sum + weight, 0);

/** Returns the nearby lines with the most and rarest terms; each term counts once. */
function bestPassage(hits: readonly Hit[]): readonly Hit[] | undefined {
  let best: readonly Hit[] | undefined;
  let bestWorth = -1;
  for (const [at, first] of hits.entries()) {
    const within = hits.slice(at, at + maxPassageLines).filter(({line}) => line < first.line + maxPassageLines);
    const each = new Map<number, number>();
    for (const {termHits} of within)
      for (const {index, weight} of termHits) each.set(index, Math.max(weight, each.get(index) ?? 0));
    const total = [...each.values()].reduce((sum, weight) => sum + weight, 0) + within.length * 0.01;
    if (total > bestWorth) [best, bestWorth] = [within, total];
  }
  return best;
}

function toCodePlace(
  {path, lines}: {readonly path: string; readonly lines: readonly string[]},
  passage: readonly Hit[],
): CodeMatch {
  const from = passage[0]?.line ?? 1;
  const shown = passage
    .toSorted((a, b) => hitWeight(b) - hitWeight(a) || a.line - b.line)
    .slice(0, maxShownLines)
    .toSorted((a, b) => a.line - b.line);
  return {
    path,
    from,
    to: passage.at(-1)?.line ?? from,
    within: enclosingDefinition(lines, from),
    lines: shown.map(({line}) => ({line, text: clip((lines[line - 1] ?? '').trim(), maxShownLength)})),
  };
}

/** The number of lines above a passage to search for its enclosing definition. */
const enclosingLines = 200;

/**
 * Returns the name of the nearest definition at or above a line that is indented less than the line, or begins there; empty if there is
 * none.
 */
function enclosingDefinition(lines: readonly string[], line: number): string {
  const first = lines[line - 1] ?? '';
  const depth = /^\s*/u.exec(first)?.[0].length ?? 0;
  for (let at = line; at >= Math.max(1, line - enclosingLines); at -= 1) {
    const text = (lines[at - 1] ?? '').slice(0, maxLineLength);
    const indented = /^\s*/u.exec(text)?.[0].length ?? 0;
    if (at < line && (indented >= depth || text.trim() === '') && depth > 0) continue;
    const name = definedName(text);
    if (name !== '') return clip(name, 80);
    if (at < line && depth === 0) return '';
  }
  return '';
}

/**
 * Returns the name that a line of code defines, or an empty string. Recognizes languages that use a keyword, or braces after parentheses.
 */
const definedName = (line: string): string =>
  keywordDefinition.exec(line)?.[1] ?? (nonMethod.test(line) ? '' : (methodDefinition.exec(line)?.[1] ?? ''));

const keywordDefinition =
  /(?:^|[^\w.])(?:function\*?|class|interface|type|enum|struct|union|trait|impl|def|fn|func|module|mod|macro_rules!|const|let|var|val|object|record|namespace|sub|proc|package)\s+(?:\([^)]{0,100}\)\s*)?([A-Za-z_$][\w$]*)/u;
const methodDefinition =
  /^\s*(?:[\w<>[\],*&:]{1,60}\s+){0,5}[*&#]?([A-Za-z_$][\w$]*)\s*\([^()]{0,300}\)[^;=]{0,100}\{\s*$/u;
const nonMethod = /^\s*\}?\s*(?:if|else|for|while|switch|catch|return|with|match|loop|do|try|await|new|throw)\b/u;
