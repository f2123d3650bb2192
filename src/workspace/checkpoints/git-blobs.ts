import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, type Stats, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {isJsonList, parseJson} from '../../base/json.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {readRegularFile} from '../files/regular-files.ts';
import {gitEnvironment} from './git-query.ts';
import {type GitIndex, matchesIndex} from './tracked-files.ts';

/*
 * Contents that a git repository of the user holds are not stored a second time: they are named after their blob and size, and read
 * from the repository when they are needed. If git has removed the blob since (with the repository, or by garbage collection), the
 * content is lost; a revert then names the file and leaves it as it is.
 */

/** The name of a content that git holds. The size detects blobs that differ from the file on the disk (converted line ends, filters). */
export const gitName = ({blob, size}: {readonly blob: string; readonly size: number}): string => `git:${blob}:${size}`;

export const isGitName = (name: string): boolean => name.startsWith('git:');

export const blobOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Reads contents from the repositories that are listed in `file`. */
export function openGitBlobs(file: string, environment: NodeJS.ProcessEnv) {
  return {
    /** Adds a repository to the list. */
    refer(gitFolder: string): void {
      const known = foldersIn(file);
      if (known.includes(gitFolder)) return;
      makeFolders(dirname(file));
      writeFileSync(file, JSON.stringify([...known, gitFolder]), {mode: 0o600});
    },
    /** The contents that git still has, by name. */
    read(names: readonly string[]): ReadonlyMap<string, Buffer> {
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
const maxBytes = 1024 * 1024 * 1024;

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
    maxBuffer: maxBytes,
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

/** The name of a file's content if git holds it, else `undefined`; `last` is the name in the last checkpoint, if any. */
export function findInGit(
  path: string,
  stats: Stats,
  {index, last}: {readonly index: GitIndex | undefined; readonly last: string | undefined},
): string | undefined {
  const file = index?.file(path);
  if (file !== undefined && index?.contents === 'as-held' && matchesIndex(file, stats)) return gitName(file);
  const names = [file === undefined ? '' : gitName(file), last ?? ''].filter(isGitName);
  if (!names.some(name => name.endsWith(`:${stats.size}`)) || stats.size > maxCompared) return undefined;
  const bytes = readRegularFile(path, maxCompared, 'refused');
  const name = bytes === undefined ? '' : gitName({blob: blobOf(bytes), size: bytes.length});
  return names.includes(name) ? name : undefined;
}

/** Bytes beyond which a file is not read just to find out whether git holds it. */
const maxCompared = 16 * 1024 * 1024;
