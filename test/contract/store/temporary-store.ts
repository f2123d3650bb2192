import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, describe} from 'vitest';
import {openDatabase} from './open-database.ts';
import {Store} from '../../../src/store/open-store.ts';
import {type PostgresServer, postgresMissing, startPostgres} from '../../support/postgres-server.ts';

/** A folder of its own for a database; gone when it goes out of scope. */
export function temporaryFile(): Disposable & {readonly file: string} {
  const folder = mkdtempSync(join(tmpdir(), 'weft-store-'));
  const file = join(folder, 'data', 'weft.db');
  return {
    file,
    [Symbol.dispose]: () => {
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** A store whose clock ticks once at every look and whose ids are `uuid(1)`, `uuid(2)`, … */
export function countingStore(name: string): Store {
  let ticks = 0;
  let ids = 0;
  const now = (): number => (ticks += 1);
  return new Store(openDatabase(name, {now}), {now, uuid: () => uuid((ids += 1))});
}

export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The same tests on each kind of database: `name` gives that of the test, which is empty at its start. */
export function onEachDatabase(tests: (database: {readonly name: string}) => void): void {
  describe('in a file', () => {
    let temporary: ReturnType<typeof temporaryFile> | undefined;
    beforeEach(() => {
      temporary = temporaryFile();
      return () => temporary?.[Symbol.dispose]();
    });
    tests({
      get name() {
        return temporary?.file ?? '';
      },
    });
  });
  describe('in Postgres', () => {
    let server: PostgresServer | undefined;
    let name = '';
    beforeAll(async () => {
      if (postgresMissing === '') server = await startPostgres();
    });
    afterAll(async () => server?.[Symbol.asyncDispose]());
    beforeEach(async ({skip}) => {
      skip(server === undefined, postgresMissing);
      name = (await server?.newDatabase()) ?? '';
    });
    tests({
      get name() {
        return name;
      },
    });
  });
}
