// A set-up file of the tests that `run-mutants.ts` runs: says which mutant counts, and notes for each test which mutants it reached.
import {afterEach, beforeEach, inject} from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Without `active` no mutant counts. `tests` are the ids of those that run, if not all do. */
    mutation: {readonly active?: number; readonly maxReached: number; readonly tests?: readonly string[]};
  }
  interface TaskMeta {
    /** How often the test reached each mutant. */
    reached?: Readonly<Record<number, number>>;
    /** Those that were reached since the last test, such as by the loading of a module. */
    reachedBetween?: readonly number[];
  }
}

const {active, maxReached, tests} = inject('mutation');
let reached = new Map<number, number>();

Object.assign(globalThis, {
  isMutant: (number: number): boolean => {
    const times = (reached.get(number) ?? 0) + 1;
    reached.set(number, times);
    if (number !== active) return false;
    // A loop that would not end any more is a failure, too.
    if (times > maxReached) throw new Error('The mutant is reached without end.');
    return true;
  },
});

beforeEach(({task, skip}) => {
  if (tests?.includes(task.id) === false) skip();
  task.meta.reachedBetween = [...reached.keys()];
  reached = new Map();
});

afterEach(({task}) => {
  task.meta.reached = Object.fromEntries(reached);
  reached = new Map();
});
