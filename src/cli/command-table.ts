import type {Command} from 'commander';

/** The command of a name, with its flags and actions; `undefined` if there is none. */
export type OpenCommand = (name: string) => Promise<Command | undefined>;

/** A file of `commands/`: `add` gives a command its flags, and its action or subcommands. */
interface CommandFile {
  readonly add: (command: Command, program: Command, open: OpenCommand) => void;
}

/** How `weft --help` shows a command, what it is for, and its file, which is loaded once the command is named. */
type CommandRow = readonly [term: string, summary: string, load: () => Promise<CommandFile>];

/** All commands in the order of `weft --help`. */
export const commandTable: readonly CommandRow[] = [
  ['demo [options]', 'Try weft offline: an agent fixes a small project', () => import('./commands/demo.ts')],
  ['init [wish...]', 'Look this project over and propose its AGENTS.md as an edit', () => import('./commands/init.ts')],
  ['auth', 'List, keep and remove API keys', () => import('./commands/auth.ts')],
  ['status', 'Show which keys there are and where they come from (never the keys)', () => import('./commands/auth.ts')],
  [
    'login [options]',
    'Keep the API key on stdin: in the keychain where one answers, else in a file that is yours alone',
    () => import('./commands/auth.ts'),
  ],
  ['logout [provider]', 'Remove kept keys: all of them, or one provider’s', () => import('./commands/auth.ts')],
  ['sessions', 'List, show, export and delete sessions', () => import('./commands/sessions.ts')],
  ['sandbox', 'Try and use the sandbox for commands', () => import('./commands/sandbox.ts')],
  ['ps [options]', 'List and stop background commands and sub-agents', () => import('./commands/ps.ts')],
  [
    'worktree',
    'List, merge and remove git worktrees that agents and sessions have worked in',
    () => import('./commands/worktree.ts'),
  ],
  ['doctor [options]', 'Check this machine', () => import('./commands/doctor.ts')],
  ['completion <shell>', 'Print the completion script for a shell', () => import('./commands/completion.ts')],
  ['tasks', 'Decode, watch and convert task-protocol streams', () => import('./commands/tasks.ts')],
  ['permissions [options]', 'Manage permission rules and trusted folders', () => import('./commands/permissions.ts')],
  ['hooks', 'List and test the hooks of settings and plugins', () => import('./commands/hooks.ts')],
  ['config', 'Read and change settings', () => import('./commands/config.ts')],
  ['models', 'List models with context, prices, what each takes and is for', () => import('./commands/models.ts')],
  ['mcp', 'List, add, remove, sign in to and import MCP servers', () => import('./commands/mcp.ts')],
  ['skills', 'List skills, where each comes from, and why one is not offered', () => import('./commands/skills.ts')],
  [
    'agents',
    'List the kinds of agents and where each comes from, and the harnesses that are installed',
    () => import('./commands/skills.ts'),
  ],
  ['plan [options] [prompt...]', 'Plan what a prompt asks for, and change nothing', () => import('./commands/plan.ts')],
  [
    'serve [options]',
    'Serve the agent and the task stack over HTTP, for this user alone',
    () => import('./commands/serve.ts'),
  ],
  [
    'worker [options]',
    'Do what waits in a store that several machines share: background runs, schedules, the task stack',
    () => import('./commands/worker.ts'),
  ],
  [
    'attach [options] <url> [session]',
    'Open the terminal UI on a session of a weft server',
    () => import('./commands/attach.ts'),
  ],
  ['stack', 'Manage tasks in layers, and run what is to be done next', () => import('./commands/stack.ts')],
  [
    'schedule',
    'Add, list and remove prompts that weft serve sends at their times',
    () => import('./commands/schedule.ts'),
  ],
  ['acp [options]', 'Serve an editor on stdin and stdout (Agent Client Protocol)', () => import('./commands/acp.ts')],
  ['version', 'Print the version', () => import('./commands/installation.ts')],
  ['update|upgrade', 'Say how to update this weft; nothing is downloaded', () => import('./commands/installation.ts')],
  ['uninstall', 'Say how to remove this weft; nothing is removed', () => import('./commands/installation.ts')],
  ['help [command...]', 'Show this help, or that of a command or a topic', () => import('./commands/help.ts')],
];
