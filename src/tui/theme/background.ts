/** What the text stands on; `unknown` where the terminal does not say. */
export type Background = 'dark' | 'light' | 'unknown';

/**
 * Reads how a terminal tells its background (the answer to OSC 11, whole or its colour alone): `rgb:RRRR/GGGG/BBBB`, each part of
 * one to four hexadecimal digits, `rgba:` with a fourth part, or `#RRGGBB`.
 */
export function readBackground(answer: string): Background {
  const colour = partsIn(answer);
  if (colour === undefined) return 'unknown';
  return luminance(colour) < evenLuminance ? 'dark' : 'light';
}

/** `COLORFGBG` as rxvt, Konsole and others set it: `15;0`, the background last; for terminals that do not answer. */
export function backgroundOfVariable(value: string): Background {
  const last = /^\d{1,2}(?:;[\w]*)?;(\d{1,2})$/u.exec(value.trim())?.[1];
  if (last === undefined) return 'unknown';
  const index = Number(last);
  return index === 7 || index > 8 ? 'light' : 'dark';
}

/** Red, green and blue, each from 0 to 1. */
type Rgb = readonly [red: number, green: number, blue: number];

/** Relative luminance as WCAG 2 has it, from 0 (black) to 1 (white). */
export function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map(part =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black and white have the same contrast against a background of this luminance. */
const evenLuminance = 0.179;

function partsIn(answer: string): Rgb | undefined {
  const named = /(?:^|\]11;)rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/iu.exec(answer);
  const short = named ?? /(?:^|\]11;)#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?![\da-f])/iu.exec(answer);
  if (short === null) return undefined;
  const [, red = '', green = '', blue = ''] = short;
  return [partOf(red), partOf(green), partOf(blue)];
}

const partOf = (digits: string): number => Number.parseInt(digits, 16) / (16 ** digits.length - 1);
