import {existsSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {visibleExactLine} from '../base/visible.ts';
import {readText} from '../config/change-file.ts';
import type {Places} from '../config/places.ts';
import type {SettingsLayer} from '../config/settings.ts';
import {UsageError} from './usage-error.ts';

/** The settings files of a folder, the user's first, whether they are there or not. */
export const settingsFiles = (directory: string, places: Places) =>
  [{source: 'user', path: places.settings}, ...projectFiles(directory)] as const;

const projectFiles = (directory: string) =>
  [
    {source: 'project', path: join(directory, '.weft', 'settings.json')},
    {source: 'local', path: join(directory, '.weft', 'settings.local.json')},
  ] as const;

/** Those that are there. One that cannot be read stops weft: it may hold a rule that someone relies on. */
export const fileLayers = (directory: string, places: Places): readonly SettingsLayer[] =>
  settingsFiles(directory, places).flatMap(({source, path}) => {
    const read = readText(path);
    if (read.tag === 'failed') throw new UsageError(`The settings file ${path} cannot be read: ${read.error}`);
    return read.value === undefined ? [] : [{source, path, text: read.value}];
  });

/** What variables of the environment say. */
export const environmentLayer = (environment: NodeJS.ProcessEnv): SettingsLayer => ({
  source: 'environment',
  values: {model: environment['WEFT_MODEL'] || undefined, accessible: accessibleWanted(environment)},
});

/** `ACCESSIBLE=1`; set to nothing, `0` or `false` it asks for nothing. */
export const accessibleWanted = ({ACCESSIBLE: asked = ''}: NodeJS.ProcessEnv): boolean | undefined =>
  ['', '0', 'false', 'no'].includes(asked.toLowerCase()) ? undefined : true;

/** Settings of the repository that `directory` lies in, further up: they do not count there, not even what they forbid. One sentence each. */
export function settingsAbove(directory: string): readonly string[] {
  const found: string[] = [];
  let folder = directory;
  while (!existsSync(join(folder, '.git'))) {
    const above = dirname(folder);
    if (above === folder) return [];
    folder = above;
    for (const {path} of projectFiles(folder)) {
      if (!existsSync(path)) continue;
      const where = visibleExactLine(folder);
      found.push(`${visibleExactLine(path)} counts only where weft starts in ${where}: weft --cwd ${where}`);
    }
  }
  return found;
}

/** What `mergeTrusted` asks: the folder by its real name, and where it is taken down what the user trusts. */
export const trustPlace = (directory: string, places: Places) => ({
  folder: realpathSync(directory),
  record: places.trust,
});
