import {homedir} from 'node:os';
import {join, resolve, sep} from 'node:path';
import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {hookExample, type HookSetting, hooksSchema, hookWords, readHooks} from '../config/hook-settings.ts';
import type {Plugin} from '../config/plugin-folders.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import {type ConfiguredServer, parseServers, serversInText} from '../extensions/mcp/server-config.ts';
import type {ScriptStanding} from '../config/project-files.ts';
import {UsageError} from './exit-code.ts';

/** A hook of a plugin, with what may keep it from running. */
export interface PluginHook {
  readonly hook: HookSetting;
  /** The file that names it. */
  readonly path: string;
  /** The plugin's folder, where it lies in the project: its files have to be trusted when the hook runs. */
  readonly project: {readonly folder: string; readonly trust: ProjectTrust} | 'outside';
}

/**
 * The hooks of plugins: those of `hooks/hooks.json`, and those that the manifest holds or names a file of. What cannot be read stops
 * weft, since it may hold a hook that somebody relies on.
 */
export async function pluginHooks(plugins: readonly Plugin[]): Promise<readonly PluginHook[]> {
  const found = await Promise.all(
    plugins.map(async plugin => {
      const project = plugin.trust === 'trusted' ? 'outside' : {folder: plugin.folder, trust: plugin.trust};
      const parts = await partsOf(plugin, {field: 'hooks', file: 'hooks/hooks.json'});
      return parts.flatMap(({path, value}) => {
        const hooks = isJsonObject(value) ? (value['hooks'] ?? value) : undefined;
        const parsed = hooksSchema.safeParse(hooks);
        if (!parsed.success) throw new UsageError(`${path}: hooks must be ${hookWords}, for example ${hookExample}.`);
        return readHooks(parsed.data, project === 'outside' ? 'user' : 'project').hooks.map(
          hook => ({hook: inFolder(hook, plugin.folder), path, project}) as const,
        );
      });
    }),
  );
  return found.flat();
}

interface PluginPart {
  readonly path: string;
  readonly value: Json;
}

/**
 * A part of a plugin: its usual file, and what the manifest says under `field`: the part itself, the path of a file in the plugin that
 * holds it, or a list of both. (code.claude.com/docs/en/plugins-reference, "Component path fields".)
 */
async function partsOf(
  plugin: Plugin,
  {field, file}: {readonly field: 'hooks' | 'mcpServers'; readonly file: string},
): Promise<readonly PluginPart[]> {
  const usual = join(plugin.folder, file);
  const manifest = join(plugin.folder, '.claude-plugin', 'plugin.json');
  const content = await jsonIn(manifest, plugin);
  const said = isJsonObject(content) ? content[field] : undefined;
  const items = said === undefined ? [] : Array.isArray(said) ? said : [said];
  const parts = new Map<string, Json>();
  const standard = await jsonIn(usual, plugin);
  if (standard !== undefined) parts.set(usual, standard);
  const inline: PluginPart[] = [];
  for (const item of items) {
    if (isJsonObject(item)) {
      inline.push({path: manifest, value: item});
      continue;
    }
    if (typeof item !== 'string') throw new UsageError(`${manifest}: "${field}" must be an object or a path.`);
    const path = resolve(plugin.folder, item);
    if (!path.startsWith(plugin.folder + sep)) throw new UsageError(`${manifest}: ${item} lies outside the plugin.`);
    const value = parts.has(path) ? undefined : await jsonIn(path, plugin);
    if (value !== undefined) parts.set(path, value);
    else if (!parts.has(path) && plugin.trust === 'trusted') throw new UsageError(`${manifest}: there is no ${item}.`);
  }
  return [...[...parts].map(([path, value]) => ({path, value})), ...inline];
}

/** The JSON of a plugin's file, if there is one that may act. */
async function jsonIn(path: string, plugin: Plugin): Promise<Json | undefined> {
  const text = await trustedText(path, plugin);
  if (text === undefined) return undefined;
  const json = parseJson(text.replace(/^\uFEFF/u, ''));
  if (json.tag === 'failed') throw new UsageError(`${path} is not JSON: ${json.error}`);
  return json.value;
}

