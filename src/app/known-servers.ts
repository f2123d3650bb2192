import {join} from 'node:path';
import {parseSettings} from '../config/settings-schema.ts';
import {projectFileBounds, readBounded} from '../config/project-files.ts';
import {projectTrust} from '../config/trust-record.ts';
import {
  type ConfiguredServer,
  parseServers,
  parseServersFile,
  type ServerSource,
} from '../extensions/mcp/server-config.ts';
import {UsageError} from './exit-code.ts';
import {namedPlugins} from './named-plugins.ts';
import {configuredServers, serverTrustProblem} from './mcp-servers.ts';
import {settingsIn} from './write-settings.ts';

/**
 * A server that a file configures, and whether weft uses it. `overridden`: another one with the same name wins. `untrusted`:
 * the folder, or a script that the server runs, is not trusted.
 */
export interface KnownServer extends ConfiguredServer {
  readonly standing: 'counts' | 'overridden' | 'untrusted';
  /** Why the server is not trusted; empty if it is. */
  readonly untrustedReason: string;
}

/** Returns the file in which a project shares its servers. */
export const projectServersFile = (directory: string): string => join(directory, '.mcp.json');

/** Reads the servers that any file configures for this folder, the user's first. `notices` has a sentence for each unreadable file. */
export async function knownServers(
  directory: string,
): Promise<{readonly servers: readonly KnownServer[]; readonly notices: readonly string[]}> {
  const {settings: permissions, place, layers} = settingsIn(directory);
  const trust = projectTrust(place);
  const effective = await configuredServers({
    permissions,
    options: {},
    project: directory,
    projectTrust: trust,
    settingSources: new Set(['user', 'project', 'local']),
    plugins: namedPlugins(permissions.settings.plugins, {}, {directory, trust}).plugins,
  });
  const counts = (server: ConfiguredServer): boolean =>
    effective.servers.some(({name, path}) => name === server.name && path === server.path);
  const standing = (server: ConfiguredServer, isTrusted: boolean): KnownServer => ({
    ...server,
    standing: counts(server) ? 'counts' : isTrusted ? 'overridden' : 'untrusted',
    untrustedReason: counts(server) || isTrusted ? '' : 'review and trust it: weft permissions trust',
  });
  const ofLayer = (wanted: ServerSource): readonly KnownServer[] =>
    layers.flatMap(layer => {
      if (layer.source !== wanted || !('text' in layer)) return [];
      const parsed = parseSettings(layer);
      const found = parsed.tag === 'ok' ? (parsed.value.settings.mcpServers ?? {}) : {};
      const isTrusted = wanted === 'user' || ['trusted', 'nothing'].includes(permissions.trust);
      return parseServers(found, {source: wanted, path: layer.path}).map(server => standing(server, isTrusted));
    });

  const path = projectServersFile(directory);
  const read = await readBounded(path, projectFileBounds.fileBytes);
  const notices = [...effective.notices];
  let ofFile: readonly KnownServer[] = [];
  if (read.kind === 'file') {
    const found = parseServersFile(read.bytes.toString('utf8'));
    const isTrusted = trust.stateOf(path, read.bytes) === 'trusted';
    if (found.tag === 'ok') {
      ofFile = parseServers(found.value, {source: 'project', path}).map(server => standing(server, isTrusted));
    } else if (!isTrusted) notices.push(`${path}: its MCP servers are ignored: ${found.error}`);
  }
  const servers = [...ofLayer('user'), ...ofFile, ...ofLayer('project'), ...ofLayer('local')];
  return {servers: await Promise.all(servers.map(server => withUntrustedReason(server, {directory, trust}))), notices};
}

/** Marks a server as untrusted if its script is not the one that the user trusts. */
async function withUntrustedReason(
  server: KnownServer,
  place: Parameters<typeof serverTrustProblem>[1],
): Promise<KnownServer> {
  const {standing, source, config} = server;
  if (standing !== 'counts' || config.tag === 'failed') return server;
  const untrustedReason = await serverTrustProblem({source, config: config.value}, place);
  return untrustedReason === '' ? server : {...server, standing: 'untrusted', untrustedReason};
}

/** Finds a server by name, preferring the one in use. Throws a usage error if there is none. */
export async function serverNamed(name: string, directory: string): Promise<KnownServer> {
  const {servers} = await knownServers(directory);
  const named = servers.filter(server => server.name === name);
  const found = named.find(({standing}) => standing === 'counts') ?? named[0];
  if (found !== undefined) return found;
  const names = [...new Set(servers.map(server => server.name))];
  const hint = names.length === 0 ? 'There are none. Add one: weft mcp add' : `Servers: ${names.join(', ')}.`;
  throw new UsageError(`No MCP server is named ${JSON.stringify(name)} here. ${hint}`);
}
