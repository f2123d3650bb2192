import {relativeTo} from '../base/shown-path.ts';
import type {TreeId} from './checkpoint.ts';
import type {ActionId, BlockId} from './ids.ts';

/** The purposes of checks. */
export const checkKinds = ['test', 'build', 'types', 'lint'] as const;
export type CheckKind = (typeof checkKinds)[number];

/** A command that proves something about the files, such as `npm test`. */
export interface Check {
  /** The name on screens: the name in the settings, or the command without wrappers, such as `tsc --noEmit`. */
  readonly name: string;
  readonly kind: CheckKind;
  /** The command as it can be run again in `directory`, without redirections. */
  readonly command: string;
  readonly directory: string;
  /** Globs relative to the workspace: the files that the check depends on. `all`: every file that git does not ignore. */
  readonly paths: 'all' | readonly string[];
}

/** A check that the user's settings name. */
export interface CheckSetting {
  readonly name: string;
  readonly command: string;
  /** The folder in which the command is this check, absolute or relative to the workspace. `undefined`: every folder. */
  readonly directory?: string | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** Returns the command that runs a check from the workspace. */
export const commandIn = ({command, directory}: Pick<CheckSetting, 'command' | 'directory'>): string =>
  directory === undefined ? command : `cd ${shellWord(directory)} && ${command}`;

/** Quotes a text as one word of a shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Why the exit code of a command says nothing about a check in it. `unreached`: an earlier part may have failed instead. `changed`: an earlier part may have changed what the words mean, such as `export PATH=…`. `options`: an option lets it check nothing, such as `make -n`. `variables`: a variable may do so, or put another program in its place. `program`: a path leads to another program than the one of that name. */
export const hidingSyntax = [
  'pipe',
  'list',
  'condition',
  'background',
  'unreached',
  'changed',
  'options',
  'variables',
  'program',
] as const;
export type HidingSyntax = (typeof hidingSyntax)[number];

const hidingTexts = {
  pipe: 'a pipe hides the exit code. Write only the check, such as "npm test", or begin with "set -o pipefail;".',
  list: '; or || hides the exit code. Write only the check, such as "npm test", or join the parts with &&.',
  background: '& hides the exit code. Write it without &.',
  condition: 'a condition or a loop hides the exit code. Write only the check, such as "npm test".',
  options: 'an option makes it check nothing or ignore failures. Write it without that option.',
  variables:
    'a variable may put another program in its place, or let it check nothing. Write it without that variable.',
  program: 'a path may lead to another program. Write the program without its folder, such as "npm test".',
  changed: 'an earlier part changes the shell. Write only the check, such as "npm test".',
} as const satisfies Record<Exclude<HidingSyntax, 'unreached'>, string>;

/**
 * Says why a zero exit code of a command proves nothing, and what to write instead. Empty if it proves that the check passed. The
 * variables of a check that the settings name belong to it.
 */
export const hidingText = (
  command: string,
  hiding: FoundCheck['zero'],
  source: 'written' | 'named' = 'written',
): string =>
  hiding === 'passed' || (hiding === 'variables' && source === 'named')
    ? ''
    : `${JSON.stringify(command)} can exit with 0 although the check fails: ${hidingTexts[hiding]}`;

/** A check in a command, and whether the exit code of the whole command is the exit code of the check. */
export interface FoundCheck extends Check {
  readonly zero: 'passed' | Exclude<HidingSyntax, 'unreached'>;
  /** Another exit code: `failed` if only the check can have failed. */
  readonly nonZero: 'failed' | HidingSyntax;
  /** `written`: the rest of the command may have changed files after the check read them. `outside`: the check reads files that weft does not watch. */
  readonly files: 'as-read' | 'written' | 'outside';
  /** `by-name`: an option chooses tests by their names, so perhaps none runs. */
  readonly selection: 'all' | 'by-name';
}

export type CheckEnd =
  | {readonly kind: 'exited'; readonly code: number}
  /** The exit code of the command says nothing about the check. */
  | {readonly kind: 'hidden'; readonly by: HidingSyntax}
  | {readonly kind: 'stopped'; readonly why: 'signal' | 'time-limit'};

/** The counts that the output names. A count that the output does not name is missing. For compilers and linters, `failed` counts errors. */
export interface CheckCounts {
  readonly passed?: number;
  readonly failed?: number;
}

export interface Receipt extends Check {
  /** The call that ran the check, the user's own command, or `host` if weft ran the check itself. */
  readonly call: ActionId | 'host';
  readonly end: CheckEnd;
  readonly counts: CheckCounts;
  /** When the check ended, in milliseconds since the epoch. */
  readonly at: number;
  /** The files after the run. `unknown`: weft could not store their state, so the receipt is never fresh. */
  readonly tree: TreeId | 'unknown';
  readonly isConfined: boolean;
}

/** The checks of a command that runs in a block, with the files as they were when it began. */
export interface RunningCheck extends Pick<Receipt, 'call' | 'tree' | 'isConfined'> {
  readonly checks: readonly FoundCheck[];
}

/** The facts about checks that a session keeps while it is open. */
export interface CheckTracker {
  readonly running: Map<BlockId, RunningCheck>;
  /** The actions of all agents that may change files: those that run, and all that ever began. */
  active: number;
  begun: number;
}

/** The latest run of a check, and whether no file that the check depends on has changed since. */
export interface CheckStatus {
  readonly receipt: Receipt;
  readonly isFresh: boolean;
}

/** Returns whether a check passed. `unknown`: neither the exit code nor the counts tell. */
export function outcomeOf({
  kind,
  end,
  counts,
}: Pick<Receipt, 'kind' | 'end' | 'counts'>): 'passed' | 'failed' | 'unknown' {
  if (end.kind === 'hidden') return (counts.failed ?? 0) > 0 ? 'failed' : 'unknown';
  if (end.kind !== 'exited' || end.code !== 0) return 'failed';
  return doubtOfCounts({kind, end, counts}) === '' ? 'passed' : 'unknown';
}

/** Says how the counts of a check contradict that it exited with 0. Empty if they don't. */
export function doubtOfCounts({
  kind,
  end,
  counts: {passed, failed = 0},
}: Pick<Receipt, 'kind' | 'end' | 'counts'>): string {
  if (end.kind !== 'exited' || end.code !== 0) return '';
  if (failed > 0) return `exited with 0, but counts ${failed} failed`;
  return kind === 'test' && passed === 0 ? 'ran no test' : '';
}

/** True if the check passed and nothing has changed since. */
export const isProven = ({receipt, isFresh}: CheckStatus): boolean => isFresh && outcomeOf(receipt) === 'passed';

/** Two receipts with the same key are runs of the same check. */
export const checkKey = ({name, directory}: Pick<Check, 'name' | 'directory'>): string =>
  JSON.stringify([name, directory]);

/** Returns the name of a check, with its folder if that is not the workspace: `npm test in web`. */
export const nameIn = ({name, directory}: Pick<Check, 'name' | 'directory'>, workspace: string): string =>
  directory === workspace ? name : `${name} in ${relativeTo(directory, workspace)}`;
