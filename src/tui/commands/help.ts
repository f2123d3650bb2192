import type {PromptCommand} from '../../actions/commands-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {type CommandInfo, promptCommandInfo} from './command-line.ts';
import {
  approvalKeys,
  blockKeys,
  cardKeys,
  hasUserKeys,
  keyHelp,
  keyHint,
  keyOf,
  keysOf,
  questionKeys,
} from '../terminal/keymap.ts';
import {cellWidth} from '../text/cell-width.ts';
import {type Frame, wrapSpans, wrapText} from '../text/wrap.ts';
import type {CommandContext} from './command.ts';

/** Prints the short help, all commands, or all keys. */
export async function showHelp(topic: string, context: CommandContext): Promise<void> {
  if (topic === 'commands') await printCommands(context);
  else context.print(topic === 'keys' ? keyLines(context.frame) : helpLines(context.commands, context.frame));
}

async function printCommands(context: CommandContext): Promise<void> {
  const found = await context.runQuery({query: 'commands'});
  if (context.signal.aborted) return;
  context.print([...commandLines(context.commands, context.frame), ...promptCommandLines(found ?? [], context.frame)]);
}

/** The maximum number of prompt commands that `/help commands` lists. Typing `/` finds the rest. */
const maxPromptCommands = 100;

/** Lists the commands that become prompts, with their sources. Empty if there are none. */
export function promptCommandLines(found: readonly PromptCommand[], frame: Frame): readonly string[] {
  if (found.length === 0) return [];
  const rows = found.slice(0, maxPromptCommands).map(command => {
    const {usage, summary} = promptCommandInfo(command);
    return {term: usage, does: summary === '' ? sourceOf(command) : `${summary} (${sourceOf(command)})`};
  });
  const more = found.length - rows.length;
  return [
    '',
    ...wrapText('Commands that send a prompt', ['bold'], frame),
    ...rows.flatMap(row => helpRow(row, {frame, width: termWidth})),
    ...(more === 0 ? [] : wrapText(`${more} more: type / and part of the name`, [], frame)),
  ];
}

function sourceOf({kind, source}: PromptCommand): string {
  switch (source.kind) {
    case 'weft':
      return 'weft';
    case 'server':
      return `server ${visibleExactLine(source.server)}`;
    case 'file':
      return `${kind === 'skill' ? 'skill' : 'command'}, ${visibleExactLine(source.path)}`;
    default:
      return unreachable(source);
  }
}

export const commandGroups: readonly {readonly title: string; readonly names: readonly string[]}[] = [
  {title: 'Session', names: ['clear', 'resume', 'rename', 'transcript', 'copy', 'export', 'exit']},
  {title: 'Context', names: ['btw', 'context', 'compact', 'pin', 'memory', 'cost', 'documents', 'review']},
  {title: 'Undo', names: ['undo', 'redo', 'rewind', 'branch', 'diff', 'blame', 'bisect']},
  {title: 'Model', names: ['model', 'effort', 'mode', 'login', 'computer']},
  {title: 'Project', names: ['permissions', 'hooks', 'mcp', 'trust', 'note']},
  {title: 'Work', names: ['goal', 'checks', 'todo', 'plans', 'stack', 'ps', 'agents']},
  {title: 'Look', names: ['theme', 'verbosity', 'statusline', 'vim', 'editor']},
  {title: 'weft', names: ['config', 'doctor', 'demo', 'help']},
];

/** Returns one screen of help: commands by group, prefixes, and the most useful keys. */
export function helpLines(commands: readonly CommandInfo[], frame: Frame): readonly string[] {
  const groups = groupCommands(commands).map(({title, rows}) => ({
    term: title,
    does: rows.map(({name}) => `/${name}`).join('  '),
  }));
  const rows = [
    ...groups,
    {term: 'Prompt', does: '@file  !command  #note  /command'},
    {term: 'Keys', does: shortKeys().join(' · ')},
    {term: 'More', does: '/help commands  /help keys'},
  ];
  return ['', ...rows.flatMap(row => helpRow(row, {frame, width: 10}))];
}

const shortKeys = (): readonly string[] =>
  [
    `${keyOf('enter')} send`,
    keyHint('newline', key => `${key} new line`),
    'Esc stop',
    'Esc Esc rewind',
    keyHint('next-mode', key => `${key} mode`),
    keyHint('search-history', key => `${key} search prompts`),
    keyHint('expand', key => `${key} expand`),
    keyHint('open-editor', key => `${key} editor`),
    'Ctrl+C twice exit',
  ].filter(hint => hint !== '');

/** Lists all commands with their summaries, by group. */
export const commandLines = (commands: readonly CommandInfo[], frame: Frame): readonly string[] =>
  groupCommands(commands).flatMap(({title, rows}) => [
    '',
    ...wrapText(title, ['bold'], frame),
    ...rows.flatMap(({usage, summary}) => helpRow({term: usage, does: summary}, {frame, width: termWidth})),
  ]);

