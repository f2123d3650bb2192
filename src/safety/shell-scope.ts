import type {Argument, Printed} from './shell/argument.ts';
import type {Output} from './shown-content.ts';

/** What holds where a command begins. `variables` is shared by all that runs in one shell. */
export interface Scope {
  readonly directories: readonly string[];
  readonly variables: Map<string, Argument['value']>;
  /** What comes to the commands through a pipe. */
  readonly input: () => Printed;
  readonly output: Output;
}

/** Where the shell is when a command went well, and when it did not; what it printed. */
export interface Ends {
  readonly success: readonly string[];
  readonly failure: readonly string[];
  readonly prints: () => Printed;
}

/** Worked out when it is asked for: mostly nobody does. */
export const anything = (): Printed => 'anything';

export const staying = ({directories}: Scope): Ends => ({success: directories, failure: directories, prints: anything});

/** That of a shell of its own. */
export const ownScope = (scope: Scope): Scope => ({...scope, variables: new Map(scope.variables)});

/** All places of several; none when one of them is not known. */
export function union(first: readonly string[], ...others: readonly (readonly string[])[]): readonly string[] {
  if (others.every(each => each === first)) return first;
  const places = [first, ...others];
  if (places.some(each => each.length === 0)) return [];
  const all = [...new Set(places.flat())];
  return all.length > mostPlaces ? [] : all;
}

/** More places than these and it counts as not known. */
const mostPlaces = 8;
