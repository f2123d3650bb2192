import {readdirSync} from 'node:fs';

/** What is in a folder, in the order of the file system; nothing where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
