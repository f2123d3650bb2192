/** Every look text can have on screen. Views name a role; what a role looks like is said here and nowhere else. */
export const roles = [
  'dim',
  'bold',
  'italic',
  'struck',
  'heading',
  'code',
  'code-block',
  'link',
  'accent',
  'running',
  'success',
  'warning',
  'error',
  'added',
  'removed',
  // The words of a changed line that differ, and the background of such a line where its code keeps its syntax colours.
  'added-word',
  'removed-word',
  'added-line',
  'removed-line',
  'selected',
  // What the user said: a tinted row, up to the right edge.
  'prompt-row',
  // The bullet before what the agent says.
  'bullet',
  'border',
  'syntax-keyword',
  'syntax-string',
  'syntax-number',
  'syntax-comment',
  'syntax-name',
  'syntax-type',
  'syntax-meta',
] as const;
export type Role = (typeof roles)[number];

/** The roles for the parts of code. */
export type SyntaxRole = Extract<Role, `syntax-${string}`>;

/** How many colours the terminal has; `none` is for NO_COLOR and dumb terminals. */
export type ColourLevel = 'truecolor' | '256' | '16' | 'none';

/** A text colour, and a background colour where the role has one of its own; both as `#rrggbb`, empty for the terminal's default. */
export interface ColourPair {
  readonly foreground: string;
  readonly background: string;
}

/** All roles with a colour; the others are only text attributes. */
export type ColouredRole = Exclude<Role, 'bold' | 'italic' | 'struck' | 'selected'>;

const text = (colour: string): ColourPair => ({foreground: colour, background: ''});
const onBackground = (colour: string, background: string): ColourPair => ({foreground: colour, background});

/** The colours for a background; `either` is for one that is not known. */
export type Palette = 'dark' | 'light' | 'either';

/**
 * Every text colour has a contrast of 4.5 : 1 or more on the backgrounds that terminals have, and borders one of 3 : 1; a test measures it.
 * Those of `either` have 3 : 1 on dark and on light backgrounds, and its tints bring their text colour with them.
 */
export const colourPairs: Readonly<Record<Palette, Readonly<Record<ColouredRole, ColourPair>>>> = {
  dark: {
    dim: text('#a3a9b0'),
    heading: text('#6fd0e8'),
    code: text('#e5c07b'),
    'code-block': text('#cdd3da'),
    link: text('#8ebcff'),
    accent: text('#6fd0e8'),
    running: text('#6fd0e8'),
    success: text('#86d186'),
    warning: text('#e8c170'),
    error: text('#ff9a94'),
    added: text('#86d186'),
    removed: text('#ff9a94'),
    'added-word': onBackground('#ffffff', '#1c6b36'),
    'removed-word': onBackground('#ffffff', '#8c2f36'),
    'added-line': onBackground('', '#1f382a'),
    'removed-line': onBackground('', '#472126'),
    'prompt-row': onBackground('', '#343840'),
    bullet: text('#6fd0e8'),
    border: text('#7a828c'),
    'syntax-keyword': text('#d3a8ff'),
    'syntax-string': text('#a8d8a0'),
    'syntax-number': text('#f0b57d'),
    'syntax-comment': text('#a3a9b0'),
    'syntax-name': text('#8ebcff'),
    'syntax-type': text('#7fd6de'),
    'syntax-meta': text('#cbbd93'),
  },
  light: {
    dim: text('#5a5f66'),
    heading: text('#00606f'),
    code: text('#7a4a00'),
    'code-block': text('#24292f'),
    link: text('#0a50a1'),
    accent: text('#00606f'),
    running: text('#00606f'),
    success: text('#17642a'),
    warning: text('#7a4a00'),
    error: text('#a31515'),
    added: text('#17642a'),
    removed: text('#a31515'),
    'added-word': onBackground('#000000', '#9adfac'),
    'removed-word': onBackground('#000000', '#ffb3ae'),
    'added-line': onBackground('', '#e2f5e5'),
    'removed-line': onBackground('', '#fde7e6'),
    'prompt-row': onBackground('', '#e3e6eb'),
    bullet: text('#00606f'),
    border: text('#7d848c'),
    'syntax-keyword': text('#75269b'),
    'syntax-string': text('#17642a'),
    'syntax-number': text('#864100'),
    'syntax-comment': text('#5a5f66'),
    'syntax-name': text('#0a50a1'),
    'syntax-type': text('#00606f'),
    'syntax-meta': text('#635500'),
  },
  either: {
    dim: text('#767676'),
    heading: text('#0087af'),
    code: text('#d75f00'),
    'code-block': text(''),
    link: text('#0087d7'),
    accent: text('#0087af'),
    running: text('#0087af'),
    success: text('#00875f'),
    warning: text('#d75f00'),
    error: text('#d75f5f'),
    added: text('#00875f'),
    removed: text('#d75f5f'),
    'added-word': onBackground('#ffffff', '#008700'),
    'removed-word': onBackground('#ffffff', '#af0000'),
    'added-line': onBackground('#d7ffd7', '#005f00'),
    'removed-line': onBackground('#ffd7d7', '#5f0000'),
    'prompt-row': onBackground('#eeeeee', '#3a3a3a'),
    bullet: text('#0087af'),
    border: text('#767676'),
    'syntax-keyword': text('#875fd7'),
    'syntax-string': text('#00875f'),
    'syntax-number': text('#d75f00'),
    'syntax-comment': text('#767676'),
    'syntax-name': text('#0087d7'),
    'syntax-type': text('#0087af'),
    'syntax-meta': text('#87875f'),
  },
};

