import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {ExtensionScope} from '../domain/slash-command.ts';
import {extensionFolders, type ProjectTrust} from './trust-record.ts';

/** Where skills, commands and agents may lie. */
export interface ExtensionPlaces {
  /** The project; its files act only as the user trusts them. `none`: `--setting-sources` leaves it out. */
  readonly project: {readonly directory: string; readonly trust: ProjectTrust} | 'none';
  /** The user's home and configuration folder; `none` where the user's own files are left out. */
  readonly user: {readonly home: string; readonly config: string} | 'none';
  readonly plugins: readonly PluginPlace[];
}

/** A plugin's folder. `trusted`: the user named it, and it lies outside the project. */
export interface PluginPlace {
  readonly name: string;
  readonly folder: string;
  readonly trust: 'trusted' | ProjectTrust;
}

/** A folder that may hold `skills`, `commands` and `agents`. */
export interface ExtensionRoot {
  readonly folder: string;
  readonly scope: ExtensionScope;
  readonly trust: 'trusted' | ProjectTrust;
  /** What names begin with: the plugin's name; empty for others. */
  readonly prefix: string;
}

const ofUser = (folder: string): ExtensionRoot => ({folder, scope: 'user', trust: 'trusted', prefix: ''});

/** The roots, those that win a name first: the project before the user, then `.agents`, `.weft`, `.claude`; plugins last. */
export function extensionRoots({project, user, plugins}: ExtensionPlaces): readonly ExtensionRoot[] {
  const ofProject = (folder: string): readonly ExtensionRoot[] => {
    if (project === 'none') return [];
    // In the home folder these two are the user's own.
    if (user !== 'none' && folder !== '.weft' && project.directory === user.home) return [];
    return [{folder: join(project.directory, folder), scope: 'project', trust: project.trust, prefix: ''}];
  };
  return [
    ...extensionFolders.flatMap(ofProject),
    ...(user === 'none'
      ? []
      : [ofUser(join(user.home, '.agents')), ofUser(user.config), ofUser(join(user.home, '.claude'))]),
    ...plugins.map(({name, folder, trust}): ExtensionRoot => ({folder, scope: 'plugin', trust, prefix: name})),
  ];
}

/** The folders inside a root that are looked into. */
export const extensionParts = ['skills', 'commands', 'agents'] as const;
export type ExtensionPart = (typeof extensionParts)[number];

/** Whether there is anything to look into. Looks at the folders themselves and reads none. */
export const hasExtensions = (places: ExtensionPlaces): boolean =>
  extensionRoots(places).some(({folder}) => extensionParts.some(part => existsSync(join(folder, part))));
