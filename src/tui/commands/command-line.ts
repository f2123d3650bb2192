import {fuzzyScorer, type FuzzyScorer, noFit} from '../../base/fuzzy.ts';
import {visibleLine} from '../../base/visible.ts';
import type {PromptCommand} from '../../actions/commands-port.ts';
import {builtInCommands, readSlashCommand} from '../../domain/slash-command.ts';
import {commandPrefix} from '../terminal/keymap.ts';

export type CommandLine =
  | {readonly kind: 'command'; readonly name: string; readonly argument: string}
  /** Not a built-in command. The engine decides whether it becomes a prompt. */
  | {readonly kind: 'unknown'; readonly text: string};

/**
 * Parses a draft as a slash command. Returns `undefined` for a prompt, and for a known command that becomes a prompt. Only a first word
 * with a single slash is a command: a path such as `/usr/bin` isn't.
 */
export function parseCommand(text: string, commands: readonly CommandInfo[]): CommandLine | undefined {
  const read = readSlashCommand(text);
  if (read === undefined) return undefined;
  const command = commands.find(({name, aliases}) => name === read.name || aliases.includes(read.name));
  if (command === undefined) return {kind: 'unknown', text: text.trim()};
  if (!builtInCommands.has(command.name)) return undefined;
  return read.argument.includes('\n') ? undefined : {kind: 'command', name: command.name, argument: read.argument};
}

/** A completion of a draft that is a slash command. */
export interface Completion {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly line: string;
}

/** Returns the commands or arguments that complete the draft, best match first. Empty if the draft isn't a command. */
export function completions(text: string, commands: readonly CommandInfo[]): readonly Completion[] {
  if (text.includes(' ')) return argumentCompletions(text, commands);
  if (!/^\/[\p{Letter}\p{Number}_.:-]*$/u.test(text)) return [];
  const word = text.slice(1).toLowerCase();
  const all = commands.map(({name, usage, summary}) => ({
    name,
    usage,
    summary,
    line: commandPrefix + name + (usage.includes(' ') ? ' ' : ''),
  }));
  if (word === '') return all;
  if (commands.some(({aliases}) => aliases.includes(word))) return [];
  return rankCompletions(all, word, ({name}) => name);
}

function argumentCompletions(text: string, commands: readonly CommandInfo[]): readonly Completion[] {
  const command = commandOf(text, commands);
  if (command === undefined || typeof command.choices === 'string') return [];
  const typed = text.slice(text.indexOf(' ') + 1);
  if (typed.includes('\n')) return [];
  const words = typed.split(' ').length;
  const all = command.choices
    .filter(({value}) => value.split(' ').length === words)
    .map(({value, summary}) => ({
      name: `${command.name} ${value}`,
      usage: value,
      summary,
      line: `${commandPrefix}${command.name} ${value}`,
    }));
  const search = typed.toLowerCase();
  if (search === '') return all;
  const found = rankCompletions(all, search, ({usage}) => usage.toLowerCase());
  return found.length === 1 && found[0]?.usage === typed ? [] : found;
}

/** Returns the command that the text names, if a space follows the name. */
export function commandOf<Command extends CommandInfo>(
  text: string,
  commands: readonly Command[],
): Command | undefined {
  const word = /^\/([\p{Letter}\p{Number}_.:-]+) /u.exec(text)?.[1];
  return word === undefined ? undefined : commands.find(({name, aliases}) => name === word || aliases.includes(word));
}

function rankCompletions(all: readonly Completion[], word: string, nameOf: (completion: Completion) => string) {
  const scorer = fuzzyScorer(encoder.encode(word));
  return all
    .map(completion => ({completion, score: scoreOf(nameOf(completion), word, scorer)}))
    .filter(({score}) => score !== noFit)
    .toSorted((a, b) => b.score - a.score)
    .map(({completion}) => completion);
}

/** True if the completion starts with the draft. Enter then runs it at once; otherwise Enter completes it first. */
export const isPrefixOf = (text: string, {line}: Completion): boolean =>
  line.trimEnd().toLowerCase().startsWith(text.toLowerCase());

/** Returns the command whose argument comes next. `undefined` if it takes none, or an argument was already begun. */
export function commandAwaitingArgument(text: string, commands: readonly CommandInfo[]): CommandInfo | undefined {
  const name = /^\/([\p{Letter}\p{Number}_.:-]+) $/u.exec(text)?.[1];
  return commands.find(command => command.name === name && command.usage.includes(' '));
}

const exactBonus = 2000;
const prefixBonus = 1000;

function scoreOf(name: string, word: string, scorer: FuzzyScorer): number {
  if (name === word) return exactBonus;
  if (name.startsWith(word)) return prefixBonus;
  const bytes = encoder.encode(name);
  return scorer(bytes, 0, bytes.length);
}

const encoder = new TextEncoder();

export type DraftKind =
  | {readonly kind: 'prompt'}
  | {readonly kind: 'shell'; readonly command: string}
  | {readonly kind: 'note'; readonly note: string};

/** Parses the prefix of a draft. `!` runs the rest in the shell. A single line of `#` and a word is a note. */
export function parseDraft(text: string): DraftKind {
  if (text.startsWith('!')) return {kind: 'shell', command: text.slice(1).trim()};
  const note = /^# ?(?=\p{Letter}|["'(`@])([^\n]+)$/u.exec(text.trimEnd());
  return note === null ? {kind: 'prompt'} : {kind: 'note', note: (note[1] ?? '').trim()};
}

/** The parts of a slash command that users see. */
export interface CommandInfo {
  /** The command's name without the slash. */
  readonly name: string;
  /** Other names of the command. No list shows them. */
  readonly aliases: readonly string[];
  /** The command with its argument: `/model [name]`. */
  readonly usage: string;
  readonly summary: string;
  /** The values of the command's argument, or the query that returns them. Empty for free text. */
  readonly choices: readonly ArgumentChoice[] | ChoiceSource;
}

/** Returns the list entry for a command that becomes a prompt. */
export const promptCommandInfo = ({name, argumentHint, description}: PromptCommand): CommandInfo => ({
  name,
  aliases: [],
  usage: visibleLine(`${commandPrefix}${name}${argumentHint === '' ? '' : ` ${argumentHint}`}`),
  summary: visibleLine(description),
  choices: [],
});

export interface ArgumentChoice {
  readonly value: string;
  readonly summary: string;
}

export type ChoiceSource = 'models' | 'settings' | 'sessions';
