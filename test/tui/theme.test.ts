import {describe, expect, test} from 'vitest';
import {
  backgroundOfVariable,
  colorLevel,
  luminance,
  backgroundOfReply,
  terminalLook,
} from '../../src/tui/theme/terminal-look.ts';
import {channels, rgbOf256, nearestOf256, themeOf} from '../../src/tui/theme/theme.ts';
import {roles, type ColorLevel} from '../../src/tui/theme/palette.ts';

type Colour = readonly [number, number, number];

/** xterm's own sixteen. */
const xterm: readonly Colour[] = [
  '#000000',
  '#cd0000',
  '#00cd00',
  '#cdcd00',
  '#0000ee',
  '#cd00cd',
  '#00cdcd',
  '#e5e5e5',
  '#7f7f7f',
  '#ff0000',
  '#00ff00',
  '#ffff00',
  '#5c5cff',
  '#ff00ff',
  '#00ffff',
  '#ffffff',
].map(channels);

const backgrounds = {
  dark: ['#000000', '#1e1e1e', '#282c34'],
  light: ['#ffffff', '#fdf6e3', '#f0f0f0'],
} as const;
/** xterm's own sixteen go with its own backgrounds; who has another has other colours too. */
const xtermBackgrounds = {dark: ['#000000'], light: ['#ffffff']} as const;
const defaultInk = {dark: '#d0d0d0', light: '#202020'} as const;

/** The foreground and the background that a sequence of SGR parameters leaves. */
function painted(
  codes: string,
  foreground: Colour,
  background: Colour,
): {readonly foreground: Colour; readonly background: Colour} {
  let now = {foreground, background};
  const rest = codes.split(';').map(Number);
  let isReversed = false;
  while (rest.length > 0) {
    const code = rest.shift() ?? 0;
    if (code === 7) isReversed = true;
    if (code === 38 || code === 48) {
      const [form = 0, ...parts] = rest;
      const colour: Colour = form === 2 ? [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0] : rgbOf256(parts[0] ?? 0);
      rest.splice(0, form === 2 ? 4 : 2);
      now = code === 38 ? {...now, foreground: colour} : {...now, background: colour};
    } else if (code >= 30 && code <= 37) now = {...now, foreground: xterm[code - 30] ?? foreground};
    else if (code >= 90 && code <= 97) now = {...now, foreground: xterm[code - 82] ?? foreground};
  }
  return isReversed ? {foreground: now.background, background: now.foreground} : now;
}

