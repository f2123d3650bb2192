import {existsSync, readFileSync, statSync} from 'node:fs';
import {basename, join, resolve, sep} from 'node:path';
import {isJsonList, isJsonObject, type JsonObject, parseJson, textOf} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {type ExtensionPart, type ExtensionPaths, type PluginPlace, usualPaths} from './extension-places.ts';
import {nameInProject, type ProjectTrust} from './trust-record.ts';

export interface NamedPlugin {
  /** The folder's absolute path. */
  readonly folder: string;
  /** Whether the MCP servers of its `.mcp.json` count. */
  readonly servers: 'count' | 'left-out';
}

/** A Claude plugin: a folder with commands, agents, skills, hooks and MCP servers. */
export interface Plugin extends PluginPlace, NamedPlugin {
  /** The version in the manifest. Empty if the manifest names none. */
  readonly version: string;
  /** Whether its manifest or a file names MCP servers. */
  readonly namesServers: boolean;
  /** Sentences about the entries of the manifest that weft ignores. */
  readonly leftOut: readonly string[];
}

/** The parts of a plugin folder that weft uses. */
const pluginParts = ['commands', 'agents', 'skills', 'SKILL.md', 'hooks/hooks.json', '.mcp.json'] as const;

/**
 * Reads the manifest of a plugin folder, `.claude-plugin/plugin.json`. A folder without a manifest that holds commands,
 * skills or similar parts is named after the folder. weft uses the files of a plugin inside the project only if the
 * user trusts them. The error says why the folder isn't a plugin.
 */
export function readPlugin(
  {folder, servers}: NamedPlugin,
  project: {readonly directory: string; readonly trust: ProjectTrust},
): Outcome<Plugin, string> {
  const manifest = readManifest(join(folder, '.claude-plugin', 'plugin.json'));
  if (manifest.tag === 'failed') return manifest;
  if (manifest.value === 'none' && !pluginParts.some(part => existsSync(join(folder, part)))) {
    if (!existsSync(folder)) return failed('there is no such folder');
    const isMarketplace = existsSync(join(folder, '.claude-plugin', 'marketplace.json'));
    return failed(
      isMarketplace
        ? 'it is a marketplace: name the folder of one of its plugins'
        : 'it has no .claude-plugin/plugin.json, commands, agents, skills, hooks or MCP servers',
    );
  }
  const fields = manifest.value === 'none' ? {} : manifest.value;
  const {name, version} = fields;
  const {paths, leftOut} = componentPaths(folder, fields);
  const isInside = nameInProject(folder, {directory: project.directory, folder: project.trust.folder}) !== undefined;
  return ok({
    name: pluginName(textOf(name)) || pluginName(basename(folder)) || 'plugin',
    version: textOf(version).slice(0, 100),
    paths,
    leftOut,
    namesServers: fields['mcpServers'] !== undefined || existsSync(join(folder, '.mcp.json')),
    folder,
    servers,
    trust: isInside ? project.trust : 'trusted',
  });
}

/**
 * Returns the folders and files of a plugin's commands, agents and skills. A path or a list of paths in the manifest
 * replaces the folder `commands` or `agents`. Paths of skills are added to the folder `skills`. (Claude Code 2.1.330
 * does the same.)
 */
function componentPaths(
  folder: string,
  manifest: JsonObject,
): {readonly paths: ExtensionPaths; readonly leftOut: readonly string[]} {
  const leftOut: string[] = [];
  const usual = usualPaths(folder);
  const pathsOf = (part: ExtensionPart): readonly string[] => {
    const said = manifest[part];
    // This plugin is a single skill.
    if (part === 'skills' && said === undefined && !usual.skills.some(path => existsSync(path)))
      return [folder].filter(hasSkill);
    if (said === undefined) return usual[part];
    const named = (isJsonList(said) ? said : [said]).flatMap(item => {
      const path = typeof item === 'string' ? resolve(folder, item) : undefined;
      const why =
        path === undefined
          ? 'is not a path'
          : path !== folder && !path.startsWith(folder + sep)
            ? 'is outside the plugin'
            : existsSync(path)
              ? ''
              : 'does not exist';
      if (why !== '') leftOut.push(`"${part}" in its plugin.json: ${JSON.stringify(item).slice(0, 200)} ${why}`);
      return why === '' && path !== undefined ? [path] : [];
    });
    return part === 'skills' ? [...usual.skills, ...named] : named;
  };
  return {paths: {skills: pathsOf('skills'), commands: pathsOf('commands'), agents: pathsOf('agents')}, leftOut};
}

const hasSkill = (folder: string): boolean => existsSync(join(folder, 'SKILL.md'));

const pluginName = (text: string): string =>
  text
    .trim()
    .replaceAll(/[^\p{Letter}\p{Number}_.-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/gu, '')
    .slice(0, 64);

const maxManifestBytes = 1024 * 1024;

function readManifest(path: string): Outcome<JsonObject | 'none', string> {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    if (stats === undefined) return ok('none');
    if (!stats.isFile() || stats.size > maxManifestBytes) return failed(`${path} isn't a file of at most 1 MB`);
    const json = parseJson(readFileSync(path, 'utf8').replace(/^\uFEFF/u, ''));
    if (json.tag === 'failed') return failed(`${path} is not JSON: ${json.error}`);
    return isJsonObject(json.value) ? ok(json.value) : failed(`${path} must hold one JSON object`);
  } catch (cause) {
    return failed(`${path} cannot be read: ${causeText(cause)}`);
  }
}
