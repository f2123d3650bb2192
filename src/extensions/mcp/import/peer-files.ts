import {join} from 'node:path';

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

export interface PeerFile {
  readonly peer: Peer;
  readonly path: string;
  readonly format: 'json' | 'toml';
  /** The author of the servers: the user or the project. */
  readonly owner: 'user' | 'project';
}

export interface PeerPlaces {
  readonly home: string;
  readonly directory: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The files of a product, the user's before the project's. A file that is both (the project is the user's home) is the user's.
 * The `.mcp.json` of a project is none of them: weft reads it as it is.
 */
export function peerFiles(peer: Peer, places: PeerPlaces): readonly PeerFile[] {
  const {user, project} = paths[peer](places);
  const format = peer === 'codex' ? 'toml' : 'json';
  return [
    ...user.map(path => ({peer, path, format, owner: 'user'}) as const),
    ...project.filter(path => !user.includes(path)).map(path => ({peer, path, format, owner: 'project'}) as const),
  ];
}

const paths: Readonly<Record<Peer, (places: PeerPlaces) => Record<PeerFile['owner'], readonly string[]>>> = {
  claude: ({home, env}) => ({user: [join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json')], project: []}),
  codex: ({home, directory, env}) => ({
    user: [join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml')],
    project: [join(directory, '.codex', 'config.toml')],
  }),
  gemini: ({home, directory, env}) => ({
    user: [join(env['GEMINI_CLI_HOME'] || home, '.gemini', 'settings.json')],
    project: [join(directory, '.gemini', 'settings.json')],
  }),
  vscode: ({home, directory, platform, env}) => ({
    user: [
      join(editorFolder(home, platform, env), 'Code', 'User', 'mcp.json'),
      join(env['COPILOT_HOME'] || join(home, '.copilot'), 'mcp-config.json'),
    ],
    project: [join(directory, '.vscode', 'mcp.json')],
  }),
  opencode: ({home, directory, env}) => ({
    user: bothNames(join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode')),
    project: [directory, join(directory, '.opencode')].flatMap(bothNames),
  }),
};

const bothNames = (folder: string): readonly string[] =>
  ['opencode.json', 'opencode.jsonc'].map(name => join(folder, name));

/** Where editors keep what is a user's. */
function editorFolder(home: string, platform: NodeJS.Platform, env: PeerPlaces['env']): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
