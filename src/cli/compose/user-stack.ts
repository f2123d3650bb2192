import {randomInt} from 'node:crypto';
import type {Places} from '../../config/places.ts';
import {openStackStore, type StackStore} from '../../store/stack-store.ts';
import {unwrap} from '../exit-code.ts';

/** Opens the task stack in the user's database. */
export const openUserStack = (places: Places): StackStore =>
  unwrap(
    openStackStore({
      file: places.database,
      now: () => Date.now(),
      digits: () =>
        randomInt(16 ** 6)
          .toString(16)
          .padStart(6, '0'),
    }),
  );
