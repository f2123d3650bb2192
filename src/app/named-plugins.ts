import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {basename, dirname, isAbsolute, join, resolve} from 'node:path';
import type {Sourced} from '../config/merge-settings.ts';
import {type NamedPlugin, type Plugin, readPlugin} from '../config/plugin-folders.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import {UsageError} from './exit-code.ts';
import type {MainOptions} from './main-options.ts';

/** An error of a plugin, in the form of `plugin_errors` in `system/init`. */
export interface PluginError {
  /** The plugin's name, or `inline[N]` for the Nth given folder that has no name. */
  readonly plugin: string;
  readonly type: 'path-not-found' | 'generic-error';
  readonly message: string;
  /** The folder of a given plugin that did not load. */
  readonly path?: string;
}

/** The plugins of a run. `notices` tells people what `errors` tells programs. */
interface NamedPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly PluginError[];
  readonly notices: readonly string[];
}

/**
 * Returns the plugins of a run: from `--plugin-dir` and the program that drives weft, then from the settings. Throws a usage error for an
 * unreadable plugin that a person gave by a flag, and for an invalid manifest, which may contain a guard. Otherwise a program gets an
 * error for a folder without a plugin, as from the Agent SDK's own executable. Problems with plugins of the settings become notices.
 */
export function namedPlugins(
  settings: readonly Sourced<string>[],
  options: Pick<MainOptions, 'pluginDir' | 'pluginDirNoMcp' | 'inputFormat'>,
  project: {readonly directory: string; readonly trust: ProjectTrust},
): NamedPlugins {
  const plugins = new Map<string, Plugin>();
  const notices: string[] = [];
  const errors: PluginError[] = [];
  const add = (named: NamedPlugin, from: 'project' | 'user'): string => {
    const read = readPlugin(named, project);
    if (read.tag === 'failed') return read.error;
    const plugin = read.value;
    // Trust in a project covers only the content of the project.
    if (from === 'project' && plugin.trust === 'trusted') {
      return 'it lies outside the project, so only your own settings can name it';
    }
    // The first plugin of a name wins.
    if (plugins.has(plugin.name)) return '';
    plugins.set(plugin.name, plugin);
    for (const what of plugin.leftOut) {
      notices.push(`The plugin ${plugin.name} (${plugin.folder}): ${what}.`);
      errors.push({plugin: plugin.name, type: 'generic-error', message: what});
    }
    return '';
  };
  const {pluginDir = [], pluginDirNoMcp = []} = options;
  const given = [
    ...pluginDir.map(path => ({path, servers: 'count'}) as const),
    ...pluginDirNoMcp.map(path => ({path, servers: 'left-out'}) as const),
  ];
  for (const [at, {path, servers}] of given.entries()) {
    const folder = resolve(project.directory, withHome(path));
    const error = add({folder, servers}, 'user');
    if (error === '') continue;
    const isThere = existsSync(folder);
    const mayGuard = existsSync(join(folder, '.claude-plugin', 'plugin.json'));
    if (mayGuard || options.inputFormat !== 'stream-json') {
      throw new UsageError(`Can't use the plugin ${folder}: ${error}.`);
    }
    const type = isThere ? 'generic-error' : 'path-not-found';
    errors.push({plugin: `inline[${at}]`, type, message: `can't use ${folder}: ${error}`, path: folder});
  }
  for (const {value, source, path} of settings) {
    const folder = resolve(
      isAbsolute(path) ? settingsBase(path, project.directory) : project.directory,
      withHome(value),
    );
    const error = add({folder, servers: 'count'}, source === 'project' || source === 'local' ? 'project' : 'user');
    if (error === '') continue;
    notices.push(`${path}: the plugin ${folder} is not used: ${error}.`);
    errors.push({plugin: basename(folder), type: 'generic-error', message: `${folder} is not used: ${error}`});
  }
  return {plugins: [...plugins.values()], notices, errors};
}

const withHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;

/** Returns the base of relative paths in a settings file: the project for its settings, or the folder of the user's settings. */
const settingsBase = (path: string, directory: string): string =>
  dirname(path) === join(directory, '.weft') ? directory : dirname(path);