/**
 * What differs at 256 colours, which have few that are faint: the tints of the palettes would be grey. On the dark green no other
 * text colour can be read than the tint's own.
 */
export const coloursOf256: Readonly<Record<Palette, Readonly<Partial<Record<Role, ColourPair>>>>> = {
  dark: {
    'added-word': onBackground('#ffffff', '#008700'),
    'removed-word': onBackground('#ffffff', '#af0000'),
    'added-line': onBackground('#d7ffd7', '#005f00'),
    'removed-line': onBackground('#ffd7d7', '#5f0000'),
    'prompt-row': onBackground('', '#3a3a3a'),
  },
  light: {
    'added-word': onBackground('#000000', '#87d787'),
    'removed-word': onBackground('#000000', '#ffafaf'),
    'added-line': onBackground('', '#d7ffd7'),
    'removed-line': onBackground('', '#ffd7d7'),
    'prompt-row': onBackground('', '#e4e4e4'),
    'syntax-number': text('#005f87'),
  },
  either: {},
};

/**
 * The sixteen colours by their SGR parameter, where `7;` before one swaps text colour and background. On a background that is
 * not known they are those that people set up their terminals by; on a known one those that can be read there in the
 * colours that terminals come with.
 */
export const sixteen: Readonly<Record<'dark' | 'light' | 'unknown', Readonly<Record<ColouredRole, string>>>> = {
  dark: ansi({cool: '96', good: '92', warm: '93', bad: '91', link: '96', odd: '95', faint: '37', plain: ''}),
  light: ansi({cool: '34', good: '34', warm: '35', bad: '31', link: '34', odd: '35', faint: '', plain: ''}),
  unknown: ansi({cool: '36', good: '32', warm: '33', bad: '31', link: '34', odd: '35', faint: '2', plain: ''}),
};

interface Sixteen {
  readonly cool: string;
  readonly good: string;
  readonly warm: string;
  readonly bad: string;
  readonly link: string;
  readonly odd: string;
  readonly faint: string;
  readonly plain: string;
}

function ansi({cool, good, warm, bad, link, odd, faint, plain}: Sixteen): Readonly<Record<ColouredRole, string>> {
  return {
    dim: faint,
    heading: cool,
    code: warm,
    'code-block': plain,
    link,
    accent: cool,
    running: cool,
    success: good,
    warning: warm,
    error: bad,
    added: good,
    removed: bad,
    'added-word': good,
    'removed-word': bad,
    'added-line': plain,
    'removed-line': plain,
    'prompt-row': plain,
    bullet: cool,
    border: faint,
    'syntax-keyword': odd,
    'syntax-string': good,
    'syntax-number': warm,
    'syntax-comment': faint,
    'syntax-name': link,
    'syntax-type': cool,
    'syntax-meta': warm,
  };
}
