import {inBrackets, keyHint} from '../terminal/keymap.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {causeText} from '../../domain/fault.ts';
import {loadVimKeys} from '../editor/vim-keys.ts';
import {commandEffect} from '../state/effect.ts';
import {styledOutput} from '../text/styled-output.ts';
import {confirmPanel} from '../state/panels/panel.ts';
import {loginCommand} from './login.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {blocksPanel} from '../state/panels/blocks.ts';
import {type CommandContext, slashCommand, type SlashCommand} from './command.ts';
import {copyCommand, exportCommand} from './export.ts';
import {configCommand, themeCommand, verbosityCommand} from './config.ts';
import {blameCommandWith} from './blame.ts';
import {checksCommandWith} from './checks.ts';
import {diffCommandWith, showDiff} from './diff.ts';
import {documentsCommand} from './documents.ts';
import {memoryCommand} from './memory.ts';
import {modeCommand} from './mode.ts';
import {effortCommand, modelCommand} from './model.ts';
import {agentsCommand} from './agents.ts';
import {hooksCommand} from './hooks.ts';
import {mcpCommand} from './mcp.ts';
import {permissionsCommand} from './permissions.ts';
import {asideCommandWith, printAside} from './aside.ts';
import {branchCommand} from './branch.ts';
import {pinCommand} from './pin.ts';
import {reviewCommand} from './review.ts';
import {resumeCommand} from './resume.ts';
import {todoCommand} from './todo.ts';

