import {fuzzyScorer, noFit, type FuzzyScorer} from '../../base/fuzzy.ts';
import {editDistance} from '../../base/nearest-name.ts';
import type {CommandInfo} from '../commands/command-info.ts';
import {commandPrefix} from './keymap.ts';

export type CommandLine =
  | {readonly kind: 'command'; readonly name: string; readonly argument: string}
  /** Looks like a command and is none; `nearest` is empty when nothing is near. */
  | {readonly kind: 'unknown'; readonly word: string; readonly nearest: string};

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
  const command = commands.find(({name, aliases}) => name === word || aliases.includes(word));
  if (command !== undefined) return {kind: 'command', name: command.name, argument: (match[2] ?? '').trim()};
  return {kind: 'unknown', word: commandPrefix + word, nearest: nearestTo(word, commands)};
}

/** Commands that a draft being typed may become: the one it names, then those that begin with it; empty when it is not one. */
export function completions(text: string, commands: readonly CommandInfo[]): readonly CommandInfo[] {
  if (!/^\/[\p{Letter}-]*$/u.test(text)) return [];
  const word = text.slice(1).toLowerCase();
  if (word === '') return commands;
  if (commands.some(({aliases}) => aliases.includes(word))) return [];
  const scorer = fuzzyScorer(encoder.encode(word));
  return commands
    .map(command => ({command, score: scoreOf(command.name, word, scorer)}))
    .filter(({score}) => score !== noFit)
    .toSorted((a, b) => b.score - a.score)
    .map(({command}) => command);
}

/** Whether Enter takes the command at once: what it only resembles is written out first. */
export const isBeginning = (text: string, {name}: CommandInfo): boolean => name.startsWith(text.slice(1).toLowerCase());

/** What is being typed behind a command's name; `undefined` where it takes nothing, or something is there already. */
export function awaitedArgument(text: string, commands: readonly CommandInfo[]): CommandInfo | undefined {
  const name = /^\/([\p{Letter}-]+) $/u.exec(text)?.[1];
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

function nearestTo(word: string, commands: readonly CommandInfo[]): string {
  let best = {usage: '', distance: 3};
  for (const {name} of commands) {
    const distance = name.startsWith(word) && word !== '' ? 0 : editDistance(word, name);
    if (distance < best.distance) best = {usage: commandPrefix + name, distance};
  }
  return best.usage;
}
