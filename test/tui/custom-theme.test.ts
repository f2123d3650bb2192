import {afterEach, describe, expect, test} from 'vitest';
import type {UserTheme} from '../../src/tui/options.ts';
import {parseTheme, weakColors} from '../../src/tui/theme/custom-theme.ts';
import type {ColorLevel, CustomTheme} from '../../src/tui/theme/palette.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

function themeFrom(file: object): CustomTheme {
  const read = parseTheme('mine', JSON.stringify(file));
  if (read.tag === 'failed') throw new Error(read.error);
  return read.value;
}

describe('a theme file', () => {
  test('has hex colors, names, numbers and pairs, and extends dark unless it says light', () => {
    const colors = {accent: '#F80', success: 'bright-green', dim: 245, code: 'default', 'added-line': '#001100'};
    expect(themeFrom({$schema: 'x', colors: {...colors, error: {text: 'white', background: 1}}})).toEqual({
      name: 'mine',
      base: 'dark',
      colors: {
        accent: {foreground: '#ff8800', background: ''},
        success: {foreground: '@10', background: ''},
        dim: {foreground: '@245', background: ''},
        code: {foreground: '', background: ''},
        'added-line': {foreground: '', background: '#001100'},
        error: {foreground: '@7', background: '@1'},
      },
    });
    expect(themeFrom({extends: 'light'})).toEqual({name: 'mine', base: 'light', colors: {}});
  });

  test.each<[unknown, string]>([
    [[], 'must hold one JSON object'],
    [{extends: 'plain'}, 'must extend "dark" or "light"'],
    [{colours: {}}, 'has "colours", but a theme has only "extends" and "colors"'],
    [{colors: 'red'}, 'needs an object "colors"'],
    [{colors: {acent: 'red'}}, `has a color for "acent", which is none of weft's names. The nearest is accent`],
    ...['#12', 'pink', 256, {text: 'red', back: 'blue'}].map((value): [unknown, string] => [
      {colors: {dim: value}},
      `has no valid color for "dim": ${JSON.stringify(value)}. Use "#rrggbb", a name such as "bright-blue", a number from 0 to 255, or {"text", "background"}`,
    ]),
  ])('%j %s', (file, error) => {
    expect(parseTheme('mine', JSON.stringify(file))).toEqual({tag: 'failed', error});
  });

  test('is asked for readable colors', () => {
    const colors = {dim: '#444444', accent: '#6fd0e8', error: 'red', code: 240, border: '#7a828c'};
    expect([weakColors(themeFrom({colors})), weakColors(themeFrom({extends: 'light', colors}))]).toEqual([
      ['dim 1.7:1', 'code 2.3:1'],
      ['accent 1.8:1'],
    ]);
  });
});

test.each<[ColorLevel, string, string, string, string]>([
  [
    'truecolor',
    '\u001B[38;2;255;136;0mx\u001B[39m',
    '\u001B[38;5;10mx\u001B[39m',
    '\u001B[38;5;245mx\u001B[39m',
    '#ff8800',
  ],
  ['256', '\u001B[38;5;208mx\u001B[39m', '\u001B[38;5;10mx\u001B[39m', '\u001B[38;5;245mx\u001B[39m', 'ansi256(208)'],
  ['16', '\u001B[96mx\u001B[39m', '\u001B[92mx\u001B[39m', '\u001B[37mx\u001B[39m', 'cyanBright'],
  ['none', 'x', 'x', 'x', ''],
])('with %s colors', (level, accent, success, dim, border) => {
  const theme = themeFrom({colors: {accent: '#ff8800', success: 'bright-green', dim: 245}});
  const drawn = themeOf({theme, level, links: 'shown', background: 'unknown'}, 'light');
  expect([
    drawn.style(['accent'], 'x'),
    drawn.style(['success'], 'x'),
    drawn.style(['dim'], 'x'),
    drawn.color('accent') ?? '',
  ]).toEqual([accent, success, dim, border]);
  const base = themeOf({theme: 'dark', level, links: 'shown', background: 'unknown'}, 'light');
  expect(drawn.style(['warning'], 'x')).toBe(base.style(['warning'], 'x'));
});

test('/theme lists the themes of the user after those of weft, with their faults, and previews them', async () => {
  const own: readonly UserTheme[] = [
    {name: 'broken', theme: 'none', about: 'The theme file broken.json is not JSON.'},
    {name: 'mine', theme: themeFrom({colors: {accent: '#123456'}}), about: 'low contrast: accent 1.4:1'},
  ];
  const {screen} = await start([100, 30], {
    look: {theme: 'dark', level: 'truecolor', links: 'shown', background: 'dark'},
    loadThemes: async () => own,
  });
  await screen.type('/theme\r');
  await screen.until(
    /auto[^]*plain[^]*broken +The theme file broken\.json is not JSON\.[^]*mine +low contrast: accent 1\.4:1/u,
  );
  await screen.type('\u001B[A\u001B[A');
  await screen.until(/❯ 7 {2}mine/u);
  await screen.type('\r');
  await screen.until(/Theme: mine, for this session only/u);
  await screen.type('/theme broken\r');
  await screen.until(/! The theme file broken\.json is not JSON\./u);
  await screen.type('/theme mien\r');
  await screen.until(/Unknown theme mien\. Did you mean mine\?/u);
});
