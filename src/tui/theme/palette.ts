/** How many colours the terminal has; `none` is for NO_COLOR and dumb terminals. */
export type ColourLevel = 'truecolor' | '256' | '16' | 'none';

/** The colours for a background; `either` is for one that is not known. */
export type Palette = 'dark' | 'light' | 'either';

/** A text colour, and a background colour where the role has one of its own; both as `#rrggbb`, empty for the terminal's default. */
export interface ColourPair {
  readonly foreground: string;
  readonly background: string;
}

interface Colours extends Readonly<Record<Palette, ColourPair>> {
  readonly ofSixteen: keyof Sixteen;
}

const text = (ofSixteen: keyof Sixteen, dark: string, light: string, either: string): Colours => ({
  ofSixteen,
  dark: on('', dark),
  light: on('', light),
  either: on('', either),
});
const on = (background: string, foreground: string): ColourPair => ({foreground, background});
const uncoloured = text('plain', '', '', '');

/**
 * Every look that text can have on the screen. Views name a role; what a role looks like is said here and nowhere else. Every text
 * colour has a contrast of 4.5 : 1 or more on the backgrounds that terminals have, and borders one of 3 : 1; a test measures it.
 * Those of `either` have 3 : 1 on dark and on light backgrounds, and its tints bring their text colour with them.
 */
export const colours = {
  bold: uncoloured,
  italic: uncoloured,
  struck: uncoloured,
  selected: uncoloured,
  dim: text('faint', '#a3a9b0', '#5a5f66', '#767676'),
  heading: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  code: text('warm', '#e5c07b', '#7a4a00', '#d75f00'),
  'code-block': text('plain', '#cdd3da', '#24292f', ''),
  link: text('link', '#8ebcff', '#0a50a1', '#0087d7'),
  accent: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  running: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  success: text('good', '#86d186', '#17642a', '#00875f'),
  warning: text('warm', '#e8c170', '#7a4a00', '#d75f00'),
  error: text('bad', '#ff9a94', '#a31515', '#d75f5f'),
  added: text('good', '#86d186', '#17642a', '#00875f'),
  removed: text('bad', '#ff9a94', '#a31515', '#d75f5f'),
  // The words of a changed line that differ, and the background of such a line where its code keeps its syntax colours.
  'added-word': tint('good', on('#1c6b36', '#ffffff'), on('#9adfac', '#000000'), on('#008700', '#ffffff')),
  'removed-word': tint('bad', on('#8c2f36', '#ffffff'), on('#ffb3ae', '#000000'), on('#af0000', '#ffffff')),
  'added-line': tint('plain', on('#1f382a', ''), on('#e2f5e5', ''), on('#005f00', '#d7ffd7')),
  'removed-line': tint('plain', on('#472126', ''), on('#fde7e6', ''), on('#5f0000', '#ffd7d7')),
  // What the user said: a tinted row, up to the right edge.
  'prompt-row': tint('plain', on('#343840', ''), on('#e3e6eb', ''), on('#3a3a3a', '#eeeeee')),
  // The bullet before what the agent says.
  bullet: text('cool', '#6fd0e8', '#00606f', '#0087af'),
  border: text('faint', '#7a828c', '#7d848c', '#767676'),
  'syntax-keyword': text('odd', '#d3a8ff', '#75269b', '#875fd7'),
  'syntax-string': text('good', '#a8d8a0', '#17642a', '#00875f'),
  'syntax-number': text('warm', '#f0b57d', '#864100', '#d75f00'),
  'syntax-comment': text('faint', '#a3a9b0', '#5a5f66', '#767676'),
  'syntax-name': text('link', '#8ebcff', '#0a50a1', '#0087d7'),
  'syntax-type': text('cool', '#7fd6de', '#00606f', '#0087af'),
  'syntax-meta': text('warm', '#cbbd93', '#635500', '#87875f'),
} as const satisfies Record<string, Colours>;

function tint(ofSixteen: keyof Sixteen, dark: ColourPair, light: ColourPair, either: ColourPair): Colours {
  return {ofSixteen, dark, light, either};
}

export type Role = keyof typeof colours;

export type SyntaxRole = Extract<Role, `syntax-${string}`>;

export const roles: readonly Role[] = Object.keys(colours).filter((word): word is Role => Object.hasOwn(colours, word));

/**
 * What differs at 256 colours, which have few that are faint: the tints of the palettes would be grey. On the dark green no other
 * text colour can be read than the tint's own.
 */
export const coloursOf256: Readonly<Record<Palette, Readonly<Partial<Record<Role, ColourPair>>>>> = {
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

type Sixteen = Readonly<Record<'cool' | 'good' | 'warm' | 'bad' | 'link' | 'odd' | 'faint' | 'plain', string>>;

/**
 * The sixteen colours by their SGR parameter, where `7;` before one swaps text colour and background. On a background that is
 * not known they are those that people set up their terminals by; on a known one those that can be read there in the
 * colours that terminals come with.
 */
export const sixteen: Readonly<Record<'dark' | 'light' | 'unknown', Sixteen>> = {
  dark: {cool: '96', good: '92', warm: '93', bad: '91', link: '96', odd: '95', faint: '37', plain: ''},
  light: {cool: '34', good: '34', warm: '35', bad: '31', link: '34', odd: '35', faint: '', plain: ''},
  unknown: {cool: '36', good: '32', warm: '33', bad: '31', link: '34', odd: '35', faint: '2', plain: ''},
};
