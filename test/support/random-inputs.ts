import {inject} from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly randomInputs: 'some' | 'all';
  }
}

/** How many inputs a costly property is tried with: all of them by `npm run test:all`, a tenth by `npm test`. */
export const randomInputs = (all: number): number => (inject('randomInputs') === 'all' ? all : Math.ceil(all / 10));