const allCommands: readonly SlashCommand[] = [
  slashCommand({
    name: 'help',
    usage: '/help [commands | keys]',
    summary: 'Show help for commands and keys',
    choices: [
      {value: 'commands', summary: 'List all commands'},
      {value: 'keys', summary: 'List all keys'},
    ],
    run: (topic, context) => void import('./help.ts').then(({showHelp}) => showHelp(topic, context)),
  }),
  slashCommand({
    name: 'clear',
    aliases: ['new'],
    usage: '/clear',
    summary: 'Start a new session',
    run: (_, context) => context.submit({op: 'open-session', session: {kind: 'new'}}),
  }),
  resumeCommand,
  asideCommandWith(printAside),
  slashCommand({
    name: 'rename',
    usage: '/rename [name]',
    summary: 'Name this session; without a name, the model proposes one',
    run: (title, context) => void renameSession(title, context),
  }),
  slashCommand({
    name: 'goal',
    usage: '/goal [condition | off]',
    summary: 'Go on until a condition holds, such as /goal npm test; show it, or drop it',
    run: (text, context) => void changeGoal(text, context),
  }),
  modelCommand,
  effortCommand,
  loginCommand,
  modeCommand,
  permissionsCommand,
  hooksCommand,
  mcpCommand,
  agentsCommand,
  slashCommand({
    name: 'trust',
    usage: '/trust [yes]',
    summary: "Review this project's settings and trust them",
    run: (word, context) => void (word.toLowerCase() === 'yes' ? trustFolder(context) : showFolderTrust(context)),
  }),
  slashCommand({
    name: 'ps',
    usage: '/ps',
    summary: `List, attach to, or stop background commands${keyHint('take-terminal', inBrackets)}`,
    run: (_, context) => context.open(blocksPanel),
  }),
  slashCommand({
    name: 'note',
    usage: '/note <text>',
    summary: 'Add a note to AGENTS.md',
    run(note, context) {
      if (note === '') context.notify('info', 'Add the note after the command: /note use pnpm');
      else context.addNote(note);
    },
  }),
  memoryCommand,
  slashCommand({
    name: 'undo',
    usage: '/undo [N]',
    summary: 'Undo the last prompt, or the last N: files and conversation',
    run(argument, context) {
      if (argument === '' || argument === '1') context.query({query: 'preview-rewind', target: {kind: 'last'}});
      else if (/^[1-9]\d{0,4}$/u.test(argument)) void undoSeveral(Number(argument), context);
      else context.notify('warning', `Can't undo "${argument}": give a number of prompts, such as /undo 3`);
    },
  }),
  slashCommand({
    name: 'redo',
    usage: '/redo',
    summary: 'Redo the last undo',
    run: (_, context) => context.query({query: 'preview-rewind', target: {kind: 'redo'}}),
  }),
  slashCommand({
    name: 'rewind',
    usage: '/rewind',
    summary: 'Go back to an earlier prompt: files, conversation, or both (Esc Esc)',
    run: (_, context) => context.query({query: 'rewind-points'}),
  }),
  slashCommand({
    name: 'bisect',
    usage: '/bisect <command>',
    summary: 'Find the call of this session after which a command fails, such as /bisect npm test',
    run: (command, context) => void bisect(command, context),
  }),
  branchCommand,
  slashCommand({
    name: 'compact',
    usage: '/compact [what to keep]',
    summary: 'Replace the conversation with a summary, after a preview',
    run: (instructions, context) => context.query({query: 'preview-compaction', instructions}),
  }),
  pinCommand,
  slashCommand({
    name: 'transcript',
    aliases: ['log'],
    usage: '/transcript',
    summary: 'Read and search the full session',
    run: (_, context) => void showTranscript(context),
  }),
  copyCommand,
  exportCommand,
  todoCommand,
  documentsCommand,
  slashCommand({
    name: 'plans',
    usage: '/plans [show|run|dry|apply|approve|edit|reject ID]',
    summary: 'See plans, and approve, edit or run them',
    choices: [
      {value: 'show', summary: 'Show a plan'},
      {value: 'run', summary: 'Approve a plan and carry it out'},
      {value: 'dry', summary: 'Try a plan and show its changes'},
      {value: 'apply', summary: 'Apply the changes of a dry run'},
      {value: 'approve', summary: 'Approve a plan to run later'},
      {value: 'edit', summary: 'Edit a plan in your editor'},
      {value: 'reject', summary: 'Reject a plan'},
    ],
    run: (argument, context) => void import('./plans.ts').then(({runPlans}) => runPlans(argument, context)),
  }),
  slashCommand({
    name: 'stack',
    usage: '/stack [add TEXT | edit|up|down|delete ID | run]',
    summary: 'See, change, reorder and run the task stack',
    choices: [
      {value: 'add', summary: 'Add a task at the end'},
      {value: 'edit', summary: 'Edit a task in your editor'},
      {value: 'up', summary: 'Move a task up'},
      {value: 'down', summary: 'Move a task down'},
      {value: 'delete', summary: 'Delete a task'},
      {value: 'run', summary: 'Run the tasks in order'},
    ],
    run: (argument, context) => void import('./stack.ts').then(({runStack}) => runStack(argument, context)),
  }),
  reviewCommand,
  diffCommandWith(showDiff),
  blameCommandWith('columns'),
  slashCommand({
    name: 'computer',
    usage: '/computer off',
    summary: 'Revoke access to the screen, mouse, and keyboard',
    run(word, context) {
      if (word === 'off') context.submit({op: 'end-computer-use'});
      else context.notify('info', 'weft asks before it uses the computer. /computer off revokes your approval.');
    },
  }),
  checksCommandWith('columns'),
  slashCommand({
    name: 'context',
    usage: '/context',
    summary: 'Show what uses the context window',
    run: (_, context) => void import('./context.ts').then(({showContext}) => showContext(context)),
  }),
  slashCommand({
    name: 'cost',
    aliases: ['usage'],
    usage: '/cost',
    summary: "Show this session's tokens and cost by model and turn",
    run: (_, context) => void import('./cost.ts').then(({showCost}) => showCost(context)),
  }),
  slashCommand({
    name: 'editor',
    usage: '/editor',
    summary: `Write the prompt in your editor${keyHint('open-editor', inBrackets)}`,
    run: (_, context) => context.openEditor(),
  }),
  slashCommand({
    name: 'vim',
    usage: '/vim',
    summary: 'Turn vim keys on or off',
    run: (_, context) => void switchVim(context),
  }),
  verbosityCommand,
  themeCommand,
  configCommand,
  slashCommand({
    name: 'statusline',
    usage: '/statusline',
    summary: 'Run your status line command, and show what it prints',
    run: (_, context) => void showStatusLine(context),
  }),
  slashCommand({
    name: 'doctor',
    usage: '/doctor',
    summary: 'Check this machine',
    run: (_, context) => void showDiagnostics(context),
  }),
  slashCommand({
    name: 'demo',
    usage: '/demo',
    summary: 'Watch an agent fix a small project, offline',
    run: (_, context) => context.leave('demo'),
  }),
  slashCommand({
    name: 'exit',
    aliases: ['quit'],
    usage: '/exit',
    summary: 'Exit weft',
    run: (_, context) => context.leave('left'),
  }),
];

