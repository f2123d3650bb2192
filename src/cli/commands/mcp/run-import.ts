import {homedir} from 'node:os';
import {withTilde} from '../../../base/shown-path.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../../base/json.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {readTextFile} from '../../../config/change-file.ts';
import {
  type Peer,
  listImportFiles,
  importSourceNames,
  importSources,
} from '../../../extensions/mcp/import/import-files.ts';
import {readImportFile, variableName} from '../../../extensions/mcp/import/import-servers.ts';
import {requireOutsideWeft} from '../../../app/folder-trust.ts';
import {knownServers} from '../../../app/known-servers.ts';
import {existingFolder} from '../../../app/run-context.ts';
import {exitCode, type ExitCode, UsageError} from '../../../app/exit-code.ts';
import {note} from '../../../app/output.ts';
import {secretName} from '../../../safety/secrets/secret-name.ts';
import {targetFile} from '../../../app/write-settings.ts';
import type {InScope} from './write-server.ts';
import type {JsonOption} from '../../flags.ts';
import {hideSecrets, hiddenOAuth, hiddenUrl, isReference} from '../../../app/server-rows.ts';
import {writeServer} from './write-server.ts';
import {printRows} from '../../rows.ts';

export interface ImportOptions extends InScope, JsonOption {
  readonly all?: true;
  readonly dryRun?: true;
  /** `user`: leaves the project's files out. */
  readonly owner?: 'user';
  /** Replaces servers of the same name in the user's settings. */
  readonly replace?: true;
}

/** A server in the report of `weft mcp import`. */
interface ImportRow {
  readonly name: string;
  readonly product: Peer;
  readonly path: string;
  readonly outcome: 'imported' | 'would-import' | 'exists' | 'left-out';
  /** The file that the server was written to; empty if it was not written. */
  readonly written_to: string;
  readonly notes: readonly string[];
}

/**
 * `weft mcp import`: copies servers of other products. An existing server with the same name stays unchanged. Servers from the project's
 * files go to its `.mcp.json` whatever the scope, and start only after the user trusts them. The exit code is 1 if a file is broken.
 */
export async function importServers(product: Peer | undefined, options: ImportOptions): Promise<ExitCode> {
  if ((product === undefined) === (options.all === undefined)) {
    throw new UsageError(`Name one product (${importSources.join(', ')}), or use --all.`);
  }
  if (options.dryRun === undefined) await requireOutsideWeft('Importing MCP servers');
  const directory = existingFolder(options.cwd ?? '.');
  const rows: ImportRow[] = [];
  let broken = 0;
  const {servers} = await knownServers(directory);
  const taken = new Set(servers.map(({name}) => name));
  const own = options.replace === undefined ? '' : targetFile({user: true}).path;
  const replaced = new Set(servers.filter(({path}) => path === own).map(({name}) => name));
  for (const file of (product === undefined ? importSources : [product]).flatMap(filesOf(directory))) {
    const {peer, path, owner} = file;
    if (options.owner !== undefined && owner !== options.owner) continue;
    const scope = owner === 'project' ? 'project' : (options.scope ?? 'user');
    const text = readTextFile(path);
    if (text.tag === 'ok' && text.value === undefined) continue;
    const found = text.tag === 'ok' ? await readImportFile(file, text.value ?? '', directory) : text;
    if (found.tag === 'failed') {
      broken += 1;
      note(`can't read ${visibleExactLine(path)}: ${found.error}`);
      continue;
    }
    for (const left of found.value.leftOut) {
      const [name = '', ...why] = left.split(': ');
      rows.push({name, product: peer, path, outcome: 'left-out', written_to: '', notes: [why.join(': ')]});
    }
    for (const server of found.value.servers) {
      const row = {name: server.name, product: peer, path};
      const how = replaced.delete(server.name) ? 'replace' : 'add';
      if (how === 'add' && taken.has(server.name)) {
        rows.push({...row, outcome: 'exists', written_to: '', notes: ['a server with this name already exists']});
        continue;
      }
      taken.add(server.name);
      const {entry, notes: carried} = withoutSecrets(server, path);
      const notes =
        owner === 'project'
          ? [...carried, 'a server of this project: it starts only after `weft permissions trust`']
          : carried;
      if (options.dryRun !== undefined) {
        rows.push({...row, outcome: 'would-import', written_to: '', notes});
        continue;
      }
      const written = await writeServer(
        {name: server.name, entry, scope, how, trust: owner === 'project' ? 'asked-later' : 'given'},
        options.cwd,
      );
      rows.push({...row, outcome: 'imported', written_to: written, notes});
    }
  }
  const whose = product === undefined ? 'no product has' : `${importSourceNames[product]} has no`;
  const none = broken === 0 ? `nothing to import: ${whose} servers here` : '';
  printRows({rows, json: options.json, line: rowText, none});
  return broken === 0 ? exitCode.done : exitCode.failed;
}

