import {join} from 'node:path';
import {unreachable} from '../../../base/unreachable.ts';

/** The products whose server configurations can be imported. */
export const peers = ['claude', 'codex', 'gemini', 'vscode', 'opencode'] as const;
export type Peer = (typeof peers)[number];

export const peerNames = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  vscode: 'VS Code and Copilot',
  opencode: 'opencode',
} as const satisfies Record<Peer, string>;

/** A file in which a product keeps servers. It need not exist. */
export interface PeerFile {
  readonly peer: Peer;
  readonly path: string;
  readonly format: 'json' | 'toml';
}

/** The user and the folder whose files are looked for. */
export interface PeerPlaces {
  readonly home: string;
  /** The project, an absolute path. */
  readonly directory: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The files of a product, those of the user before those of the project, which count more. The `.mcp.json` of a project is none of
 * them: weft reads it as it is.
 */
export function peerFiles(peer: Peer, {home, directory, platform, env}: PeerPlaces): readonly PeerFile[] {
  const json = (...paths: readonly string[]): readonly PeerFile[] =>
    paths.map(path => ({peer, path, format: 'json'}) as const);
  switch (peer) {
    case 'claude':
      return json(join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'));
    case 'codex':
      return [
        join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
        join(directory, '.codex', 'config.toml'),
      ].map(path => ({peer, path, format: 'toml'}) as const);
    case 'gemini':
      return json(
        join(env['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json'),
        join(directory, '.gemini', 'settings.json'),
      );
    case 'vscode':
      return json(
        join(editorFolder(home, platform, env), 'Code', 'User', 'mcp.json'),
        join(env['COPILOT_HOME'] || join(home, '.copilot'), 'mcp-config.json'),
        join(directory, '.vscode', 'mcp.json'),
      );
    case 'opencode': {
      const own = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
      return json(...[own, directory, join(directory, '.opencode')].flatMap(bothNames));
    }
    default:
      return unreachable(peer);
  }
}

const bothNames = (folder: string): readonly string[] =>
  ['opencode.json', 'opencode.jsonc'].map(name => join(folder, name));

/** Where editors keep what is a user's. */
function editorFolder(home: string, platform: NodeJS.Platform, env: PeerPlaces['env']): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
