import {randomBytes} from 'node:crypto';
import {chmodSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {makeFolders} from '../../../config/make-folders.ts';

interface ServerToken {
  readonly value: string;
  /** The token's file; `null` for a token from WEFT_SERVER_TOKEN, which is not written to a file. */
  readonly file: string | null;
}

/**
 * Returns the token that requests to `weft serve` need: from WEFT_SERVER_TOKEN, or from `file`. The file keeps the same token across
 * restarts, and only this user can read it (mode 0600).
 */
export function serverToken(file: string, environment: NodeJS.ProcessEnv): ServerToken {
  const given = environment['WEFT_SERVER_TOKEN'] ?? '';
  // The agent's commands must not get the token.
  delete environment['WEFT_SERVER_TOKEN'];
  if (given !== '') return {value: given, file: null};
  return {value: readToken(file) ?? makeToken(file), file};
}

/** 32 random bytes in base64url. */
const tokenForm = /^[\w-]{43}$/u;

function readToken(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8').trim();
    if (!tokenForm.test(token)) return undefined;
    chmodSync(file, 0o600);
    return token;
  } catch {
    return undefined;
  }
}

function makeToken(file: string): string {
  const token = randomBytes(32).toString('base64url');
  makeFolders(dirname(file));
  rmSync(file, {force: true});
  try {
    writeFileSync(file, `${token}\n`, {mode: 0o600, flag: 'wx'});
  } catch (cause) {
    // Another server has just created the file.
    const other = readToken(file);
    if (other === undefined) throw cause;
    return other;
  }
  return token;
}
