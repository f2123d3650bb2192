import {parseJson} from '../base/json.ts';
import type {Message, TextBlock} from './conversation.ts';

/** A prompt that begins with the name of a command. */
export interface SlashCommand {
  readonly name: string;
  /** The text after the name, trimmed. It may have several lines. */
  readonly argument: string;
}

/**
 * Reads a prompt as a slash command, whose first word is a slash and a name. Returns `undefined` for any other text,
 * such as one that begins with a path, because a name has no second slash.
 */
export function readSlashCommand(prompt: string): SlashCommand | undefined {
  // A slash alone is an unfinished command.
  if (prompt.trim() === '/') return {name: '', argument: ''};
  const [, name, argument = ''] =
    /^\s*\/([\p{Letter}\p{Number}_][\p{Letter}\p{Number}_.:-]*)(?:\s([^]*))?$/u.exec(prompt) ?? [];
  return name === undefined ? undefined : {name, argument: argument.trim()};
}

/** The commands that every front end has, also those of programs and editors. */
export const commandsOfPrograms = [
  {name: 'compact', description: 'Compact the conversation to free up space', argumentHint: '[what to keep]'},
  {
    name: 'effort',
    description: 'Show or choose how much effort the model puts into its answers',
    argumentHint: '[level]',
  },
  {name: 'rename', description: 'Name this session', argumentHint: '[name]'},
  {name: 'goal', description: 'Go on until a condition holds', argumentHint: '[condition | off]'},
  {name: 'btw', description: 'Ask a question beside the conversation', argumentHint: 'question'},
  {name: 'clear', description: 'Start a new conversation', argumentHint: ''},
  {name: 'context', description: 'Show what fills the context', argumentHint: ''},
  {name: 'cost', description: 'Show tokens and cost', argumentHint: ''},
] as const;

const replaceable: ReadonlySet<string> = new Set(['clear', 'context', 'cost']);

/** True for a name that a command or skill in a file can't have. */
export const isReserved = (name: string): boolean =>
  !replaceable.has(name) && commandsOfPrograms.some(command => command.name === name);

/** Returns the commands that every front end has and that no file replaces, followed by those of files. */
export const offeredCommands = <Command extends {readonly name: string}>(files: readonly Command[]) => [
  ...commandsOfPrograms.filter(({name}) => files.every(file => file.name !== name)),
  ...files,
];

/** Returns the command if the prompt is a command that every front end has; `undefined` for other prompts. */
export function ownCommand(text: string): SlashCommand | undefined {
  const command = readSlashCommand(text);
  return command !== undefined && commandsOfPrograms.some(({name}) => name === command.name) ? command : undefined;
}

/**
 * The commands of the terminal UI and of screen-reader mode, with their other names. A command or skill with that name in
 * a file works in all other front ends.
 */
export const builtInCommands: ReadonlySet<string> = new Set([
  'again',
  'agents',
  'background',
  'bisect',
  'branch',
  'btw',
  'clear',
  'compact',
  'computer',
  'config',
  'connect',
  'context',
  'copy',
  'cost',
  'demo',
  'diff',
  'blame',
  'checks',
  'docs',
  'doctor',
  'documents',
  'editor',
  'effort',
  'exit',
  'export',
  'fork',
  'goal',
  'help',
  'hooks',
  'image',
  'later',
  'log',
  'login',
  'mcp',
  'memory',
  'mode',
  'model',
  'new',
  'note',
  'permissions',
  'pin',
  'plans',
  'ps',
  'quit',
  'redo',
  'rename',
  'resume',
  'review',
  'rewind',
  'sessions',
  'settings',
  'stack',
  'status',
  'statusline',
  'stop',
  'theme',
  'todo',
  'todos',
  'transcript',
  'trust',
  'undo',
  'usage',
  'verbosity',
  'vim',
]);

/** Returns the block with the text that a command expands to. It follows the text that the user typed, so that the history has both. */
export const commandBlock = ({name, text}: {readonly name: string; readonly text: string}): TextBlock => ({
  kind: 'text',
  text: `<command name=${JSON.stringify(`/${name}`)}>\n${text}\n</command>`,
});
/** The owner of the folder that a skill, command or agent comes from. */
export type ExtensionScope = 'project' | 'user' | 'plugin';

/** A skill whose instructions the model has read. `folder` contains its files. */
export interface ActiveSkill {
  readonly name: string;
  readonly folder: string;
  readonly instructions: string;
}

/** Returns the block with the instructions of a skill, requested by the user or the model. */
export const skillBlock = ({name, folder, instructions}: ActiveSkill): TextBlock => ({
  kind: 'text',
  text: `<skill name=${JSON.stringify(name)} folder=${JSON.stringify(folder)}>\n${instructions}\n</skill>`,
});

/** Reads a text that `skillBlock` wrote; `undefined` for any other text. */
export function parseSkillBlock(text: string): ActiveSkill | undefined {
  const [, name = '', folder = '', instructions = ''] =
    /^<skill name=("(?:[^"\\]|\\.)*") folder=("(?:[^"\\]|\\.)*")>\n([^]*)\n<\/skill>$/u.exec(text) ?? [];
  const [named, at] = [parseJson(name), parseJson(folder)];
  if (named.tag === 'failed' || at.tag === 'failed') return undefined;
  return typeof named.value === 'string' && typeof at.value === 'string'
    ? {name: named.value, folder: at.value, instructions}
    : undefined;
}

/** Returns the skills whose instructions a conversation contains, in the order in which they were last read. */
export function activeSkills(messages: readonly Message[]): readonly ActiveSkill[] {
  const active = new Map<string, ActiveSkill>();
  const take = (text: string): void => {
    const skill = parseSkillBlock(text);
    if (skill === undefined) return;
    active.delete(skill.name);
    active.set(skill.name, skill);
  };
  for (const {role, blocks} of messages) {
    if (role !== 'user') continue;
    for (const block of blocks) {
      if (block.kind === 'text') take(block.text);
      if (block.kind !== 'tool-result') continue;
      for (const part of block.content) if (part.kind === 'text') take(part.text);
    }
  }
  return [...active.values()];
}

/** Joins a prompt and piped text, marked so that the model can distinguish them. */
export function joinPipedText(prompt: string, piped: string): string {
  if (piped.trim() === '') return prompt;
  return prompt === '' ? piped : beside(prompt, piped, 'stdin');
}

/** Joins a prompt and the texts that a program attached to it. Beside a command they are marked, so that they never become its arguments. */
export function joinAttachedTexts(prompt: string, attached: readonly string[]): string {
  const text = attached.join('\n\n');
  return readSlashCommand(prompt) === undefined || text.trim() === ''
    ? [prompt, ...attached].join('\n\n')
    : beside(prompt, text, 'attached');
}

const beside = (prompt: string, text: string, tag: 'stdin' | 'attached'): string =>
  `${prompt}\n\n<${tag}>\n${text.replace(/\n$/u, '')}\n</${tag}>`;

/** Returns the prompt without the text beside it that `joinPipedText` and `joinAttachedTexts` added. */
export const withoutAttachedText = (text: string): string => {
  const [, tag = ''] = /\n<\/(stdin|attached)>$/u.exec(text) ?? [];
  const at = tag === '' ? -1 : text.indexOf(`\n\n<${tag}>\n`);
  return at < 0 ? text : text.slice(0, at);
};
