import {escapeSequence} from '../base/escape-sequences.ts';
import type {CheckCounts, CheckKind} from '../domain/receipt.ts';

/** The output of a check. `cut`: its middle is missing. */
interface CheckOutput {
  readonly text: string;
  readonly middle: 'whole' | 'cut';
}

/**
 * Returns the counts that the output of a check names, without guessing: tests that passed and failed, or the errors of a compiler or
 * linter. Several runs in one output add up.
 */
export function countsIn({text, middle}: CheckOutput, kind: CheckKind): CheckCounts {
  const plain = text.replace(escapeSequence, '').replaceAll('\r', '');
  if (kind === 'test') return countTests(plain, middle);
  const found = errorSummaries.map(pattern => [...plain.matchAll(pattern)]).find(matches => matches.length > 0) ?? [];
  if (found.length > 0) return added(found.map(([, errors]) => ({failed: Number(errors)})));
  const lines = middle === 'whole' ? plain.match(/^.*\berror TS\d+: /gmu)?.length : undefined;
  return lines === undefined ? {} : {failed: lines};
}

/** The lines in which compilers and linters count their errors. */
const errorSummaries: readonly RegExp[] = [
  // tsc, mypy, ruff, biome, oxlint
  /^Found (?:\d+ warnings? and )?(\d+) errors?\b/gmu,
  // eslint, stylelint
  /^\s*✖ \d+ problems? \((\d+) errors?/gmu,
  // pyright
  /^(\d+) errors?, \d+ warnings?/gmu,
  // rustc, clippy
  /^error: could not compile .* due to (\d+) previous errors?/gmu,
  /^()Success: no issues found/gmu,
];

type Summary = (match: RegExpExecArray) => CheckCounts;

/** Reads counts before their words: `1 failed, 41 passed`. */
const countsFirst: Summary = ([line]) =>
  added(
    [
      ...line.matchAll(
        /(\d+) (?:tests )?(?:(pass|passed|passing|successful)|fail|failed|failing|failures?|errors?)\b/gu,
      ),
    ].map(([, count, passes]) => ({[passes === undefined ? 'failed' : 'passed']: Number(count)})),
  );

/** Reads the number of all tests, and the counts of those that did not pass. */
const outOfAll: Summary = ([line, all = '0']) => {
  const count = (words: RegExp): number =>
    [...line.matchAll(words)].reduce((total, [, found]) => total + Number(found), 0);
  const failed = count(/(?:failures|errors)[:=] ?(\d+)/giu);
  const passed = Number(all) - failed - count(/(?:skipped|expected failures)[:=] ?(\d+)/giu);
  return passed < 0 ? {} : {passed, failed};
};

/** The lines in which test runners count their tests. The first format that fits counts. */
const testSummaries: readonly (readonly [RegExp, Summary])[] = [
  // jest
  [/^Tests: .*\d+ total$/gmu, countsFirst],
  // vitest
  [/^\s*Tests {2,}.*\(\d+\)$/gmu, countsFirst],
  // cargo test, cargo nextest
  [/^test result: .*$/gmu, countsFirst],
  [/^\s*Summary \[.*\] .*tests? run: .*$/gmu, countsFirst],
  // pytest
  [/^(?:=+ )?(?:\d+ [a-z]+, )*\d+ [a-z]+ in [\d.]+s\b.*$/gmu, countsFirst],
  // deno
  [/^(?:ok|FAILED) \| \d+ passed.*$/gmu, countsFirst],
  // dotnet
  [
    /^.*Failed: +(\d+), Passed: +(\d+),.*$/gmu,
    ([, failed, passed]) => ({passed: Number(passed), failed: Number(failed)}),
  ],
  // JUnit in Maven, whose lines for each class have a time, and its console
  [/^(?:\[\w+\] )?Tests run: (\d+), +Failures: \d+(?:, Errors: \d+)?(?:, Skipped: \d+)?$/gmu, outOfAll],
  [/^\[ +\d+ tests (?:successful|failed) +\]$/gmu, countsFirst],
  [/^OK \((\d+) tests?(?:, \d+ assertions?)?\)$/gmu, ([, passed]) => ({passed: Number(passed), failed: 0})],
  // unittest
  [/^Ran (\d+) tests? in [\d.]+s\n\n(?:OK|FAILED).*$/gmu, outOfAll],
  // node --test, and TAP with a summary
  [/^(?:ℹ|#) (pass|fail) (\d+)$/gmu, ([, word, count]) => ({[word === 'pass' ? 'passed' : 'failed']: Number(count)})],
  // mocha, bun, Playwright
  [/^\s*\d+ (?:passing|failing|pass|fail|passed|failed)(?: \([\d.]+\w+\))?$/gmu, countsFirst],
  // rspec
  [/^\d+ examples?, \d+ failures?.*$/gmu, countsFirst],
];

/** Adds up counts. A count that none of them has stays missing. */
function added(counts: readonly CheckCounts[]): CheckCounts {
  const total: {passed?: number; failed?: number} = {};
  for (const {passed, failed} of counts) {
    if (passed !== undefined) total.passed = (total.passed ?? 0) + passed;
    if (failed !== undefined) total.failed = (total.failed ?? 0) + failed;
  }
  return total;
}

function countTests(text: string, middle: CheckOutput['middle']): CheckCounts {
  for (const [pattern, read] of testSummaries) {
    const counts = added([...text.matchAll(pattern)].map(read));
    if (Object.keys(counts).length > 0) return counts;
  }
  // These formats have a line for each test, so the whole output is needed.
  if (middle === 'cut') return {};
  const goLines = [...text.matchAll(/^--- (PASS|FAIL): /gmu)].map(([, end]) => end);
  if (goLines.length > 0)
    return lineCounts(
      goLines.map(end => end === 'PASS'),
      {areAllListed: goLines.includes('PASS')},
    );
  if (!/^(?:TAP version \d+|1\.\.\d+)/mu.test(text)) return {};
  const tapLines = [...text.matchAll(/^(not )?ok\b(?!.*# *(?:todo|skip))/gimu)];
  return tapLines.length === 0
    ? {}
    : lineCounts(
        tapLines.map(([, not]) => not === undefined),
        {areAllListed: true},
      );
}

function lineCounts(ends: readonly boolean[], {areAllListed}: {readonly areAllListed: boolean}): CheckCounts {
  const passed = ends.filter(Boolean).length;
  return {...(areAllListed && {passed}), failed: ends.length - passed};
}
