import {unreachable} from '../../base/unreachable.ts';

/** What is shown of a long output: indexes of its lines, ascending. */
export type Excerpt = readonly number[];

/** Which part of a long output is shown: how it begins, how it ends, both, or the lines that say why it failed. */
export type OutputPart = 'beginning' | 'end' | 'both-ends' | 'reasons';

export function excerptOf(part: OutputPart, lines: readonly string[], most: number): Excerpt {
  switch (part) {
    case 'beginning':
      return allOf(lines).slice(0, most);
    case 'end': {
      // Where a program that went well says what it did.
      const said = allOf(lines).filter(at => !isBlank(lines[at]));
      const tells = said.filter(at => isTelling(lines[at]));
      return (tells.length === 0 ? said : tells).slice(-most);
    }
    case 'both-ends':
      return headAndTail(lines, most);
    case 'reasons':
      return failureExcerpt(lines, most);
    default:
      return unreachable(part);
  }
}

export const allOf = (lines: readonly string[]): Excerpt => lines.map((_, at) => at);

function headAndTail(lines: readonly string[], most: number): Excerpt {
  const all = allOf(lines);
  if (all.length <= most) return all;
  const head = Math.ceil(most * 0.7);
  return [...all.slice(0, head), ...all.slice(all.length - (most - head))];
}

/**
 * What says why a command failed: the first line with an error, and each pair of values that differ with the test that it belongs to, the
 * place of the first and how many failed. Where no test is named: the lines below the error, how the output begins and ends, and further
 * lines with errors. At most `most` lines, blank ones left out.
 */
function failureExcerpt(lines: readonly string[], most: number): Excerpt {
  const said = allOf(lines).filter(at => !isBlank(lines[at]));
  if (said.length <= most) return said;
  const tells = said.filter(at => isTelling(lines[at]) && !wentWell.test(lines[at] ?? ''));
  const errors = said.filter(at => saysWhy(lines[at] ?? ''));
  const differing = said.filter(at => values.test(lines[at] ?? '')).slice(0, maxValues);
  const tests = differing.map(at => said.findLast(before => before < at && failedTest.test(lines[before] ?? '')));
  const place = said.filter(at => ownFrame.test(lines[at] ?? '')).slice(0, 1);
  if (differing.length > 0 && !tests.includes(undefined)) {
    const pairs = differing.flatMap((at, number) => [tests[number] ?? at, at]);
    const sums = said.filter(at => summary.test(lines[at] ?? ''));
    // Many runners list the tests that failed, and then name each again with what was wrong.
    const [named = 0] = pairs;
    const error = errors.slice(0, 1).filter(at => lines[at] !== lines[named]);
    return firstOf([...error, ...pairs.slice(0, 2), ...place, ...pairs, ...sums], most);
  }
  const first = errors[0];
  const below = first === undefined ? [] : tells.filter(at => at > first).slice(0, linesBelow);
  const ranked = [
    ...errors.slice(0, 1),
    ...differing,
    ...below.slice(0, 2),
    ...place,
    ...tells.slice(-2),
    ...tells.slice(0, 1),
    ...below,
    ...errors.slice(1),
    ...tells.toReversed(),
    ...(tells.length === 0 ? said : []),
  ];
  return firstOf(ranked, most);
}

/** The first ones, each once, in their order in the output. */
const firstOf = (ranked: Excerpt, most: number): Excerpt =>
  [...new Set(ranked)].slice(0, most).toSorted((a, b) => a - b);

const failedTest = /^\s*(?:[✗✖✘×●❌]\s+\S|not ok\b|---- \S+)/u;

const summary =
  /^\s*[ℹ#]\s+(?:tests|pass|fail) \d|^\s*(?:Tests?|Test Files|Test Suites)\b.*\b(?:failed|passed)\b|^test result: |^=.*\b(?:failed|passed)\b.*=$/u;

/** Tests that passed, and what a package manager says before the program does. */
const wentWell = /^\s*(?:[✓✔√]|ok\b|PASS\b)|^\s*(?:>\s|npm (?:warn|notice)\b|\$ )/iu;

/** A count of a test runner that writes each on a line of its own: `ℹ pass 1`. */
const count = /^\s*[ℹ#]\s+(?<said>(?:tests|suites|pass|fail|cancelled|skipped|todo) \d+)\s*$/u;

export const isCount = (line: string): boolean => /^\s*[ℹ#]\s+\w+ \d/u.test(line);

/** A line of an excerpt, or several counts on one line: the line before which others may be left out, and its last one. */
export interface ExcerptLine {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The lines of an excerpt; counts that follow one another are one: `ℹ tests 2 · pass 1 · fail 1`. */
export function linesOfExcerpt(lines: readonly string[], excerpt: Excerpt): readonly ExcerptLine[] {
  const found: ExcerptLine[] = [];
  for (const at of excerpt) {
    const text = lines[at] ?? '';
    const last = found.at(-1);
    const said = count.exec(text)?.groups?.['said'];
    if (last !== undefined && said !== undefined && count.test(lines[last.to] ?? '')) {
      found[found.length - 1] = {text: `${last.text.trimEnd()} · ${said}`, from: last.from, to: at};
    } else {
      found.push({text, from: at, to: at});
    }
  }
  return found;
}

/** The lines below an error that belong to it: values that differ, the place. */
const linesBelow = 5;

/** Whether a line says why something failed: an error, a failed assertion or test, a place in a file beside one. */
export const saysWhy = (line: string): boolean => reasons.test(line) && !nothingWrong.test(line);

const reasons =
  /\b(?:[a-z]*(?:error|exception)|errno|err!|assert\w*|fail(?:ed|ure|s)?|fatal|panic(?:ked)?|traceback|not ok|cannot|can't|could not|no such|not found|denied|undefined reference|unexpected|segmentation fault|killed)\b|(?:^|\s)[✗✖✘×❌](?:\s|$)|!==|^\s*E\s{2,}\S/iu;

/** Counts of no errors, and tests that passed. */
const nothingWrong =
  /\b(?:0|no) (?:error|fail|warning)|\b(?:errors?|fail(?:ed|ures?|s)?|cancelled)\b[:=]? *0\b|^\s*(?:[✓✔√]|ok\b|PASS\b)/iu;

/** Two values that should be equal, as assertions print them. */
const values =
  /(?:^|\s)\S.*\s(?:!==?|!=)\s\S|^\s*(?:expected|received|actual|got|want(?:ed)?|left|right)\b ?[:=](?!.*,$)|^\s*E\s{2,}\S/iu;
const maxValues = 4;

/** The first frame of a stack that is not the runtime's or a library's, or the place of a test in TAP and of a panic. */
const ownFrame = /^\s+at (?!.*(?:node:|node_modules)).*:\d+:\d+\)?$|^\s+location: \S|\bpanicked at \S+:\d+:\d+/u;

/** Whether a line says anything by itself: not a stack frame, a bracket, a count of nothing, or how a test runner compares. */
const isTelling = (line: string | undefined): boolean =>
  line !== undefined && !isStackFrame(line) && !saysLittle.test(line);

const saysLittle =
  /^\s*[\])}({[;,]+\s*$|^\s*(?:[ℹ#]\s*)?(?:cancelled|skipped|todo|suites|duration_ms)\b[ :].*$|^\s*(?:diff|generatedMessage|operator|code|actual|expected): .*$/u;

const isStackFrame = (line: string | undefined): boolean => line !== undefined && /^\s+at /u.test(line);

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
