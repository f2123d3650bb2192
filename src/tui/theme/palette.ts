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
  'quote',
  'accent',
  'running',
  'success',
  'warning',
  'error',
  'added',
  'removed',
  // The words of a changed line that differ, and the ground of such a line where its code has colours of its own.
  'added-word',
  'removed-word',
  'added-line',
  'removed-line',
  'selected',
  'syntax-keyword',
  'syntax-string',
  'syntax-number',
  'syntax-comment',
  'syntax-name',
  'syntax-type',
  'syntax-meta',
] as const;
export type Role = (typeof roles)[number];

/** Parts of code. */
export type SyntaxRole = Extract<Role, `syntax-${string}`>;

/** How many colours the terminal has; `none` is for NO_COLOR and dumb terminals. */
export type ColourLevel = 'truecolor' | '256' | '16' | 'none';

/** An ink and, where it is not the terminal's own background, what is behind it; both as `#rrggbb`, empty for the terminal's. */
export interface Paint {
  readonly ink: string;
  readonly ground: string;
}

/** All roles but those that are an attribute alone. */
export type ColouredRole = Exclude<Role, 'bold' | 'italic' | 'struck' | 'selected'>;

const ink = (colour: string): Paint => ({ink: colour, ground: ''});
const onGround = (colour: string, ground: string): Paint => ({ink: colour, ground});

/** Every ink has a contrast of 4.5 : 1 or more on the backgrounds that terminals have; a test measures it. */
export const paints: Readonly<Record<'dark' | 'light', Readonly<Record<ColouredRole, Paint>>>> = {
  dark: {
    dim: ink('#a3a9b0'),
    heading: ink('#6fd0e8'),
    code: ink('#e5c07b'),
    'code-block': ink('#cdd3da'),
    link: ink('#8ebcff'),
    quote: ink('#a3a9b0'),
    accent: ink('#6fd0e8'),
    running: ink('#6fd0e8'),
    success: ink('#86d186'),
    warning: ink('#e8c170'),
    error: ink('#ff9a94'),
    added: ink('#86d186'),
    removed: ink('#ff9a94'),
    'added-word': onGround('#ffffff', '#1c6b36'),
    'removed-word': onGround('#ffffff', '#8c2f36'),
    'added-line': onGround('', '#10291a'),
    'removed-line': onGround('', '#33171a'),
    'syntax-keyword': ink('#d3a8ff'),
    'syntax-string': ink('#a8d8a0'),
    'syntax-number': ink('#f0b57d'),
    'syntax-comment': ink('#a3a9b0'),
    'syntax-name': ink('#8ebcff'),
    'syntax-type': ink('#7fd6de'),
    'syntax-meta': ink('#cbbd93'),
  },
  light: {
    dim: ink('#5a5f66'),
    heading: ink('#00606f'),
    code: ink('#7a4a00'),
    'code-block': ink('#24292f'),
    link: ink('#0a50a1'),
    quote: ink('#5a5f66'),
    accent: ink('#00606f'),
    running: ink('#00606f'),
    success: ink('#17642a'),
    warning: ink('#7a4a00'),
    error: ink('#a31515'),
    added: ink('#17642a'),
    removed: ink('#a31515'),
    'added-word': onGround('#000000', '#9adfac'),
    'removed-word': onGround('#000000', '#ffb3ae'),
    'added-line': onGround('', '#e2f5e5'),
    'removed-line': onGround('', '#fde7e6'),
    'syntax-keyword': ink('#75269b'),
    'syntax-string': ink('#17642a'),
    'syntax-number': ink('#864100'),
    'syntax-comment': ink('#5a5f66'),
    'syntax-name': ink('#0a50a1'),
    'syntax-type': ink('#00606f'),
    'syntax-meta': ink('#635500'),
  },
};

/**
 * The sixteen colours by their SGR parameter, where `7;` before one stands for the ink as ground. On a background that is
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
    quote: faint,
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
    'syntax-keyword': odd,
    'syntax-string': good,
    'syntax-number': warm,
    'syntax-comment': faint,
    'syntax-name': link,
    'syntax-type': cool,
    'syntax-meta': warm,
  };
}
