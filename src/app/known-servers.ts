import {join} from 'node:path';
import {parseSettings} from '../config/settings-schema.ts';
import {projectFileBounds, readBounded} from '../config/project-files.ts';
import {projectTrust} from '../config/trust-record.ts';
import {
  type ConfiguredServer,
  parseServers,
  serversInText,
  type ServerSource,
} from '../extensions/mcp/server-config.ts';
import {UsageError} from './exit-code.ts';
import {namedPlugins} from './named-plugins.ts';
import {configuredServers, serverObstacle} from './mcp-servers.ts';
import {settingsIn} from './write-settings.ts';

/**
 * A server that a file names, and whether it counts: `overridden` by one of the same name, `untrusted` until the folder is trusted, or a
 * script that it runs.
 */
export interface KnownServer extends ConfiguredServer {
  readonly standing: 'counts' | 'overridden' | 'untrusted';
  /** Why it is not trusted; else empty. */
  readonly obstacle: string;
}

/** Where a project names its servers for everybody. */
export const projectServersFile = (directory: string): string => join(directory, '.mcp.json');

/** The servers that any file names for this folder, those of the user first, and what could not be read, a sentence each. */
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
    obstacle: counts(server) || isTrusted ? '' : 'review and trust it: weft permissions trust',
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
    const found = serversInText(read.bytes.toString('utf8'));
    const isTrusted = trust.stateOf(path, read.bytes) === 'trusted';
    if (found.tag === 'ok') {
      ofFile = parseServers(found.value, {source: 'project', path}).map(server => standing(server, isTrusted));
    } else if (!isTrusted) notices.push(`${path}: its MCP servers are left out: ${found.error}`);
  }
  const servers = [...ofLayer('user'), ...ofFile, ...ofLayer('project'), ...ofLayer('local')];
  return {servers: await Promise.all(servers.map(server => withObstacle(server, {directory, trust}))), notices};
}

/** A server whose script is not what the user trusts does not count. */
async function withObstacle(server: KnownServer, place: Parameters<typeof serverObstacle>[1]): Promise<KnownServer> {
  const {standing, source, config} = server;
  if (standing !== 'counts' || config.tag === 'failed') return server;
  const obstacle = await serverObstacle({source, config: config.value}, place);
  return obstacle === '' ? server : {...server, standing: 'untrusted', obstacle};
}

/** The server that this name means in the folder; a usage error where there is none, or none that counts. */
export async function serverNamed(name: string, directory: string): Promise<KnownServer> {
  const {servers} = await knownServers(directory);
  const named = servers.filter(server => server.name === name);
  const found = named.find(({standing}) => standing === 'counts') ?? named[0];
  if (found !== undefined) return found;
  const names = [...new Set(servers.map(server => server.name))];
  const hint = names.length === 0 ? 'There are none: see weft mcp add.' : `There are: ${names.join(', ')}.`;
  throw new UsageError(`There is no MCP server named ${JSON.stringify(name)} here. ${hint}`);
}
