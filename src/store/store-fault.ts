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
    const [trouble, fix] = sqliteText(primary, file);
    return {kind: 'needs-user', message: `${trouble} (${said}).`, fix};
  }
  if (!isSystemError(cause)) return {kind: 'bug', message: `The session store failed (${said}).`, cause};
  return {
    kind: 'needs-user',
    message: `The session database ${file} cannot be opened (${said}).`,
    fix: 'Make its folder writable, choose another one with WEFT_HOME=<dir>, or save nothing with --no-session-persistence.',
  };
}

/** Whether SQLite gave up waiting for another process. */
export const isBusy = (cause: unknown): boolean => sqliteCode(cause) === busy;

const busy = 5;
const makeWritable = 'Make the file and its folder writable, or choose another folder with WEFT_HOME=<dir>.';

/** What is wrong and what the user does where another process holds a lock. */
export const lockedText = [
  'is locked by another process',
  'Try again; if that does not help, close other weft processes.',
] as const;

/** What is wrong and what the user does, by SQLite's primary result code; its file format and API fix the codes. */
function sqliteText(code: number, file: string): readonly [trouble: string, fix: string] {
  const damaged = [
    'is damaged or not a database',
    `Move ${file} and its -wal and -shm files away; weft starts a new one.`,
  ] as const;
  const ofDatabase: Readonly<Record<number, readonly [trouble: string, fix: string]>> = {
    [busy]: lockedText,
    8: ['cannot be written', makeWritable],
    10: ['failed', 'Check the disk, or choose another folder with WEFT_HOME=<dir>.'],
    11: damaged,
    14: ['cannot be opened', makeWritable],
    26: damaged,
  };
  if (code === 13)
    return [`The disk is full: cannot save the session in ${file}`, 'Free some space, then continue with --continue.'];
  const [trouble, fix] = ofDatabase[code] ?? ['failed', makeWritable];
  return [`The session database ${file} ${trouble}`, fix];
}

/** SQLite's primary result code; extended codes carry it in their low byte. */
function sqliteCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause) || typeof cause.errcode !== 'number') return undefined;
  return cause.errcode & 0xff;
}

/** What the file system throws, as against a mistake of ours. */
const isSystemError = (cause: unknown): boolean => cause instanceof Error && 'syscall' in cause;
