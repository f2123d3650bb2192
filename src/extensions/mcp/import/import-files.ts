import {join} from 'node:path';

/** The products whose server configurations can be imported. */
export const importSources = ['claude', 'codex', 'gemini', 'vscode', 'opencode', 'cursor'] as const;
export type Peer = (typeof importSources)[number];

export const importSourceNames = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  vscode: 'VS Code and Copilot',
  opencode: 'opencode',
  cursor: 'Cursor',
} as const satisfies Record<Peer, string>;

export interface ImportFile {
  readonly peer: Peer;
  readonly path: string;
  readonly format: 'json' | 'toml';
  readonly owner: 'user' | 'project';
}

export interface ImportContext {
  readonly home: string;
  readonly directory: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Lists the configuration files of a product, the user's before the project's. A file that is both (the project is the
 * user's home) counts as the user's. A project's `.mcp.json` is not listed, because weft reads it directly.
 */
export function listImportFiles(peer: Peer, places: ImportContext): readonly ImportFile[] {
  const {user, project} = paths[peer](places);
  const format = peer === 'codex' ? 'toml' : 'json';
  return [
    ...user.map(path => ({peer, path, format, owner: 'user'}) as const),
    ...project.filter(path => !user.includes(path)).map(path => ({peer, path, format, owner: 'project'}) as const),
  ];
}

const paths: Readonly<Record<Peer, (places: ImportContext) => Record<ImportFile['owner'], readonly string[]>>> = {
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
  cursor: ({home, directory}) => ({
    user: [join(home, '.cursor', 'mcp.json')],
    project: [join(directory, '.cursor', 'mcp.json')],
  }),
};

const bothNames = (folder: string): readonly string[] =>
  ['opencode.json', 'opencode.jsonc'].map(name => join(folder, name));

/** Returns the folder where editors keep user settings. */
function editorFolder(home: string, platform: NodeJS.Platform, env: ImportContext['env']): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
