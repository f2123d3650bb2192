import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {isJsonList, parseJson} from '../../base/json.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {gitEnvironment} from './own-git.ts';

/*
 * Contents that a repository of the user's holds already are not kept a second time: they are named after their blob and size, and
 * read from there when they are wanted. What git has removed since (with the repository, or by collecting garbage) is not kept any
 * more; then the file is named, and left as it is.
 */

/** The name of a content that git holds. The size finds out where git would give other bytes than were on the disk. */
export const gitName = ({blob, size}: {readonly blob: string; readonly size: number}): string => `git:${blob}:${size}`;

export const isGitName = (name: string): boolean => name.startsWith('git:');

/** The name git gives to a content. */
export const blobOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Reads contents from the repositories that are written down in `file`. */
export interface GitBlobs {
  /** Contents of this repository are referred to from now on. */
  refer(gitFolder: string): void;
  /** Those that are still there, by name. */
  read(names: readonly string[]): ReadonlyMap<string, Buffer>;
}

export function openGitBlobs(file: string, environment: NodeJS.ProcessEnv): GitBlobs {
  return {
    refer(gitFolder) {
      const known = foldersIn(file);
      if (known.includes(gitFolder)) return;
      makeFolders(dirname(file));
      writeFileSync(file, JSON.stringify([...known, gitFolder]), {mode: 0o600});
    },
    read(names) {
      const found = new Map<string, Buffer>();
      for (const gitFolder of foldersIn(file).toReversed()) {
        const missing = names.filter(name => !found.has(name));
        for (let at = 0; at < missing.length; at += atOnce) {
          for (const [name, bytes] of readFrom(gitFolder, missing.slice(at, at + atOnce), environment)) {
            found.set(name, bytes);
          }
        }
      }
      return found;
    },
  };
}

/** Contents that are asked for in one go, and bytes they may have together. */
const atOnce = 200;
const mostBytes = 1024 * 1024 * 1024;

function foldersIn(file: string): readonly string[] {
  try {
    const json = parseJson(readFileSync(file, 'utf8'));
    return json.tag === 'ok' && isJsonList(json.value) ? json.value.filter(one => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

function readFrom(
  gitFolder: string,
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): readonly (readonly [string, Buffer])[] {
  const blobs = names.map(name => name.split(':')[1] ?? '');
  const {stdout, error} = spawnSync('git', ['--git-dir', gitFolder, 'cat-file', '--batch'], {
    cwd: '/',
    input: `${blobs.join('\n')}\n`,
    env: gitEnvironment(environment, dirname(gitFolder)),
    maxBuffer: mostBytes,
    timeout: 60_000,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (error !== undefined) return [];
  const found: (readonly [string, Buffer])[] = [];
  let at = 0;
  for (const name of names) {
    const end = stdout.indexOf(10, at);
    if (end === -1) break;
    const [, kind, length] = stdout.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (kind !== 'blob') continue;
    const bytes = stdout.subarray(at, at + Number(length));
    at += Number(length) + 1;
    if (gitName({blob: blobOf(bytes), size: bytes.length}) === name) found.push([name, Buffer.from(bytes)]);
  }
  return found;
}
