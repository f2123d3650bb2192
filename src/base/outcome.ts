/** The result of an operation that is expected to fail sometimes: the failure is a value. `throw` is only for bugs. */
export type Outcome<T, E> = {readonly tag: 'ok'; readonly value: T} | {readonly tag: 'failed'; readonly error: E};

export const ok = <T>(value: T): {readonly tag: 'ok'; readonly value: T} => ({tag: 'ok', value});

export const failed = <E>(error: E): {readonly tag: 'failed'; readonly error: E} => ({tag: 'failed', error});

/** Returns the result of `work`, or the fallback if it throws. `work` is not asynchronous: a promise has `catch`. */
export function tryOr<T, F>(work: () => T, fallback: F): T | F {
  try {
    return work();
  } catch {
    return fallback;
  }
}
