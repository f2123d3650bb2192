import type {Outcome} from '../../../src/base/outcome.ts';
import {type Fault, faultText} from '../../../src/domain/fault.ts';
import type {Database, DatabaseOptions} from '../../../src/store/database.ts';
import {openPostgres} from '../../../src/store/postgres/postgres-database.ts';
import {openSqlite} from '../../../src/store/sqlite-database.ts';

/** A file of SQLite, or an address of Postgres. */
export const tryDatabase = (name: string, options: DatabaseOptions): Outcome<Database, Fault> =>
  name.startsWith('postgres:') ? openPostgres(name, options) : openSqlite(name, options);

export function openDatabase(name: string, {now = Date.now, process: own = process}: Partial<DatabaseOptions> = {}) {
  const opened = tryDatabase(name, {now, process: own});
  if (opened.tag === 'failed') throw new Error(faultText(opened.error));
  return opened.value;
}
