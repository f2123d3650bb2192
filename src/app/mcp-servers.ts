import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Settings} from '../config/merge-settings.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import {
  type ConfiguredServer,
  parseServers,
  type ServerConfig,
  serversInText,
  type ServerSource,
  strongestServers,
} from '../extensions/mcp/server-config.ts';
import {pluginServers} from './plugin-content.ts';
import {UsageError} from './exit-code.ts';
import type {RunContext} from './run-context.ts';
import {inlineOrFileText, isInlineJson, type MainOptions} from './main-options.ts';

/**
 * The MCP servers of this run, one for each name: those of the user's settings, of a trusted `.mcp.json`, of the settings of a trusted
 * folder, those of plugins, and before them all those of `--mcp-config`, a file or JSON each. With `--strict-mcp-config` only the latter. The notices
 * say what was left out, a sentence each. What a project may not start yet is said where trust is asked for.
 */
export async function configuredServers(
  context: Pick<RunContext, 'project' | 'projectTrust' | 'plugins' | 'settingSources'> & {
    readonly options: Pick<MainOptions, 'mcpConfig' | 'strictMcpConfig'>;
    readonly permissions: {readonly settings: Pick<Settings, 'mcpServers'>};
  },
): Promise<{readonly servers: readonly ConfiguredServer[]; readonly notices: readonly string[]}> {
  const {mcpConfig = [], strictMcpConfig} = context.options;
  const given = mcpConfig.map(serversOfFlag);
  if (strictMcpConfig !== undefined) return {servers: strongestServers(given), notices: []};
  const ofSettings = Object.entries(context.permissions.settings.mcpServers).flatMap(([name, {value, source, path}]) =>
    parseServers({[name]: value}, {source: sourceOf(source), path}),
  );
  const [ofUser, others] = [
    ofSettings.filter(({source}) => source === 'user'),
    ofSettings.filter(({source}) => source !== 'user'),
  ];
  const file = context.settingSources.has('project') ? await serversOfFile(context) : nothing;
  const plugged = await pluginServers(context.plugins);
  return {
    servers: strongestServers([plugged.servers, ofUser, file.servers, others, ...given]),
    notices: [...plugged.notices, ...file.notices],
  };
}

const nothing = {servers: [], notices: []} as const;

/** The servers of the project's `.mcp.json`, as far as the user trusts its content. */
async function serversOfFile({project, projectTrust: trust}: Pick<RunContext, 'project' | 'projectTrust'>) {
  const path = join(project, '.mcp.json');
  if (!existsSync(path)) return nothing;
  const {projectFileBounds, readBounded} = await import('../config/project-files.ts');
  const read = await readBounded(path, projectFileBounds.fileBytes);
  if (read.kind !== 'file' || trust.stateOf(path, read.bytes) !== 'trusted') return nothing;
  const found = serversInText(read.bytes.toString('utf8'));
  return found.tag === 'ok'
    ? {servers: parseServers(found.value, {source: 'project', path}), notices: []}
    : {servers: [], notices: [`${path}: its MCP servers are left out: ${found.error}`]};
}

/** Why a server that the project names may not be started now, such as a script that changed since it was trusted; empty where it may. */
export async function serverObstacle(
  {source, config}: Pick<ConfiguredServer, 'source'> & {readonly config: ServerConfig},
  {directory, trust}: {readonly directory: string; readonly trust: ProjectTrust},
): Promise<string> {
  const {transport} = config;
  if (transport.kind !== 'stdio' || (source !== 'project' && source !== 'local')) return '';
  const {serverScripts, scriptStanding} = await import('../config/project-files.ts');
  const {command, args, cwd} = transport;
  const names = serverScripts(
    {command, args: [...args], cwd},
    {directory, folder: trust.folder, environment: process.env},
  );
  return (await scriptStanding(names, trust)).obstacle;
}

function sourceOf(source: Settings['mcpServers'][string]['source']): ServerSource {
  return source === 'user' || source === 'project' || source === 'local' ? source : 'given';
}

/** Servers that run in the program which drives weft are left out: it names them in its greeting. */
function serversOfFlag(given: string): readonly ConfiguredServer[] {
  const where = isInlineJson(given) ? '--mcp-config' : `--mcp-config ${given}`;
  const found = serversInText(inlineOrFileText(given, why => `${where} cannot be read: ${why}`));
  if (found.tag === 'failed') throw new UsageError(`${where}: ${found.error}.`);
  const own = Object.fromEntries(Object.entries(found.value).filter(([, server]) => !isSdkServer(server)));
  return parseServers(own, {source: 'given', path: isInlineJson(given) ? '--mcp-config' : given});
}

export const isSdkServer = (server: unknown): boolean =>
  typeof server === 'object' && server !== null && 'type' in server && server.type === 'sdk';
