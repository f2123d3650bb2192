import {Argument, type Command, Option} from 'commander';
import {type Peer, peers} from '../../extensions/mcp/import/peer-files.ts';
import {exiting} from '../../app/exit-code.ts';
import {type InFolder} from '../../app/main-options.ts';
import {folderFlag, jsonFlag, type JsonOption} from '../flags.ts';

/** Where a server is written: for you in all projects, for everybody in this one, or for you in this one. */
export const serverScopes = ['user', 'project', 'local'] as const;
export type ServerScope = (typeof serverScopes)[number];

interface InScope extends InFolder {
  readonly scope?: ServerScope;
}

export interface ListOptions extends JsonOption, InFolder {
  readonly check: boolean;
}

export type GetOptions = ListOptions;

export interface AddOptions extends InScope {
  readonly transport?: 'stdio' | 'http' | 'sse';
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly callbackPort?: string;
}

export type RemoveOptions = InScope;

export interface LoginOptions extends InFolder {
  readonly oauthScope?: string;
}

export interface ImportOptions extends InScope, JsonOption {
  readonly all?: true;
  readonly dryRun?: true;
}

/** Loaded when one of the commands is called. */
const actions = () => import('./mcp/run-mcp.ts');
const signing = () => import('./mcp/run-login.ts');
const importing = () => import('./mcp/run-import.ts');

const scopeFlag = () =>
  new Option(
    '--scope <scope>',
    'user: you, in all projects; project: everybody, in .mcp.json; local: you, in this project (default)',
  ).choices(serverScopes);
const name = ['<server>', 'Name of the server'] as const;
const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `weft mcp list|get|add|remove|login|logout|import`. */
export function add(mcp: Command): void {
  mcp
    .command('list')
    .description('List the servers of this folder and whether they answer')
    .option('--no-check', 'Do not start or call any server')
    .option(...jsonFlag)
    .option(...folderFlag)
    .action(exiting(async (options: ListOptions) => (await actions()).listServers(options)));
  mcp
    .command('get')
    .description('Show how one server is configured, without its secrets, and whether it answers')
    .argument(...name)
    .option('--no-check', 'Do not start or call the server')
    .option(...jsonFlag)
    .option(...folderFlag)
    .action(exiting(async (server: string, options: GetOptions) => (await actions()).getServer(server, options)));
  mcp
    .command('add')
    .description('Add a server: weft mcp add <name> -- <command…>, or with --transport http <url>')
    .argument('<name>', 'Name for the server')
    .argument('<command...>', 'Command with its arguments behind --, or the address')
    .addOption(scopeFlag())
    .addOption(new Option('--transport <kind>', 'how it is reached (default: stdio)').choices(['stdio', 'http', 'sse']))
    .option('--env <K=V>', 'Variable that the program gets; may come again', collected, [])
    .option('--header <name: value>', 'Header that is sent to the address; may come again', collected, [])
    .option('--client-id <id>', 'OAuth client id, if you have one')
    .option('--client-secret-env <name>', 'Variable that holds the OAuth client secret')
    .option('--callback-port <port>', 'Port of 127.0.0.1 that the OAuth client is registered with')
    .option(...folderFlag)
    .action(
      exiting(async (server: string, words: readonly string[], options: AddOptions) =>
        (await actions()).addServer({name: server, words}, options),
      ),
    );
  mcp
    .command('remove')
    .description('Remove a server from the file that names it')
    .argument(...name)
    .addOption(scopeFlag())
    .option(...folderFlag)
    .action(exiting(async (server: string, options: RemoveOptions) => (await actions()).removeServer(server, options)));
  mcp
    .command('login')
    .description('Sign in to a server in the browser')
    .argument(...name)
    .option('--oauth-scope <scope>', 'Permission to ask for besides those of the sign-in before')
    .option(...folderFlag)
    .action(exiting(async (server: string, options: LoginOptions) => (await signing()).login(server, options)));
  mcp
    .command('logout')
    .description('Revoke and forget a sign-in')
    .argument('<server>', 'Name of the server, or its address')
    .option(...folderFlag)
    .action(exiting(async (server: string, options: InFolder) => (await signing()).logout(server, options)));
  mcp
    .command('import')
    .description('Copy the servers of other products into your settings; what is not carried over is said')
    .addArgument(new Argument('[product]', 'whose servers').choices(peers))
    .option('--all', 'Those of all products')
    .addOption(scopeFlag())
    .option('--dry-run', 'Only show what would be written')
    .option(...jsonFlag)
    .option(...folderFlag)
    .action(
      exiting(async (peer: Peer | undefined, options: ImportOptions) =>
        (await importing()).importServers(peer, options),
      ),
    );
}
