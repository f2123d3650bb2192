import {describe, expect, test} from 'vitest';
import {comparable, conditionText, Failures, jsonFailure, readCondition} from '../../../src/domain/goal.ts';

/** What weft will check, in its own words; empty for a text that it can't read. */
function reading(text: string): string {
  const read = readCondition(text);
  return read.tag === 'ok' ? conditionText(read.value) : '';
}

test.each([
  ['npm test', '`npm test` exits with 0'],
  ['"npm test passes"', '`npm test` exits with 0'],
  ["'npm run lint succeeds'", '`npm run lint` exits with 0'],
  ['cargo test exits with 0', '`cargo test` exits with 0'],
  ['FOO=1 ./check.sh && npm test', '`FOO=1 ./check.sh && npm test` exits with 0'],
  ['command: the tool passes', '`the tool passes` exits with 0'],
  ['grep -q "a b" x', '`grep -q "a b" x` exits with 0'],
  ['"a b" c "d"', '`"a b" c "d"` exits with 0'],
  ['command: npm test fails', '`npm test fails` exits with 0'],
  ['! grep -rq "is not > 3" src', '`! grep -rq "is not > 3" src` exits with 0'],
  ['npm test 2>&1 >/dev/null', '`npm test 2>&1 >/dev/null` exits with 0'],
  ['make all > /dev/null', '`make all > /dev/null` exits with 0'],
  ['sort -c < list.txt', '`sort -c < list.txt` exits with 0'],
  ['node is-up.js', '`node is-up.js` exits with 0'],
  ['check: lint', 'the check lint passes'],
  ['file: dist/index.js', 'dist/index.js exists'],
  ['file: "my file.txt" contains "x y"', 'my file.txt contains "x y"'],
  ['json: c.json .total.lines.pct >= 80', '.total.lines.pct of c.json >= 80'],
  ['json: $(npm audit --json) .a["b c"][0] == "x"', '.a["b c"][0] of the output of `npm audit --json` == "x"'],
  ['json: c.json .name contains weft', '.name of c.json contains "weft"'],
  ['json: c.json .ready', '.ready of c.json exists'],
])('%s', (text, said) => {
  expect(reading(text)).toBe(said);
});

test.each([
  '',
  '""',
  'the tests pass',
  'All tests are green',
  'until npm test passes',
  'npm test fails',
  'npm test does not pass',
  "npm test doesn't fail.",
  'npm test should pass',
  'npm test is green',
  'npm test passes and npm run lint passes',
  'npm test schlägt fehl',
  'npm test 通过',
  'coverage > 80',
  'coverage >= 80',
  'coverage < 80',
  'file:',
  'json: x',
  'json: x y',
  'check:',
  'passes',
])('refused with the forms: %j', text => {
  const read = readCondition(text);
  expect(read).toMatchObject(
    text === 'passes'
      ? {tag: 'ok'}
      : {tag: 'failed', error: expect.stringContaining('Write one of: npm test (a command')},
  );
});

/** What is wrong with a JSON text. */
function failure(text: string, form: string): string {
  const read = readCondition(`json: f ${form}`);
  if (read.tag === 'failed' || read.value.kind !== 'json') throw new Error(form);
  return jsonFailure(text, read.value);
}

describe('JSON', () => {
  const text = '{"n": 3, "list": [{"id": "a"}, null], "o": {"x y": true}, "s": "abc"}';

  test.each([
    '.n >= 3',
    '.n == 3',
    '.n != 4',
    '.n < 4',
    '.list[0].id == a',
    '.list.length == 2',
    '.o["x y"] == true',
    '.s contains b',
    '.o',
    '. != 1',
  ])('holds: %s', form => {
    expect(failure(text, form)).toBe('');
  });

  test.each([
    ['.n > 3', '.n is 3'],
    ['.n < x', '.n is 3'],
    ['.list[1]', '.list[1] is null'],
    ['.none.deep == 1', '.none.deep is missing'],
    ['.toString', '.toString is missing'],
  ])('fails: %s', (form, said) => {
    expect(failure(text, form)).toBe(said);
  });

  test('lines around the JSON of a command are left out', () => {
    expect(failure('npm warn old\n{"n": 1}\ndone', '.n == 1')).toBe('');
    expect(failure('no json', '.n')).toMatch(/^not JSON: /u);
  });
});

test.each([
  ['3 failed in 12.3s', '3 failed in 0.4 s'],
  ['at 2026-11-30T01:02:03.123Z', 'at 2026-12-01T11:22:33.456Z'],
  ['Duration 1.2s (tests 80ms)', 'Duration 3.4s (tests 9ms)'],
  ['ENOENT /tmp/weft-a1b2/x.txt', 'ENOENT /tmp/weft-c3d4/x.txt'],
  ['panic at 0x7ffeedbeef', 'panic at 0x1234'],
  ['connect 127.0.0.1:40123', 'connect 127.0.0.1:50999'],
  ['\u001B[31mred\u001B[39m', 'red'],
  ['seed 41, id 3f2a9c1d-0b1c-4d5e-8f90-a1b2c3d4e5f6', 'seed 7, id 00000000-0b1c-4d5e-8f90-a1b2c3d4e5f6'],
  ['commit 3f2a9c1d on port 40123, run #3', 'commit aa00bb11c on port 9, run #12'],
  ['a failed\nb failed', 'b failed\na failed'],
  ['duration_ms 4.123', 'duration_ms 5.9'],
])('the same failure: %s', (one, other) => {
  expect(comparable(one)).toBe(comparable(other));
});

test.each([
  ['3 failed', '2 failed'],
  ['a.ts:12:55 error', 'a.ts:13:55 error'],
  ['  12:55  error', '  13:55  error'],
  ['expected 5 to be 6', 'expected 5 to be 7'],
])('another failure: %s', (one, other) => {
  expect(comparable(one)).not.toBe(comparable(other));
});

/** A dot for each attempt that goes on. */
function progress(outputs: string): string {
  const failures = new Failures();
  return outputs.replaceAll(/./gu, output => (failures.add(output, 'work') === 'stuck' ? '!' : '.'));
}

test('two attempts in a row without a new failure are stuck, also if they alternate', () => {
  expect([progress('aaa'), progress('abab'), progress('aabcaab')]).toEqual(['..!', '...!', '.....!!']);
});

test('three attempts between which nothing was done are stuck, whatever the failure', () => {
  const failures = new Failures();
  expect([failures.add('a', 'work'), failures.add('b', 'nothing'), failures.add('c', 'nothing')]).toEqual([
    'go-on',
    'go-on',
    'stuck',
  ]);
});

test.each([
  ['npm test', 'ok'],
  ['./check.sh', 'ok'],
  ['[ -e a ]', 'ok'],
  ['CI=1 npm test', 'ok'],
  ['coverage ok', 'failed'],
  ['command: coverage ok', 'ok'],
])('with npm as the only program: %s', (text, tag) => {
  expect(readCondition(text, name => name === 'npm').tag).toBe(tag);
});
