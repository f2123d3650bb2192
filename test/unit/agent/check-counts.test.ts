import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {countsIn} from '../../../src/agent/check-counts.ts';
import type {CheckCounts, CheckKind} from '../../../src/domain/receipt.ts';

const whole = (text: string) => ({text, middle: 'whole'}) as const;

const outputs: readonly (readonly [string, CheckCounts, string, CheckKind?])[] = [
  [
    'jest',
    {passed: 41, failed: 1},
    'Test Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 2 skipped, 41 passed, 44 total\nSnapshots:   0 total\nTime:        1.2 s\n',
  ],
  ['jest in two packages', {passed: 5}, 'Tests:       2 passed, 2 total\nTests:       3 passed, 3 total\n'],
  [
    'vitest',
    {passed: 41, failed: 2},
    ' Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 41 passed | 1 skipped (44)\n   Start at  10:00:00\n',
  ],
  [
    'vitest in color',
    {passed: 41},
    '\u001B[2m Test Files \u001B[22m \u001B[1m\u001B[32m3 passed\u001B[39m\u001B[22m\u001B[90m (3)\u001B[39m\n\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[32m41 passed\u001B[39m\u001B[22m\u001B[90m (41)\u001B[39m\n',
  ],
  [
    'node --test',
    {passed: 41, failed: 0},
    '✔ adds (0.5ms)\nℹ tests 41\nℹ suites 0\nℹ pass 41\nℹ fail 0\nℹ cancelled 0\nℹ duration_ms 52.1\n',
  ],
  [
    'the end of node --test',
    {failed: 1},
    'ℹ duration_ms 52.1\n\n✖ failing tests:\n\ntest at a.test.mjs:3:1\n✖ f (1.2ms)\n  AssertionError: 2 == 1\n',
  ],
  [
    'node --test as TAP',
    {passed: 1, failed: 1},
    'TAP version 13\n# Subtest: adds\nok 1 - adds\nnot ok 2 - divides\n1..2\n# tests 2\n# pass 1\n# fail 1\n',
  ],
  [
    'node --test without a test in a file',
    {passed: 1, failed: 0},
    '✔ a.test.mjs (104.28ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n',
  ],
  [
    'mocha',
    {passed: 41, failed: 2},
    '\n  math\n    ✔ adds\n\n\n  41 passing (2s)\n  1 pending\n  2 failing\n\n  1) math divides:\n',
  ],
  [
    'pytest',
    {passed: 41, failed: 3},
    'FAILED a.py::test_x - assert 1 == 2\n========= 2 failed, 41 passed, 1 warning, 1 error in 0.12s =========\n',
  ],
  ['pytest -q', {passed: 41}, '.........\n41 passed in 0.12s\n'],
  ['pytest without tests', {passed: 0}, '============ no tests ran in 0.01s ============\n'],
  [
    'unittest',
    {passed: 4, failed: 2},
    '======\nFAIL: test_x\n------\nRan 7 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n',
  ],
  [
    'cargo test',
    {passed: 44, failed: 1},
    'test result: ok. 41 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n',
  ],
  ['cargo nextest', {passed: 40, failed: 1}, '     Summary [   0.512s] 41 tests run: 40 passed, 1 failed, 0 skipped\n'],
  ['go test', {failed: 0}, 'ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)\n'],
  [
    'go test with a failure',
    {failed: 1},
    '--- FAIL: TestX (0.00s)\n    a_test.go:5: no\nFAIL\nFAIL\texample.com/a\t0.01s\n',
  ],
  [
    'go test -v',
    {passed: 2, failed: 1},
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- PASS: TestB (0.00s)\n--- FAIL: TestC (0.00s)\nFAIL\n',
  ],
  [
    'TAP',
    {passed: 2, failed: 1},
    'TAP version 13\n1..5\nok 1 - a\n    ok 1 - nested\nok 2 - b\nnot ok 3 - c\nnot ok 4 - d # TODO later\nok 5 - e # SKIP\n',
  ],
  [
    'JUnit in Maven',
    {passed: 9, failed: 2},
    '[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s - in ATest\n[ERROR] Tests run: 12, Failures: 1, Errors: 1, Skipped: 1\n',
  ],
  [
    'JUnit console',
    {passed: 12, failed: 1},
    '[        12 tests successful      ]\n[         1 tests failed          ]\n',
  ],
  ['JUnit 4', {passed: 12, failed: 0}, '\nOK (12 tests)\n'],
  ['deno', {passed: 12, failed: 0}, 'ok | 12 passed | 0 failed (1s)\n'],
  ['bun', {passed: 41, failed: 2}, ' 41 pass\n 2 fail\n 60 expect() calls\nRan 43 tests across 2 files. [12.00ms]\n'],
  [
    'dotnet',
    {passed: 41, failed: 0},
    'Passed!  - Failed:     0, Passed:    41, Skipped:     0, Total:    41, Duration: 3 ms\n',
  ],
  ['Playwright', {passed: 41, failed: 1}, '  1 failed\n    a.spec.ts:3:1 › x\n  41 passed (3.1s)\n'],
  ['rspec', {passed: 9, failed: 1}, '12 examples, 1 failure, 2 pending\n'],
  ['rspec without tests', {passed: 0, failed: 0}, '0 examples, 0 failures\n'],
  ['ctest', {passed: 11, failed: 1}, '92% tests passed, 1 tests failed out of 12\n'],
  ['jest with a filter', {passed: 0}, 'Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n'],
  ['vitest with a filter', {passed: 0}, ' Test Files  1 skipped (1)\n      Tests  3 skipped (3)\n'],
  ['vitest without tests', {passed: 0}, 'No test files found, exiting with code 0\n\nfilter: nosuch\n'],
  ['jest without tests', {passed: 0}, 'No tests found, exiting with code 0\n'],
  ['pytest with a filter', {passed: 0}, '============ 5 deselected in 0.01s ============\n'],
  ['mocha with a filter', {passed: 0}, '\n\n  0 passing (1ms)\n\n'],
  ['unittest without tests', {passed: 0, failed: 0}, '------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n'],
  [
    'cargo test with a filter',
    {passed: 0, failed: 0},
    'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s\n',
  ],
  [
    'go test without tests',
    {passed: 0},
    '?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.002s [no tests to run]\n',
  ],
  [
    'go test with a filter',
    {passed: 0},
    'testing: warning: no tests to run\nPASS\nok  \ta\t0.002s [no tests to run]\n',
  ],
  ['go test, partly without tests', {failed: 0}, '?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.002s\n'],
  [
    'gradle without tests',
    {passed: 0},
    '> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n',
  ],
  ['gradle, up to date', {}, '> Task :a:test NO-SOURCE\n> Task :b:test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s\n'],
  ['Maven without tests', {passed: 0}, '[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n'],
  ['Maven that skips tests', {passed: 0}, '[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS\n'],
  ['dotnet with a filter', {passed: 0}, 'No test matches the given testcase filter `x` in /w/a.dll\n'],
  ['a script without tests', {passed: 0}, '\n> a@1.0.0 test\n> echo no tests yet\n\nNo tests yet\n'],
  [
    'two packages, one without tests',
    {},
    '\n> a@1.0.0 test\n> vitest run\n\nNo test files found, exiting with code 0\n\n> b@1.0.0 test\n> node test.js\n\nok\n',
  ],
  ['make without work', {passed: 0}, "make: 'test' is up to date.\n"],
  ['a bundler', {}, '12 files in 0.5s\n'],
  ['tsc', {failed: 2}, 'a.ts(1,7): error TS2322: x\nb.ts(1,7): error TS2322: y\n', 'types'],
  ['tsc in color', {failed: 2}, 'a.ts:1:7 - error TS2322: x\n\nFound 2 errors in 2 files.\n', 'types'],
  ['eslint', {failed: 2}, '✖ 3 problems (2 errors, 1 warning)\n', 'lint'],
  ['oxlint', {failed: 2}, 'Found 1 warning and 2 errors.\nFinished in 3ms\n', 'lint'],
  ['mypy', {failed: 2}, 'a.py:1: error: x\nFound 2 errors in 1 file (checked 3 source files)\n', 'lint'],
  ['pyright', {failed: 0}, '0 errors, 2 warnings, 0 informations\n', 'types'],
  ['clippy', {failed: 2}, 'error: could not compile `a` (lib) due to 2 previous errors; 1 warning emitted\n', 'lint'],
  ['a build', {}, 'vite v5 building for production...\n✓ 41 modules transformed.\n✓ built in 1.2s\n', 'build'],
  ['no runner', {}, 'all 41 tests passed, 0 failed\nok\n41 passed\u001B[0m so far\n'],
];
test.each(outputs.map(([name, ...rest]) => [name, rest] as const))('%s', (_, [counts, output, kind = 'test']) => {
  expect(countsIn(whole(output), kind)).toEqual(counts);
  expect(countsIn(whole(output.replaceAll('\n', '\r\n')), kind)).toEqual(counts);
});

