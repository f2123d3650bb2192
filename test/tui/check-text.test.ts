import {expect, test} from 'vitest';
import {treeId} from '../../src/domain/checkpoint.ts';
import type {CheckStatus, Receipt} from '../../src/domain/receipt.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {checkRows, plainCheck, shownCheck} from '../../src/tui/text/check-text.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

const status = (given: Partial<Receipt>, isFresh = true): CheckStatus => ({
  receipt: {
    call: 'host',
    name: 'npm test',
    kind: 'test',
    command: 'npm test',
    directory: '/w',
    paths: 'all',
    end: {kind: 'exited', code: 0},
    counts: {},
    at: 0,
    tree: treeId('t'),
    isConfined: false,
    ...given,
  },
  isFresh,
});
const failed = {kind: 'exited', code: 2} as const;
const all = [
  status({counts: {passed: 41}}),
  status({name: 'tsc', kind: 'types', end: failed, counts: {failed: 2}}),
  status({name: 'lint'}, false),
];
const rows = (statuses: readonly CheckStatus[], width: number): readonly string[] =>
  checkRows(
    statuses.map(each => shownCheck(each, '/w')),
    {theme: themeOf('plain'), width},
    '  ',
  );

test('checks share a line, which breaks between them', () => {
  expect(rows(all, 100)).toEqual(['  ✓ npm test 41 passed · ✗ tsc 2 errors · ! lint not run since the last edit']);
  expect(rows(all, 60)).toEqual(['  ✓ npm test 41 passed · ✗ tsc 2 errors', '  ! lint not run since the last edit']);
  expect(rows(all, 40)).toEqual(['  ✓ npm test 41 passed · ✗ tsc 2 errors', '  ! lint not run since the last edit']);
  const long = status({name: 'npm test -- --grep "a very long name of a test"', counts: {failed: 3}, end: failed});
  expect(rows([long], 100)).toEqual(['  ✗ npm test -- --grep "a very long name of a test" 3 failed']);
  expect(rows([long], 30)).toEqual(['  ✗ npm test -- --gr… 3 failed']);
  const stale = status({name: 'npm run lint'}, false);
  expect(rows([stale, ...all], 40)).toEqual([
    '  ! npm run lint',
    '    not run since the last edit',
    '  ✓ npm test 41 passed · ✗ tsc 2 errors',
    '  ! lint not run since the last edit',
  ]);
  for (const width of [12, 20, 40, 60]) {
    for (const row of rows([...all, long], width)) expect(cellWidth(row)).toBeLessThanOrEqual(width);
  }
});

test.each<readonly [CheckStatus, string]>([
  [status({}), 'Passed: npm test'],
  [status({directory: '/w/web'}), 'Passed: npm test in web'],
  [status({end: failed}), 'Failed: npm test, exit 2'],
  [status({end: failed}, false), 'Not proven: npm test, not run since the last edit'],
  [status({end: {kind: 'stopped', why: 'time-limit'}}), 'Failed: npm test, timed out'],
  [status({end: {kind: 'hidden', by: 'pipe'}}), 'Not proven: npm test, exit code hidden by a pipe'],
  [status({end: {kind: 'hidden', by: 'pipe'}, counts: {failed: 1}}), 'Failed: npm test, 1 failed'],
  [status({tree: 'unknown', counts: {passed: 2}}, false), 'Not proven: npm test, 2 passed, on other files'],
])('%o is read as %s', (check, words) => {
  expect(plainCheck(shownCheck(check, '/w'))).toBe(words);
});

test.each([
  [{counts: {passed: 2, failed: 1}}, '! npm test 1 failed, exit 0'],
  [{counts: {passed: 0, failed: 0}}, '! npm test 0 tests ran'],
  [{counts: {passed: 0}}, '! npm test 0 tests ran'],
  [{counts: {passed: 2, failed: 0}}, '✓ npm test 2 passed'],
])('counts %j beside a zero exit code are shown as %s', (given, shown) => {
  expect(rows([status(given)], 80)).toEqual([`  ${shown}`]);
});
