import type {ThemeChoice, ThemeName, Verbosity} from '../../domain/preferences.ts';
import {
  type ColourLevel,
  type ColourPair,
  colours,
  coloursOf256,
  type Palette,
  type Role,
  roles,
  sixteen,
} from './palette.ts';
import type {Background, TerminalLook} from './terminal-look.ts';

export type {Role} from './palette.ts';

/** A role, or the address that the words lead to. */
export type Style = Role | {readonly href: string};

/** What a terminal can show; `plain` writes no styling at all (NO_COLOR, screen readers), `colour` the sixteen colours. */
export type Look = 'plain' | 'colour' | TerminalLook;

export interface Theme {
  readonly name: ThemeName;
  /** Whether words alone are a link, or the address is to be written behind them. */
  readonly links: TerminalLook['links'];
  /**
   * What stands on the background of a changed line (`added-line`, `removed-line`): `syntax`, code in its colours; `plain`, text in the colour
   * of the line alone, because no other can be read there; `none`, there is no such background.
   */
  readonly lineBackgrounds: 'syntax' | 'plain' | 'none';
  /** The same without link sequences, for lines that are drawn over and over. */
  readonly unlinked: Theme;
  /** Styles a text; the first role is the outermost. Every style is closed again at the end of the text. */
  style(styles: readonly Style[], text: string): string;
  /** The colour of a role for properties of Ink's `Box`, such as `borderColor`; `undefined` for the terminal's own. */
  color(role: Role): string | undefined;
}

/** The theme for a terminal; `answered` is the background that the terminal reported. Themes are shared values. */
export function themeOf(look: Look, answered: Background = 'unknown'): Theme {
  if (look === 'plain')
    return themeFor({name: 'plain', palette: 'either', level: 'none', background: 'unknown', links: 'shown'});
  if (look === 'colour')
    return themeFor({name: 'ansi', palette: 'either', level: '16', background: 'unknown', links: 'shown'});
  const {level, links} = look;
  const background = answered === 'unknown' ? look.background : answered;
  const name = nameOf(look.theme, level, background);
  const palette = look.theme === 'auto' && background === 'unknown' ? 'either' : name === 'light' ? 'light' : 'dark';
  return themeFor({name, palette, level, background, links});
}

/** The level of colours for what Ink colours itself, such as borders. */
export function chalkLevelOf(look: Look): 0 | 1 | 2 | 3 {
  if (look === 'plain') return 0;
  return look === 'colour' ? 1 : chalkLevels[look.level];
}

const chalkLevels = {none: 0, 16: 1, 256: 2, truecolor: 3} as const;

interface ThemeKey {
  readonly name: ThemeName;
  readonly palette: Palette;
  readonly level: ColourLevel;
  readonly background: Background;
  readonly links: TerminalLook['links'];
}

/** On a background that is not known the dark theme is used with colours that can be read on both. */
function nameOf(choice: ThemeChoice, level: ColourLevel, background: Background): ThemeName {
  if (level === 'none') return 'plain';
  if (choice !== 'auto') return choice;
  if (background !== 'unknown') return background;
  return level === '16' ? 'ansi' : 'dark';
}

const made = new Map<string, Theme>();

function themeFor(key: ThemeKey): Theme {
  const word = Object.values(key).join(' ');
  const known = made.get(word);
  if (known !== undefined) return known;
  const theme = makeTheme(key);
  made.set(word, theme);
  return theme;
}

function makeTheme(key: ThemeKey): Theme {
  const {name, links} = key;
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
    color: (role: Role) => inkColour(key, role),
  } as const;
  const unlinked: Theme = {
    ...shared,
    get unlinked() {
      return unlinked;
    },
    style: painter('unlinked'),
  };
  return links === 'shown' ? unlinked : {...shared, unlinked, style: painter('linked')};
}

/** Whether colours are those of a palette, and not the terminal's own sixteen. */
const hasPalette = ({name, level}: ThemeKey): boolean =>
  (name === 'dark' || name === 'light') && level !== '16' && level !== 'none';

function lineBackgroundsOf(key: ThemeKey): Theme['lineBackgrounds'] {
  if (!hasPalette(key)) return 'none';
  return pairOf(key, 'added-line').foreground === '' ? 'syntax' : 'plain';
}

const pairOf = ({palette, level}: ThemeKey, role: Role): ColourPair =>
  (level === '256' ? coloursOf256[palette][role] : undefined) ?? colours[role][palette];

const inkColour = (key: ThemeKey, role: Role): string | undefined =>
  hasPalette(key)
    ? inkColourOf(pairOf(key, role).foreground, key.level)
    : key.name === 'plain'
      ? undefined
      : nameOfColour(sixteenOf(key, role));

/** A colour in Ink's notation: exact, whatever Ink itself believes the terminal to have. */
const inkColourOf = (colour: string, level: ColourLevel): string | undefined =>
  colour === '' ? undefined : level === '256' ? `ansi256(${nearestOf256(channels(colour))})` : colour;