/** The hook with the plugin's folder as `CLAUDE_PLUGIN_ROOT`. */
function inFolder(hook: HookSetting, folder: string): HookSetting {
  const {work} = hook;
  if (work.type === 'http') return hook;
  const environment = {CLAUDE_PLUGIN_ROOT: folder};
  // A shell fills the variable in itself, so that no character of the path means anything to it.
  if (work.args === 'shell') return {...hook, work: {...work, environment}};
  const args = work.args.map(arg => withRoot(arg, folder));
  return {...hook, work: {...work, command: withRoot(work.command, folder), args, environment}};
}

/** Whether all files of a plugin that lies in the project are what the user trusts. */
export async function pluginStanding({project}: PluginHook, directory: string): Promise<ScriptStanding> {
  if (project === 'outside') return {obstacle: '', mark: ''};
  const {fileMark, listProjectFiles} = await import('../config/project-files.ts');
  const {folder, trust} = project;
  const {files, leftOut} = await listProjectFiles(
    {
      directory,
      folder: trust.folder,
      home: homedir(),
      commands: [],
      servers: [],
      environment: process.env,
      plugins: [folder],
      trustOf: (path, bytes) => trust.stateOf(path, bytes),
    },
    new AbortController().signal,
  );
  const untrusted = files.find(file => file.kind === 'plugin' && file.trust !== 'trusted');
  if (untrusted === undefined && leftOut.length === 0) {
    const marks = await Promise.all(files.map(file => fileMark(join(trust.folder, file.path))));
    return {obstacle: '', mark: marks.join()};
  }
  const what = untrusted === undefined ? 'files of its plugin cannot be checked' : `${untrusted.path} is not trusted`;
  return {obstacle: `${what} (review and trust it: weft permissions trust)`, mark: ''};
}

/** The MCP servers of plugins, as `plugin:NAME:SERVER`. */
export async function pluginServers(
  plugins: readonly Plugin[],
): Promise<{readonly servers: readonly ConfiguredServer[]; readonly notices: readonly string[]}> {
  const found = await Promise.all(
    plugins.map(async plugin => {
      const {name, folder, trust} = plugin;
      const parts =
        plugin.servers === 'left-out' ? [] : await partsOf(plugin, {field: 'mcpServers', file: '.mcp.json'});
      return parts.map(({path, value}) => {
        const whole = isJsonObject(value) && !('mcpServers' in value) ? {mcpServers: value} : value;
        const read = serversInText(JSON.stringify(whole));
        if (read.tag === 'failed')
          return {servers: [], notices: [`${path}: its MCP servers are left out: ${read.error}`]};
        const named = Object.entries(read.value).map(([key, server]) => [
          `plugin:${name}:${key}`,
          withRootVariable(inRoot(server, folder), folder),
        ]);
        return {
          servers: parseServers(Object.fromEntries(named), {source: trust === 'trusted' ? 'given' : 'project', path}),
          notices: [],
        };
      });
    }),
  );
  return {servers: found.flat().flatMap(({servers}) => servers), notices: found.flat().flatMap(({notices}) => notices)};
}

/** A server that is a program also has the plugin's folder in its environment. */
const withRootVariable = (server: Json, folder: string): Json =>
  isJsonObject(server) && typeof server['command'] === 'string'
    ? {...server, env: {CLAUDE_PLUGIN_ROOT: folder, ...(isJsonObject(server['env']) ? server['env'] : {})}}
    : server;

/** A file of a plugin, if there is one that may act. */
async function trustedText(path: string, {trust}: Plugin): Promise<string | undefined> {
  const {projectFileBounds, readBounded} = await import('../config/project-files.ts');
  const read = await readBounded(path, projectFileBounds.fileBytes);
  if (read.kind === 'none') return undefined;
  if (read.kind === 'refused') throw new UsageError(`${path} cannot be read: ${read.why}`);
  return trust === 'trusted' || trust.stateOf(path, read.bytes) === 'trusted' ? read.bytes.toString('utf8') : undefined;
}

const withRoot = (text: string, folder: string): string => text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => folder);

/** The value with the plugin's folder in all its texts. */
function inRoot(value: Json, folder: string): Json {
  if (typeof value === 'string') return withRoot(value, folder);
  if (Array.isArray(value)) return value.map(item => inRoot(item, folder));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inRoot(item, folder)]));
}
