import type {Argument, PrintedOutput} from '../shell/expansion.ts';

/**
 * The destination of a command's output. Secrets are recognized by their values and redacted if whole lines are shown.
 * Cut, reversed or encoded secrets would not be recognized. `file names`: only the text before the first colon of each
 * line is used.
 */
export type OutputUse = 'shown' | 'file names' | 'reshaped';

/** One call of a program: its words, its possible folders, its input from a pipe, and where its output goes. */
export interface Invocation {
  readonly words: readonly Argument[];
  /** The folders in which it may run. Empty if they are not known. */
  readonly directories: readonly string[];
  /** The output of the previous program in the pipe. Computed on demand. */
  readonly input: () => PrintedOutput;
  readonly output: OutputUse;
}

/** The state of the shell when a command begins. All commands of one shell share `variables`. */
export interface ShellScope {
  readonly directories: readonly string[];
  readonly variables: Map<string, Argument['value']>;
  /** The input of the commands from a pipe. Computed on demand. */
  readonly input: () => PrintedOutput;
  readonly output: OutputUse;
}

/** The folders in which the shell may be after a command succeeded or failed, and what the command printed. */
export interface AfterCommand {
  readonly success: readonly string[];
  readonly failure: readonly string[];
  readonly prints: () => PrintedOutput;
}

/** The output of an unknown command. */
export const printsAnything = (): PrintedOutput => 'anything';

export const inSameFolders = ({directories}: ShellScope): AfterCommand => ({
  success: directories,
  failure: directories,
  prints: printsAnything,
});

/** Returns the scope of a subshell. */
export const subshellScope = (scope: ShellScope): ShellScope => ({...scope, variables: new Map(scope.variables)});

/** Merges lists of folders. Returns none if one list is empty, which means that the folder is not known. */
export function unionOfFolders(first: readonly string[], ...others: readonly (readonly string[])[]): readonly string[] {
  if (others.every(each => each === first)) return first;
  const places = [first, ...others];
  if (places.some(each => each.length === 0)) return [];
  const all = [...new Set(places.flat())];
  return all.length > maxPlaces ? [] : all;
}

/** The maximum number of possible folders. With more, weft treats the folder as unknown. */
const maxPlaces = 8;
