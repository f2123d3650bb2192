import {readFileSync, statSync} from 'node:fs';
import {basename, join} from 'node:path';
import {isJsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import type {PluginPlace} from './extension-places.ts';
import {nameInProject, type ProjectTrust} from './trust-record.ts';

/** A plugin folder as it was named to weft. */
export interface NamedPlugin {
  /** Absolute. */
  readonly folder: string;
  /** Whether the MCP servers of its `.mcp.json` count. */
  readonly servers: 'count' | 'left-out';
}

/** A Claude plugin: a folder with commands, agents, skills, hooks and MCP servers. */
export interface Plugin extends PluginPlace, NamedPlugin {
  /** Empty where its manifest says none. */
  readonly version: string;
}

/** What a folder holds that weft takes from a plugin. */
const pluginParts = ['commands', 'agents', 'skills', 'hooks/hooks.json', '.mcp.json'] as const;

/**
 * Reads the manifest of a plugin folder, `.claude-plugin/plugin.json`; a folder without one that holds commands, skills or the like
 * has the folder's name. A plugin inside the project acts as far as the user trusts its files. The error says why it is no plugin.
 */
export function readPlugin(
  {folder, servers}: NamedPlugin,
  project: {readonly directory: string; readonly trust: ProjectTrust},
): Outcome<Plugin, string> {
  const manifest = readManifest(join(folder, '.claude-plugin', 'plugin.json'));
  if (manifest.tag === 'failed') return manifest;
  if (manifest.value === 'none' && !pluginParts.some(part => statSync(join(folder, part), {throwIfNoEntry: false}))) {
    return failed('it has no .claude-plugin/plugin.json, no commands, agents, skills, hooks and MCP servers');
  }
  const {name = '', version = ''} = manifest.value === 'none' ? {} : manifest.value;
  const isInside = nameInProject(folder, {directory: project.directory, folder: project.trust.folder}) !== undefined;
  return ok({
    name: pluginName(name) || pluginName(basename(folder)) || 'plugin',
    version: version.slice(0, 100),
    folder,
    servers,
    trust: isInside ? project.trust : 'trusted',
  });
}

const pluginName = (text: string): string =>
  text
    .trim()
    .replaceAll(/[^\p{Letter}\p{Number}_.-]+/gu, '-')
    .replaceAll(/^[-.]+|-+$/gu, '')
    .slice(0, 64);

const mostManifestBytes = 1024 * 1024;

function readManifest(path: string): Outcome<{readonly name?: string; readonly version?: string} | 'none', string> {
  try {
    const stats = statSync(path, {throwIfNoEntry: false});
    if (stats === undefined) return ok('none');
    if (!stats.isFile() || stats.size > mostManifestBytes) return failed(`${path} is no file of at most 1 MB`);
    const json = parseJson(readFileSync(path, 'utf8').replace(/^\uFEFF/u, ''));
    if (json.tag === 'failed') return failed(`${path} is not JSON: ${json.error}`);
    if (!isJsonObject(json.value)) return failed(`${path} must hold one JSON object`);
    const {name, version} = json.value;
    return ok({
      ...(typeof name === 'string' ? {name} : {}),
      ...(typeof version === 'string' ? {version} : {}),
    });
  } catch (cause) {
    return failed(`${path} cannot be read: ${causeText(cause)}`);
  }
}
