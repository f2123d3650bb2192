/** The value of something that can be expected to fail: trouble is data, `throw` is for bugs. */
export type Outcome<T, E> = {readonly tag: 'ok'; readonly value: T} | {readonly tag: 'failed'; readonly error: E};

export const ok = <T>(value: T): {readonly tag: 'ok'; readonly value: T} => ({tag: 'ok', value});

export const failed = <E>(error: E): {readonly tag: 'failed'; readonly error: E} => ({tag: 'failed', error});
