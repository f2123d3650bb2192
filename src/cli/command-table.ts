import type {Command} from 'commander';

/** Loads a command by name, with its flags and actions. Returns `undefined` if weft has no such command. */
export type OpenCommand = (name: string) => Promise<Command | undefined>;

/** A file in `commands/`: `add` gives a command its flags, and its action or subcommands. */
interface CommandFile {
  readonly add: (command: Command, program: Command, open: OpenCommand) => void;
}

/** A command as `weft --help` shows it, its summary, and its file, which is loaded only when the command is named. */
type CommandRow = readonly [term: string, summary: string, load: () => Promise<CommandFile>];

/** All commands, in the order of `weft --help`. */
export const commandTable: readonly CommandRow[] = [
  ['demo [options]', 'Try weft offline: an agent fixes a small project', () => import('./commands/demo.ts')],
  ['init [wish...]', 'Explore this project and propose an AGENTS.md', () => import('./commands/init.ts')],
  ['auth', 'List, save and remove API keys', () => import('./commands/auth.ts')],
  [
    'status [options]',
    'Show which API keys are set and where they come from (never the keys)',
    () => import('./commands/auth.ts'),
  ],
  [
    'login [options] [way]',
    'Save the API key on stdin, sign in with ChatGPT, or list the ways to a model and try them',
    () => import('./commands/auth.ts'),
  ],
  [
    'logout [provider]',
    "Remove saved keys and sign-ins: all of them, or one provider's",
    () => import('./commands/auth.ts'),
  ],
  ['sessions', 'List, show, export and delete sessions', () => import('./commands/sessions.ts')],
  [
    'import [options]',
    'Import settings, servers, files and sessions of other agents',
    () => import('./commands/import.ts'),
  ],
  ['blame [options] [file]', 'Show which prompt, call and model wrote each line', () => import('./commands/blame.ts')],
  [
    'bisect [options] <command>',
    'Find the call of a session after which a command fails',
    () => import('./commands/bisect.ts'),
  ],
  [
    'verify [options] [session]',
    'Run the checks of a session again, and compare with its receipts',
    () => import('./commands/verify.ts'),
  ],
  ['sandbox', 'Test and use the command sandbox', () => import('./commands/sandbox.ts')],
  ['ps [options]', 'List and stop background commands and sub-agents', () => import('./commands/ps.ts')],
  [
    'worktree',
    'List, merge and remove the git worktrees of agents and sessions',
    () => import('./commands/worktree.ts'),
  ],
  ['doctor [options]', 'Check what works on this machine', () => import('./commands/doctor.ts')],
  ['completion <shell>', 'Print the completion script for a shell', () => import('./commands/completion.ts')],
  ['tasks', 'Decode, watch and convert task-protocol streams', () => import('./commands/tasks.ts')],
  ['permissions [options]', 'Manage permission rules and trusted folders', () => import('./commands/permissions.ts')],
  ['hooks', 'List and test the hooks of settings and plugins', () => import('./commands/hooks.ts')],
  ['config', 'Read and change settings', () => import('./commands/config.ts')],
  ['keys', 'List, check and explain the keys of the terminal UI', () => import('./commands/keys.ts')],
  ['models', 'List models with their context, prices, inputs and uses', () => import('./commands/models.ts')],
  ['mcp', 'List, add, remove, sign in to and import MCP servers', () => import('./commands/mcp.ts')],
  ['skills', 'List skills, where each comes from, and why some are not offered', () => import('./commands/skills.ts')],
  [
    'agents',
    'List the kinds of agents, where each comes from, and the installed harnesses',
    () => import('./commands/skills.ts'),
  ],
  [
    'review [options] [base]',
    'Let the agent review changes, for people and for CI',
    () => import('./commands/review.ts'),
  ],
  ['plan [options] [prompt...]', 'Plan a prompt without changing anything', () => import('./commands/plan.ts')],
  [
    'serve [options]',
    'Serve the agent and the task stack over HTTP, for one user',
    () => import('./commands/serve.ts'),
  ],
  ['worker [options]', 'Run queued jobs from a shared Postgres store', () => import('./commands/worker.ts')],
  [
    'attach [options] <url> [session]',
    'Open the terminal UI on a session of a weft server',
    () => import('./commands/attach.ts'),
  ],
  ['stack', 'Manage tasks in layers, and run the next ones', () => import('./commands/stack.ts')],
  [
    'schedule',
    'Add, list and remove prompts that weft serve runs on a schedule',
    () => import('./commands/schedule.ts'),
  ],
  ['acp [options]', 'Serve an editor over stdin and stdout (Agent Client Protocol)', () => import('./commands/acp.ts')],
  ['version', 'Print the version', () => import('./commands/installation.ts')],
  [
    'update|upgrade [options]',
    'Update weft with the package manager that installed it',
    () => import('./commands/installation.ts'),
  ],
  ['uninstall', 'Show how to remove weft; removes nothing', () => import('./commands/installation.ts')],
  ['help [command...]', 'Show this help, or help for a command or a topic', () => import('./commands/help.ts')],
];
