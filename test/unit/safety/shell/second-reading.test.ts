import {expect, test} from 'vitest';
import {parseShell} from '../../../../src/safety/shell/parser.ts';
import {withoutRepeats} from '../../../../src/safety/shell/second-reading.ts';

function shortened(text: string): string {
  const parsed = parseShell(text);
  if (parsed.tag === 'failed') throw new Error(parsed.error.what);
  return withoutRepeats(text, parsed.value);
}

test.each([
  ['ls', 'ls'],
  ['true && true && true && ls', 'true && ls'],
  ['cat a; cat b; cat c1; cat d2', 'cat a; cat c1'],
  ['ls a | wc; ls b | wc', 'ls a | wc'],
  ['ls; ls "x"; ls; ls "x"', 'ls; ls "x"; ls "x"'],
  ['ls; (ls); ls & ls', 'ls; (ls) & ls'],
  ['ls; ls > x; ls', 'ls; ls > x'],
  ['ls\nls\n# note\nls', 'ls\n# note\nls'],
  ['ls; x=1 ls; ls', 'ls; x=1 ls'],
])('%j comes to %j', (text, short) => {
  expect(shortened(text)).toBe(short);
});

test('a command of another kind stays, wherever it stands', () => {
  const chain = 'true && '.repeat(3000);
  expect(shortened(`${chain}echo "$x" && ${chain}ls`)).toBe('true && echo "$x" && ls');
});
