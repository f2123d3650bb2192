import {grantingSettings} from '../config/settings-schema.ts';
import type {WeftFolders} from '../safety/paths/weft-files.ts';
import {randomBytes} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {makeFolders} from '../config/make-folders.ts';
import {type Places, placesOf} from '../config/places.ts';

/** Returns the folders and files of the user who runs weft. `store` is the database from `--store`. */
export const userPlaces = (store: string | undefined = process.env['WEFT_STORE']): Places =>
  placesOf({platform: process.platform, env: {...process.env, WEFT_STORE: store}, home: homedir()});

/** Returns the user's Claude Code folder, whose instructions and settings weft may use. */
export const claudeFolder = (): string => process.env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude');

/** Returns the user's Codex folder, whose sessions, servers and prompts weft can import. */
export const codexFolder = (): string => process.env['CODEX_HOME'] || join(homedir(), '.codex');

/** Returns the folders that commands and edits never change without asking, and the variables that name them. */
export const weftFolders = ({config, data}: Places, environment: NodeJS.ProcessEnv): WeftFolders => ({
  folders: [...new Set([config, data].map(folder => resolve(folder)))],
  variables: Object.fromEntries(
    ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'WEFT_HOME'].flatMap(name => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  ),
  grantingSettings,
});

const keyLength = 32;

/**
 * Returns the key for making placeholders. It is saved in `file`, so that a secret has the same placeholder in every session of the user.
 * With `leave-no-trace`, or if it can't be saved, the key is new each time.
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
    // Another weft process has just written it, or the file is not writable.
    return readKey(file) ?? key;
  }
  return key;
}
