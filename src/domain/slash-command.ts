import type {TextBlock} from './conversation.ts';

/** A prompt that begins with the name of a command. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  /** All that follows, trimmed; it may have several lines. */
  readonly argument: string;
}

/**
 * Reads a prompt as a slash command: its first word is a slash and a name. `undefined` for every other text, such as one that begins
 * with a path: a name has no second slash.
 */
export function readSlashCommand(prompt: string): SlashCommand | undefined {
  // A slash alone is a command that was not finished.
  if (prompt.trim() === '/') return {name: '', argument: ''};
  const [, name, argument = ''] =
    /^\s*\/([\p{Letter}\p{Number}_][\p{Letter}\p{Number}_.:-]*)(?:\s([^]*))?$/u.exec(prompt) ?? [];
  return name === undefined ? undefined : {name, argument: argument.trim()};
}

/** The commands of the terminal UI and of screen-reader mode, with their other names. Files cannot take these names. */
export const builtInCommands: ReadonlySet<string> = new Set([
  'again',
  'background',
  'clear',
  'compact',
  'config',
  'connect',
  'copy',
  'cost',
  'demo',
  'doctor',
  'editor',
  'exit',
  'export',
  'help',
  'image',
  'later',
  'log',
  'login',
  'mode',
  'model',
  'new',
  'note',
  'permissions',
  'ps',
  'quit',
  'redo',
  'resume',
  'rewind',
  'sessions',
  'settings',
  'status',
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

/** The block with what a command came to. It follows the words that the user typed, so that the history has both. */
export const commandBlock = ({name, text}: {readonly name: string; readonly text: string}): TextBlock => ({
  kind: 'text',
  text: `<command name=${JSON.stringify(`/${name}`)}>\n${text}\n</command>`,
});
