import {existsSync} from 'node:fs';
import type {DatabaseChoice, Places} from '../config/places.ts';
import type {Database} from '../store/database.ts';
import {Store} from '../store/open-store.ts';
import {openSqlite} from '../store/sqlite-database.ts';
import {unwrap} from './exit-code.ts';
import {randomUuid} from './clock-and-ids.ts';

export interface InDatabase {
  readonly database: DatabaseChoice;
}

export const now = (): number => Date.now();

/** Opens the user's database. Loads the Postgres code only if it is needed. */
export async function openUserDatabase({database}: InDatabase): Promise<Database> {
  const options = {now, process};
  if (database.kind === 'sqlite') return unwrap(openSqlite(database.file, options));
  const {openPostgres} = await import('../store/postgres/postgres-database.ts');
  return unwrap(openPostgres(database.url, options));
}

/** True if the database exists. A Postgres database is assumed to exist. */
export const isStoreMade = ({database}: Pick<Places, 'database'>): boolean =>
  database.kind === 'postgres' || existsSync(database.file);

/** Opens the sessions in the user's database. */
export const openUserStore = async (places: InDatabase): Promise<Store> => sessionsIn(await openUserDatabase(places));

export const sessionsIn = (database: Database): Store => new Store(database, {now, uuid: randomUuid});
