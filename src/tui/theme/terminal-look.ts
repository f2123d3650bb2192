import type {ThemeChoice} from '../../domain/preferences.ts';
import type {ColourLevel} from './palette.ts';

/** What the terminal can show, and which theme is wanted there. */
export interface TerminalLook {
  readonly theme: ThemeChoice;
  readonly level: ColourLevel;
  /** Whether the terminal makes words a link (OSC 8); elsewhere the address is written behind them. */
  readonly links: 'osc8' | 'shown';
  /** What the environment says of it; the terminal's own answer counts more. */
  readonly background: Background;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The look for a terminal, out of its environment; `colour` is what a flag said. */
export function terminalLook(
  environment: Environment,
  {theme, colour}: {readonly theme: ThemeChoice; readonly colour: 'wanted' | 'unwanted'},
): TerminalLook {
  const level = colour === 'unwanted' ? 'none' : colourLevel(environment);
  // Whoever wants no colours gets no sequences at all.
  const links = level !== 'none' && theme !== 'plain' && hasLinks(environment) ? 'osc8' : 'shown';
  return {theme, level, links, background: backgroundOfVariable(environment['COLORFGBG'] ?? '')};
}

/** FORCE_COLOR outdoes NO_COLOR, and both what TERM and COLORTERM say. */
export function colourLevel(environment: Environment): ColourLevel {
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
  COLORTERM: colours = '',
  TERM_PROGRAM: program = '',
}: Environment): ColourLevel {
  if (term === 'dumb') return 'none';
  if (/^(?:truecolor|24bit)$/iu.test(colours)) return 'truecolor';
  if (/kitty|ghostty|alacritty|wezterm|foot|-direct$/u.test(term)) return 'truecolor';
  if (/^(?:iTerm\.app|WezTerm|ghostty|vscode)$/u.test(program)) return 'truecolor';
  return /256/u.test(term) || colours !== '' ? '256' : '16';
}

/** Terminals known to read OSC 8; a multiplexer between may drop it, and the words alone would then hide the address. */
function hasLinks(environment: Environment): boolean {
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

/** What the text stands on; `unknown` where the terminal does not say. */
export type Background = 'dark' | 'light' | 'unknown';

/** Reads the answer to OSC 11: `rgb:RRRR/GGGG/BBBB` with one to four digits each, `rgba:` or `#RRGGBB`. */
export function backgroundOfReply(answer: string): Background {
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
