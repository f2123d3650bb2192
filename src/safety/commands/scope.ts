import type {Argument, PrintedOutput} from '../shell/expansion.ts';

/**
 * Where the output of a command goes. Secrets are recognised by their values, and redacted where whole lines are shown; cut, reversed
 * or encoded they would not be recognised. `file names`: only what stands before the first colon of each line is used.
 */
export type Output = 'shown' | 'file names' | 'reshaped';

/** One call of a program: its words, where it may run, what it reads from a pipe, and where its output goes. */
export interface Invocation {
  readonly words: readonly Argument[];
  /** Where it may run; none when that is not known. */
  readonly directories: readonly string[];
  /** What the program before it in the pipe prints; worked out when it is asked for. */
  readonly input: () => PrintedOutput;
  readonly output: Output;
}

/** The state of the shell where a command begins. `variables` is shared by all commands of one shell. */
export interface ShellScope {
  readonly directories: readonly string[];
  readonly variables: Map<string, Argument['value']>;
  /** What comes to the commands through a pipe; worked out when it is asked for. */
  readonly input: () => PrintedOutput;
  readonly output: Output;
}

/** In which folders the shell may be after a command that succeeded or failed, and what the command printed. */
export interface AfterCommand {
  readonly success: readonly string[];
  readonly failure: readonly string[];
  readonly prints: () => PrintedOutput;
}

/** The output of a command of which nothing is known. */
export const printsAnything = (): PrintedOutput => 'anything';

export const unmoved = ({directories}: ShellScope): AfterCommand => ({
  success: directories,
  failure: directories,
  prints: printsAnything,
});

/** The scope of a subshell. */
export const subshellScope = (scope: ShellScope): ShellScope => ({...scope, variables: new Map(scope.variables)});

/** All folders of several lists; none when one of the lists is empty, which means that it is not known. */
export function unionOfFolders(first: readonly string[], ...others: readonly (readonly string[])[]): readonly string[] {
  if (others.every(each => each === first)) return first;
  const places = [first, ...others];
  if (places.some(each => each.length === 0)) return [];
  const all = [...new Set(places.flat())];
  return all.length > maxPlaces ? [] : all;
}

/** Of more folders than these it counts as not known which one it is. */
const maxPlaces = 8;
