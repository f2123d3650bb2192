import type {ThemeChoice, ThemeName, Verbosity} from '../../domain/preferences.ts';
import {
  type ColorLevel,
  type ColorPair,
  type CustomTheme,
  colors,
  colors256,
  type Palette,
  type Role,
  roles,
  ansiColors,
} from './palette.ts';
import {type Media, noMedia} from '../terminal/media.ts';
import type {Background, TerminalLook} from './terminal-look.ts';

export type {Role} from './palette.ts';

/** A role, or the address that the text links to. */
export type Style = Role | {readonly href: string};

/** The styling that a terminal supports. `plain` writes none at all (NO_COLOR, screen readers), `color` uses the 16 ANSI colors. */
export type Look = 'plain' | 'color' | TerminalLook;

export interface Theme {
  readonly name: ThemeName;
  /** `osc8` if the text itself is a link. With `shown`, the address is written after the text. */
  readonly links: TerminalLook['links'];
  /**
   * How changed lines (`added-line`, `removed-line`) are drawn on their background. `syntax`: code in its syntax
   * colors. `plain`: only in the line's own text color, because no other color is readable there. `none`: there is no
   * such background.
   */
  readonly lineBackgrounds: 'syntax' | 'plain' | 'none';
  /** How the terminal shows pictures. */
  readonly pictures: Media['pictures'];
  /** The workspace, if texts can link to its files. Otherwise empty. */
  readonly directory: string;
  /** The page of its repository, if texts can link to it. Otherwise empty. */
  readonly repository: string;
  /** Returns the theme without links and pictures, for lines that are redrawn often. */
  readonly unlinked: Theme;
  /** Styles a text. The first role is the outermost. Every style is closed at the end of the text. */
  style(styles: readonly Style[], text: string): string;
  /** Returns the color of a role for properties of Ink's `Box`, such as `borderColor`. `undefined` for the terminal's default. */
  color(role: Role): string | undefined;
}

/** Returns the theme for a terminal. `reported` is the background that the terminal reported. Themes are shared values. */
export function themeOf(look: Look, reported: Background = 'unknown', place: Place = noPlace): Theme {
  if (look === 'plain') return themeFor({name: 'plain', palette: 'either', level: 'none', ...unknownTerminal});
  if (look === 'color') return themeFor({name: 'ansi', palette: 'either', level: '16', ...unknownTerminal});
  const {level, links} = look;
  const background = reported === 'unknown' ? look.background : reported;
  const custom = typeof look.theme === 'string' ? 'none' : look.theme;
  const name = nameOf(typeof look.theme === 'string' ? look.theme : look.theme.base, level, background);
  const palette = look.theme === 'auto' && background === 'unknown' ? 'either' : name === 'light' ? 'light' : 'dark';
  // Without colors, no escape sequences are written at all.
  const pictures = name === 'plain' ? 'none' : place.pictures;
  return themeFor({
    name,
    palette,
    level,
    background,
    links,
    custom,
    pictures,
    directory: links === 'osc8' ? place.directory : '',
    repository: links === 'osc8' ? place.repository : '',
  });
}

type Place = Pick<Theme, 'pictures' | 'directory' | 'repository'>;

const noPlace: Place = {pictures: 'none', directory: '', repository: ''};

const unknownTerminal = {background: 'unknown', links: 'shown', custom: 'none', ...noPlace} as const;

/** Returns chalk's color level, for parts that Ink colors itself, such as borders. */
export function chalkLevelOf(look: Look): 0 | 1 | 2 | 3 {
  if (look === 'plain') return 0;
  return look === 'color' ? 1 : chalkLevels[look.level];
}

const chalkLevels = {none: 0, 16: 1, 256: 2, truecolor: 3} as const;

interface ThemeKey extends Place {
  readonly name: ThemeName;
  readonly palette: Palette;
  readonly level: ColorLevel;
  readonly background: Background;
  readonly links: TerminalLook['links'];
  readonly custom: CustomTheme | 'none';
}

/** Returns the theme name. On an unknown background it is `dark`, with colors that are readable on both backgrounds. */
function nameOf(choice: ThemeChoice, level: ColorLevel, background: Background): ThemeName {
  if (level === 'none') return 'plain';
  if (choice !== 'auto') return choice;
  if (background !== 'unknown') return background;
  return level === '16' ? 'ansi' : 'dark';
}

const themeCaches = new Map<CustomTheme | 'none', Map<string, Theme>>();

function themeFor({custom, ...key}: ThemeKey): Theme {
  const word = Object.values(key).join(' ');
  const cache = themeCaches.get(custom) ?? new Map<string, Theme>();
  themeCaches.set(custom, cache);
  const known = cache.get(word);
  if (known !== undefined) return known;
  const theme = makeTheme({...key, custom});
  cache.set(word, theme);
  return theme;
}

