import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';

/** Writes a file, and makes the folders above it. */
export function putFile(path: string, text: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}
