import {randomInt} from 'node:crypto';
import type {Places} from '../config/places.ts';
import {openStackRunLog, type StackRunLog} from '../store/stack-run-log.ts';
import {openStackStore, type StackStore} from '../store/stack-store.ts';
import {unwrap} from './exit-code.ts';
import {userDatabase} from './user-database.ts';

/** Opens the task stack in the user's database. */
export const openUserStack = async ({database}: Pick<Places, 'database'>): Promise<StackStore> =>
  unwrap(
    openStackStore({
      database: await userDatabase(database),
      now: () => Date.now(),
      process,
      digits: () =>
        randomInt(16 ** 6)
          .toString(16)
          .padStart(6, '0'),
    }),
  );

/** Opens what happens in runs of the stack that workers do, in the user's database. */
export const openUserStackRunLog = async ({database}: Pick<Places, 'database'>): Promise<StackRunLog> =>
  unwrap(openStackRunLog({database: await userDatabase(database), now: () => Date.now(), process}));