function makeTheme(key: ThemeKey): Theme {
  const {name, links, pictures, directory, repository} = key;
  const codes = name === 'plain' ? undefined : codesOf(key);
  const painter = (linked: 'linked' | 'unlinked'): Theme['style'] => {
    if (codes === undefined && (linked === 'unlinked' || links === 'shown')) return (_styles, text) => text;
    return (styles, text) => {
      if (styles.length === 0 || text === '') return text;
      let open = '';
      let close = '';
      for (const style of styles) {
        if (typeof style === 'object') {
          if (linked === 'unlinked' || links === 'shown') continue;
          open += linkTo(style.href);
          close = `${linkEnd}${close}`;
          continue;
        }
        const [on, off] = codes?.get(style) ?? nothing;
        if (on === '') continue;
        open += `\u001B[${on}m`;
        close = `\u001B[${off}m${close}`;
      }
      return open + text + close;
    };
  };
  const shared = {
    name,
    links,
    lineBackgrounds: lineBackgroundsOf(key),
    color: (role: Role) => inkColorOfRole(key, role),
  } as const;
  const unlinked: Theme = {
    ...shared,
    ...noPlace,
    get unlinked() {
      return unlinked;
    },
    style: painter('unlinked'),
  };
  return links === 'shown' && pictures === 'none'
    ? unlinked
    : {...shared, pictures, directory, repository, unlinked, style: painter('linked')};
}

/** True if the colors come from a palette and not from the terminal's 16 ANSI colors. */
const hasPalette = ({name, level}: ThemeKey): boolean =>
  (name === 'dark' || name === 'light') && level !== '16' && level !== 'none';

function lineBackgroundsOf(key: ThemeKey): Theme['lineBackgrounds'] {
  if (!hasPalette(key)) return 'none';
  return pairOf(key, 'added-line').foreground === '' ? 'syntax' : 'plain';
}

const pairOf = ({palette, level, custom}: ThemeKey, role: Role): ColorPair =>
  (custom === 'none' ? undefined : custom.colors[role]) ??
  (level === '256' ? colors256[palette][role] : undefined) ??
  colors[role][palette];

const inkColorOfRole = (key: ThemeKey, role: Role): string | undefined =>
  hasPalette(key)
    ? inkColor(pairOf(key, role).foreground, key.level)
    : key.name === 'plain'
      ? undefined
      : ansiColorName(ansiPairOf(key, role)?.foreground ?? ansiCodeOf(key, role));

/** Returns the SGR parameters of the user's own color for a role among the terminal's 16 colors. `undefined` if it is another color. */
function ansiPairOf({custom}: ThemeKey, role: Role): ColorPair | undefined {
  const pair = custom === 'none' ? undefined : custom.colors[role];
  const foreground = ansiParameter(pair?.foreground ?? '#', 30);
  const background = ansiParameter(pair?.background ?? '#', 40);
  return foreground === undefined || background === undefined ? undefined : {foreground, background};
}

function ansiParameter(color: string, first: number): string | undefined {
  if (color === '') return '';
  const index = color.startsWith('@') ? Number(color.slice(1)) : 16;
  return index < 16 ? String(first + index + (index < 8 ? 0 : 52)) : undefined;
}

/** Converts a color to Ink's notation. The result is exact, whatever colors Ink detects in the terminal. */
const inkColor = (color: string, level: ColorLevel): string | undefined =>
  color === ''
    ? undefined
    : color.startsWith('@')
      ? `ansi256(${color.slice(1)})`
      : level === '256'
        ? `ansi256(${nearestOf256(channels(color))})`
        : color;

const ansiCodeOf = ({name, background}: ThemeKey, role: Role): string =>
  ansiColors[name === 'dark' || name === 'light' ? name : background][colors[role].ansi];

/** Returns Ink's name of an ANSI color, by its SGR parameter. `undefined` for the terminal's default. */
function ansiColorName(code: string): string | undefined {
  const number = Number(code);
  const name = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'][number % 10];
  return number < 30 ? undefined : number < 90 ? name : `${name}Bright`;
}

const linkEnd = '\u001B]8;;\u001B\\';

/** Returns the sequence that starts a link. The id lets the terminal treat the parts on several lines as one link. */
function linkTo(href: string): string {
  let hash = 0;
  for (let at = 0; at < href.length; at++) hash = (Math.imul(hash, 31) + href.charCodeAt(at)) >>> 0;
  return `\u001B]8;id=${hash.toString(36)};${href}\u001B\\`;
}

/** SGR parameters that turn a role on and off. */
type Code = readonly [on: string, off: string];
type Codes = ReadonlyMap<Role, Code>;

const nothing: Code = ['', ''];

/** The text attributes of a role, in addition to its color. */
const attributes: Readonly<Partial<Record<Role, Code>>> = {
  bold: ['1', '22'],
  italic: ['3', '23'],
  struck: ['9', '29'],
  selected: ['7', '27'],
  heading: ['1', '22'],
  link: ['4', '24'],
  'added-word': ['1', '22'],
  'removed-word': ['1', '22'],
  'syntax-comment': ['3', '23'],
};

