import {unreachable} from '../../base/unreachable.ts';
import type {ThemeChoice, ThemeName} from '../../domain/preferences.ts';
import type {Background} from './background.ts';
import {channels, nearestOf256} from './colours-256.ts';
import {paints, roles, sixteen, type ColouredRole, type ColourLevel, type Paint, type Role} from './palette.ts';
import type {TerminalLook} from './terminal-look.ts';

export type {Role} from './palette.ts';

/** A role, or the address that the words lead to. */
export type Style = Role | {readonly href: string};

/** What a terminal can show; `plain` writes no styling at all (NO_COLOR, screen readers), `colour` the sixteen colours. */
export type Look = 'plain' | 'colour' | TerminalLook;

export interface Theme {
  readonly name: ThemeName;
  /** Whether words alone are a link, or the address is to be written behind them. */
  readonly links: TerminalLook['links'];
  /** Whether a changed line has a ground of its own, so that its code can keep its colours. */
  readonly grounds: 'some' | 'none';
  /** The same without link sequences, for lines that are drawn over and over. */
  readonly unlinked: Theme;
  /** The text in the styles given, outermost first; every style is closed again at its end. */
  paint(styles: readonly Style[], text: string): string;
}

/** The theme for a terminal; `answered` is what it told of its background. The themes are shared values. */
export function themeOf(look: Look, answered: Background = 'unknown'): Theme {
  if (look === 'plain') return themeFor({name: 'plain', level: 'none', background: 'unknown', links: 'shown'});
  if (look === 'colour') return themeFor({name: 'ansi', level: '16', background: 'unknown', links: 'shown'});
  const {level, links} = look;
  const background = answered === 'unknown' ? look.background : answered;
  return themeFor({name: nameOf(look.theme, level, background), level, background, links});
}

interface ThemeKey {
  readonly name: ThemeName;
  readonly level: ColourLevel;
  readonly background: Background;
  readonly links: TerminalLook['links'];
}

/** A terminal that does not tell its background gets its own sixteen colours, which go with it. */
function nameOf(choice: ThemeChoice, level: ColourLevel, background: Background): ThemeName {
  if (level === 'none') return 'plain';
  if (choice === 'auto') return background === 'unknown' ? 'ansi' : background;
  return choice;
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

function makeTheme({name, level, background, links}: ThemeKey): Theme {
  const codes = name === 'plain' ? undefined : codesOf({name, level, background});
  const grounds = level === 'truecolor' && (name === 'dark' || name === 'light') ? 'some' : 'none';
  const painter = (linked: 'linked' | 'unlinked'): Theme['paint'] => {
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
  const unlinked: Theme = {
    name,
    links,
    grounds,
    get unlinked() {
      return unlinked;
    },
    paint: painter('unlinked'),
  };
  return links === 'shown' ? unlinked : {name, links, grounds, unlinked, paint: painter('linked')};
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

/** What a role has besides its colour, and what a role without one consists of. */
const attributes: Readonly<Partial<Record<Role, Code>>> = {
  bold: ['1', '22'],
  italic: ['3', '23'],
  struck: ['9', '29'],
  selected: ['7', '27'],
  heading: ['1', '22'],
  link: ['4', '24'],
  quote: ['3', '23'],
  'added-word': ['1', '22'],
  'removed-word': ['1', '22'],
  'syntax-comment': ['3', '23'],
};

/** Words in sixteen colours are reversed: a ground that every terminal has. */
const reversed: ReadonlySet<Role> = new Set<Role>(['added-word', 'removed-word']);

function codesOf({name, level, background}: Pick<ThemeKey, 'name' | 'level' | 'background'>): Codes {
  const colours = name === 'light' || (name === 'ansi' && background === 'light') ? 'light' : 'dark';
  const named = sixteen[name === 'ansi' ? background : colours];
  const codeOf = (role: Role): Code => {
    const attribute = attributes[role] ?? nothing;
    if (!isColoured(role)) return attribute;
    if (name === 'ansi' || level === '16') return both(attribute, sixteenCode(role, named[role]));
    return both(attribute, paintCode(paints[colours][role], level));
  };
  return new Map(roles.map(role => [role, codeOf(role)]));
}

const isColoured = (role: Role): role is ColouredRole =>
  role !== 'bold' && role !== 'italic' && role !== 'struck' && role !== 'selected';

function both([on, off]: Code, [inkOn, inkOff]: Code): Code {
  if (on === '' || inkOn === '') return on === '' ? [inkOn, inkOff] : [on, off];
  return [`${on};${inkOn}`, `${off};${inkOff}`];
}

function sixteenCode(role: Role, code: string): Code {
  if (code === '') return nothing;
  if (code === '2') return ['2', '22'];
  return reversed.has(role) ? [`7;${code}`, '27;39'] : [code, '39'];
}

function paintCode({ink, ground}: Paint, level: ColourLevel): Code {
  // In 256 colours no ground is faint enough to keep the inks readable.
  const parts = ground !== '' && ink === '' && level !== 'truecolor' ? [] : [ink, ground];
  const on = parts.flatMap((colour, at) =>
    colour === '' ? [] : [`${at === 0 ? 38 : 48};${colourCode(colour, level)}`],
  );
  const off = parts.flatMap((colour, at) => (colour === '' ? [] : [at === 0 ? '39' : '49']));
  return [on.join(';'), off.join(';')];
}

function colourCode(colour: string, level: ColourLevel): string {
  const [red, green, blue] = channels(colour);
  switch (level) {
    case 'truecolor':
      return `2;${red};${green};${blue}`;
    case '256':
    case '16':
    case 'none':
      return `5;${nearestOf256([red, green, blue])}`;
    default:
      return unreachable(level);
  }
}
