import {homedir} from 'node:os';
import {join, resolve, sep} from 'node:path';
import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {hookExample, type HookSetting, hooksSchema, hookWords, readHooks} from '../config/hook-settings.ts';
import type {Plugin} from '../config/plugin-folders.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import {type ConfiguredServer, parseServers, parseServersFile} from '../extensions/mcp/server-config.ts';
import type {ScriptStanding} from '../config/project-files.ts';
import {UsageError} from './exit-code.ts';

/** A hook of a plugin, with the trust that it needs to run. */
export interface PluginHook {
  readonly hook: HookSetting;
  readonly path: string;
  /** The plugin's folder if it is in the project. Its files must be trusted when the hook runs. */
  readonly project: {readonly folder: string; readonly trust: ProjectTrust} | 'outside';
}

/**
 * Reads the hooks of plugins: from `hooks/hooks.json`, and those that the manifest contains or names a file for. Throws a usage error for
 * unreadable hooks, because the user may rely on one of them.
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
 * Reads a part of a plugin from its usual file and from the manifest's `field`. The field contains the part itself, the path of a file in
 * the plugin, or a list of both. (code.claude.com/docs/en/plugins-reference, "Component path fields".)
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
    if (!path.startsWith(plugin.folder + sep)) throw new UsageError(`${manifest}: ${item} is outside the plugin.`);
    const value = parts.has(path) ? undefined : await jsonIn(path, plugin);
    if (value !== undefined) parts.set(path, value);
    else if (!parts.has(path) && plugin.trust === 'trusted') throw new UsageError(`${manifest}: there is no ${item}.`);
  }
  return [...[...parts].map(([path, value]) => ({path, value})), ...inline];
}

/** Reads the JSON of a plugin's file; `undefined` if there is none or it is not trusted. */
async function jsonIn(path: string, plugin: Plugin): Promise<Json | undefined> {
  const text = await trustedText(path, plugin);
  if (text === undefined) return undefined;
  const json = parseJson(text.replace(/^\uFEFF/u, ''));
  if (json.tag === 'failed') throw new UsageError(`${path} is not JSON: ${json.error}`);
  return json.value;
}

/** Returns the hook with the plugin's folder as `CLAUDE_PLUGIN_ROOT`. */
function inFolder(hook: HookSetting, folder: string): HookSetting {
  const {work} = hook;
  if (work.type === 'http') return hook;
  const environment = {CLAUDE_PLUGIN_ROOT: folder};
  // The shell expands the variable itself, so that characters of the path have no special meaning.
  if (work.args === 'shell') return {...hook, work: {...work, environment}};
  const args = work.args.map(arg => withRoot(arg, folder));
  return {...hook, work: {...work, command: withRoot(work.command, folder), args, environment}};
}

/** Checks whether the user trusts all files of a plugin in the project. */
export async function pluginStanding({project}: PluginHook, directory: string): Promise<ScriptStanding> {
  if (project === 'outside') return {refusalReason: '', mark: ''};
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
    return {refusalReason: '', mark: marks.join()};
  }
  const what = untrusted === undefined ? "can't check the files of its plugin" : `${untrusted.path} is not trusted`;
  return {refusalReason: `${what} (review and trust it: weft permissions trust)`, mark: ''};
}

/** Reads the MCP servers of plugins, named `plugin:NAME:SERVER`. */
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
        const read = parseServersFile(JSON.stringify(whole));
        if (read.tag === 'failed')
          return {servers: [], notices: [`${path}: its MCP servers are ignored: ${read.error}`]};
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

/** Adds the plugin's folder to the environment of a server that is a program. */
const withRootVariable = (server: Json, folder: string): Json =>
  isJsonObject(server) && typeof server['command'] === 'string'
    ? {...server, env: {CLAUDE_PLUGIN_ROOT: folder, ...(isJsonObject(server['env']) ? server['env'] : {})}}
    : server;

/** Reads a plugin's file; `undefined` if there is none or it is not trusted. */
async function trustedText(path: string, {trust}: Plugin): Promise<string | undefined> {
  const {projectFileBounds, readBounded} = await import('../config/project-files.ts');
  const read = await readBounded(path, projectFileBounds.fileBytes);
  if (read.kind === 'none') return undefined;
  if (read.kind === 'refused') throw new UsageError(`Can't read ${path}: ${read.why}`);
  return trust === 'trusted' || trust.stateOf(path, read.bytes) === 'trusted' ? read.bytes.toString('utf8') : undefined;
}

const withRoot = (text: string, folder: string): string => text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => folder);

/** Replaces `${CLAUDE_PLUGIN_ROOT}` in all strings of a value. */
function inRoot(value: Json, folder: string): Json {
  if (typeof value === 'string') return withRoot(value, folder);
  if (Array.isArray(value)) return value.map(item => inRoot(item, folder));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inRoot(item, folder)]));
}