const sixteenOf = ({name, background}: ThemeKey, role: Role): string =>
  sixteen[name === 'dark' || name === 'light' ? name : background][colours[role].ofSixteen];

/** Ink's name of one of the sixteen colours, by its SGR parameter; `undefined` for the terminal's own. */
function nameOfColour(code: string): string | undefined {
  const number = Number(code);
  const name = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'][number % 10];
  return number < 30 ? undefined : number < 90 ? name : `${name}Bright`;
}

const linkEnd = '\u001B]8;;\u001B\\';

/** A link that goes over several lines is one to the terminal where both parts have the same id. */
function linkTo(href: string): string {
  let hash = 0;
  for (let at = 0; at < href.length; at++) hash = (Math.imul(hash, 31) + href.charCodeAt(at)) >>> 0;
  return `\u001B]8;id=${hash.toString(36)};${href}\u001B\\`;
}

/** SGR parameters that switch a role on and off. */
type Code = readonly [on: string, off: string];
type Codes = ReadonlyMap<Role, Code>;

const nothing: Code = ['', ''];

/** The text attributes of a role, beside its colour if it has one. */
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

/** Changed words are shown in reverse video at sixteen colours, because every terminal has that. */
const isReversed = (role: Role): boolean => role === 'added-word' || role === 'removed-word';

const codesOf = (key: ThemeKey): Codes =>
  new Map(
    roles.map(role => {
      const colour = hasPalette(key)
        ? paintCode(pairOf(key, role), key.level)
        : sixteenCode(role, sixteenOf(key, role));
      return [role, both(attributes[role] ?? nothing, colour)];
    }),
  );

function both(attribute: Code, colour: Code): Code {
  if (attribute[0] === '' || colour[0] === '') return attribute[0] === '' ? colour : attribute;
  return [`${attribute[0]};${colour[0]}`, `${attribute[1]};${colour[1]}`];
}

function sixteenCode(role: Role, code: string): Code {
  if (code === '') return nothing;
  if (code === '2') return ['2', '22'];
  return isReversed(role) ? [`7;${code}`, '27;39'] : [code, '39'];
}

function paintCode({foreground, background}: ColourPair, level: ColourLevel): Code {
  const text: Code = foreground === '' ? nothing : [`38;${colourCode(foreground, level)}`, '39'];
  return both(text, background === '' ? nothing : [`48;${colourCode(background, level)}`, '49']);
}

function colourCode(colour: string, level: ColourLevel): string {
  const parts = channels(colour);
  return level === 'truecolor' ? `2;${parts.join(';')}` : `5;${nearestOf256(parts)}`;
}

type RgbChannels = readonly [red: number, green: number, blue: number];

/** The nearest of the 240 fixed colours of 256. Comparing all of them took a twentieth of the time to the first frame. */
export function nearestOf256(colour: RgbChannels): number {
  const [red, green, blue] = colour;
  const cube = firstFixed + 36 * nearestStep(red) + 6 * nearestStep(green) + nearestStep(blue);
  const average = (red + green + blue) / 3;
  const grey = firstGrey + Math.min(23, Math.max(0, Math.ceil((average - 13) / 10)));
  return distance(colour, colourOf256(grey)) < distance(colour, colourOf256(cube)) ? grey : cube;
}

const distance = (one: RgbChannels, other: RgbChannels): number =>
  (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;

/** Of two that are as near, the darker one. */
const nearestStep = (value: number): number =>
  value <= 47 ? 0 : value <= 115 ? 1 : Math.min(5, Math.ceil((value - 75) / 40));

/** One of the fixed colours: a cube of six steps a side from 16 on, greys from 232 on. */
export function colourOf256(index: number): RgbChannels {
  if (index >= firstGrey) {
    const grey = 8 + 10 * (index - firstGrey);
    return [grey, grey, grey];
  }
  const at = index - firstFixed;
  return [stepOf(Math.floor(at / 36)), stepOf(Math.floor(at / 6) % 6), stepOf(at % 6)];
}

export function channels(colour: string): RgbChannels {
  const value = Number.parseInt(colour.slice(1), 16);
  return [Math.floor(value / 65_536), Math.floor(value / 256) % 256, value % 256];
}

const firstFixed = 16;
const firstGrey = 232;
const stepOf = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);

/** The theme and verbosity of the UI, by the user's choice and the background that the terminal reported. */
export class Appearance {
  #look: Look;
  #background: Background = 'unknown';
  verbosity: Verbosity;

  constructor(look: Look, verbosity: Verbosity) {
    this.#look = look;
    this.verbosity = verbosity;
  }

  get theme(): Theme {
    return themeOf(this.#look, this.#background);
  }

  /** The chosen theme; `none` if the terminal has no colours. */
  get choice(): ThemeChoice | 'none' {
    return typeof this.#look === 'string' || this.#look.level === 'none' ? 'none' : this.#look.theme;
  }

  choose(theme: ThemeChoice): void {
    if (typeof this.#look !== 'string') this.#look = {...this.#look, theme};
  }

  backgroundIs(background: Background): void {
    this.#background = background;
  }
}
