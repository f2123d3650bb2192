import {isJsonObject, type Json, parseJson} from '../../base/json.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type ColorPair, colors, type CustomTheme, type Role, roles} from './palette.ts';
import {luminance} from './terminal-look.ts';
import {channels, rgbOf256} from './theme.ts';

/**
 * Reads a theme file: `{"extends": "dark", "colors": {"accent": "#ff8800", "dim": 245, "added-line": {"background": "green"}}}`. The failure
 * is the end of a sentence about the file.
 */
export function parseTheme(name: string, text: string): Outcome<CustomTheme, string> {
  const json = parseJson(text.replace(/^\u{feff}/u, ''));
  if (json.tag === 'failed') return failed(`is not JSON: ${json.error}`);
  if (!isJsonObject(json.value)) return failed('must hold one JSON object');
  const {extends: base = 'dark', colors: given = {}, $schema: _, ...others} = json.value;
  const [other] = Object.keys(others);
  if (other !== undefined) return failed(`has ${JSON.stringify(other)}, but a theme has only "extends" and "colors"`);
  if (base !== 'dark' && base !== 'light') return failed('must extend "dark" or "light"');
  if (!isJsonObject(given)) return failed('needs an object "colors"');
  const chosen: Partial<Record<Role, ColorPair>> = {};
  for (const [word, value] of Object.entries(given)) {
    const role = roles.find(each => each === word);
    if (role === undefined) {
      const near = nearestName(word, roles);
      return failed(
        `has a color for ${JSON.stringify(word)}, which is none of ${near === undefined ? roles.join(', ') : `weft's names. The nearest is ${near}`}`,
      );
    }
    const pair = pairFrom(value, colors[role][base]);
    if (pair === undefined) return failed(`has no valid color for "${word}": ${JSON.stringify(value)}. ${colorForms}`);
    chosen[role] = pair;
  }
  return ok({name, base, colors: chosen});
}

const colorForms = 'Use "#rrggbb", a name such as "bright-blue", a number from 0 to 255, or {"text", "background"}';

/** Reads the color of a role. One color is that of the text, or of the background if the role has one. */
function pairFrom(value: Json, before: ColorPair): ColorPair | undefined {
  if (!isJsonObject(value)) {
    const color = colorFrom(value);
    if (color === undefined) return undefined;
    return before.background === '' ? {...before, foreground: color} : {...before, background: color};
  }
  const {text = before.foreground, background = before.background, ...others} = value;
  const [foreground, behind] = [colorFrom(text), colorFrom(background)];
  if (foreground === undefined || behind === undefined || Object.keys(others).length > 0) return undefined;
  return {foreground, background: behind};
}

/** Reads one color. `default` and an empty text are the terminal's own. */
function colorFrom(value: Json): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 256 ? `@${value}` : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.toLowerCase();
  if (text === '' || text === 'default') return '';
  if (/^#[\da-f]{6}$/u.test(text)) return text;
  if (/^#[\da-f]{3}$/u.test(text)) return text.replaceAll(/[\da-f]/gu, '$&$&');
  const bright = /^bright-?/u.test(text);
  const index = ansiNames.indexOf(text.replace(/^bright-?/u, ''));
  return index === -1 ? undefined : `@${index + (bright ? 8 : 0)}`;
}

const ansiNames = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * Returns the theme's own colors that are hard to read on the usual background of its kind, such as `dim 2.1:1`. The terminal's own 16
 * colors are not known here, so they are left out.
 */
export function weakColors({base, colors: own}: CustomTheme): readonly string[] {
  const usual =
    base === 'dark' ? {foreground: '#d0d0d0', background: '#1e1e1e'} : {foreground: '#202020', background: '#ffffff'};
  return roles.flatMap(role => {
    const pair = own[role];
    if (pair === undefined) return [];
    const [text, behind] = [lightOf(pair.foreground || usual.foreground), lightOf(pair.background || usual.background)];
    if (text === undefined || behind === undefined) return [];
    const ratio = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
    return ratio < (role === 'border' ? 3 : 4.5) ? [`${role} ${ratio.toFixed(1)}:1`] : [];
  });
}

function lightOf(color: string): number | undefined {
  const index = color.startsWith('@') ? Number(color.slice(1)) : undefined;
  if (index !== undefined && index < 16) return undefined;
  const [red, green, blue] = index === undefined ? channels(color) : rgbOf256(index);
  return luminance([red / 255, green / 255, blue / 255]);
}
