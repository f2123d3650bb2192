import type {Outcome} from '../base/outcome.ts';
import {adviceOn, type Fault, faultText} from '../domain/fault.ts';

/** The exit codes of weft, part of the command-line contract. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  needsApproval: 3,
  limitReached: 4,
  timeLimit: 124,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Makes an action for commander that sets the exit code that `run` returns. */
export const exiting =
  <Args extends readonly unknown[]>(run: (...args: Args) => Promise<ExitCode>) =>
  async (...args: Args): Promise<void> =>
    setExitCode(await run(...args));

/** Sets the exit code of the process. A success never replaces a failure. */
export function setExitCode(code: ExitCode): void {
  if (code !== exitCode.done) process.exitCode = code;
}

/** The message on stderr for the exit code `timeLimit`. */
export const timeLimitText = (seconds: number): string => `stopped at the time limit of ${seconds} s`;

/** An error in the command line, a setting or the input: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the exit code of a run that ended with a thrown error. */
export const codeOfFailure = (cause: unknown): ExitCode =>
  cause instanceof UsageError || adviceOn(cause) !== undefined ? exitCode.usage : exitCode.failed;

/** Returns the value of an outcome, or throws an error with the text of its fault. */
export function unwrap<T>(outcome: Outcome<T, Fault>): T {
  if (outcome.tag === 'failed') throw new Error(faultText(outcome.error));
  return outcome.value;
}
