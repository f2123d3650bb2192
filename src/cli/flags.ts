import {Argument, InvalidArgumentError, Option, type Command} from 'commander';
import {type FlagRow, type FlagValues, mainFlags, sdkFlags, sharedFlags} from '../app/main-options.ts';
import {type Effort, efforts} from '../domain/model-stream.ts';
import {maxFallbacks} from '../domain/model-fallback.ts';
import {type PermissionMode, permissionModes} from '../domain/risk.ts';

export function addMainFlags(program: Command): void {
  for (const row of mainFlags) program.addOption(optionOf(row));
  for (const row of Object.values(sdkFlags).flat()) program.addOption(optionOf(row).hideHelp());
}

function optionOf([flag, about, value]: FlagRow): Option {
  const option = new Option(flag, about);
  if (typeof value === 'string') return option.argParser<unknown>(readers[value]);
  if (value !== undefined) option.choices(value);
  return value === permissionModes ? option.argParser(permissionMode) : option;
}

const readers: {readonly [Name in keyof FlagValues]: (text: string, before: unknown) => FlagValues[Name]} = {
  'model-names': modelNames,
  'whole-number': wholeNumber,
  'number-from-zero': countFromZero,
  'positive-number': positiveNumber,
  seconds,
  effort,
  paths: (text, before) => [...(Array.isArray(before) ? before.map(String) : []), text],
};

export const agentsFlag = sharedFlags.agents;

/** Names a plugin folder. */
export const pluginFlag = optionOf(sharedFlags.pluginDir);

function modelNames(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be the names of models, with commas between them.');
  if (names.length > maxFallbacks) throw new InvalidArgumentError(`It may name ${maxFallbacks} models at most.`);
  return names;
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/u.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}

function countFromZero(text: string): number {
  if (!/^\d+$/u.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}

/** What a timer can hold: about 24 days. */
const maxSeconds = 2_000_000;

function seconds(text: string): number {
  const value = positiveNumber(text);
  if (value > maxSeconds) throw new InvalidArgumentError(`It must be at most ${maxSeconds}.`);
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

/** `manual` is what programs call `default`. */
function permissionMode(text: string): PermissionMode {
  const mode = permissionModes.find(name => name === (text === 'manual' ? 'default' : text));
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${permissionModes.join(', ')}.`);
  return mode;
}

function effort(text: string): Effort {
  const level = efforts.find(name => name === text);
  if (level === undefined) throw new InvalidArgumentError(`Allowed choices are ${efforts.join(', ')}.`);
  return level;
}

/** Flags that several commands take, as commander hands them over. */
export interface JsonOption {
  readonly json?: true;
}

export const jsonFlag = ['--json', 'Print JSON'] as const;

export const folderFlag = ['--cwd <dir>', 'Folder to look at instead of the current one'] as const;

/** The flags that name a settings file. */
export const fileFlags = [
  ['--user', 'Your own settings (default)'],
  ['--project', 'Settings of the project, shared: .weft/settings.json'],
  ['--local', 'Settings of the project, only for you: .weft/settings.local.json'],
  folderFlag,
] as const;

/** An argument (`<name>`, `[name]`) or an option. */
type Word = Argument | Option | readonly [term: string, about: string];

/** A subcommand with its arguments and options. */
type Subcommand = readonly [
  name: string,
  about: string,
  words: readonly Word[],
  action: Parameters<Command['action']>[0],
];

export function addSubcommands(parent: Command, rows: readonly Subcommand[]): void {
  for (const [name, about, words, action] of rows) addWords(parent.command(name).description(about), words, action);
}

/** Gives a command its arguments and options. */
export function addWords(command: Command, words: readonly Word[], action: Subcommand[3]): void {
  for (const word of words) {
    if (word instanceof Option) command.addOption(word);
    else if (word instanceof Argument) command.addArgument(word);
    else if (/^[<[]/u.test(word[0])) command.argument(...word);
    else command.option(...word);
  }
  command.action(action);
}
