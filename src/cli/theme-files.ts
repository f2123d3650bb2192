import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {failed, type Outcome} from '../base/outcome.ts';
import {userPlaces} from '../app/user-data.ts';
import {readTextFile} from '../config/change-file.ts';
import {themeChoices} from '../domain/preferences.ts';
import type {UserTheme} from '../tui/options.ts';
import type {CustomTheme} from '../tui/theme/palette.ts';
import {parseTheme, weakColors} from '../tui/theme/custom-theme.ts';

/** Reads all theme files of the user, in the order of their names. */
export function loadThemes(): readonly UserTheme[] {
  const folder = userPlaces().themes;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .toSorted()
    .map(file => {
      const name = file.slice(0, -'.json'.length);
      const read = loadTheme(name);
      if (read.tag === 'failed') return {name, theme: 'none', about: read.error};
      const weak = weakColors(read.value);
      return {name, theme: read.value, about: weak.length === 0 ? '' : `low contrast: ${weak.join(', ')}`};
    });
}

/** Reads one theme of the user. The failure is a sentence. */
export function loadTheme(name: string): Outcome<CustomTheme, string> {
  const file = join(userPlaces().themes, `${name}.json`);
  const shown = `themes/${name}.json`;
  if (themeChoices.some(choice => choice === name)) {
    return failed(`The theme file ${shown} has the name of one of weft's own themes. Rename it.`);
  }
  const text = readTextFile(file);
  if (text.tag === 'failed') return failed(`Can't read the theme file ${file}: ${text.error}.`);
  if (text.value === undefined) return failed(`There is no theme "${name}": ${file} does not exist.`);
  const read = parseTheme(name, text.value);
  return read.tag === 'ok' ? read : failed(`The theme file ${shown} ${read.error}.`);
}