const light = (colour: Colour): number => luminance([colour[0] / 255, colour[1] / 255, colour[2] / 255]);
function contrast(one: Colour, other: Colour): number {
  const [low = 0, high = 0] = [light(one), light(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe('contrast is 4.5 : 1 or more', () => {
  const levels: readonly ColorLevel[] = ['truecolor', '256', '16'];
  const cases = levels.flatMap(level =>
    (['dark', 'light'] as const).flatMap(side =>
      (['auto', 'ansi', side] as const).map(theme => ({level, side, theme}) as const),
    ),
  );
  test.each(cases)('$level $side $theme', ({level, side, theme}) => {
    const one = themeOf({theme, level, links: 'shown', background: 'unknown'}, side);
    const poor: string[] = [];
    const code = (role: (typeof roles)[number]): string =>
      // oxlint-disable-next-line no-control-regex -- SGR begins with ESC
      [...one.style([role], 'x').matchAll(/\u001B\[([\d;]*)m(?=.*x)/gu)].map(([, found]) => found).join(';');
    const grounds = ['', code('added-line'), code('removed-line')];
    for (const role of roles) {
      for (const background of (level === '16' || theme === 'ansi' ? xtermBackgrounds : backgrounds)[side]) {
        for (const ground of role.startsWith('syntax-') && one.lineBackgrounds === 'syntax' ? grounds : ['']) {
          const both = [ground, code(role)].filter(part => part !== '').join(';');
          const {foreground, background: behind} = painted(both, channels(defaultInk[side]), channels(background));
          const found = contrast(foreground, behind);
          if (found < least(role)) poor.push(`${role} on ${background} ${ground}: ${found.toFixed(2)}`);
        }
      }
    }
    expect(poor).toEqual([]);
  });
});

/** A line needs less contrast than a letter. */
const least = (role: (typeof roles)[number]): number => (role === 'border' ? 3 : 4.5);

test.each(['truecolor', '256'] as const)('on a background that is not known %s can be read on both', level => {
  const one = themeOf({theme: 'auto', level, links: 'shown', background: 'unknown'});
  const poor: string[] = [];
  for (const role of roles) {
    // oxlint-disable-next-line no-control-regex -- SGR begins with ESC
    const [, code = ''] = /\u001B\[([\d;]*)m/u.exec(one.style([role], 'x')) ?? [];
    for (const side of ['dark', 'light'] as const) {
      for (const background of backgrounds[side]) {
        const {foreground, background: behind} = painted(code, channels(defaultInk[side]), channels(background));
        const found = contrast(foreground, behind);
        if (found < 3) poor.push(`${role} on ${background}: ${found.toFixed(2)}`);
      }
    }
  }
  expect(poor).toEqual([]);
});

test.each([
  ['truecolor', 'dark', 'syntax'],
  ['truecolor', 'light', 'syntax'],
  ['truecolor', 'unknown', 'plain'],
  ['256', 'dark', 'plain'],
  ['256', 'light', 'syntax'],
  ['256', 'unknown', 'plain'],
  ['16', 'dark', 'none'],
  ['none', 'dark', 'none'],
] as const)(
  '%s, %s: the words of a changed line stand out, over a background that carries %s',
  (level, side, carries) => {
    const one = themeOf({theme: 'auto', level, links: 'shown', background: 'unknown'}, side);
    expect(one.lineBackgrounds).toBe(carries);
    const [row, word] = [one.style(['removed-line'], 'x'), one.style(['removed-word'], 'x')];
    // oxlint-disable-next-line no-control-regex -- SGR begins with ESC
    const isTinted = /\u001B\[(?:[\d;]*;)?48;/u;
    expect([isTinted.test(row), isTinted.test(word), row !== word]).toEqual(
      carries === 'none' ? [false, false, level !== 'none'] : [true, true, true],
    );
    // oxlint-disable-next-line no-control-regex -- SGR begins with ESC
    expect(/\u001B\[(?:\d+;)*7[;m]/u.test(word)).toBe(level === '16');
  },
);

describe('themeOf', () => {
  test.each([
    [{theme: 'auto', level: 'truecolor'}, 'dark', 'dark'],
    [{theme: 'auto', level: '256'}, 'light', 'light'],
    [{theme: 'auto', level: 'truecolor'}, 'unknown', 'dark'],
    [{theme: 'auto', level: '256'}, 'unknown', 'dark'],
    [{theme: 'auto', level: '16'}, 'unknown', 'ansi'],
    [{theme: 'light', level: '16'}, 'dark', 'light'],
    [{theme: 'plain', level: 'truecolor'}, 'dark', 'plain'],
    [{theme: 'dark', level: 'none'}, 'dark', 'plain'],
  ] as const)('%j on %s is %s', (look, background, name) => {
    expect(themeOf({...look, links: 'shown', background: 'unknown'}, background).name).toBe(name);
  });

  test('without colours nothing is written but the text', () => {
    const plain = themeOf({theme: 'auto', level: 'none', links: 'shown', background: 'unknown'}, 'dark');
    expect(roles.map(role => plain.style([role, {href: 'https://x.org'}], 'x')).join('')).toBe(
      'x'.repeat(roles.length),
    );
  });

  test('every style is closed again, the innermost first', () => {
    const theme = themeOf({theme: 'dark', level: 'truecolor', links: 'osc8', background: 'unknown'}, 'dark');
    expect(theme.style(['bold', {href: 'https://x.org'}, 'added'], 'x')).toMatch(
      // oxlint-disable-next-line no-control-regex -- SGR begins with ESC
      /^\u001B\[1m\u001B\]8;id=\w+;https:\/\/x\.org\u001B\\\u001B\[38;2;134;209;134mx\u001B\[39m\u001B\]8;;\u001B\\\u001B\[22m$/u,
    );
    expect(theme.unlinked.style([{href: 'https://x.org'}], 'x')).toBe('x');
  });
});

test.each([
  ['\u001B]11;rgb:0000/0000/0000\u001B\\', 'dark'],
  ['\u001B]11;rgb:ffff/ffff/ffff\u0007', 'light'],
  ['abc\u001B]11;rgb:fd/f6/e3\u001B\\\u001B[?62c', 'light'],
  ['\u001B]11;rgb:1/1/2\u0007', 'dark'],
  ['\u001B]11;rgba:2828/2c2c/3434/ffff\u0007', 'dark'],
  ['\u001B]11;#FFFFFF\u0007', 'light'],
  ['rgb:1e1e/1e1e/1e1e', 'dark'],
  ['#fdf6e3', 'light'],
  ['\u001B]10;rgb:ffff/ffff/ffff\u0007', 'unknown'],
  ['\u001B]11;?\u0007', 'unknown'],
  ['\u001B]11;rgb:zz/zz/zz\u0007', 'unknown'],
  ['', 'unknown'],
])('readBackground(%j) is %s', (answer, background) => {
  expect(backgroundOfReply(answer)).toBe(background);
});

test.each([
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['0;default;7', 'light'],
  ['7;8', 'dark'],
  ['default;default', 'unknown'],
  ['', 'unknown'],
])('backgroundOfVariable(%j) is %s', (value, background) => {
  expect(backgroundOfVariable(value)).toBe(background);
});

test.each([
  [{}, '16'],
  [{TERM: 'xterm-256color'}, '256'],
  [{TERM: 'xterm-256color', COLORTERM: 'truecolor'}, 'truecolor'],
  [{TERM: 'xterm-kitty'}, 'truecolor'],
  [{TERM: 'dumb', COLORTERM: 'truecolor'}, 'none'],
  [{TERM: 'xterm', NO_COLOR: '1'}, 'none'],
  [{TERM: 'xterm', NO_COLOR: ''}, '16'],
  [{TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '1'}, '16'],
  [{TERM: 'xterm', FORCE_COLOR: '3'}, 'truecolor'],
  [{TERM: 'xterm', FORCE_COLOR: '2'}, '256'],
  [{TERM: 'dumb', FORCE_COLOR: 'true'}, '16'],
  [{TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '0'}, 'none'],
] as const)('colourLevel(%j) is %s', (environment, level) => {
  expect(colorLevel(environment)).toBe(level);
});

test.each([
  [{TERM: 'xterm-kitty'}, 'osc8'],
  [{TERM: 'xterm-256color'}, 'shown'],
  [{TERM: 'tmux-256color', TERM_PROGRAM: 'WezTerm'}, 'shown'],
  [{TERM: 'xterm-256color', VTE_VERSION: '7800'}, 'osc8'],
  [{TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', FORCE_HYPERLINK: '0'}, 'shown'],
] as const)('links of %j are %s', (environment, links) => {
  expect(terminalLook(environment, {theme: 'auto', color: 'wanted'}).links).toBe(links);
});

const distance = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0);

test('the nearest of the fixed colours is as near as any of them, and the first of those', () => {
  const values = Array.from({length: 18}, (_, at) => at * 15);
  for (const red of values) {
    for (const green of values) {
      for (const blue of [0, 8, 47, 48, 95, 113, 115, 116, 238, 255, green]) {
        const distances = Array.from({length: 240}, (_, at) => distance(rgbOf256(16 + at), [red, green, blue]));
        expect(nearestOf256([red, green, blue]) - 16).toBe(distances.indexOf(Math.min(...distances)));
      }
    }
  }
});