export const commandsFor = (demo: 'none' | 'offered'): readonly SlashCommand[] =>
  allCommands.filter(({name}) => name !== 'demo' || demo === 'offered');

async function renameSession(title: string, context: CommandContext): Promise<void> {
  const kept = await context.runQuery({query: 'rename-session', title});
  if (kept !== undefined) context.notify('info', `Session renamed: ${visibleLine(kept)}`);
}

async function bisect(argument: string, context: CommandContext): Promise<void> {
  const command = argument.replace(/^"(.*)"$/su, '$1');
  const {session} = context.view;
  if (command === '' || session.tag === 'opening') {
    context.notify('info', 'Add a command that fails now: /bisect npm test');
    return;
  }
  context.notify('info', `Looking for the call that broke ${visibleLine(command)} …`);
  const found = await context.runQuery({query: 'bisect', session: session.info.id, command});
  if (found === undefined) return;
  context.notify('info', found.text);
  context.query({query: 'preview-rewind', target: {kind: 'step', step: found.step}});
}

async function changeGoal(text: string, context: CommandContext): Promise<void> {
  const said = await context.runQuery({query: 'goal', text});
  if (said !== undefined) context.notify('info', said);
}

async function showDiagnostics(context: CommandContext): Promise<void> {
  const text = await context.runQuery({query: 'diagnostics'});
  if (text !== undefined) context.notify('info', text);
}

async function showStatusLine(context: CommandContext): Promise<void> {
  const {runStatusLine} = await import('../app/custom-status-line.ts');
  const printed = await runStatusLine({options: context.options, signal: context.signal, view: () => context.view});
  if (printed === undefined)
    context.notify('info', 'No status line command is set. Set "statusLine" in your settings.');
  else if (printed.tag === 'failed') context.notify('warning', `Your status line command ${printed.error}.`);
  else context.print([styledOutput(printed.value, {theme: context.frame.theme, cells: context.frame.width})]);
}

/** Opens the transcript. Its code is loaded on first use. */
async function showTranscript(context: CommandContext): Promise<void> {
  const [{transcriptPanel}, lexer, records] = await Promise.all([
    import('../scrollback/transcript-panel.ts'),
    context.loadLexer(),
    context.runQuery({query: 'records', from: 0}),
  ]);
  if (records === undefined) return;
  if (records.length === 0) context.notify('info', 'This session is empty');
  else context.openTranscript(transcriptPanel(followRecords(records, context), lexer));
}

/** Returns a function that returns all records so far. Each call also requests the records added since. */
function followRecords(first: readonly JournalRecord[], context: CommandContext): () => readonly JournalRecord[] {
  const records = [...first];
  let isAsking = false;
  const askForMore = async (): Promise<void> => {
    isAsking = true;
    records.push(...((await context.runQuery({query: 'records', from: records.length})) ?? []));
    isAsking = false;
  };
  return () => {
    if (!isAsking) void askForMore();
    return records;
  };
}

async function trustFolder(context: CommandContext): Promise<void> {
  const text = await context.runQuery({query: 'trust-folder'});
  if (text !== undefined) context.notify('info', text);
}

async function showFolderTrust(context: CommandContext): Promise<void> {
  const trust = await context.runQuery({query: 'folder-trust'});
  if (trust === undefined) return;
  const isOpen = trust.state === 'never' || trust.state === 'changed';
  context.notify('info', trust.text);
  if (!isOpen) return;
  context.open(
    confirmPanel({
      title: 'Trust this project?',
      subject: 'Allows everything listed above until it changes',
      does: 'trust',
      yes: commandEffect('trust', 'yes'),
    }),
  );
}

async function switchVim(context: CommandContext): Promise<void> {
  try {
    await loadVimKeys();
  } catch (cause) {
    return context.notify('warning', `Can't load vim keys: ${causeText(cause)}`);
  }
  const text = 'Vim keys on. Esc enters normal mode. Save as default: /config editorMode vim';
  context.notify('info', context.switchVim() === 'on' ? text : 'Vim keys off');
}

async function undoSeveral(count: number, context: CommandContext): Promise<void> {
  const points = await context.runQuery({query: 'rewind-points'});
  if (points === undefined) return;
  const point = points.at(-count);
  if (point === undefined) {
    context.notify('info', `Only ${pluralize(points.length, 'prompt')} to undo`);
    return;
  }
  context.query({query: 'preview-rewind', target: {kind: 'prompt', to: point.to, what: 'both'}});
}
