import {posix} from 'node:path';
import type {GrepReport} from '../actions/ports.ts';
import {clip} from '../base/clip.ts';
import type {PathTest} from './glob-pattern.ts';
import type {SearchEnd} from './run-ripgrep.ts';
import type {SearchPlace} from './search-place.ts';

/** Characters of a matching line that are shown. */
export const longestLine = 500;

export interface MatchCollector {
  readonly take: (line: string) => 'more' | 'enough';
  readonly report: (end: SearchEnd) => GrepReport;
}

/** Turns ripgrep's output into a report of at most `limit` lines. What `isShown` turns down is not even counted. */
export function collectMatches(
  wanted: {
    readonly limit: number;
    /** One of them must hold, on the path as shown or relative to the place; none means all. */
    readonly tests: readonly PathTest[];
    /** On the path as ripgrep gives it, without a leading `./`. */
    readonly isShown: PathTest;
  },
  place: SearchPlace,
): MatchCollector {
  const lines: string[] = [];
  let omitted = 0;
  const {tests} = wanted;
  const fits = (path: string): boolean =>
    tests.length === 0 ||
    place.kind === 'file' ||
    tests.some(test => test(path.replace(/^\//u, '')) || test(posix.relative(place.shown, path)));

  return {
    take(line) {
      const shown = showMatch(line, path => fits(path) && wanted.isShown(path));
      if (shown === undefined || (shown === '--' && (lines.length === 0 || lines.at(-1) === '--'))) return 'more';
      if (lines.length < wanted.limit) {
        lines.push(shown);
        return 'more';
      }
      if (shown === '--') return 'more';
      omitted += 1;
      return 'enough';
    },
    report(end) {
      if (lines.at(-1) === '--') lines.pop();
      const count = end.kind === 'too-slow' ? Math.max(1, omitted) : omitted;
      return {lines, omitted: {count, exact: end.kind === 'finished' ? 'exact' : 'at-least'}};
    },
  };
}

/** A line of ripgrep's output in the form of the report; `undefined` when its path does not fit. */
function showMatch(line: string, fits: PathTest): string | undefined {
  if (line === '--') return line;
  const [, path = line, found = ''] = /^([^\0]*)\0(.*)$/su.exec(line) ?? [];
  const shown = path.replace(/^\.\//u, '');
  if (found === '') {
    const binary = /^(.*): binary file matches/u.exec(shown);
    return fits(binary?.[1] ?? shown) ? shown : undefined;
  }
  if (!fits(shown)) return undefined;
  const between = /^\d+(-)/u.exec(found) === null ? ':' : '-';
  return `${shown}${between}${clip(found.replace(/\r$/u, ''), longestLine + 100)}`;
}
