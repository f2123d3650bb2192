import {unreachable} from '../../base/unreachable.ts';

/** The lines shown of a long output, as ascending indexes. */
export type Excerpt = readonly number[];

/** The part of a long output to show: the beginning, the end, both, or the lines with the reason for a failure. */
export type OutputPart = 'beginning' | 'end' | 'both-ends' | 'reasons';

export function excerptOf(part: OutputPart, lines: readonly string[], maxLines: number): Excerpt {
  switch (part) {
    case 'beginning':
      return allLines(lines).slice(0, maxLines);
    case 'end': {
      // A successful program reports what it did at the end.
      const nonBlank = allLines(lines).filter(at => !isBlank(lines[at]));
      const informative = nonBlank.filter(at => isInformative(lines[at]));
      return (informative.length === 0 ? nonBlank : informative).slice(-maxLines);
    }
    case 'both-ends':
      return headAndTail(lines, maxLines);
    case 'reasons':
      return failureExcerpt(lines, maxLines);
    default:
      return unreachable(part);
  }
}

export const allLines = (lines: readonly string[]): Excerpt => lines.map((_, at) => at);

function headAndTail(lines: readonly string[], maxLines: number): Excerpt {
  const all = allLines(lines);
  if (all.length <= maxLines) return all;
  const head = Math.ceil(maxLines * 0.7);
  return [...all.slice(0, head), ...all.slice(all.length - (maxLines - head))];
}

/**
 * Returns at most `maxLines` lines that say why a command failed, without blank ones. These are the first error, each
 * pair of differing values with its test, the location of the first, and the counts of failed tests. If the output names no
 * test, returns the lines below the error, the beginning and end of the output, and further errors.
 */
function failureExcerpt(lines: readonly string[], maxLines: number): Excerpt {
  // Some runners list the failed tests, then repeat each with its error below a heading.
  const repeatedFrom = lines.findIndex(line => heading.test(line));
  const mention = (at: number): number => {
    const name = at < repeatedFrom ? testNameIn(lines[at]) : '';
    const below = name === '' ? -1 : lines.findIndex((line, row) => row > repeatedFrom && testNameIn(line) === name);
    return Math.max(at, below);
  };
  const all = allLines(lines).filter(at => !isBlank(lines[at]) && !heading.test(lines[at] ?? ''));
  const nonBlank = all.filter(at => mention(at) === at);
  if (nonBlank.length <= maxLines) return nonBlank;
  const informative = nonBlank.filter(at => isInformative(lines[at]) && !wentWell.test(lines[at] ?? ''));
  const errors = [...new Set(all.filter(at => explainsFailure(lines[at] ?? '')).map(mention))];
  const differing = nonBlank.filter(at => values.test(lines[at] ?? '')).slice(0, maxValues);
  const tests = differing.map(at => nonBlank.findLast(before => before < at && failedTest.test(lines[before] ?? '')));
  const place = nonBlank.filter(at => ownFrame.test(lines[at] ?? '')).slice(0, 1);
  if (differing.length > 0 && !tests.includes(undefined)) {
    const pairs = differing.flatMap((at, number) => [tests[number] ?? at, at]);
    const sums = nonBlank.filter(at => summary.test(lines[at] ?? ''));
    return firstOf([...errors.slice(0, 1), ...pairs.slice(0, 2), ...place, ...pairs, ...sums], maxLines);
  }
  const first = errors[0];
  const below = first === undefined ? [] : informative.filter(at => at > first).slice(0, linesBelow);
  const ranked = [
    ...errors.slice(0, 1),
    ...differing,
    ...below.slice(0, 2),
    ...place,
    ...informative.slice(-2),
    ...informative.slice(0, 1),
    ...below,
    ...errors.slice(1),
    ...informative.toReversed(),
    ...(informative.length === 0 ? nonBlank : []),
  ];
  return firstOf(ranked, maxLines);
}

/** Returns the first `maxLines` distinct indexes, in output order. */
const firstOf = (ranked: Excerpt, maxLines: number): Excerpt =>
  [...new Set(ranked)].slice(0, maxLines).toSorted((a, b) => a - b);

const failedTest = /^\s*(?:[✗✖✘×●❌]\s+\S|not ok\b|---- \S+)/u;

/** A line above failed tests that says nothing about them. */
const heading = /^\W*(?:failing tests|failures|failed (?:tests|suites) \d+|short test summary info)\W*$/iu;

/** The duration behind the name of a test: `✖ adds (0.502439ms)`. */
const duration = /^(?<test>\s*(?:[✓✔√✗✖✘×❌✕]|--- (?:FAIL|PASS):)\s.*) \(\d+(?:\.\d+)? ?m?s\)$/u;

