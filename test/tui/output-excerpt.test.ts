import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {excerptOf, linesOfExcerpt, explainsFailure} from '../../src/tui/scrollback/output-excerpt.ts';

describe('what is shown of a long output', () => {
  const line = fc.constantFrom(
    '',
    '  ',
    'fine',
    'ok 3 - well',
    '# fail 0',
    '0 errors',
    'Error: no such thing',
    'not ok 2 - bad',
    'src/a.ts:3:1: error TS2304',
    '    600 !== 540',
    '✗ it does',
  );

  test('is bounded, in order, and never without the first line that says why', () => {
    fc.assert(
      fc.property(fc.array(line, {maxLength: 200}), fc.integer({min: 1, max: 40}), (lines, most) => {
        for (const part of ['beginning', 'end', 'both-ends', 'reasons'] as const) {
          const picked = excerptOf(part, lines, most);
          expect(picked.length).toBeLessThanOrEqual(most);
          expect(picked).toEqual([...new Set(picked)].toSorted((a, b) => a - b));
          expect(picked.every(at => at in lines)).toBe(true);
        }
        const first = lines.find(explainsFailure);
        const shown = excerptOf('reasons', lines, most).map(at => lines[at]);
        if (first !== undefined) expect(shown).toContain(first);
      }),
    );
  });

  test.each([
    ['AssertionError [ERR_ASSERTION]: Expected values to be strictly equal', true],
    ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", true],
    ['FAIL test/a.test.ts > adds', true],
    ['E       assert 1 == 2', true],
    ['thread main panicked at src/main.rs:2', true],
    ['bash: nope: command not found', true],
    ['Tests: 0 failed, 12 passed', false],
    ['ℹ fail 0', false],
    ['✔ handles errors', false],
    ['Compiling weft', false],
  ])('%s', (text, isReason) => {
    expect(explainsFailure(text)).toBe(isReason);
  });

  const nodeTest = [
    '✔ two (0.7ms)',
    '✖ three of the same item get 10 % off (0.8ms)',
    'ℹ tests 2',
    'ℹ suites 0',
    'ℹ pass 1',
    'ℹ fail 1',
    'ℹ cancelled 0',
    'ℹ skipped 0',
    'ℹ todo 0',
    'ℹ duration_ms 90.3',
    '✖ failing tests:',
    'test at t.test.js:4:1',
    '✖ three of the same item get 10 % off (0.8ms)',
    '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    '  0 !== 60',
    '      at TestContext.<anonymous> (file:///w/t.test.js:5:10)',
    '      at Test.run (node:internal/test_runner/test:1402:25) {',
    '    generatedMessage: true,',
    '    actual: 0,',
    '    expected: 60,',
    "    operator: 'strictEqual',",
    "    diff: 'simple'",
    '  }',
  ];

  test('the values that differ and the line of the test are shown, what says nothing is not', () => {
    const shown = excerptOf('reasons', nodeTest, 12).map(at => nodeTest[at]);
    expect(shown).toEqual([
      'ℹ tests 2',
      'ℹ pass 1',
      'ℹ fail 1',
      '✖ three of the same item get 10 % off (0.8ms)',
      '  0 !== 60',
      '      at TestContext.<anonymous> (file:///w/t.test.js:5:10)',
    ]);
  });

  test('a test that is listed above a heading and repeated below is shown once', () => {
    const thrown = nodeTest.map(text => text.replace('  0 !== 60', '  Error: no cart'));
    expect(excerptOf('reasons', thrown, 6).map(at => thrown[at])).toEqual([
      'ℹ tests 2',
      'ℹ fail 1',
      '✖ three of the same item get 10 % off (0.8ms)',
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '  Error: no cart',
      '      at TestContext.<anonymous> (file:///w/t.test.js:5:10)',
    ]);
  });

  test.each([
    ['cargo', 'failures:'],
    ['pytest', '=================== FAILURES ==================='],
    ['pytest', '=========== short test summary info ============'],
    ['vitest', '⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯'],
    ['node', '✖ failing tests:'],
  ])('a heading of %s is left out: %s', (_runner, heading) => {
    const lines = [...Array.from({length: 9}, (_, at) => `error: ${at}`), heading];
    expect(explainsFailure(heading)).toBe(false);
    expect(excerptOf('reasons', lines, 9)).not.toContain(9);
  });

  test('durations of tests are left out, other brackets are not', () => {
    const lines = [
      '--- FAIL: TestThree (0.00s)',
      '  ✕ adds (5 ms)',
      '✔ two (0.7ms)',
      '× waits (5 ms) twice',
      'x (1 ms)',
    ];
    expect(linesOfExcerpt(lines, [0, 1, 2, 3, 4]).map(({text}) => text)).toEqual([
      '--- FAIL: TestThree',
      '  ✕ adds',
      '✔ two',
      '× waits (5 ms) twice',
      'x (1 ms)',
    ]);
  });

  test('tests of one name in two suites keep their errors', () => {
    const [head, foot] = ['not ok 1 - adds', ['  ---', '  x: 1', '  x: 2', '  x: 3', '  x: 4']];
    const lines = [head, ...foot, '    1 !== 2', head, ...foot, '    3 !== 4'];
    expect(excerptOf('reasons', lines, 6).map(at => lines[at])).toEqual([
      'not ok 1 - adds',
      '    1 !== 2',
      'not ok 1 - adds',
      '    3 !== 4',
    ]);
  });

  test('several failures: each with its test, the place of the first, and how many', () => {
    const jest = ['PASS a.test.js', 'FAIL b.test.js', '  ● adds', '', '    Expected: 4', '    Received: 3', ''];
    const stack = ['      at Object.<anonymous> (b.test.js:5:21)', '  ● takes', '    Expected: 2', '    Received: 1'];
    const ends = ['Test Suites: 1 failed, 1 passed, 2 total', 'Time: 0.5 s', 'Ran all test suites.'];
    const lines = [...jest, ...stack, ...ends];
    const left = new Set([0, 3, 6, 12, 13]);
    expect(excerptOf('reasons', lines, 9)).toEqual([...lines.keys()].filter(at => !left.has(at)));
    const cargo = [
      'test b ... FAILED',
      '---- b stdout ----',
      "thread 'b' panicked at src/lib.rs:14:9:",
      '  left: 3',
      ' right: 4',
    ];
    expect(excerptOf('reasons', ['running', ...cargo, 'note: x', 'test result: FAILED. 1 failed'], 6)).toEqual([
      1, 2, 3, 4, 5, 7,
    ]);
  });

  test('at the end of what went well counts of nothing are left out', () => {
    const lines = ['ℹ tests 2', 'ℹ pass 2', 'ℹ fail 0', 'ℹ cancelled 0', 'ℹ todo 0', 'ℹ duration_ms 9.3'];
    expect(excerptOf('end', lines, 3)).toEqual([0, 1, 2]);
  });

  test('counts that follow one another are on one line', () => {
    const lines = ['✔ two', 'ℹ tests 2', 'ℹ suites 0', 'ℹ pass 2', 'done', '# fail 0'];
    expect(linesOfExcerpt(lines, [0, 1, 3, 4, 5])).toEqual([
      {text: '✔ two', from: 0, to: 0},
      {text: 'ℹ tests 2 · pass 2', from: 1, to: 3},
      {text: 'done', from: 4, to: 4},
      {text: '# fail 0', from: 5, to: 5},
    ]);
  });
});
