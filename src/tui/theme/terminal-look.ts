import type {ThemeChoice} from '../../domain/preferences.ts';
import type {ColorLevel, CustomTheme} from './palette.ts';

/** The terminal's capabilities and the chosen theme. */
export interface TerminalLook {
  readonly theme: ThemeChoice | CustomTheme;
  readonly level: ColorLevel;
  /** `osc8` if the terminal supports hyperlinks. With `shown`, the address is written after the text. */
  readonly links: 'osc8' | 'shown';
  /** The background according to the environment. The terminal's own answer takes precedence. */
  readonly background: Background;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the look for a terminal from its environment. `color` comes from a flag. */
export function terminalLook(
  environment: Environment,
  {theme, color}: {readonly theme: ThemeChoice | CustomTheme; readonly color: 'wanted' | 'unwanted'},
): TerminalLook {
  const level = color === 'unwanted' ? 'none' : colorLevel(environment);
  // Without colors, no escape sequences are written at all.
  const links = level !== 'none' && theme !== 'plain' && supportsHyperlinks(environment) ? 'osc8' : 'shown';
  return {theme, level, links, background: backgroundOfVariable(environment['COLORFGBG'] ?? '')};
}

/** Returns the color level. FORCE_COLOR takes precedence over NO_COLOR, and both over TERM and COLORTERM. */
export function colorLevel(environment: Environment): ColorLevel {
  const {FORCE_COLOR: force = '', NO_COLOR: none = ''} = environment;
  if (force === '0' || force === 'false') return 'none';
  if (force === '') return none === '' ? levelOfTerminal(environment) : 'none';
  if (force === '1') return '16';
  if (force === '2') return '256';
  if (force === '3') return 'truecolor';
  const found = levelOfTerminal(environment);
  return found === 'none' ? '16' : found;
}

function levelOfTerminal({
  TERM: term = '',
  COLORTERM: colors = '',
  TERM_PROGRAM: program = '',
}: Environment): ColorLevel {
  if (term === 'dumb') return 'none';
  if (/^(?:truecolor|24bit)$/iu.test(colors)) return 'truecolor';
  if (/kitty|ghostty|alacritty|wezterm|foot|-direct$/u.test(term)) return 'truecolor';
  if (/^(?:iTerm\.app|WezTerm|ghostty|vscode)$/u.test(program)) return 'truecolor';
  return /256/u.test(term) || colors !== '' ? '256' : '16';
}

/** True for terminals known to support OSC 8. Not for multiplexers, which may drop the sequence and so hide the address. */
function supportsHyperlinks(environment: Environment): boolean {
  const {FORCE_HYPERLINK: forced = '', TERM: term = '', TERM_PROGRAM: program = ''} = environment;
  if (forced !== '') return forced !== '0';
  if (term === 'dumb' || /^(?:screen|tmux)/u.test(term)) return false;
  if ((environment['WT_SESSION'] ?? '') !== '' || (environment['KONSOLE_VERSION'] ?? '') !== '') return true;
  if (Number(environment['VTE_VERSION'] ?? 0) >= 5000) return true;
  return (
    /^(?:iTerm\.app|WezTerm|ghostty|vscode|Hyper|rio|Tabby)$/u.test(program) ||
    /kitty|ghostty|alacritty|wezterm|^foot|contour/u.test(term)
  );
}

/** The terminal's background. `unknown` if the terminal doesn't report it. */
export type Background = 'dark' | 'light' | 'unknown';

/** Parses the reply to OSC 11: `rgb:RRRR/GGGG/BBBB` with one to four digits each, `rgba:`, or `#RRGGBB`. */
export function backgroundOfReply(answer: string): Background {
  const color = parseRgb(answer);
  if (color === undefined) return 'unknown';
  return luminance(color) < evenLuminance ? 'dark' : 'light';
}

/** Parses `COLORFGBG`, for terminals that don't reply to OSC 11. rxvt, Konsole, and others set it to a form such as `15;0`, background last. */
export function backgroundOfVariable(value: string): Background {
  const last = /^\d{1,2}(?:;[\w]*)?;(\d{1,2})$/u.exec(value.trim())?.[1];
  if (last === undefined) return 'unknown';
  const index = Number(last);
  return index === 7 || index > 8 ? 'light' : 'dark';
}

type Rgb = readonly [red: number, green: number, blue: number];

/** Returns the relative luminance as WCAG 2 defines it, from 0 (black) to 1 (white). */
export function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map(part =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black and white have the same contrast against a background of this luminance. */
const evenLuminance = 0.179;

function parseRgb(answer: string): Rgb | undefined {
  const named = /(?:^|\]11;)rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/iu.exec(answer);
  const short = named ?? /(?:^|\]11;)#([\da-f]{2})([\da-f]{2})([\da-f]{2})(?![\da-f])/iu.exec(answer);
  if (short === null) return undefined;
  const [, red = '', green = '', blue = ''] = short;
  return [partOf(red), partOf(green), partOf(blue)];
}

const partOf = (digits: string): number => Number.parseInt(digits, 16) / (16 ** digits.length - 1);
