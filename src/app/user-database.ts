import {existsSync} from 'node:fs';
import type {DatabaseChoice, Places} from '../config/places.ts';
import type {DatabasePlace} from '../store/database.ts';
import {openStore, type Store} from '../store/open-store.ts';
import {sqlitePlace} from '../store/sqlite-database.ts';
import {unwrap} from './exit-code.ts';
import {randomUuid} from './random-uuid.ts';

/** Where the user's data are kept. What speaks to Postgres is loaded for a user of it alone. */
export async function userDatabase(database: DatabaseChoice): Promise<DatabasePlace> {
  if (database.kind === 'sqlite') return sqlitePlace(database.file);
  const {postgresPlace} = await import('../store/postgres/postgres-database.ts');
  return unwrap(postgresPlace(database.url));
}

/** Whether there is a database already; one that is not a file of this machine may be there. */
export const isStoreMade = ({database}: Pick<Places, 'database'>): boolean =>
  database.kind === 'postgres' || existsSync(database.file);

/** Opens the sessions in the user's database. */
export async function openUserStore({database}: Pick<Places, 'database'>): Promise<Store> {
  return unwrap(
    openStore({
      database: await userDatabase(database),
      clock: {now: () => Date.now()},
      uuid: () => randomUuid(),
      process: {pid: process.pid},
    }),
  );
}