/** Returns the files of a product, the user's first, so that a project can't take the name of a user's server. */
const filesOf = (directory: string) => (peer: Peer) =>
  listImportFiles(peer, {home: homedir(), directory, platform: process.platform, env: process.env});

function rowText({name, product, path, outcome, written_to: to, notes}: ImportRow): string {
  const words = {
    imported: `imported to ${to}`,
    'would-import': 'would be imported',
    exists: 'not imported',
    'left-out': 'left out',
  } as const satisfies Record<ImportRow['outcome'], string>;
  const head = `${name}  (${importSourceNames[product]}, ${withTilde(path, homedir())})  ${words[outcome]}`;
  return [head, ...notes.map(each => `  ${each}`)].map(visibleExactLine).join('\n');
}

/** Replaces literal values in `env`, `headers` and `oauth`, and secrets in the arguments and the address, with references to variables. */
function withoutSecrets(
  {name, entry, notes}: {readonly name: string; readonly entry: JsonObject; readonly notes: readonly string[]},
  path: string,
): {readonly entry: JsonObject; readonly notes: readonly string[]} {
  const changed = {...entry};
  const said: string[] = [...notes];
  for (const member of ['env', 'headers', 'oauth'] as const) {
    const {[member]: values} = entry;
    if (!isJsonObject(values)) continue;
    const literal = Object.entries(values).filter(([key, value]) => isLiteral(member, key, value));
    if (literal.length === 0) continue;
    const named = literal.map(([key]) => `${member}.${key}`).join(', ');
    const references = literal.map(([key]) => [key, member === 'env' ? key : variableName(`${name}_${key}`)] as const);
    changed[member] = {...values, ...Object.fromEntries(references.map(([key, variable]) => [key, `\${${variable}}`]))};
    const set = references.map(([, variable]) => variable).join(', ');
    said.push(`not copied from ${path}: ${named}. Set ${set} in the environment of weft`);
  }
  const {args, url} = entry;
  const variables: string[] = [];
  const refer = (part: string): string => {
    variables.push(variableName(`${name}_${part}`));
    return `\${${variables.at(-1) ?? ''}}`;
  };
  if (isJsonList(args))
    changed['args'] = args.map((word, at) => argument(word, args[at - 1], () => refer(`arg_${at}`)));
  if (typeof url === 'string' && hiddenUrl(url) !== url) changed['url'] = refer('url');
  if (variables.length > 0)
    said.push(
      `not copied from ${path}: ${variables.length} of its arguments or its address. Set ${variables.join(', ')} in the environment of weft`,
    );
  return {entry: changed, notes: said};
}

/** Returns an argument of a server's command, with a reference in place of a secret: `--token VALUE`, `--token=VALUE`, or a word that looks like one. */
function argument(word: Json, before: Json | undefined, refer: () => string): Json {
  if (typeof word !== 'string' || isReference(word)) return word;
  const [flag = ''] = /^(?:-{1,2}[\w-]+|[A-Z][A-Z0-9_]*)=(?=.)/su.exec(word) ?? [];
  if (flag !== '') return isSecretFlag(flag) || hideSecrets(word) !== word ? flag + refer() : word;
  const isValue = typeof before === 'string' && /^-{1,2}[\w-]+$/u.test(before) && !word.startsWith('-') && word !== '';
  return (isValue && isSecretFlag(before)) || hideSecrets(word) !== word ? refer() : word;
}

const isSecretFlag = (flag: string): boolean => secretName(flag.replaceAll(/^-+|=$/gu, '')) !== 'none';

function isLiteral(member: 'env' | 'headers' | 'oauth', key: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || isReference(value)) return false;
  return member === 'oauth' ? hiddenOAuth({[key]: value})[key] !== value : true;
}
