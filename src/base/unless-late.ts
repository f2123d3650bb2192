/** What the promise comes to, or `late` after so many milliseconds. Leaves no timer behind. */
export async function unlessLate<T>(promise: Promise<T>, ms: number): Promise<T | 'late'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(late.resolve, ms, 'late');
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
