import {expect, test} from 'vitest';
import {styledOutput} from '../../src/tui/text/styled-output.ts';

const escape = '\u001B';
const red = `${escape}[31m`;
const reset = `${escape}[0m`;
const linked = `${escape}]8;;https://example.com${escape}\\here${escape}]8;;${escape}\\`;
const shown = (output: string, cells = 80, theme: Parameters<typeof styledOutput>[1]['theme'] = rich): string =>
  styledOutput(output, {theme, cells});
const rich = {name: 'dark', links: 'osc8'} as const;

test.each([
  ['the first line with text', '\n  \nfirst\nsecond\n', 'first'],
  ['colors, which end with the line', `${red}red\n`, `${red}red${reset}`],
  ['a link', linked, linked],
  [
    'a link that the output leaves open',
    `${escape}]8;;file:///a\u0007a`,
    `${escape}]8;;file:///a\u0007a${escape}]8;;${escape}\\`,
  ],
  [
    'no title, no clipboard, no cursor',
    `${escape}]0;title\u0007a${escape}]52;c;aGk=\u0007b${escape}[2Jc${escape}[1;1Hd${escape}7e`,
    'abcde',
  ],
  ['no link with an escape in its address', `${escape}]8;;a b\u0007text`, 'text'],
  ['no other strings', `${escape}Pq#0${escape}\\a${escape}_Gi=1;x${escape}\\b`, 'ab'],
  ['no control characters', 'a\rb\u0000c\u009Bd\u202Ee\tf', 'abcde f'],
  ['no escape that never ends', `a${escape}`, 'a'],
])('keeps %s', (_title, output, expected) => {
  expect(shown(output)).toBe(expected);
});

test.each([
  [8, 'abcdefgh'],
  [7, 'abcdef…'],
  [1, '…'],
  [0, ''],
])('cuts to %i cells', (cells, expected) => {
  expect(shown('abcdefgh', cells)).toBe(expected);
});

test('cuts between colors, and never inside a wide character', () => {
  expect([shown(`ab${red}cdef`, 4), shown('日本語', 5), shown('日本語', 6), shown(`abcd${red}ef`, 4)]).toEqual([
    `ab${red}c…${reset}`,
    '日本…',
    '日本語',
    `abcd${red}${reset}`,
  ]);
});

test('has no escapes without colors, and no links if the terminal has none', () => {
  expect(shown(`${red}red${linked}`, 80, {name: 'plain', links: 'shown'})).toBe('redhere');
  expect(shown(`${red}red${linked}`, 80, {name: 'ansi', links: 'shown'})).toBe(`${red}redhere${reset}`);
});
