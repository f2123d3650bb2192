import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {ExtensionScope} from '../domain/slash-command.ts';
import {extensionFolders, type ProjectTrust} from './trust-record.ts';

/** The folders in which weft looks for skills, commands and agents. */
export interface ExtensionPlaces {
  /** The project; its files act only as the user trusts them. `none`: `--setting-sources` leaves it out. */
  readonly project: {readonly directory: string; readonly trust: ProjectTrust} | 'none';
  /** The user's home and configuration folder; `none` if the user's own files are left out. */
  readonly user: {readonly home: string; readonly config: string} | 'none';
  readonly plugins: readonly PluginPlace[];
  /** Folders with skills alone that were named for this run; they win a name over all others. */
  readonly skills: readonly NamedSkills[];
}

export interface NamedSkills {
  readonly folder: string;
  /** As of a plugin. */
  readonly trust: 'trusted' | ProjectTrust;
}

/** A plugin's folder. `trusted`: the user named it, and it lies outside the project. */
export interface PluginPlace {
  readonly name: string;
  readonly folder: string;
  readonly trust: 'trusted' | ProjectTrust;
  readonly paths: ExtensionPaths;
}

/** A folder that may hold `skills`, `commands` and `agents`. */
export interface ExtensionRoot {
  readonly folder: string;
  readonly scope: ExtensionScope;
  readonly trust: 'trusted' | ProjectTrust;
  /** The prefix of names: the plugin's name, or empty if it isn't from a plugin. */
  readonly prefix: string;
  readonly paths: ExtensionPaths;
}

/** The parts of a root, each with the folders and files that are looked into, absolute. */
export type ExtensionPaths = Readonly<Record<ExtensionPart, readonly string[]>>;
export const extensionParts = ['skills', 'commands', 'agents'] as const;
export type ExtensionPart = (typeof extensionParts)[number];

/** The default locations of the parts: folders of their names. */
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

/** The roots, those that win a name first: what was named, the project before the user, then `.agents`, `.weft`, `.claude`; plugins last. */
export function extensionRoots({project, user, plugins, skills}: ExtensionPlaces): readonly ExtensionRoot[] {
  const ofProject = (folder: string): readonly ExtensionRoot[] => {
    if (project === 'none') return [];
    // In the home folder these two are the user's own.
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

/** Whether there is anything to look into. Looks at the folders themselves and reads none. */
export const hasExtensions = (places: ExtensionPlaces): boolean =>
  extensionRoots(places).some(({paths}) => extensionParts.some(part => paths[part].some(path => existsSync(path))));
