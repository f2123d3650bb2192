/** Resolves like `promise`, or to `'aborted'` if the signal aborts first. Removes its listener from the signal at the end. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  const aborted = Promise.withResolvers<'aborted'>();
  const abort = (): void => aborted.resolve('aborted');
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, {once: true});
  try {
    // `race` also handles a rejection that comes after the abort, so it never becomes an unhandled rejection.
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves like `promise`, or to `'timeout'` after `ms` milliseconds. Clears the timer at the end. */
export async function raceTimeout<T>(promise: Promise<T>, ms: number): Promise<T | 'timeout'> {
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(timeout.resolve, ms, 'timeout');
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
