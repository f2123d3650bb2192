import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, type Stats, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {isJsonList, parseJson} from '../../base/json.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {readRegularFile} from '../files/regular-files.ts';
import {gitEnvironment} from '../exec/git-environment.ts';
import {type GitIndex, matchesIndex} from './tracked-files.ts';

/**
 * File content that the user's git repository holds is not stored again. It is named by blob and size, and read from
 * the repository when needed. If git has deleted the blob since (with the repository, or by garbage collection), the
 * content is lost. A revert then reports the file and leaves it unchanged.
 */

/**
 * Returns the name of file content that git holds. The size detects blobs that differ from the file on the disk
 * (converted line endings, filters).
 */
export const gitBlobName = ({blob, size}: {readonly blob: string; readonly size: number}): string =>
  `git:${blob}:${size}`;

export const isGitBlobName = (name: string): boolean => name.startsWith('git:');

/** Returns the name under which git holds content. */
export function gitBlobNameOf(bytes: Uint8Array): string {
  const blob = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return gitBlobName({blob, size: bytes.length});
}

/** Reads file content from the repositories listed in `file`. */
export function openGitBlobs(file: string, environment: NodeJS.ProcessEnv) {
  return {
    /** Adds a repository to the list. */
    addRepository(gitFolder: string): void {
      const known = readRepositories(file);
      if (known.includes(gitFolder)) return;
      makeFolders(dirname(file));
      writeFileSync(file, JSON.stringify([...known, gitFolder]), {mode: 0o600});
    },
    /** Returns the file content that git still has, by name. */
    read(names: readonly string[]): ReadonlyMap<string, Buffer> {
      const found = new Map<string, Buffer>();
      for (const gitFolder of readRepositories(file).toReversed()) {
        const missing = names.filter(name => !found.has(name));
        for (let at = 0; at < missing.length; at += batchSize) {
          for (const [name, bytes] of readBlobs(gitFolder, missing.slice(at, at + batchSize), environment)) {
            found.set(name, bytes);
          }
        }
      }
      return found;
    },
  };
}

/** The number of blobs to request at once, and the maximum number of bytes that they may have together. */
const batchSize = 200;
const maxBytes = 1024 * 1024 * 1024;

function readRepositories(file: string): readonly string[] {
  try {
    const json = parseJson(readFileSync(file, 'utf8'));
    return json.tag === 'ok' && isJsonList(json.value) ? json.value.filter(one => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

function readBlobs(
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
    if (gitBlobNameOf(bytes) === name) found.push([name, Buffer.from(bytes)]);
  }
  return found;
}

/** Returns the name of a file's content if git holds it, or else `undefined`. `last` is the name in the last checkpoint, if any. */
export function findInGit(
  path: string,
  stats: Stats,
  {index, last}: {readonly index: GitIndex | undefined; readonly last: string | undefined},
): string | undefined {
  const file = index?.file(path);
  if (file !== undefined && index?.contents === 'as-held' && matchesIndex(file, stats)) return gitBlobName(file);
  const names = [file === undefined ? '' : gitBlobName(file), last ?? ''].filter(isGitBlobName);
  if (!names.some(name => name.endsWith(`:${stats.size}`)) || stats.size > maxComparedBytes) return undefined;
  const bytes = readRegularFile(path, maxComparedBytes, 'refused');
  const name = bytes === undefined ? '' : gitBlobNameOf(bytes);
  return names.includes(name) ? name : undefined;
}

/** The size, in bytes, beyond which a file is not read just to find out if git holds it. */
const maxComparedBytes = 16 * 1024 * 1024;
