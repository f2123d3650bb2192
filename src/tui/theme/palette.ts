/** How many colors the terminal has. `none` is for NO_COLOR and dumb terminals. */
export type ColorLevel = 'truecolor' | '256' | '16' | 'none';

/** The colors for a background. `either` is for an unknown one. */
export type Palette = 'dark' | 'light' | 'either';

/** A text color and a background color: `#rrggbb`, a number of 256 such as `@9`, or empty for the terminal's default. */
export interface ColorPair {
  readonly foreground: string;
  readonly background: string;
}

interface RoleColors extends Readonly<Record<Palette, ColorPair>> {
  readonly ansi: keyof AnsiColors;
}

const text = (ansi: keyof AnsiColors, dark: string, light: string, either: string): RoleColors => ({
  ansi,
  dark: on('', dark),
  light: on('', light),
  either: on('', either),
});
const on = (background: string, foreground: string): ColorPair => ({foreground, background});
const uncolored = text('plain', '', '', '');

/**
 * The colors of every role that text can have. Components name only roles. A test checks the contrast on common terminal backgrounds:
 * at least 4.5:1 for text and 3:1 for borders. The colors of `either` have at least 3:1 on dark and on light backgrounds, and its tints
 * set their own text color.
 */
export const colors = {
  bold: uncolored,
  italic: uncolored,
  struck: uncolored,
  selected: uncolored,
  dim: text('faint', '#a3a9b0', '#5a5f66', '#767676'),
  heading: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  code: text('odd', '#d3a8ff', '#75269b', '#875fd7'),
  'code-block': text('plain', '#cdd3da', '#24292f', ''),
  link: text('link', '#8ebcff', '#0a50a1', '#0087d7'),
  accent: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  running: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  success: text('good', '#86d186', '#17642a', '#00875f'),
  warning: text('warm', '#e8c170', '#7a4a00', '#d75f00'),
  error: text('bad', '#ff9a94', '#a31515', '#d75f5f'),
  added: text('good', '#86d186', '#17642a', '#00875f'),
  removed: text('bad', '#ff9a94', '#a31515', '#d75f5f'),
  // The words of a changed line that differ, and the background of a changed line whose code keeps its syntax colors.
  'added-word': tint('good', on('#1c6b36', '#ffffff'), on('#9adfac', '#000000'), on('#008700', '#ffffff')),
  'removed-word': tint('bad', on('#8c2f36', '#ffffff'), on('#ffb3ae', '#000000'), on('#af0000', '#ffffff')),
  'added-line': tint('plain', on('#1f382a', ''), on('#e2f5e5', ''), on('#005f00', '#d7ffd7')),
  'removed-line': tint('plain', on('#472126', ''), on('#fde7e6', ''), on('#5f0000', '#ffd7d7')),
  // A prompt from the user: a tinted row up to the right edge.
  'prompt-row': tint('plain', on('#343840', ''), on('#e3e6eb', ''), on('#3a3a3a', '#eeeeee')),
  // The bullet before a message of the agent.
  bullet: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  border: text('faint', '#7a828c', '#7d848c', '#767676'),
  'syntax-keyword': text('odd', '#d3a8ff', '#75269b', '#875fd7'),
  'syntax-string': text('good', '#a8d8a0', '#17642a', '#00875f'),
  'syntax-number': text('warm', '#f0b57d', '#864100', '#d75f00'),
  'syntax-comment': text('faint', '#a3a9b0', '#5a5f66', '#767676'),
  'syntax-name': text('link', '#8ebcff', '#0a50a1', '#0087d7'),
  'syntax-type': text('cool', '#7fd6de', '#00606f', '#0087af'),
  'syntax-meta': text('warm', '#cbbd93', '#635500', '#87875f'),
} as const satisfies Record<string, RoleColors>;

function tint(ansi: keyof AnsiColors, dark: ColorPair, light: ColorPair, either: ColorPair): RoleColors {
  return {ansi, dark, light, either};
}

export type Role = keyof typeof colors;

/** A theme file of the user: the colors that differ from a theme of weft. */
export interface CustomTheme {
  readonly name: string;
  readonly base: 'dark' | 'light';
  readonly colors: Readonly<Partial<Record<Role, ColorPair>>>;
}

export type SyntaxRole = Extract<Role, `syntax-${string}`>;

export const roles: readonly Role[] = Object.keys(colors).filter((word): word is Role => Object.hasOwn(colors, word));

/**
 * Overrides for 256 colors. These include few faint colors, so the palettes' tints would turn gray. On the dark green, only the tint's
 * own text color is readable.
 */
export const colors256: Readonly<Record<Palette, Readonly<Partial<Record<Role, ColorPair>>>>> = {
  dark: {
    'added-word': on('#008700', '#ffffff'),
    'removed-word': on('#af0000', '#ffffff'),
    'added-line': on('#005f00', '#d7ffd7'),
    'removed-line': on('#5f0000', '#ffd7d7'),
    'prompt-row': on('#3a3a3a', ''),
  },
  light: {
    'added-word': on('#87d787', '#000000'),
    'removed-word': on('#ffafaf', '#000000'),
    'added-line': on('#d7ffd7', ''),
    'removed-line': on('#ffd7d7', ''),
    'prompt-row': on('#e4e4e4', ''),
    'syntax-number': on('', '#005f87'),
  },
  either: {},
};

type AnsiColors = Readonly<Record<'cool' | 'good' | 'warm' | 'bad' | 'link' | 'odd' | 'faint' | 'plain', string>>;

/**
 * The 16 ANSI colors by their SGR parameter. On an unknown background, these are the standard colors, which users adapt to their
 * terminals. On a known background, they are the ones that are readable there in the terminals' default colors.
 */
export const ansiColors: Readonly<Record<'dark' | 'light' | 'unknown', AnsiColors>> = {
  dark: {cool: '96', good: '92', warm: '93', bad: '91', link: '96', odd: '95', faint: '37', plain: ''},
  light: {cool: '34', good: '34', warm: '35', bad: '31', link: '34', odd: '35', faint: '', plain: ''},
  unknown: {cool: '36', good: '32', warm: '33', bad: '31', link: '34', odd: '35', faint: '2', plain: ''},
};
