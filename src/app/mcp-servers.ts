import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Settings} from '../config/merge-settings.ts';
import type {ProjectTrust} from '../config/trust-record.ts';
import {
  type ConfiguredServer,
  parseServers,
  type ServerConfig,
  parseServersFile,
  type ServerSource,
  mergeServers,
} from '../extensions/mcp/server-config.ts';
import {pluginServers} from './plugin-content.ts';
import {UsageError} from './exit-code.ts';
import type {RunContext} from './run-context.ts';
import {inlineOrFileText, isInlineJson, type MainOptions} from './main-options.ts';

/**
 * Returns the MCP servers of this run, one per name: from the user's settings, a trusted `.mcp.json`, the settings of a
 * trusted folder, and plugins. Servers of `--mcp-config`, each a file or JSON, take precedence; with
 * `--strict-mcp-config` there are no others. `notices` has a sentence for each problem. Servers of an untrusted project
 * appear when weft asks for trust.
 */
export async function configuredServers(
  context: Pick<RunContext, 'project' | 'projectTrust' | 'plugins' | 'settingSources'> & {
    readonly options: Pick<MainOptions, 'mcpConfig' | 'strictMcpConfig'>;
    readonly permissions: {readonly settings: Pick<Settings, 'mcpServers'>};
  },
): Promise<{readonly servers: readonly ConfiguredServer[]; readonly notices: readonly string[]}> {
  const {mcpConfig = [], strictMcpConfig} = context.options;
  const given = mcpConfig.map(serversOfFlag);
  if (strictMcpConfig !== undefined) return {servers: mergeServers(given), notices: []};
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
    servers: mergeServers([plugged.servers, ofUser, file.servers, others, ...given]),
    notices: [...plugged.notices, ...file.notices],
  };
}

const nothing = {servers: [], notices: []} as const;

/** Reads the servers of the project's `.mcp.json` if the user trusts its content. */
async function serversOfFile({project, projectTrust: trust}: Pick<RunContext, 'project' | 'projectTrust'>) {
  const path = join(project, '.mcp.json');
  if (!existsSync(path)) return nothing;
  const {projectFileBounds, readBounded} = await import('../config/project-files.ts');
  const read = await readBounded(path, projectFileBounds.fileBytes);
  if (read.kind !== 'file' || trust.stateOf(path, read.bytes) !== 'trusted') return nothing;
  const found = parseServersFile(read.bytes.toString('utf8'));
  return found.tag === 'ok'
    ? {servers: parseServers(found.value, {source: 'project', path}), notices: []}
    : {servers: [], notices: [`${path}: its MCP servers are ignored: ${found.error}`]};
}

/** Returns why a server of the project may not start, such as a script that changed since it was trusted; empty if it may. */
export async function serverTrustProblem(
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
  return (await scriptStanding(names, trust)).refusalReason;
}

function sourceOf(source: Settings['mcpServers'][string]['source']): ServerSource {
  return source === 'user' || source === 'project' || source === 'local' ? source : 'given';
}

/** Reads the servers of `--mcp-config`. Skips those that run in the program that drives weft, because its `initialize` request names them. */
function serversOfFlag(given: string): readonly ConfiguredServer[] {
  const where = isInlineJson(given) ? '--mcp-config' : `--mcp-config ${given}`;
  const found = parseServersFile(inlineOrFileText(given, why => `Can't read ${where}: ${why}`));
  if (found.tag === 'failed') throw new UsageError(`${where}: ${found.error}.`);
  const own = Object.fromEntries(Object.entries(found.value).filter(([, server]) => !isSdkServer(server)));
  return parseServers(own, {source: 'given', path: isInlineJson(given) ? '--mcp-config' : given});
}

export const isSdkServer = (server: unknown): boolean =>
  typeof server === 'object' && server !== null && 'type' in server && server.type === 'sdk';
