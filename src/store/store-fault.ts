import {causeText, FaultError, type Fault} from '../domain/fault.ts';

/**
 * What the store throws where its contract has no place for a fault, above all from `append`: what was to be kept is not kept.
 * `message` is written for the user.
 */
export class StoreError extends FaultError {
  override readonly name = 'StoreError';
}

/** Runs work that throws a `StoreError` where it fails. */
export const throwing =
  (faultOf: (cause: unknown) => Fault) =>
  <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw cause instanceof StoreError ? cause : new StoreError(faultOf(cause), cause);
    }
  };

/** The fault for whatever SQLite or the file system threw about the database `file`. */
export function storeFault(cause: unknown, file: string): Fault {
  if (cause instanceof StoreError) return cause.fault;
  const said = causeText(cause);
  const primary = sqliteCode(cause);
  if (primary !== undefined) {
    return {kind: 'needs-user', message: `${sqliteTrouble(primary, file)} (${said}).`, fix: sqliteFix(primary, file)};
  }
  if (!isSystemError(cause)) return {kind: 'bug', message: `The session store failed (${said}).`, cause};
  return {
    kind: 'needs-user',
    message: `The session database ${file} cannot be opened (${said}).`,
    fix: 'Make its folder writable, choose another one with WEFT_HOME=<dir>, or save nothing with --no-session-persistence.',
  };
}

/** Whether SQLite gave up waiting for another process. */
export const isBusy = (cause: unknown): boolean => sqliteCode(cause) === resultCode.busy;

/** The primary result codes that call for something different from the user; fixed by SQLite's file format and API. */
const resultCode = {busy: 5, readonly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26} as const;

function sqliteTrouble(code: number, file: string): string {
  switch (code) {
    case resultCode.busy:
      return `The session database ${file} is locked by another process`;
    case resultCode.readonly:
      return `The session database ${file} cannot be written`;
    case resultCode.corrupt:
    case resultCode.notADatabase:
      return `The session database ${file} is damaged or not a database`;
    case resultCode.full:
      return `The disk is full: cannot save the session in ${file}`;
    case resultCode.cantOpen:
      return `The session database ${file} cannot be opened`;
    default:
      return `The session database ${file} failed`;
  }
}

function sqliteFix(code: number, file: string): string {
  switch (code) {
    case resultCode.busy:
      return 'Try again; if that does not help, close other weft processes.';
    case resultCode.corrupt:
    case resultCode.notADatabase:
      return `Move ${file} and its -wal and -shm files away; weft starts a new one.`;
    case resultCode.full:
      return 'Free some space, then continue with --continue.';
    case resultCode.ioError:
      return 'Check the disk, or choose another folder with WEFT_HOME=<dir>.';
    default:
      return 'Make the file and its folder writable, or choose another folder with WEFT_HOME=<dir>.';
  }
}

/** SQLite's primary result code; extended codes carry it in their low byte. */
function sqliteCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return undefined;
  return cause.errcode & 0xff;
}

/** What the file system throws, as against a mistake of ours. */
const isSystemError = (cause: unknown): boolean => cause instanceof Error && 'syscall' in cause;
