import {unreachable} from '../base/unreachable.ts';

/** Expected trouble, as a value. The kind says who must act. */
export type Fault =
  /** The model asked for something that cannot be done as asked; it reads the message and tries otherwise. */
  | {readonly kind: 'rejected'; readonly message: string}
  /** The user (or operator of a script) must act; `fix` is the sentence that says how. */
  | {readonly kind: 'needs-user'; readonly message: string; readonly fix: string}
  /** The model provider refused or broke off. `status` is the HTTP status, 0 where there was none. */
  | {readonly kind: 'provider'; readonly message: string; readonly fix: string; readonly status: number}
  /** Ours: something that must not happen did. */
  | {readonly kind: 'bug'; readonly message: string; readonly cause: unknown};

export const rejected = (message: string): Fault => ({kind: 'rejected', message});

/** One line for a person: what failed and what to do. */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case 'rejected':
      return fault.message;
    case 'needs-user':
    case 'provider':
      return fault.fix === '' ? fault.message : `${sentence(fault.message)} ${fault.fix}`;
    case 'bug':
      return `${fault.message} (this is a fault in weft)`;
    default:
      return unreachable(fault);
  }
}

/** Messages of servers and systems often lack their full stop; what to do must not run into them. */
const sentence = (message: string): string => (/[.!?…]$/u.test(message) ? message : `${message}.`);

/**
 * What an unknown thrown value says of itself. The system's own (`ENOENT: no such file or directory, open '/x'`) are put in
 * words: `no such file or directory: /x`.
 */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const [, words, path] = /^E[A-Z0-9]+: ([^,]+), \w+(?: '([^']*)')?/u.exec(cause.message) ?? [];
  if (words === undefined) return cause.message;
  return path === undefined ? words : `${words}: ${path}`;
}

/**
 * Carries a fault through code whose contract has no place for one. `message` is written for the user; whoever catches it
 * finds the fault and does not take it for a bug.
 */
export class FaultError extends Error {
  override readonly name: string = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault, cause: unknown) {
    super(faultText(fault), {cause});
    this.fault = fault;
  }
}

/** What was thrown while `what` happened is ours, except where the thrower says whose it is (a full disk is the user's). */
export const thrownFault = (what: string, cause: unknown): Fault =>
  cause instanceof FaultError ? cause.fault : {kind: 'bug', message: `${what}: ${causeText(cause)}`, cause};