/** Divides commands into the groups of the help. Commands in no group, which only screen-reader mode has, come first. */
export function groupCommands(
  commands: readonly CommandInfo[],
): readonly {readonly title: string; readonly rows: readonly CommandInfo[]}[] {
  const grouped = commandGroups.map(({title, names}) => ({
    title,
    rows: names.flatMap(name => commands.filter(command => command.name === name)),
  }));
  const rest = commands.filter(({name}) => !commandGroups.some(({names}) => names.includes(name)));
  return [{title: 'Conversation', rows: rest}, ...grouped].filter(({rows}) => rows.length > 0);
}

/** Returns the help for prefixes and keys, in groups. On a narrow screen, each description is below its term. */
export function keyLines(frame: Frame): readonly string[] {
  return keyGroups().flatMap(({title, rows}) => [
    '',
    ...wrapText(title, ['bold'], frame),
    ...rows.flatMap(({keys, does}) => helpRow({term: keys, does}, {frame, width: termWidth})),
  ]);
}

type KeyRows = readonly {readonly keys: string; readonly does: string}[];

/** Returns all keys that `/help keys` lists, by context. */
export const keyGroups = (): readonly {readonly title: string; readonly rows: KeyRows}[] => [
  {title: 'At the start of a prompt', rows: prefixHelp},
  ...keyHelp.map(({title, rows}) => ({
    title,
    rows: rows.map(({name, keys, does}) => ({
      name,
      keys: hasUserKeys() ? keysOf(name, 'prompt').join(', ') || 'no key' : keys,
      does,
    })),
  })),
  {title: 'On an approval card', rows: cardHelp()},
  {title: 'On a question', rows: questionHelp},
  {title: 'In the list of background commands (/ps)', rows: blockHelp},
];

const termWidth = 24;

function helpRow(
  {term, does}: {readonly term: string; readonly does: string},
  {frame, width}: {readonly frame: Frame; readonly width: number},
): readonly string[] {
  const isNarrow = frame.width < 2 * width;
  const room = Math.max(1, width - cellWidth(term));
  if (!isNarrow && room > 1) {
    const first = `${term}${' '.repeat(room)}`;
    return wrapSpans([{text: does, roles: ['dim']}], frame, {first, rest: ' '.repeat(width), roles: []});
  }
  const margin = isNarrow ? '    ' : ' '.repeat(width);
  return [
    ...wrapSpans([{text: term, roles: []}], frame, {first: '', rest: '  ', roles: []}),
    ...wrapSpans([{text: does, roles: ['dim']}], frame, {first: margin, rest: margin, roles: []}),
  ];
}

const cardHelp = (): KeyRows => [
  {keys: approvalKeys.allow, does: 'yes, once; to delete something for good, type the word shown'},
  {keys: approvalKeys.allowSession, does: 'yes, for this session; the card shows what that covers'},
  {
    keys: approvalKeys.allowAlways,
    does: 'always in this project, using the rule on the card; Left and Right change the rule',
  },
  {keys: approvalKeys.refuse, does: 'no, and say what to do instead'},
  {keys: 'Up, Down, Enter', does: 'choose an answer, or press its number; Enter alone does nothing'},
  {
    keys: approvalKeys.chooseHunks,
    does: 'pick hunks of an edit; Space selects, and only selected hunks are written',
  },
  {
    keys: [cardKeys.edit, cardKeys.editor].flatMap(name => keysOf(name, 'card').slice(0, 1)).join(', ') || 'no key',
    does: 'change the command or edit first; weft checks it and asks again',
  },
  {keys: 'PgUp, PgDn', does: 'scroll the card'},
  {keys: approvalKeys.showAll, does: 'show everything'},
  {keys: keyOf(cardKeys.switchFocus, 'card'), does: 'switch between the card and the prompt'},
];

const questionHelp: KeyRows = [
  {keys: 'Up, Down, Enter', does: 'choose an answer, or press its number'},
  {keys: 'Space', does: 'select an answer, if you can choose several'},
  {keys: questionKeys.other, does: 'answer in your own words'},
];

const blockHelp: KeyRows = [
  {keys: 'Enter', does: 'attach to the selected command; Ctrl+] returns to weft'},
  {keys: blockKeys.stop, does: 'stop it'},
  {keys: blockKeys.keep, does: 'keep it running after weft exits'},
];

const prefixHelp: KeyRows = [
  {keys: '@', does: 'attach a file or folder: @src/a.ts:10-20, @"my file.txt"'},
  {keys: '!', does: 'run a shell command; the agent sees its output'},
  {keys: '#', does: 'add a note to AGENTS.md; weft asks first'},
  {keys: '/', does: 'run a weft command'},
];
