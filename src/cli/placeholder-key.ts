import {randomBytes} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {makeFolders} from '../config/make-folders.ts';

/** Bytes of the key. */
const keyLength = 32;

/**
 * The key that the tags of placeholders are made with: kept in `file`, so that a secret has the same placeholder in every
 * session of the user. Where it cannot be kept, or shall not be, it is new each time.
 */
export function placeholderKey(file: string, keep: 'keep' | 'leave-no-trace'): () => Uint8Array {
  return () => readKey(file) ?? (keep === 'keep' ? makeKey(file) : randomBytes(keyLength));
}

function readKey(file: string): Uint8Array | undefined {
  try {
    const key = readFileSync(file);
    return key.length === keyLength ? key : undefined;
  } catch {
    return undefined;
  }
}

function makeKey(file: string): Uint8Array {
  const key = randomBytes(keyLength);
  try {
    makeFolders(dirname(file));
    writeFileSync(file, key, {mode: 0o600, flag: 'wx'});
  } catch {
    // Another weft was first, or nothing can be written here.
    return readKey(file) ?? key;
  }
  return key;
}