/** True for roles that are shown in reverse video at 16 colors. Every terminal supports reverse video. */
const isReversed = (role: Role): boolean => role === 'added-word' || role === 'removed-word';

const codesOf = (key: ThemeKey): Codes =>
  new Map(
    roles.map(role => {
      const ansi = ansiPairOf(key, role);
      const color = hasPalette(key)
        ? paletteCode(pairOf(key, role), key.level)
        : ansi === undefined
          ? ansiRoleCode(role, ansiCodeOf(key, role))
          : joinCodes(
              ansi.foreground === '' ? nothing : [ansi.foreground, '39'],
              ansi.background === '' ? nothing : [ansi.background, '49'],
            );
      return [role, joinCodes(attributes[role] ?? nothing, color)];
    }),
  );

function joinCodes(attribute: Code, color: Code): Code {
  if (attribute[0] === '' || color[0] === '') return attribute[0] === '' ? color : attribute;
  return [`${attribute[0]};${color[0]}`, `${attribute[1]};${color[1]}`];
}

function ansiRoleCode(role: Role, code: string): Code {
  if (code === '') return nothing;
  if (code === '2') return ['2', '22'];
  return isReversed(role) ? [`7;${code}`, '27;39'] : [code, '39'];
}

function paletteCode({foreground, background}: ColorPair, level: ColorLevel): Code {
  const text: Code = foreground === '' ? nothing : [`38;${colorCode(foreground, level)}`, '39'];
  return joinCodes(text, background === '' ? nothing : [`48;${colorCode(background, level)}`, '49']);
}

function colorCode(color: string, level: ColorLevel): string {
  if (color.startsWith('@')) return `5;${color.slice(1)}`;
  const parts = channels(color);
  return level === 'truecolor' ? `2;${parts.join(';')}` : `5;${nearestOf256(parts)}`;
}

type RgbChannels = readonly [red: number, green: number, blue: number];

/** Returns the nearest of the 240 fixed colors of 256. Computed, because comparing all of them took 5% of the time to the first frame. */
export function nearestOf256(color: RgbChannels): number {
  const [red, green, blue] = color;
  const cube = firstFixed + 36 * nearestStep(red) + 6 * nearestStep(green) + nearestStep(blue);
  const average = (red + green + blue) / 3;
  const gray = firstGray + Math.min(23, Math.max(0, Math.ceil((average - 13) / 10)));
  return distance(color, rgbOf256(gray)) < distance(color, rgbOf256(cube)) ? gray : cube;
}

const distance = (one: RgbChannels, other: RgbChannels): number =>
  (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;

/** Returns the nearest step of the color cube. A tie goes to the darker one. */
const nearestStep = (value: number): number =>
  value <= 47 ? 0 : value <= 115 ? 1 : Math.min(5, Math.ceil((value - 75) / 40));

/** Returns one of the fixed colors: a 6×6×6 cube from 16 on, grays from 232 on. */
export function rgbOf256(index: number): RgbChannels {
  if (index >= firstGray) {
    const gray = 8 + 10 * (index - firstGray);
    return [gray, gray, gray];
  }
  const at = index - firstFixed;
  return [stepOf(Math.floor(at / 36)), stepOf(Math.floor(at / 6) % 6), stepOf(at % 6)];
}

export function channels(color: string): RgbChannels {
  const value = Number.parseInt(color.slice(1), 16);
  return [Math.floor(value / 65_536), Math.floor(value / 256) % 256, value % 256];
}

const firstFixed = 16;
const firstGray = 232;
const stepOf = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);

/** The theme and verbosity of the UI, from the user's choices and the background that the terminal reported. */
export class Appearance {
  #look: Look;
  #background: Background = 'unknown';
  readonly #media: Media;
  #directory = '';
  verbosity: Verbosity;

  constructor(look: Look, verbosity: Verbosity, media: Media = noMedia) {
    this.#look = look;
    this.#media = media;
    this.verbosity = verbosity;
  }

  get theme(): Theme {
    const {pictures, files, repository} = this.#media;
    return themeOf(this.#look, this.#background, {
      pictures,
      directory: files === 'linked' ? this.#directory : '',
      repository,
    });
  }

  /** The chosen theme. `none` if the terminal has no colors. */
  get choice(): ThemeChoice | CustomTheme | 'none' {
    return typeof this.#look === 'string' || this.#look.level === 'none' ? 'none' : this.#look.theme;
  }

  choose(theme: ThemeChoice | CustomTheme): void {
    if (typeof this.#look !== 'string') this.#look = {...this.#look, theme};
  }

  /** Sets the workspace, whose files texts link to. */
  setDirectory(directory: string): void {
    this.#directory = directory;
  }

  setBackground(background: Background): void {
    this.#background = background;
  }
}
