import {existsSync} from 'node:fs';
import type {DatabaseChoice, Places} from '../config/places.ts';
import type {Database, DatabaseOptions} from '../store/database.ts';
import {Store} from '../store/open-store.ts';
import {openSqlite} from '../store/sqlite-database.ts';
import {unwrap} from './exit-code.ts';
import {note} from './output.ts';
import {randomUuid} from './clock-and-ids.ts';

export interface InDatabase {
  readonly database: DatabaseChoice;
}

export const now = (): number => Date.now();

/** Opens the user's database. Loads the Postgres code only if it is needed. */
export async function openUserDatabase(
  {database}: InDatabase,
  more: Pick<DatabaseOptions, 'readNewer'> = {},
): Promise<Database> {
  const options = {now, process, ...more};
  if (database.kind === 'sqlite') return unwrap(openSqlite(database.file, options));
  const {openPostgres} = await import('../store/postgres/postgres-database.ts');
  return unwrap(openPostgres(database.url, options));
}

/** True if the database exists. A Postgres database is assumed to exist. */
export const isStoreMade = ({database}: Pick<Places, 'database'>): boolean =>
  database.kind === 'postgres' || existsSync(database.file);

/** Opens the sessions in the user's database. */
export const openUserStore = async (places: InDatabase): Promise<Store> => sessionsIn(await openUserDatabase(places));

/** Opens the sessions in the user's database for a command that only reads: also if a newer weft made it, which a note says. */
export const readUserStore = async (places: InDatabase): Promise<Store> =>
  sessionsIn(await openUserDatabase(places, {readNewer: note}));

export const sessionsIn = (database: Database): Store => new Store(database, {now, uuid: randomUuid});
