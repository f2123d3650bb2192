import {readFileSync} from 'node:fs';

/** Read from package.json beside the built program, so that the number stands in one place only. */
export function version(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof read === 'object' && read !== null && 'version' in read ? String(read.version) : 'unknown';
}
