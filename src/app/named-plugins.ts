import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {basename, dirname, isAbsolute, join, resolve} from 'node:path';
import type {Sourced} from '../config/merge-settings.ts';
import {type NamedPlugin, type Plugin, readPlugin} from '../config/plugin-folders.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import {UsageError} from './exit-code.ts';
import type {MainOptions} from './main-options.ts';

/** What is wrong with a plugin, as programs are told (`plugin_errors` of `system/init`). */
export interface PluginError {
  /** Its name, or `inline[N]` for the Nth that was given and has none. */
  readonly plugin: string;
  readonly type: 'path-not-found' | 'generic-error';
  readonly message: string;
  /** The folder of a given one that did not load. */
  readonly path?: string;
}

/** The plugins of a run. The notices say for people what the errors say for programs. */
interface NamedPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly PluginError[];
  readonly notices: readonly string[];
}

/**
 * The plugins of a run: those of `--plugin-dir` and of the program that drives weft, then those of the settings. One that a person
 * named by a flag and cannot be read stops weft, and so does a manifest that may hold a guard. A program is told of a folder that is
 * no plugin, as the Agent SDK has it; of what is wrong with the settings' own a notice tells.
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
    // Trust in a project is bound to content, and what lies elsewhere is not part of it.
    if (from === 'project' && plugin.trust === 'trusted') {
      return 'it lies outside the project, so only your own settings can name it';
    }
    // The first of a name counts.
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
      throw new UsageError(`The plugin ${folder} cannot be used: ${error}.`);
    }
    const type = isThere ? 'generic-error' : 'path-not-found';
    errors.push({plugin: `inline[${at}]`, type, message: `${folder} cannot be used: ${error}`, path: folder});
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

/** A path in the project's settings begins in the project, one in the user's settings beside them. */
const settingsBase = (path: string, directory: string): string =>
  dirname(path) === join(directory, '.weft') ? directory : dirname(path);