/** Returns the line of a failed test without its duration. Empty for other lines. */
const testNameIn = (line = ''): string => (failedTest.test(line) ? line.trim().replace(duration, '$<test>') : '');

const summary =
  /^\s*[ℹ#]\s+(?:tests|pass|fail) \d|^\s*(?:Tests?|Test Files|Test Suites)\b.*\b(?:failed|passed)\b|^test result: |^=.*\b(?:failed|passed)\b.*=$/u;

/** Passed tests, and the package manager's own lines. */
const wentWell = /^\s*(?:[✓✔√]|ok\b|PASS\b)|^\s*(?:>\s|npm (?:warn|notice)\b|\$ )/iu;

/** A count on a separate line, as some test runners print it: `ℹ pass 1`. */
const count = /^\s*[ℹ#]\s+(?<said>(?:tests|suites|pass|fail|cancelled|skipped|todo) \d+)\s*$/u;

export const isCount = (line: string): boolean => /^\s*[ℹ#]\s+\w+ \d/u.test(line);

/** A line of an excerpt, or several counts joined on one line. `from` and `to` are the indexes of its first and last source lines. */
export interface ExcerptLine {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the lines of an excerpt. Joins consecutive counts into one line: `ℹ tests 2 · pass 1 · fail 1`. */
export function linesOfExcerpt(lines: readonly string[], excerpt: Excerpt): readonly ExcerptLine[] {
  const found: ExcerptLine[] = [];
  for (const at of excerpt) {
    const text = withoutNoise(lines[at] ?? '');
    const last = found.at(-1);
    const countText = count.exec(text)?.groups?.['said'];
    if (last !== undefined && countText !== undefined && count.test(lines[last.to] ?? '')) {
      found[found.length - 1] = {text: `${last.text.trimEnd()} · ${countText}`, from: last.from, to: at};
    } else {
      found.push({text, from: at, to: at});
    }
  }
  return found;
}

/** Drops the durations of tests, the code of failed assertions, and the names of unnamed functions. */
const withoutNoise = (line: string): string =>
  line
    .replace(duration, '$<test>')
    .replace(/^(?<name>\s*AssertionError) \[ERR_ASSERTION\]:/u, '$<name>:')
    .replace(/^(?<at>\s+at )(?:async )?\S*<anonymous> \((?<place>.+)\)$/u, '$<at>$<place>');

/** The number of lines below an error that count as its details, such as differing values and the location. */
const linesBelow = 5;

/** True if a line says why something failed, such as an error, a failed assertion or a failed test. */
export const explainsFailure = (line: string): boolean =>
  reasons.test(line) && !nothingWrong.test(line) && !heading.test(line);

const reasons =
  /\b(?:[a-z]*(?:error|exception)|errno|err!|assert\w*|fail(?:ed|ure|s)?|fatal|panic(?:ked)?|traceback|not ok|cannot|can't|could not|no such|not found|denied|undefined reference|unexpected|segmentation fault|killed)\b|(?:^|\s)[✗✖✘×❌](?:\s|$)|!==|^\s*E\s{2,}\S/iu;

/** Counts of zero errors, and passed tests. */
const nothingWrong =
  /\b(?:0|no) (?:error|fail|warning)|\b(?:errors?|fail(?:ed|ures?|s)?|cancelled)\b[:=]? *0\b|^\s*(?:[✓✔√]|ok\b|PASS\b)/iu;

/** Two values that should be equal, as assertions print them. */
const values =
  /(?:^|\s)\S.*\s(?:!==?|!=)\s\S|^\s*(?:expected|received|actual|got|want(?:ed)?|left|right)\b ?[:=](?!.*,$)|^\s*E\s{2,}\S|^\s*AssertionError\b.* == \S/iu;
const maxValues = 4;

/** A stack frame outside the runtime and libraries, or the location of a TAP test or a panic. */
const ownFrame = /^\s+at (?!.*(?:node:|node_modules)).*:\d+:\d+\)?$|^\s+location: \S|\bpanicked at \S+:\d+:\d+/u;

/** True if a line is informative by itself: not a stack frame, a lone bracket, a minor count or comparison metadata. */
const isInformative = (line: string | undefined): boolean =>
  line !== undefined && !isStackFrame(line) && !uninformative.test(line);

const uninformative =
  /^\s*[\])}({[;,]+\s*$|^\s*(?:[ℹ#]\s*)?(?:cancelled|skipped|todo|suites|duration_ms)\b[ :].*$|^\s*(?:diff|generatedMessage|operator|code|actual|expected): .*$/u;

const isStackFrame = (line: string | undefined): boolean => line !== undefined && /^\s+at /u.test(line);

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
