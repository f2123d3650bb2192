import {setTimeout as pause} from 'node:timers/promises';

/**
 * Looks again and again until `look` finds what it looks for. Rejects with what `missing` says, after longer than a busy machine
 * takes and before the test is over.
 */
export async function lookUntil(
  look: () => boolean | Promise<boolean>,
  missing: () => string | Promise<string>,
  withinMs = 30_000,
): Promise<void> {
  const limit = performance.now() + withinMs;
  while (!(await look())) {
    if (performance.now() > limit) throw new Error(await missing());
    await pause(10);
  }
}
