import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import type {CodebaseReport, CodebaseRequest} from '../../actions/ports.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {queryTerms, type QueryTerm} from './query-terms.ts';
import {codeScorer, scanCode, type TermCounts} from './rank-code.ts';
import type {SearchEnd} from './ripgrep.ts';

/**
 * Finds code for a question, without an index. One run of ripgrep counts the question's words in every file. The best files are then read
 * and ranked by how often the words occur in their text, path and definitions.
 *
 * Why no index: on 99 questions about four public repositories, this search puts a right file among the first ten in 0.90 of the cases
 * (mean of 1/rank: 0.69). SQLite FTS5 reaches 0.92 (0.65), but takes 48 s and 174 MB to index 350 MB; sentence embeddings alone reach 0.74
 * (0.46). An index would also copy files that rules may deny tomorrow.
 */

export interface CodeFolder {
  /** Runs ripgrep with options and patterns, and passes on its output line by line. */
  readonly find: (
    options: readonly string[],
    begin: () => (line: string) => 'more' | 'enough',
  ) => Promise<Outcome<SearchEnd, Fault>>;
  /** True if the user's rules allow reading the file at a path. */
  readonly isShown: (path: string) => boolean;
  /** Returns the size of the file at a path in bytes; 0 if there is none. */
  readonly size: (path: string) => number;
  /** Returns the lines of a regular text file, or `undefined` if there is none. */
  readonly lines: (path: string) => Promise<readonly string[] | undefined>;
}

/** The maximum number of files to count matches in, and the maximum number of matches to read from ripgrep. */
const maxFiles = 200_000;
const maxMatches = 5_000_000;

/** The maximum number of files whose sizes are read: of two files with the same words, the smaller file is more relevant. */
const maxSized = 1000;

/** The maximum number of files to read and rank, and the maximum number of UTF-16 units of text in all of them. */
const maxRead = 30;
const maxText = 20_000_000;

/** Larger files are data or generated. */
const maxFileSize = '1M';

/** Ranks the files of a folder by a question. */
export async function searchCode(
  {query, limit}: CodebaseRequest,
  folder: CodeFolder,
  signal: AbortSignal,
): Promise<Outcome<CodebaseReport, Fault>> {
  const terms = queryTerms(query);
  if (terms.length === 0) return failed(rejected('The query has no words to search for.'));
  // Longest first: if two patterns match at one position, ripgrep reports the first.
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
  const first = await topFiles(files, maxSized, file => scorer.score(file, 1));
  const sized = first.map(file => ({...file, size: folder.size(file.path)}));
  const averageSize = Math.max(1, sized.reduce((sum, {size}) => sum + size, 0) / Math.max(1, sized.length));
  const candidates = await topFiles(sized, maxRead, file => scorer.score(file, file.size / averageSize));

  const read: (TermCounts & {readonly code: NonNullable<ReturnType<typeof scanCode>>})[] = [];
  let text = 0;
  for (const {path} of candidates) {
    if (signal.aborted) return failed(rejected('The search was stopped.'));
    const lines = text < maxText ? await folder.lines(path) : undefined;
    const code = lines === undefined ? undefined : scanCode({path, lines}, terms, scorer.weights);
    if (code === undefined) continue;
    text += code.length;
    read.push({path, counts: code.counts, code});
  }

  const ranked = await topFiles(read, limit, file => scorer.score(file, file.code.length / averageSize));
  return ok({
    places: ranked.map(({code}) => code.place),
    terms: terms.map(term => term.text),
    files: files.length,
    searched: end.value.kind === 'finished' ? 'whole' : 'cut',
  });
}

/** Prints each match on its own line; the file's path and NUL precede its first match. */
const options: readonly string[] = [
  ...'--only-matching --ignore-case --no-line-number --heading --with-filename --null --stats'.split(' '),
  `--max-filesize=${maxFileSize}`,
];

/**
 * Returns at most `most` files, best first. Ties are ordered by path, so that the same question has the same answer. Yields to the event
 * loop between slices.
 */
async function topFiles<File extends TermCounts>(
  files: readonly File[],
  most: number,
  score: (file: File) => number,
): Promise<readonly File[]> {
  const scores = new Float64Array(files.length);
  for (const [at, file] of files.entries()) {
    scores[at] = score(file);
    if (at % slice === slice - 1) await yieldToEventLoop();
  }
  // Sorting numbers is fast, so files that certainly don't rank high enough are not compared by path.
  const threshold = scores.toSorted()[Math.max(0, files.length - most)] ?? 0;
  return files
    .flatMap((file, at) => ((scores[at] ?? 0) >= threshold ? [{file, score: scores[at] ?? 0}] : []))
    .toSorted((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1))
    .slice(0, most)
    .map(({file}) => file);
}

/** The number of files to score without a pause, which takes some milliseconds. */
const slice = 1000;

function countTerms(
  terms: readonly QueryTerm[],
  isShown: CodeFolder['isShown'],
): {
  readonly take: (line: string) => 'more' | 'enough';
  readonly files: () => readonly TermCounts[];
  readonly searched: () => number;
} {
  const found: {readonly path: string; readonly counts: number[]}[] = [];
  /** The terms in each match: most matches are the same few words. */
  const termsOfMatch = new Map<string, readonly number[]>();
  let matches = 0;
  let searched = 0;
  let counts: number[] | undefined;

  function termsIn(match: string): readonly number[] {
    const known = termsOfMatch.get(match);
    if (known !== undefined) return known;
    const lower = match.toLowerCase();
    const indexes = terms.flatMap(({text}, index) => (lower.includes(text) ? [index] : []));
    if (termsOfMatch.size < maxForms) termsOfMatch.set(match, indexes);
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

/** A line of ripgrep's statistics. No match looks like it, because none contains a space. */
const filesSearched = /^(\d+) files searched$/u;

/** The maximum number of distinct matches to remember, such as `Parse` and `PARSE`. */
const maxForms = 1000;
