import {byKind, type ByKind} from '../base/unreachable.ts';

/** An expected error, as a value. The kind says who must act. */
export type Fault =
  /** The model requested something impossible. It reads the message and tries something else. */
  | {readonly kind: 'rejected'; readonly message: string}
  /** The user (or operator of a script) must act. `fix` is the sentence that says how. */
  | {readonly kind: 'needs-user'; readonly message: string; readonly fix: string}
  /** The model provider refused or broke off. `status` is the HTTP status, 0 if there was none. */
  | {
      readonly kind: 'provider';
      readonly message: string;
      readonly fix: string;
      readonly status: number;
      readonly refusal: Refusal;
    }
  | {readonly kind: 'bug'; readonly message: string; readonly cause: unknown};

/** A provider's refusal about which weft can do something. `tokens` and `window` are 0 if the provider doesn't name them. */
export type Refusal =
  | {readonly kind: 'other'}
  /** Another model may answer the prompt. */
  | {readonly kind: 'policy'}
  /** The reason may be the length. `words`: the words speak of a size. `none`: there are no words. */
  | {readonly kind: 'maybe-too-long'; readonly hint: 'words' | 'none'}
  | {readonly kind: 'too-long'; readonly tokens: number; readonly window: number};

export type RefusedLength = Omit<Extract<Refusal, {kind: 'too-long'}>, 'kind'>;

/** The length of a request whose tokens are not counted. */
export const unknownLength: RefusedLength = {tokens: 0, window: 0};

export const otherRefusal: Refusal = {kind: 'other'};

/** True if the provider declined to answer the prompt. The same prompt would be declined again. */
export const isDeclined = (fault: Fault): boolean => fault.kind === 'provider' && fault.refusal.kind === 'policy';

export const rejected = (message: string): Fault => ({kind: 'rejected', message});

export const needsUser = (message: string, fix: string): Fault => ({kind: 'needs-user', message, fix});

export const faultText = (fault: Fault): string => byKind(fault, faultTexts);

const withFix = ({message, fix}: {readonly message: string; readonly fix: string}): string =>
  fix === '' ? message : `${sentence(message)} ${fix}`;

const faultTexts: ByKind<Fault, string> = {
  rejected: ({message}) => message,
  'needs-user': withFix,
  provider: withFix,
  bug: ({message}) => `${message} (a bug in weft)`,
};

/** Adds the period that messages from servers and systems often lack, so that another sentence can follow. */
export const sentence = (message: string): string => (/[.!?…]$/u.test(message) ? message : `${message}.`);

/** True if a system call failed with one of these codes. */
export const hasCode = (cause: unknown, ...codes: readonly string[]): boolean =>
  cause instanceof Error && 'code' in cause && codes.some(code => code === cause.code);

/** Returns the code of a system error; empty if it has none. */
export const codeOf = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : '');

/** Advice on system calls that fail because of how the user started weft. */
const advices: Readonly<Record<string, string>> = {
  uv_cwd: 'the current folder no longer exists. Change to another one, or use --cwd.',
  uv_os_homedir: 'this user has no home folder. Set HOME to a folder that weft may write to.',
};

/** Returns the problem and what to do about it; `undefined` for errors that the user can't fix. */
export const adviceOn = (cause: unknown): string | undefined =>
  cause instanceof Error && 'syscall' in cause ? advices[String(cause.syscall)] : undefined;

/**
 * Returns the message of an unknown thrown value. System errors (`ENOENT: no such file or directory, open '/x'`) are
 * shortened to `no such file or directory: /x`.
 */
export function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const advice = adviceOn(cause);
  if (advice !== undefined) return advice;
  const [, words, path] = /^E[A-Z0-9]+: ([^,]+), \w+(?: '([^']*)')?/u.exec(cause.message) ?? [];
  if (words === undefined) return cause.message;
  return path === undefined ? words : `${words}: ${path}`;
}

/**
 * Carries a fault through code whose interface has no place for one. `message` is written for the user. The code that
 * catches the error reads `fault`, so that the fault is not reported as a bug.
 */
export class FaultError extends Error {
  override readonly name: string = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault, cause: unknown) {
    super(faultText(fault), {cause});
    this.fault = fault;
  }
}

/**
 * Returns the fault for an error that was thrown during `what`: the fault that the error carries (only the user can
 * solve a full disk), otherwise a bug.
 */
export const thrownFault = (what: string, cause: unknown): Fault =>
  cause instanceof FaultError ? cause.fault : {kind: 'bug', message: `${what}: ${causeText(cause)}`, cause};
