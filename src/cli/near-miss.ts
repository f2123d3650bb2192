import {editDistance, nearestName} from '../base/nearest-name.ts';

/** A command with the names of what it can do; often none. */
export interface NamedCommand {
  readonly name: string;
  readonly parts: readonly string[];
}

/**
 * The command that words were meant to be which now are a prompt: a name with a slip, and behind it either nothing or what that
 * command can do. Anything else is a prompt, however it begins.
 */
export function nearMiss(words: readonly string[], commands: readonly NamedCommand[]): string | undefined {
  const [first = '', second] = words;
  const meant = nearestName(
    first,
    commands.map(({name}) => name),
  );
  const command = commands.find(({name}) => name === meant);
  if (command === undefined || first.includes(' ')) return undefined;
  const {name, parts} = command;
  if (second === undefined) return isSlip(first, name) ? name : undefined;
  const part = parts.find(known => known === second) ?? parts.find(known => isSlip(second, known));
  return part === undefined ? undefined : `${name} ${part}`;
}

/** One letter too many, too few or wrong, or two in the wrong order. */
function isSlip(word: string, name: string): boolean {
  const distance = editDistance(word.toLowerCase(), name);
  return distance <= 1 || (distance === 2 && sorted(word.toLowerCase()) === sorted(name));
}

const sorted = (word: string): string => Array.from(word).toSorted().join('');
