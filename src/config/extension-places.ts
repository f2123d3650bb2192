import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {ExtensionScope} from '../domain/slash-command.ts';
import {extensionFolders, type ProjectTrust} from './trust-record.ts';

/** The folders in which weft looks for skills, commands and agents. */
export interface ExtensionPlaces {
  /** The project. weft uses a file of it only if the user trusts the file. `none`: `--setting-sources` leaves it out. */
  readonly project: {readonly directory: string; readonly trust: ProjectTrust} | 'none';
  /** The user's home and configuration folder; `none` if the user's own files are left out. */
  readonly user: {readonly home: string; readonly config: string} | 'none';
  readonly plugins: readonly PluginPlace[];
  /** Folders with only skills that the user named for this run. Their names win over all others. */
  readonly skills: readonly NamedSkills[];
}

export interface NamedSkills {
  readonly folder: string;
  /** The trust in the folder, as in `PluginPlace`. */
  readonly trust: 'trusted' | ProjectTrust;
}

/** A plugin's folder. `trusted`: the user named it, and it is outside the project. */
export interface PluginPlace {
  readonly name: string;
  readonly folder: string;
  readonly trust: 'trusted' | ProjectTrust;
  readonly paths: ExtensionPaths;
}

/** A folder that may contain `skills`, `commands` and `agents`. */
export interface ExtensionRoot {
  readonly folder: string;
  readonly scope: ExtensionScope;
  readonly trust: 'trusted' | ProjectTrust;
  /** The prefix of names: the plugin's name, or empty if it isn't from a plugin. */
  readonly prefix: string;
  readonly paths: ExtensionPaths;
}

/** The parts of a root, each with the absolute paths of the folders and files that weft reads. */
export type ExtensionPaths = Readonly<Record<ExtensionPart, readonly string[]>>;
export const extensionParts = ['skills', 'commands', 'agents'] as const;
export type ExtensionPart = (typeof extensionParts)[number];

/** Returns the default locations of the parts: folders with their names. */
export const usualPaths = (folder: string): ExtensionPaths => ({
  skills: [join(folder, 'skills')],
  commands: [join(folder, 'commands')],
  agents: [join(folder, 'agents')],
});

const rootIn = (folder: string, of: Pick<ExtensionRoot, 'scope' | 'trust'>): ExtensionRoot => ({
  ...of,
  folder,
  prefix: '',
  paths: usualPaths(folder),
});

const ofUser = (folder: string): ExtensionRoot => rootIn(folder, {scope: 'user', trust: 'trusted'});

/**
 * Returns the roots in the order in which names win: named folders, the project before the user, each with `.agents`,
 * `.weft`, `.claude`, and plugins last.
 */
export function extensionRoots({project, user, plugins, skills}: ExtensionPlaces): readonly ExtensionRoot[] {
  const ofProject = (folder: string): readonly ExtensionRoot[] => {
    if (project === 'none') return [];
    // In the home folder, these two belong to the user.
    if (user !== 'none' && folder !== '.weft' && project.directory === user.home) return [];
    return [rootIn(join(project.directory, folder), {scope: 'project', trust: project.trust})];
  };
  return [
    ...skills.map(({folder, trust}): ExtensionRoot => ({
      folder,
      scope: 'user',
      trust,
      prefix: '',
      paths: {skills: [folder], commands: [], agents: []},
    })),
    ...extensionFolders.flatMap(ofProject),
    ...(user === 'none'
      ? []
      : [ofUser(join(user.home, '.agents')), ofUser(user.config), ofUser(join(user.home, '.claude'))]),
    ...plugins.map(({name, folder, trust, paths}): ExtensionRoot => ({
      folder,
      scope: 'plugin',
      trust,
      prefix: name,
      paths,
    })),
  ];
}

/** True if one of the folders exists. Does not read them. */
export const hasExtensions = (places: ExtensionPlaces): boolean =>
  extensionRoots(places).some(({paths}) => extensionParts.some(part => paths[part].some(path => existsSync(path))));
