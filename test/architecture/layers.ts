/**
 * The rules of the architecture as data. The tests of this folder compare these tables with the real sources; to change a rule,
 * change its table.
 */

/**
 * What the files of a folder of `src` may import besides their own folder: a folder, or one file of a folder where only its
 * interface is open. Imports point down only: a row never names a folder that stands below it here.
 */
export const mayImport = {
  base: [],
  domain: ['base'],
  actions: ['base', 'domain'],
  config: ['base', 'domain'],
  protocol: ['base', 'domain', 'actions'],
  tasks: ['base', 'domain', 'actions', 'protocol'],
  // What actions are, where weft's folders lie, the disk, git and the grammar come to the judge as parameters.
  safety: ['base', 'domain'],
  models: ['base', 'domain', 'actions', 'config'],
  workspace: ['base', 'domain', 'actions', 'config'],
  store: ['base', 'domain', 'config', 'tasks'],
  extensions: ['base', 'domain', 'actions', 'config', 'protocol'],
  agent: ['base', 'domain', 'actions', 'tasks'],
  headless: ['base', 'domain', 'actions', 'protocol', 'tasks', 'agent/client.ts'],
  tui: ['base', 'domain', 'actions', 'tasks', 'agent/client.ts'],
  jobs: ['base', 'domain', 'actions', 'protocol', 'tasks', 'agent/client.ts'],
  server: ['base', 'domain', 'actions', 'tasks', 'agent/client.ts', 'jobs'],
  app: [
    'base',
    'domain',
    'actions',
    'config',
    'protocol',
    'tasks',
    'safety',
    'models',
    'workspace',
    'store',
    'extensions',
    'agent',
    'headless/stdout-writer.ts',
    'jobs',
    'server/start-server.ts',
  ],
  cli: [
    'base',
    'domain',
    'actions',
    'config',
    'protocol',
    'tasks',
    'safety',
    'models',
    'workspace',
    'store',
    'extensions',
    'agent',
    'headless',
    'tui',
    'jobs',
    'server',
    'app',
  ],
} satisfies Record<string, readonly string[]>;

/**
 * Inside the terminal UI: which of its folders a folder never imports. What keys and events mean, the draft, and what is written once
 * know nothing of components.
 */
export const mayNotImport: Readonly<Record<string, readonly string[]>> = {
  'tui/state': ['tui/app', 'tui/components', 'tui/accessible', 'tui/theme'],
  'tui/editor': ['tui/app', 'tui/components', 'tui/accessible', 'tui/theme', 'tui/state'],
  'tui/scrollback': ['tui/app', 'tui/components', 'tui/accessible'],
  'tui/components': ['tui/app', 'tui/accessible'],
};

/** Inside the judge: the folders that read and judge commands import nothing but these. */
export const importsOnly: Readonly<Record<string, readonly string[]>> = {
  'safety/shell': ['base', 'domain', 'safety/shell'],
  'safety/commands': [
    'base',
    'domain',
    'safety/shell',
    'safety/commands',
    'safety/paths',
    'safety/rules/suggested-rules.ts',
    'safety/secrets/secret-name.ts',
  ],
};

export type Folder = keyof typeof mayImport;

/** One dependency, one home: the folders (or sub-folders) of `src` that may import a package. A package without a row fails. */
export const dependencyHomes: Readonly<Record<string, readonly string[]>> = {
  '@anthropic-ai/sdk': ['models'],
  '@hono/node-server': ['server'],
  '@lydell/node-pty': ['workspace'],
  '@babel/parser': ['workspace'],
  '@modelcontextprotocol/client': ['extensions/mcp'],
  '@modelcontextprotocol/server': ['extensions/mcp'],
  '@vscode/ripgrep': ['workspace'],
  '@xterm/headless': ['workspace'],
  ajv: ['protocol/json-schema'],
  commander: ['cli'],
  croner: ['tasks'],
  diff: ['workspace'],
  chalk: ['tui'],
  'eventsource-parser': ['models'],
  execa: ['workspace'],
  'highlight.js': ['tui'],
  hono: ['server'],
  ink: ['tui'],
  'jsonc-parser': ['config'],
  marked: ['tui'],
  mdream: ['workspace/web'],
  openai: ['models'],
  pg: ['store/postgres'],
  'pg-boss': ['store/postgres'],
  protobufjs: ['protocol/task'],
  'quick-lru': ['tui', 'workspace'],
  react: ['tui'],
  unpdf: ['workspace/web'],
  'smol-toml': ['extensions/mcp'],
  '@vscode/tree-sitter-wasm': ['safety'],
  'yoga-layout': ['tui'],
  yaml: ['workspace', 'extensions/skills'],
  zod: [
    'actions',
    'config',
    'protocol',
    'tasks',
    'safety',
    'models',
    'workspace',
    'store',
    'extensions',
    'agent',
    'headless',
    'tui',
    'server',
    'app',
    'cli',
  ],
};

/** How far Node's own modules reach: the folders that run on ports alone have none of them. */
export const nodeModules: Readonly<Record<Folder, 'any' | 'types only' | 'none'>> = {
  base: 'none',
  domain: 'none',
  actions: 'none',
  config: 'any',
  protocol: 'none',
  tasks: 'none',
  safety: 'any',
  models: 'any',
  workspace: 'any',
  store: 'any',
  extensions: 'any',
  agent: 'none',
  headless: 'none',
  tui: 'types only',
  jobs: 'any',
  server: 'any',
  app: 'any',
  cli: 'any',
};

/** Modules of Node's own that have one home, as a package has. */
export const nodeModuleHomes: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': ['store'],
};

/** The folders that may touch the outside world directly (process, clock, chance, network, console); the others get ports. */
export const touchesWorld: readonly Folder[] = ['workspace', 'store', 'models', 'app', 'cli'];

/**
 * Files of `src` that may name process.stdout or process.stderr: the one that writes text there, visibly where a terminal shows it,
 * and those that hand the terminal to the UI, or look at it.
 */
export const namesStandardStreams: readonly string[] = [
  'src/app/diagnostics.ts',
  'src/app/output.ts',
  'src/cli/commands/demo.ts',
  'src/cli/commands/tasks/watch-panel.ts',
  'src/cli/run-attach.ts',
  'src/cli/run-main.ts',
  'src/cli/run-terminal.ts',
];

/** Files of `src` with the exports that others expect: pi of an extension, and those who import a package that a file stands for. */
export const standForPackages: readonly string[] = [
  'src/extensions/harnesses/pi-gate.ts',
  'src/tui/terminal/yoga.ts',
  'src/tui/text/cell-width.ts',
];

/** Words that say nothing of what a file holds. */
export const emptyNames: readonly string[] = [
  'common',
  'helper',
  'helpers',
  'index',
  'legacy',
  'manager',
  'misc',
  'shared',
  'util',
  'utils',
];

/** Lines after which a file has to say, in a comment at its top and here, why it is still one thing. */
export const longestFile = 600;

/** Path from the repository's root, and the reason. */
export const longFiles: Readonly<Record<string, string>> = {};

/** All there may be at the top of the repository, dot files apart. */
export const topLevel: readonly string[] = [
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'THIRD-PARTY-NOTICES',
  'bin',
  'completions',
  'man',
  'dist',
  'docs',
  'node_modules',
  'package-lock.json',
  'package.json',
  'src',
  'test',
  'tsconfig.json',
];
