import {fuzzyScorer, type FuzzyScorer, noFit} from '../../base/fuzzy.ts';
import {visibleLine} from '../../base/visible.ts';
import type {PromptCommand} from '../../actions/commands-port.ts';
import {builtInCommands, readSlashCommand} from '../../domain/slash-command.ts';
import {commandPrefix} from '../terminal/keymap.ts';

export type CommandLine =
  | {readonly kind: 'command'; readonly name: string; readonly argument: string}
  /** No command of the front end: the engine knows whether it becomes a prompt. */
  | {readonly kind: 'unknown'; readonly text: string};

/**
 * A draft read as a command, or `undefined` when it is a prompt. Only a first word with one slash is a command: a path such as
 * `/usr/bin` in a prompt is not. A command that becomes a prompt is one, too.
 */
export function readCommand(text: string, commands: readonly CommandInfo[]): CommandLine | undefined {
  const read = readSlashCommand(text);
  if (read === undefined) return undefined;
  const command = commands.find(({name, aliases}) => name === read.name || aliases.includes(read.name));
  if (command === undefined) return {kind: 'unknown', text: text.trim()};
  if (!builtInCommands.has(command.name)) return undefined;
  return read.argument.includes('\n') ? undefined : {kind: 'command', name: command.name, argument: read.argument};
}

/** What completes a draft that is a slash command. */
export interface Completion {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly line: string;
}

/** The commands, or the arguments of a command, that complete the draft, the best match first; empty if the draft is no command. */
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
  return ranked(all, word, ({name}) => name);
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
  const sought = typed.toLowerCase();
  if (sought === '') return all;
  const found = ranked(all, sought, ({usage}) => usage.toLowerCase());
  return found.length === 1 && found[0]?.usage === typed ? [] : found;
}

/** The command whose name and a blank the text begins with. */
export function commandOf<Command extends CommandInfo>(
  text: string,
  commands: readonly Command[],
): Command | undefined {
  const word = /^\/([\p{Letter}\p{Number}_.:-]+) /u.exec(text)?.[1];
  return word === undefined ? undefined : commands.find(({name, aliases}) => name === word || aliases.includes(word));
}

function ranked(all: readonly Completion[], word: string, nameOf: (completion: Completion) => string) {
  const scorer = fuzzyScorer(encoder.encode(word));
  return all
    .map(completion => ({completion, score: scoreOf(nameOf(completion), word, scorer)}))
    .filter(({score}) => score !== noFit)
    .toSorted((a, b) => b.score - a.score)
    .map(({completion}) => completion);
}

/** Whether the draft is the beginning of the completion: Enter then runs it at once, otherwise completes it first. */
export const isBeginning = (text: string, {line}: Completion): boolean =>
  line.trimEnd().toLowerCase().startsWith(text.toLowerCase());

/** The command whose argument comes next; `undefined` if it takes none, or an argument has been begun. */
export function awaitedArgument(text: string, commands: readonly CommandInfo[]): CommandInfo | undefined {
  const name = /^\/([\p{Letter}\p{Number}_.:-]+) $/u.exec(text)?.[1];
  return commands.find(command => command.name === name && command.usage.includes(' '));
}

const isBonus = 2000;
const beginsBonus = 1000;

function scoreOf(name: string, word: string, scorer: FuzzyScorer): number {
  if (name === word) return isBonus;
  if (name.startsWith(word)) return beginsBonus;
  const bytes = encoder.encode(name);
  return scorer(bytes, 0, bytes.length);
}

const encoder = new TextEncoder();

export type DraftKind =
  | {readonly kind: 'prompt'}
  | {readonly kind: 'shell'; readonly command: string}
  | {readonly kind: 'note'; readonly note: string};

/** Reads the prefix of a draft: `!` runs the rest in the shell; `#` and a word, on one line, are a note. */
export function readDraft(text: string): DraftKind {
  if (text.startsWith('!')) return {kind: 'shell', command: text.slice(1).trim()};
  const note = /^# ?(?=\p{Letter}|["'(`@])([^\n]+)$/u.exec(text.trimEnd());
  return note === null ? {kind: 'prompt'} : {kind: 'note', note: (note[1] ?? '').trim()};
}

/** The parts of a slash command that users see. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  /** Other names of the command, which no list shows. */
  readonly aliases: readonly string[];
  /** How it is written, with its argument: `/model [name]`. */
  readonly usage: string;
  readonly summary: string;
  /** What its argument can be, or where that is asked for; empty for anything else. */
  readonly choices: readonly ArgumentChoice[] | ChoiceSource;
}

/** A command that becomes a prompt, as lists show it. */
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
