import {escapeSequence} from '../base/escape-sequences.ts';
import {type CheckCounts, type CheckKind, doubtOfCounts, type FoundCheck} from '../domain/receipt.ts';

/** The output of a check. `cut`: its middle is missing. */
interface CheckOutput {
  readonly text: string;
  readonly middle: 'whole' | 'cut';
}

/**
 * Returns the counts that the output of a check names, without guessing: tests that passed and failed, or the errors of a compiler or
 * linter. Several runs in one output add up. Tests by name are no files: Node.js counts a file in which it found none as a test.
 */
export function countsIn(
  {text, middle}: CheckOutput,
  kind: CheckKind,
  selection: FoundCheck['selection'] = 'all',
): CheckCounts {
  const plain = text.replace(escapeSequence, '').replaceAll('\r', '');
  if (kind === 'test') {
    const counts = countTests(plain, middle);
    const files = selection === 'by-name' ? (plain.match(testFileLine)?.length ?? 0) : 0;
    return files > 0 && files === counts.passed ? {...counts, passed: 0} : counts;
  }
  const found = errorSummaries.map(pattern => [...plain.matchAll(pattern)]).find(matches => matches.length > 0) ?? [];
  if (found.length > 0) return added(found.map(([, errors]) => ({failed: Number(errors)})));
  const lines = middle === 'whole' ? plain.match(/^.*\berror TS\d+: /gmu)?.length : undefined;
  return lines === undefined ? {} : {failed: lines};
}

/** Says how the output of a command contradicts that its checks exited with 0. Empty if it doesn't. */
export const doubtOfOutput = (output: string, kinds: readonly CheckKind[]): string =>
  kinds
    .map(kind =>
      doubtOfCounts({kind, end: {kind: 'exited', code: 0}, counts: countsIn({text: output, middle: 'whole'}, kind)}),
    )
    .find(doubt => doubt !== '') ?? '';

const testFileLine = /^(?:✔|ok \d+ -) \S+\.[cm]?[jt]sx?(?: \(.*\))?$/gmu;

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
  [/^Ran (\d+) tests? in [\d.]+s\n\n(?:OK|FAILED|NO TESTS RAN).*$/gmu, outOfAll],
  // ctest
  [
    /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/gmu,
    ([, failed, all]) => ({passed: Number(all) - Number(failed), failed: Number(failed)}),
  ],
  // node --test, and TAP with a summary
  [/^(?:ℹ|#) (pass|fail) (\d+)$/gmu, ([, word, count]) => ({[word === 'pass' ? 'passed' : 'failed']: Number(count)})],
  // mocha, bun, Playwright
  [/^\s*\d+ (?:passing|failing|pass|fail|passed|failed)(?: \([\d.]+\w+\))?$/gmu, countsFirst],
  // rspec
  [
    /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?.*$/gmu,
    ([, all, failed, pending = 0]) => ({
      passed: Math.max(0, Number(all) - Number(failed) - Number(pending)),
      failed: Number(failed),
    }),
  ],
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
    const found = [...text.matchAll(pattern)];
    const counts = added(found.map(read));
    if (Object.keys(counts).length > 0) return counts;
    if (found.some(([line]) => /\d (?:skipped|deselected|todo|pending|xfailed)\b/u.test(line))) return {passed: 0};
  }
  // Node.js lists the failed tests behind its counts, which `tail` may have cut off.
  const [, failures] = /^✖ failing tests:$([^]*)/mu.exec(text) ?? [];
  if (failures !== undefined) return {failed: Math.max(1, failures.match(/^✖ /gmu)?.length ?? 0)};
  // These formats have a line for each test, so the whole output is needed.
  if (middle === 'cut') return {};
  if (saysNoTest(text)) return {passed: 0};
  const goLines = [...text.matchAll(/^--- (PASS|FAIL): /gmu)].map(([, end]) => end);
  if (goLines.length > 0)
    return lineCounts(
      goLines.map(end => end === 'PASS'),
      {areAllListed: goLines.includes('PASS')},
    );
  if (/^ok {2}\t/mu.test(text)) return {failed: 0};
  if (!/^(?:TAP version \d+|1\.\.\d+)/mu.test(text)) return {};
  const tapLines = [...text.matchAll(/^(not )?ok\b(?!.*# *(?:todo|skip))/gimu)];
  return tapLines.length === 0
    ? {}
    : lineCounts(
        tapLines.map(([, not]) => not === undefined),
        {areAllListed: true},
      );
}

/** True if the output of one runner says that no test ran. In several packages some often have none. */
function saysNoTest(text: string): boolean {
  const units = text.match(/^(?:ok|\?|FAIL|---)[ \t].*|^> Task :\S*[tT]est\b.*/gmu) ?? [];
  if (units.length > 0) return units.every(line => /\[no test(?:s to run| files)\]|(?:NO-SOURCE|SKIPPED)$/u.test(line));
  const scripts = text.match(/^> \S+@\S+ \S+$/gmu)?.length ?? 0;
  return scripts < 2 && emptyRun.test(text);
}

const emptyRun =
  /^(?:\[\w+\] |=+ )?(?:no tests?(?: files?| targets?)? (?:found|ran|to run|executed|specified|configured|defined|yet|available|implemented|were (?:found|run|executed)|matche[sd]|is available)\b|tests are skipped\.|make(?:\[\d+\])?: (?:[`'].+' is up to date|nothing to be done for)|no projects matched the filters|tasks: +0 successful, 0 total)/imu;

function lineCounts(ends: readonly boolean[], {areAllListed}: {readonly areAllListed: boolean}): CheckCounts {
  const passed = ends.filter(Boolean).length;
  return {...(areAllListed && {passed}), failed: ends.length - passed};
}
