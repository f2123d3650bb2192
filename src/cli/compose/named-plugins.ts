import {homedir} from 'node:os';
import {dirname, isAbsolute, join, resolve} from 'node:path';
import type {Sourced} from '../../config/merge-settings.ts';
import {type NamedPlugin, type Plugin, readPlugin} from '../../config/plugin-folders.ts';
import type {ProjectTrust} from '../../config/trust-record.ts';
import {UsageError} from '../exit-code.ts';
import type {MainOptions} from '../flags.ts';

/**
 * The plugins of a run: those of `--plugin-dir` and of the program that drives weft, then those of the settings. One that is named by
 * a flag and cannot be read stops weft; of the settings' own a notice tells.
 */
export function namedPlugins(
  settings: readonly Sourced<string>[],
  options: Pick<MainOptions, 'pluginDir' | 'pluginDirNoMcp'>,
  project: {readonly directory: string; readonly trust: ProjectTrust},
): {readonly plugins: readonly Plugin[]; readonly notices: readonly string[]} {
  const plugins = new Map<string, Plugin>();
  const notices: string[] = [];
  const add = (named: NamedPlugin, from: 'project' | 'user'): string => {
    const read = readPlugin(named, project);
    if (read.tag === 'failed') return read.error;
    const plugin = read.value;
    // Trust in a project is bound to content, and what lies elsewhere is not part of it.
    if (from === 'project' && plugin.trust === 'trusted') {
      return 'it lies outside the project, so only your own settings can name it';
    }
    // The first of a name counts.
    if (!plugins.has(plugin.name)) plugins.set(plugin.name, plugin);
    return '';
  };
  const {pluginDir = [], pluginDirNoMcp = []} = options;
  const given = [
    ...pluginDir.map(path => ({path, servers: 'count'}) as const),
    ...pluginDirNoMcp.map(path => ({path, servers: 'left-out'}) as const),
  ];
  for (const {path, servers} of given) {
    const folder = resolve(project.directory, withHome(path));
    const error = add({folder, servers}, 'user');
    if (error !== '') throw new UsageError(`The plugin ${folder} cannot be used: ${error}.`);
  }
  for (const {value, source, path} of settings) {
    const folder = resolve(
      isAbsolute(path) ? settingsBase(path, project.directory) : project.directory,
      withHome(value),
    );
    const error = add({folder, servers: 'count'}, source === 'project' || source === 'local' ? 'project' : 'user');
    if (error !== '') notices.push(`${path}: the plugin ${folder} is not used: ${error}.`);
  }
  return {plugins: [...plugins.values()], notices};
}

const withHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;

/** A path in the project's settings begins in the project, one in the user's settings beside them. */
const settingsBase = (path: string, directory: string): string =>
  dirname(path) === join(directory, '.weft') ? directory : dirname(path);
