import {posix} from 'node:path';
import type {GrepReport} from '../actions/ports.ts';
import {clip} from '../base/clip.ts';
import type {PathTest} from './glob-pattern.ts';
import type {SearchEnd} from './run-ripgrep.ts';
import type {SearchPlace} from './search-place.ts';
import type {PlaceCheck} from './still-there.ts';

/** Characters of a matching line that are shown. */
export const longestLine = 500;

export interface MatchCollector {
  readonly take: (line: string) => 'more' | 'enough';
  /** What `check` cannot find at its place is left out. */
  readonly report: (end: SearchEnd, check: PlaceCheck) => Promise<GrepReport>;
}

/** Turns ripgrep's output into a report of at most `limit` lines. What `isShown` turns down is not even counted. */
export function collectMatches(
  wanted: {
    readonly limit: number;
    /** One of them must hold, on the path as shown or relative to the place; none means all. */
    readonly tests: readonly PathTest[];
    /** On the path as ripgrep gives it, without a leading `./`. */
    readonly isShown: PathTest;
    /** The real path of one that ripgrep gives. */
    readonly real: (path: string) => string;
  },
  place: SearchPlace,
): MatchCollector {
  const lines: ShownMatch[] = [];
  let omitted = 0;
  const {tests} = wanted;
  const fits = (path: string): boolean =>
    tests.length === 0 ||
    place.kind === 'file' ||
    tests.some(test => test(path.replace(/^\//u, '')) || test(posix.relative(place.shown, path)));

  return {
    take(line) {
      const shown = showMatch(line, path => fits(path) && wanted.isShown(path));
      if (shown === undefined || (shown.kind === 'gap' && (lines.at(-1)?.kind ?? 'gap') === 'gap')) return 'more';
      if (lines.length < wanted.limit) {
        lines.push(shown);
        return 'more';
      }
      if (shown.kind === 'gap') return 'more';
      omitted += 1;
      return 'enough';
    },
    async report(end, check) {
      if (lines.at(-1)?.kind === 'gap') lines.pop();
      const kept = await inPlace(lines, {real: wanted.real, check});
      const count = (end.kind === 'too-slow' ? Math.max(1, omitted) : omitted) + lines.length - kept.length;
      return {
        lines: kept.map(({text}) => text),
        omitted: {count, exact: end.kind === 'finished' ? 'exact' : 'at-least'},
      };
    },
  };
}

/** A line of the report. `line` is the number of one whose text is shown; 0 where only the file is named. */
type ShownMatch =
  | {readonly kind: 'gap'; readonly text: string}
  | {
      readonly kind: 'match';
      readonly text: string;
      readonly path: string;
      readonly line: number;
      readonly found: string;
    };

/** What ripgrep puts in the place of the end of a long line, and characters of a line that are compared. */
const cutByRipgrep = / \[\.\.\. [^\]]*\]$/u;
const comparedCharacters = 400;

async function inPlace(
  lines: readonly ShownMatch[],
  {real, check}: {readonly real: (path: string) => string; readonly check: PlaceCheck},
): Promise<readonly ShownMatch[]> {
  const present = new Map<string, readonly string[] | undefined>();
  const kept: ShownMatch[] = [];
  for (const shown of lines) {
    if (shown.kind === 'gap') {
      if (kept.length > 0 && kept.at(-1)?.kind !== 'gap') kept.push(shown);
      continue;
    }
    const path = real(shown.path);
    if (check.isSure(path)) kept.push(shown);
    else if (shown.line === 0) {
      if (await check.isFile(path)) kept.push(shown);
    } else {
      if (!present.has(path)) present.set(path, await check.lines(path));
      const there = present.get(path)?.[shown.line - 1]?.replace(/^\ufeff/u, '');
      const found = shown.found.replace(cutByRipgrep, '').slice(0, comparedCharacters);
      if (there?.startsWith(found) === true) kept.push(shown);
    }
  }
  return kept;
}

/** A line of ripgrep's output in the form of the report; `undefined` when its path does not fit. */
function showMatch(line: string, fits: PathTest): ShownMatch | undefined {
  if (line === '--') return {kind: 'gap', text: line};
  const [, path = line, found = ''] = /^([^\0]*)\0(.*)$/su.exec(line) ?? [];
  const shown = path.replace(/^\.\//u, '');
  if (found === '') {
    const binary = /^(.*): binary file matches/u.exec(shown);
    const name = binary?.[1] ?? shown;
    return fits(name) ? {kind: 'match', text: shown, path: name, line: 0, found: ''} : undefined;
  }
  if (!fits(shown)) return undefined;
  const [, number = '', sign = '', text = ''] = /^(\d+)([:-])(.*)$/su.exec(found) ?? [];
  const bare = found.replace(/\r$/u, '');
  return {
    kind: 'match',
    text: `${shown}${sign === '-' ? '-' : ':'}${clip(bare, longestLine + 100)}`,
    path: shown,
    line: Number(number),
    found: text.replace(/\r$/u, ''),
  };
}
