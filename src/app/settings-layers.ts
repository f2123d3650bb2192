import {type SandboxChoice, sandboxChoices} from '../domain/sandbox.ts';
import {existsSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {visibleExactLine} from '../base/visible.ts';
import {readTextFile} from '../config/change-file.ts';
import type {Places} from '../config/places.ts';
import type {SettingsLayer} from '../config/merge-settings.ts';
import {UsageError} from './exit-code.ts';

/** The settings files that count in a folder, the user's own first. They need not exist. */
export const settingsFiles = (directory: string, places: Places) =>
  [{source: 'user', path: places.settings}, ...projectFiles(directory)] as const;

const projectFiles = (directory: string) =>
  [
    {source: 'project', path: join(directory, '.weft', 'settings.json')},
    {source: 'local', path: join(directory, '.weft', 'settings.local.json')},
  ] as const;

/** The settings files that exist. One that cannot be read stops weft: it may hold a rule that somebody relies on. */
export const fileLayers = (directory: string, places: Places): readonly SettingsLayer[] =>
  settingsFiles(directory, places).flatMap(({source, path}) => {
    const read = readTextFile(path);
    if (read.tag === 'failed') throw new UsageError(`Cannot read the settings file ${path}: ${read.error}`);
    return read.value === undefined ? [] : [{source, path, text: read.value}];
  });

/** The settings that environment variables give. */
export const environmentLayer = (environment: NodeJS.ProcessEnv): SettingsLayer => ({
  source: 'environment',
  values: {
    model: environment['WEFT_MODEL'] || undefined,
    accessible: wantsAccessible(environment),
    sandbox: sandboxOf(environment),
  },
});

function sandboxOf({WEFT_SANDBOX: named = ''}: NodeJS.ProcessEnv): SandboxChoice | undefined {
  const choice = sandboxChoices.find(known => known === named);
  if (choice === undefined && named !== '') {
    throw new UsageError(`WEFT_SANDBOX ${JSON.stringify(named)} is unknown. Use one of ${sandboxChoices.join(', ')}.`);
  }
  return choice;
}

/** Whether `ACCESSIBLE` asks for screen-reader mode. Empty, `0`, `false` and `no` ask for nothing. */
export const wantsAccessible = ({ACCESSIBLE: asked = ''}: NodeJS.ProcessEnv): boolean | undefined =>
  ['', '0', 'false', 'no'].includes(asked.toLowerCase()) ? undefined : true;

/** One sentence for each settings file in the folders above `directory`, up to its repository's: these do not count, not even what they forbid. */
export function noticesOfSettingsAbove(directory: string): readonly string[] {
  const found: string[] = [];
  let folder = directory;
  while (!existsSync(join(folder, '.git'))) {
    const above = dirname(folder);
    if (above === folder) return [];
    folder = above;
    for (const {path} of projectFiles(folder)) {
      if (!existsSync(path)) continue;
      const where = visibleExactLine(folder);
      found.push(`${visibleExactLine(path)} applies only when weft starts in ${where}: weft --cwd ${where}`);
    }
  }
  return found;
}

/** The folder by its real path, and the file that records which folders the user trusts, as `mergeTrusted` takes them. */
export const trustPlace = (directory: string, places: Places, plugins: readonly string[] = []) => ({
  directory,
  plugins,
  folder: realpathSync(directory),
  record: places.trust,
});
