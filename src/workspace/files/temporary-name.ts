import {randomBytes} from 'node:crypto';
import {readdir, rm, stat} from 'node:fs/promises';
import {isRunning} from '../is-running.ts';

/** Milliseconds after which nobody can still be writing a temporary file: its process may be one this machine cannot see. */
const forgottenMs = 60_000;

const form = /^\.weft-(\d+)-[0-9a-f]{12}\.tmp$/u;

/** A name for a file that takes another one's place as soon as it is whole; it tells which process writes it. */
export const temporaryName = (): string => `.weft-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;

export const isTemporaryName = (name: string): boolean => name.startsWith('.weft-') && form.test(name);

/** Removes what processes that were killed while they wrote have left in a folder. Never throws. */
export async function removeForgotten(folder: {at(name: string): string}): Promise<void> {
  const names = await readdir(folder.at('.')).catch(() => []);
  for (const name of names) {
    const pid = Number((name.startsWith('.weft-') ? form.exec(name) : null)?.[1] ?? 0);
    if (pid === 0 || isRunning(pid)) continue;
    const path = folder.at(name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > forgottenMs) await rm(path, {force: true}).catch(() => {});
  }
}
