import type {CodebaseReport, CodebaseRequest} from '../../actions/ports.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {queryTerms, type QueryTerm} from './query-terms.ts';
import {codeScorer, readCode, type TermCounts} from './rank-code.ts';
import type {SearchEnd} from './ripgrep.ts';

/*
 * Finds code by a question, without an index: one run of ripgrep counts the words of the question in every file, and those files that
 * fit best are read and ranked by how often the words stand in their text, path and definitions.
 *
 * Why there is no index: on 99 questions about four public repositories this puts a right file among the first ten in 0.90 of the
 * cases (mean of 1/rank: 0.69). SQLite FTS5 does in 0.92 (0.65), and takes 48 s and 174 MB to index 350 MB; sentence embeddings alone
 * do in 0.74 (0.46). An index would also be a copy of files that rules may deny by tomorrow.
 */

export interface CodeFolder {
  /** Runs ripgrep with options and patterns, and hands on its output by lines. */
  readonly find: (
    options: readonly string[],
    begin: () => (line: string) => 'more' | 'enough',
  ) => Promise<Outcome<SearchEnd, Fault>>;
  /** Whether the user's rules let the file at a path be read. */
  readonly isShown: (path: string) => boolean;
  /** The size of the file at a path, in bytes; 0 where there is none. */
  readonly size: (path: string) => number;
  /** The lines of a regular text file; `undefined` where there is none. */
  readonly lines: (path: string) => Promise<readonly string[] | undefined>;
}

/** Files that are counted in, and matches of them that are read from ripgrep. */
const maxFiles = 200_000;
const maxMatches = 5_000_000;

/** Files whose sizes are asked for: of two with the same words the smaller one says more of them. */
const maxSized = 1000;

/** Files that are read and ranked, and units of text that they may have together. */
const maxRead = 30;
const maxText = 20_000_000;

/** Larger files are data, or made by programs. */
const largestFile = '1M';

/** Ranks the files of a folder by a question. */
export async function searchCode(
  {query, limit}: CodebaseRequest,
  folder: CodeFolder,
  signal: AbortSignal,
): Promise<Outcome<CodebaseReport, Fault>> {
  const terms = queryTerms(query);
  if (terms.length === 0) return failed(rejected('The query has no words to search for.'));
  // The longest first: where two begin at one place, ripgrep tells the first of them.
  const patterns = terms
    .toSorted((a, b) => b.pattern.length - a.pattern.length)
    .flatMap(({pattern}) => ['-e', pattern]);
  let counted = countTerms(terms, folder.isShown);
  const end = await folder.find([...options, ...patterns], () => {
    counted = countTerms(terms, folder.isShown);
    return counted.take;
  });
  if (end.tag === 'failed') return end;
  const files = counted.files();
  const scorer = codeScorer(terms, {files, searched: counted.searched()});
  const first = await best(files, maxSized, file => scorer.score(file, 1));
  const sized = first.map(file => ({...file, size: folder.size(file.path)}));
  const usual = Math.max(1, sized.reduce((sum, {size}) => sum + size, 0) / Math.max(1, sized.length));
  const candidates = await best(sized, maxRead, file => scorer.score(file, file.size / usual));

  const read: (TermCounts & {readonly code: NonNullable<ReturnType<typeof readCode>>})[] = [];
  let text = 0;
  for (const {path} of candidates) {
    if (signal.aborted) return failed(rejected('The search was stopped.'));
    const lines = text < maxText ? await folder.lines(path) : undefined;
    const code = lines === undefined ? undefined : readCode({path, lines}, terms, scorer.weights);
    if (code === undefined) continue;
    text += code.length;
    read.push({path, counts: code.counts, code});
  }

  const ranked = await best(read, limit, file => scorer.score(file, file.code.length / usual));
  return ok({
    places: ranked.map(({code}) => code.place),
    terms: terms.map(term => term.text),
    files: files.length,
    searched: end.value.kind === 'finished' ? 'whole' : 'cut',
  });
}

/** Each match on a line of its own; the path of the file and NUL stand before its first match. */
const options: readonly string[] = [
  ...'--only-matching --ignore-case --no-line-number --heading --with-filename --null --stats'.split(' '),
  `--max-filesize=${largestFile}`,
];

/**
 * The best, at most `most`, the very best first; what is equally good by its path, so that the same question has the same answer.
 * Others have their turn while many are scored.
 */
async function best<File extends TermCounts>(
  files: readonly File[],
  most: number,
  score: (file: File) => number,
): Promise<readonly File[]> {
  const scores = new Float64Array(files.length);
  for (const [at, file] of files.entries()) {
    scores[at] = score(file);
    if (at % slice === slice - 1) await yieldToEventLoop();
  }
  // Numbers are sorted fast: what is certain to be left out is not compared by path.
  const least = scores.toSorted()[Math.max(0, files.length - most)] ?? 0;
  return files
    .flatMap((file, at) => ((scores[at] ?? 0) >= least ? [{file, score: scores[at] ?? 0}] : []))
    .toSorted((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1))
    .slice(0, most)
    .map(({file}) => file);
}

/** Files that are scored without a pause: some milliseconds. */
const slice = 1000;

const yieldToEventLoop = (): Promise<void> => new Promise(go => void setImmediate(go));

function countTerms(
  terms: readonly QueryTerm[],
  isShown: CodeFolder['isShown'],
): {
  readonly take: (line: string) => 'more' | 'enough';
  readonly files: () => readonly TermCounts[];
  readonly searched: () => number;
} {
  const found: {readonly path: string; readonly counts: number[]}[] = [];
  /** Which terms a match holds: most matches are the same few words. */
  const held = new Map<string, readonly number[]>();
  let matches = 0;
  let searched = 0;
  let counts: number[] | undefined;

  function termsIn(match: string): readonly number[] {
    const known = held.get(match);
    if (known !== undefined) return known;
    const lower = match.toLowerCase();
    const indexes = terms.flatMap(({text}, index) => (lower.includes(text) ? [index] : []));
    if (held.size < maxForms) held.set(match, indexes);
    return indexes;
  }

  return {
    take(line) {
      const total = filesSearched.exec(line)?.[1];
      if (total !== undefined) searched = Number(total);
      const end = line.indexOf('\0');
      if (end >= 0) {
        const path = line.slice(0, end).replace(/^\.\//u, '');
        counts = isShown(path) ? terms.map(() => 0) : undefined;
        if (counts !== undefined) found.push({path, counts});
      }
      if (counts === undefined) return 'more';
      for (const index of termsIn(line.slice(end + 1))) counts[index] = (counts[index] ?? 0) + 1;
      matches += 1;
      return matches < maxMatches && found.length < maxFiles ? 'more' : 'enough';
    },
    files: () => found.filter(file => file.counts.some(count => count > 0)),
    searched: () => searched,
  };
}

/** A line of ripgrep's statistics, which no match looks like: none holds a space. */
const filesSearched = /^(\d+) files searched$/u;

/** Forms of matches that are remembered, such as `Parse` and `PARSE`. */
const maxForms = 1000;
