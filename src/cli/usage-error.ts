/** A command line, setting or input that cannot be carried out as given: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