test('formats with a line for each test count nothing if the middle of the output is missing', () => {
  const tap = 'TAP version 13\nok 1 - a\n1..400\n';
  expect(countsIn({text: tap, middle: 'cut'}, 'test')).toEqual({});
  expect(countsIn({text: 'Tests:       2 passed, 2 total\n', middle: 'cut'}, 'test')).toEqual({passed: 2});
});

test('no text makes it throw or count less than nothing', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('Tests run: 1, Failures: 3', 'Ran 1 test in 0s\n\nFAILED (errors=5)', 'ok', '1..3'),
  );
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('test' as const, 'types' as const), (lines, kind) => {
      const {passed = 0, failed = 0} = countsIn(whole(lines.join('\n')), kind);
      expect(passed >= 0 && failed >= 0 && Number.isSafeInteger(passed) && Number.isSafeInteger(failed)).toBe(true);
    }),
  );
});

test.each([
  '✔ a.test.mjs (104.28ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n',
  'TAP version 13\n1..0\n# Subtest: a.test.mjs\nok 1 - a.test.mjs\n1..1\n# tests 1\n# pass 1\n# fail 0\n',
])('a file that Node.js counts as a test is none if tests are chosen by name', output => {
  expect(countsIn(whole(output), 'test', 'by-name')).toEqual({passed: 0, failed: 0});
});

test('a test that is chosen by name counts', () => {
  const output = '✔ alpha (4.95ms)\n✔ b.test.mjs (3ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0\n';
  expect(countsIn(whole(output), 'test', 'by-name')).toEqual({passed: 2, failed: 0});
});
