import {dirname} from 'node:path';
import {makeFolders} from '../config/make-folders.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {loadSqlite} from './load-sqlite.ts';
import {isBusy} from './store-fault.ts';

/** Held by one process at a time, and by none that has ended, however it ended: the system lets go of it then. */
export interface RunLock {
  release(): void;
}

/**
 * Takes the lock that an empty database file stands for, at once or not at all. Throws where the file cannot be made.
 */
export function takeRunLock(file: string): Outcome<RunLock, 'held-elsewhere'> {
  makeFolders(dirname(file));
  const {DatabaseSync} = loadSqlite();
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (cause) {
    connection.close();
    if (isBusy(cause)) return failed('held-elsewhere');
    throw cause;
  }
  return ok({release: () => connection.close()});
}
