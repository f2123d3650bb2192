import {chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, type Stats} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {makeFolders} from '../../config/make-folders.ts';
import {entriesBelow} from '../files/list-folder.ts';

/** A private folder of this process for long outputs. Other users can't guess its name or read it. */
export interface OutputFolder {
  /** Returns the path of a file that does not exist yet. Creates the folder if needed; throws if it can't. */
  readonly newFile: () => string;
  /** A file for a web page, or for an answer from an MCP server. */
  readonly newPage: () => string;
  readonly newAnswer: () => string;
  /** A file for a prompt that is too long for the model. */
  readonly newPrompt: () => string;
  /** A file for a screenshot (PNG). */
  readonly newScreenshot: () => string;
  /** The folders whose files results may name: those of this process and of the user's other weft processes. Links are resolved. */
  readonly folders: () => readonly string[];
}

/** The folder that holds the long outputs of this user. */
export const outputParent = (): string => join(tmpdir(), `weft-output-${process.getuid?.() ?? 'user'}`);

/** Milliseconds after which a folder is deleted. Until then resumed sessions can read the files that their results name. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Makes its folders in `parent`, which only this user can access; creates `parent` if needed. First deletes everything
 * in `parent` that is older than seven days, so `parent` must hold nothing else.
 */
export function makeOutputFolder({parent}: {readonly parent: string}): OutputFolder {
  const made: string[] = [];
  let readable: readonly string[] | undefined;
  let files = 0;

  function makeFolder(): string {
    const own = realpathSync(ensurePrivateFolder(parent));
    removeLeftovers(own);
    const folder = mkdtempSync(join(own, 'run-'));
    made.push(folder);
    return folder;
  }

  const fileNamed = (name: string, ending = 'txt'): string => {
    const last = made.at(-1);
    // A cleanup of temporary folders may have deleted it.
    const folder = last === undefined || statsOf(last) === undefined ? makeFolder() : last;
    files += 1;
    return join(folder, `${name}-${files}.${ending}`);
  };

  return {
    newFile: () => fileNamed('command'),
    newPage: () => fileNamed('page'),
    newAnswer: () => fileNamed('answer'),
    newPrompt: () => fileNamed('prompt'),
    newScreenshot: () => fileNamed('screenshot', 'png'),
    folders: () => (readable ??= findPrivateFolder(parent)) ?? [],
  };
}

/** Returns the folder's real path, or `undefined` if it does not exist or other users can write to it. */
function findPrivateFolder(path: string): readonly string[] | undefined {
  const stats = statsOf(path);
  if (stats === undefined || !stats.isDirectory() || !isOwnedByUser(stats)) return undefined;
  return (stats.mode & 0o077) !== 0 ? undefined : [realpathSync(path)];
}

/** Creates `path` if needed and makes it private to this user. Throws if that is impossible. */
function ensurePrivateFolder(path: string): string {
  makeFolders(path);
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${path} is not a folder`);
  if (!isOwnedByUser(stats)) throw new Error(`${path} belongs to another user`);
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stats = statsOf(path);
    if (stats === undefined || !isOwnedByUser(stats) || Date.now() - stats.mtimeMs < maxAgeMs) continue;
    try {
      rmSync(path, {recursive: true, force: true});
    } catch {
      // A failed cleanup must not fail the command.
    }
  }
}

/**
 * The maximum number of bytes of long outputs that {@link limitOutputs} leaves, and the age in milliseconds up to which it
 * leaves all of them.
 */
const maxOutputBytes = 1024 ** 3;
const recentMs = 24 * 60 * 60 * 1000;

/**
 * Deletes everything in `parent` that is older than seven days, and then the oldest files until at most 1 GiB remains. Files of the last
 * 24 hours stay, since sessions that are open may still read them.
 */
export function limitOutputs(parent: string): void {
  const [own] = findPrivateFolder(parent) ?? [];
  if (own === undefined) return;
  removeLeftovers(own);
  const files = [...entriesBelow(own)]
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .flatMap(path => {
      const stats = statsOf(path);
      return stats === undefined ? [] : [{path, bytes: stats.size, at: stats.mtimeMs}];
    })
    .toSorted((a, b) => b.at - a.at);
  let total = 0;
  for (const {path, bytes, at} of files) {
    total += bytes;
    if (total > maxOutputBytes && Date.now() - at > recentMs) rmSync(path, {force: true});
  }
}

const statsOf = (path: string): Stats | undefined => lstatSync(path, {throwIfNoEntry: false});

/** On a system without user ids, every file counts as the user's own. */
function isOwnedByUser({uid}: Stats): boolean {
  const self = process.getuid?.();
  return self === undefined || uid === self;
}
