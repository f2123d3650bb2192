import type {Op} from '../../agent/engine.ts';
import {editDistance} from '../../base/nearest-name.ts';
import {commandPrefix} from './keymap.ts';

type CommandName =
  | 'help'
  | 'clear'
  | 'resume'
  | 'model'
  | 'mode'
  | 'permissions'
  | 'trust'
  | 'ps'
  | 'undo'
  | 'redo'
  | 'rewind'
  | 'demo'
  | 'exit';

export interface CommandInfo {
  readonly name: CommandName;
  readonly usage: string;
  readonly summary: string;
}

const everyCommand: readonly CommandInfo[] = [
  {name: 'help', usage: '/help', summary: 'commands and keys'},
  {name: 'clear', usage: '/clear', summary: 'start a new session'},
  {name: 'resume', usage: '/resume', summary: 'go on with an earlier session'},
  {name: 'model', usage: '/model [name]', summary: 'show or change the model'},
  {name: 'mode', usage: '/mode [name]', summary: 'show or change what happens without asking (Shift+Tab)'},
  {name: 'permissions', usage: '/permissions', summary: 'show the mode and the rules'},
  {name: 'trust', usage: '/trust [yes]', summary: "show what this folder's settings ask for, and allow it"},
  {name: 'ps', usage: '/ps', summary: 'commands that run beside the conversation (Ctrl+T takes a terminal)'},
  {name: 'undo', usage: '/undo', summary: 'take the last prompt back: files and conversation'},
  {name: 'redo', usage: '/redo', summary: 'take the last undo back'},
  {name: 'rewind', usage: '/rewind', summary: 'go back to before an earlier prompt: files, conversation or both'},
  {name: 'demo', usage: '/demo', summary: 'watch the embedded recording do a small job'},
  {name: 'exit', usage: '/exit', summary: 'leave'},
];

/** The commands that exist here; the demo only where it is offered. */
export const commandsFor = (demo: 'none' | 'offered'): readonly CommandInfo[] =>
  everyCommand.filter(({name}) => name !== 'demo' || demo === 'offered');

export type CommandLine =
  | {readonly kind: 'command'; readonly name: CommandName; readonly argument: string}
  /** Looks like a command and is none; `nearest` is empty when nothing is near. */
  | {readonly kind: 'unknown'; readonly word: string; readonly nearest: string};

const ops = {
  clear: {op: 'open-session', session: {kind: 'new'}},
  undo: {op: 'preview-rewind', target: {kind: 'last'}},
  redo: {op: 'preview-rewind', target: {kind: 'redo'}},
  rewind: {op: 'list-rewind-points'},
} as const satisfies Record<string, Op>;

/** What a command asks of the engine that needs nothing else; nothing goes back before it has been shown. */
export const commandOp = (command: keyof typeof ops): Op => ops[command];

/** What the user reads of a command that there is not. */
export function unknownText({word, nearest}: Extract<CommandLine, {kind: 'unknown'}>): string {
  return `There is no command ${word}. ${nearest === '' ? '/help lists the commands.' : `Did you mean ${nearest}?`}`;
}

/**
 * A draft read as a command, or `undefined` when it is a prompt. Only a single first word is a command: a path such as
 * `/usr/bin` in a prompt is not.
 */
export function readCommand(text: string, commands: readonly CommandInfo[]): CommandLine | undefined {
  const match = /^\/([\p{Letter}\p{Number}_-]*)(?:\s+([^\n]*))?$/u.exec(text.trim());
  if (match === null) return undefined;
  const word = match[1] ?? '';
  const found = commands.find(({name}) => name === word) ?? (word === 'quit' ? commands.at(-1) : undefined);
  if (found !== undefined) return {kind: 'command', name: found.name, argument: (match[2] ?? '').trim()};
  return {kind: 'unknown', word: commandPrefix + word, nearest: nearestTo(word, commands)};
}

/** Commands that a draft being typed may become; empty when it is not one. */
export function completions(text: string, commands: readonly CommandInfo[]): readonly CommandInfo[] {
  if (!/^\/[\p{Letter}-]*$/u.test(text)) return [];
  return commands.filter(({name}) => name.startsWith(text.slice(1)));
}

function nearestTo(word: string, commands: readonly CommandInfo[]): string {
  let best = {usage: '', distance: 3};
  for (const {name} of commands) {
    const distance = name.startsWith(word) && word !== '' ? 0 : editDistance(word, name);
    if (distance < best.distance) best = {usage: commandPrefix + name, distance};
  }
  return best.usage;
}
