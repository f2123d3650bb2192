import {randomBytes} from 'node:crypto';
import {chmodSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {makeFolders} from '../../../config/make-folders.ts';

interface ServerToken {
  readonly value: string;
  /** Where it is kept; `null` for the one of WEFT_SERVER_TOKEN, which is written nowhere. */
  readonly file: string | null;
}

/**
 * The token that requests to `weft serve` need: that of WEFT_SERVER_TOKEN, else the one of `file`, which stays the same from start to
 * start so that programs need not be told. The file is for this user alone (0600).
 */
export function serverToken(file: string, environment: NodeJS.ProcessEnv): ServerToken {
  const given = environment['WEFT_SERVER_TOKEN'] ?? '';
  // Commands of the agent are no clients of the server.
  delete environment['WEFT_SERVER_TOKEN'];
  if (given !== '') return {value: given, file: null};
  return {value: readToken(file) ?? makeToken(file), file};
}

/** 32 random bytes as text. */
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
    // Another server was first.
    const other = readToken(file);
    if (other === undefined) throw cause;
    return other;
  }
  return token;
}
