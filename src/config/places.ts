import {isAbsolute, join} from 'node:path';

/** The folders and files of one user. Any of them may be missing. */
export interface Places {
  readonly config: string;
  readonly data: string;
  readonly settings: string;
  /** The user's own keys for the terminal UI. */
  readonly keyBindings: string;
  /** The folder of the user's own themes. */
  readonly themes: string;
  /** The database of sessions and of everything that belongs to them. */
  readonly database: DatabaseChoice;
  /** The folders whose settings the user trusts. */
  readonly trust: string;
  /** The record of running commands, by which other weft processes find them. */
  readonly blocks: string;
  /** The states of workspace files before prompts changed them. */
  readonly checkpoints: string;
  /** The conversations of sessions in the form that hooks read. */
  readonly transcripts: string;
  /** The user's own notes, a folder for each project. */
  readonly memory: string;
  readonly artifacts: string;
  readonly history: string;
  /** An empty file. Its time is when sessions were last pruned by themselves. */
  readonly pruned: string;
  /** An empty file. Its time is when weft last looked for a newer version of itself. */
  readonly updateCheck: string;
  /** The key for making the placeholders of secrets. */
  readonly placeholderKey: string;
  /** The lessons of refusals by model servers, for a day or a week. */
  readonly refusals: string;
  /** The tools that MCP servers offered when weft last connected. */
  readonly servers: string;
  /** The API keys that the user has pasted, or which of them are in the keychain. */
  readonly credentials: string;
  /** The credentials from signing in to MCP servers, or the names of those that the keychain holds. */
  readonly serverCredentials: string;
  /** The token that requests to `weft serve` need. */
  readonly serverToken: string;
  /** The log of errors, of all sessions, servers and workers. */
  readonly log: string;
}

/** An SQLite file, or a Postgres address with the password if any. */
export type DatabaseChoice =
  | {readonly kind: 'sqlite'; readonly file: string}
  | {readonly kind: 'postgres'; readonly url: string};

/** A database that exists only in memory, while weft runs. */
export const passingDatabase: DatabaseChoice = {kind: 'sqlite', file: ':memory:'};

/**
 * Returns the locations of weft's files. They are in WEFT_HOME if it is set. Otherwise they are in the platform's folders: the
 * XDG folders on Linux and other Unixes, ~/Library on macOS. `home` is the user's home folder. Empty
 * variables are ignored, and so are relative ones, as the XDG rules require. WEFT_HOME may be relative. WEFT_STORE sets another
 * location for the database.
 */
export function placesOf(user: {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}): Places {
  const {platform, env, home} = user;
  const folder = (variable: string, ...otherwise: string[]): string => {
    const set = env[variable] ?? '';
    return isAbsolute(set) ? join(set, 'weft') : join(home, ...otherwise, 'weft');
  };
  const at = (config: string, data: string): Places => {
    const sqlite = {kind: 'sqlite', file: join(data, 'weft.db')} as const;
    const url = env['WEFT_STORE'] ?? '';
    return {
      config,
      data,
      settings: join(config, 'settings.json'),
      keyBindings: join(config, 'keybindings.json'),
      themes: join(config, 'themes'),
      database: url === '' || url === 'sqlite' ? sqlite : {kind: 'postgres', url},
      trust: join(data, 'trust.json'),
      blocks: join(data, 'blocks'),
      checkpoints: join(data, 'checkpoints'),
      transcripts: join(data, 'transcripts'),
      memory: join(data, 'memory'),
      artifacts: join(data, 'artifacts'),
      history: join(data, 'history.jsonl'),
      pruned: join(data, 'pruned'),
      updateCheck: join(data, 'update-check'),
      placeholderKey: join(data, 'placeholder.key'),
      refusals: join(data, 'refusals.json'),
      servers: join(data, 'mcp'),
      credentials: join(data, 'credentials.json'),
      serverCredentials: join(data, 'mcp', 'credentials.json'),
      serverToken: join(data, 'server.token'),
      log: join(data, 'logs', 'weft.log'),
    };
  };

  const own = env['WEFT_HOME'] ?? '';
  if (own !== '') return at(own, own);
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support', 'weft');
    return at(support, support);
  }
  return at(folder('XDG_CONFIG_HOME', '.config'), folder('XDG_DATA_HOME', '.local', 'share'));
}

/** Returns the folder for changes in weft's data folder. */
export const changesFolder = (data: string): string => join(data, 'changes');

/** Returns the folder for the journals of applies, in the folder for changes. */
export const journalsIn = (folder: string): string => join(folder, 'applying');

/** Returns the folder of the dry runs of plans. */
export const dryRunsFolder = (checkpoints: string): string => join(checkpoints, 'dry-runs');

/** Returns the folder for the reverts that no session has recorded yet, in the folder for checkpoints. */
export const revertsIn = (folder: string): string => join(folder, 'reverts');
