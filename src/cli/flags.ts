import {Argument, InvalidArgumentError, Option, type Command} from 'commander';
import {flagHeadings, type FlagRow, type FlagValues, mainFlags, sdkFlags, sharedFlags} from '../app/main-options.ts';
import {maxTimeoutSeconds} from '../base/timer-limits.ts';
import {providerChoices} from '../domain/api-key.ts';
import {maxFallbacks} from '../domain/model-fallback.ts';
import {type PermissionMode, permissionModes} from '../domain/risk.ts';

/** The commands that begin a prompt with the flags before their name. */
export const promptCommands = new WeakSet<Command>();

export function addMainFlags(program: Command): void {
  const headings = new Map(
    Object.entries(flagHeadings).flatMap(([heading, flags]) => flags.split(' ').map(flag => [flag, `${heading}:`])),
  );
  for (const row of mainFlags) {
    const option = toOption(row);
    const heading = headings.get(option.long ?? '');
    program.addOption(heading === undefined ? option : option.helpGroup(heading));
  }
  for (const row of Object.values(sdkFlags).flat()) program.addOption(toOption(row).hideHelp());
}

function toOption([flag, about, value]: FlagRow): Option {
  const option = new Option(flag, about);
  // The user's settings may name more providers.
  if (value === 'provider') option.choices(providerChoices);
  if (typeof value === 'string') return option.argParser<unknown>(valueParsers[value]);
  if (value !== undefined) option.choices(value);
  return value === permissionModes ? option.argParser(permissionMode) : option;
}

const valueParsers: {readonly [Name in keyof FlagValues]: (text: string, before: unknown) => FlagValues[Name]} = {
  'model-names': modelNames,
  'whole-number': wholeNumber,
  'number-from-zero': countFromZero,
  'positive-number': positiveNumber,
  seconds,
  provider: text => text,
  repeated: (text, before) => [...(Array.isArray(before) ? before.map(String) : []), text],
};

export const agentsFlag = sharedFlags.agents;

export const pluginFlag = toOption(sharedFlags.pluginDir);

function modelNames(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be model names separated by commas.');
  if (names.length > maxFallbacks) throw new InvalidArgumentError(`Name at most ${maxFallbacks} models.`);
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

/** Parses a port to listen on. */
export function portArgument(text: string): number {
  if (!/^\d{1,5}$/u.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return Number(text);
}

function seconds(text: string): number {
  const value = positiveNumber(text);
  if (value > maxTimeoutSeconds) throw new InvalidArgumentError(`It must be at most ${maxTimeoutSeconds}.`);
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

/**
 * Parses a mode as programs that know Claude Code name it. `manual` is its other name for `default`. In its mode `auto` a model judges
 * the commands; weft asks instead, as Claude Code does with a model that can't judge.
 */
function permissionMode(text: string): PermissionMode {
  const mode = permissionModes.find(name => name === (text === 'manual' || text === 'auto' ? 'default' : text));
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${permissionModes.join(', ')}.`);
  return mode;
}

export interface JsonOption {
  readonly json?: true;
}

export const jsonFlag = ['--json', 'Print JSON'] as const;

export const folderFlag = ['--cwd <dir>', 'Folder to use instead of the current one'] as const;

/** The flags that choose a settings file. */
export const settingsFileFlags = [
  ['--user', 'Your own settings (default)'],
  ['--project', 'Shared project settings: .weft/settings.json'],
  ['--local', 'Your own settings for this project: .weft/settings.local.json'],
  folderFlag,
] as const;

/** An argument (`<name>`, `[name]`) or an option (`--name`). */
type Parameter = Argument | Option | readonly [term: string, about: string];

type Subcommand = readonly [
  name: string,
  about: string,
  words: readonly Parameter[],
  action: Parameters<Command['action']>[0],
];

export function addSubcommands(parent: Command, rows: readonly Subcommand[]): void {
  for (const [name, about, words, action] of rows)
    addParameters(parent.command(name).description(about), words, action);
}

/** Adds arguments and options to a command, and sets its action. */
export function addParameters(command: Command, words: readonly Parameter[], action: Subcommand[3]): void {
  for (const word of words) {
    if (word instanceof Option) command.addOption(word);
    else if (word instanceof Argument) command.addArgument(word);
    else if (/^[<[]/u.test(word[0])) command.argument(...word);
    else command.option(...word);
  }
  command.action(action);
}
