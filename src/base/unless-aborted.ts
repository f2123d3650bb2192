/** What the promise comes to, or `aborted` where that comes first. Leaves no listener behind. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  const aborted = Promise.withResolvers<'aborted'>();
  const abort = (): void => aborted.resolve('aborted');
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, {once: true});
  try {
    // Whoever breaks after the abort is heard by nobody, and brings nothing down.
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
