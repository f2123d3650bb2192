import {causeText, FaultError, type Fault, needsUser} from '../domain/fault.ts';

/**
 * Thrown by methods whose contract has no place for a fault, above all by `append`: nothing was stored. `message` is
 * written for the user.
 */
export class StoreError extends FaultError {
  override readonly name = 'StoreError';
}

/** Wraps a function that runs work and turns its errors into a `StoreError`. */
export const wrapStoreErrors =
  (faultOf: (cause: unknown) => Fault) =>
  <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw cause instanceof StoreError ? cause : new StoreError(faultOf(cause), cause);
    }
  };

/** Returns the fault for an error of SQLite or the file system about the database `file`. */
export function storeFault(cause: unknown, file: string): Fault {
  if (cause instanceof StoreError) return cause.fault;
  const causeMessage = causeText(cause);
  const primary = sqliteCode(cause);
  if (primary !== undefined) {
    const [problem, fix] = sqliteText(primary, file);
    return needsUser(`${problem} (${causeMessage}).`, fix);
  }
  if (!isSystemError(cause)) return {kind: 'bug', message: `The session store failed (${causeMessage}).`, cause};
  return needsUser(
    `Can't open the session database ${file} (${causeMessage}).`,
    'Make its folder writable, choose another one with WEFT_HOME=<dir>, or run with --no-session-persistence.',
  );
}

/** True if SQLite gave up waiting for another process. */
export const isBusy = (cause: unknown): boolean => sqliteCode(cause) === busy;

const busy = 5;
const makeWritableFix = 'Make the file and its folder writable, or choose another folder with WEFT_HOME=<dir>.';

/** The problem and the fix if another process holds a lock. */
export const lockedText = [
  'is locked by another process',
  'Try again; if that does not help, close other weft processes.',
] as const;

/** Returns the problem and the fix for SQLite's primary result code. SQLite's file format and API fix the codes. */
function sqliteText(code: number, file: string): readonly [problem: string, fix: string] {
  const damaged = [
    'is damaged or not a database',
    `Move ${file} and its -wal and -shm files away; weft starts a new one.`,
  ] as const;
  const problems: Readonly<Record<number, readonly [problem: string, fix: string]>> = {
    [busy]: lockedText,
    8: ['cannot be written', makeWritableFix],
    10: ['failed', 'Check the disk, or choose another folder with WEFT_HOME=<dir>.'],
    11: damaged,
    14: ['cannot be opened', makeWritableFix],
    26: damaged,
  };
  if (code === 13)
    return [`The disk is full: cannot save the session in ${file}`, 'Free some space, then continue with --continue.'];
  const [problem, fix] = problems[code] ?? ['failed', makeWritableFix];
  return [`The session database ${file} ${problem}`, fix];
}

/** Returns SQLite's primary result code; extended codes carry it in their low byte. */
function sqliteCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return undefined;
  return cause.errcode & 0xff;
}

/** True for an error of the file system, as opposed to a bug in weft. */
const isSystemError = (cause: unknown): boolean => cause instanceof Error && 'syscall' in cause;
