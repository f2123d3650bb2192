import {faultText} from '../../../src/domain/fault.ts';
import type {DatabasePlace} from '../../../src/store/database.ts';
import {postgresPlace} from '../../../src/store/postgres/postgres-database.ts';
import {sqlitePlace} from '../../../src/store/sqlite-database.ts';

/** A file of SQLite, or an address of Postgres. */
export function placeOf(name: string): DatabasePlace {
  if (!name.startsWith('postgres:')) return sqlitePlace(name);
  const place = postgresPlace(name);
  if (place.tag === 'failed') throw new Error(faultText(place.error));
  return place.value;
}
