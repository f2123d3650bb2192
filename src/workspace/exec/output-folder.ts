import {chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync, type Stats} from 'node:fs';
import {join} from 'node:path';
import {makeFolders} from '../../config/make-folders.ts';

/** A folder of this process for outputs too long to be shown whole. Nobody else can guess its name or look into it. */
export interface OutputFolder {
  /** The path of a file that does not exist yet; makes the folder when needed. Throws when it cannot be made. */
  readonly newFile: () => string;
  /** The same for a page of the web, and for an answer of an MCP server. */
  readonly newPage: () => string;
  readonly newAnswer: () => string;
  /** The same for a picture of the screen (PNG). */
  readonly newScreenshot: () => string;
  /** The folders whose files results may name, this process's and those of others of this user; links resolved. */
  readonly folders: () => readonly string[];
}

/** Milliseconds after which a folder is deleted: results name its files, in sessions that may be resumed. */
const leftoverMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Makes its folders in `parent`, which belongs to this user alone and is made when needed. What is in there and older than
 * seven days is deleted first: `parent` must hold nothing else.
 */
export function makeOutputFolder({parent}: {readonly parent: string}): OutputFolder {
  const made: string[] = [];
  let readable: readonly string[] | undefined;
  let files = 0;

  function makeFolder(): string {
    const own = realpathSync(ownFolder(parent));
    removeLeftovers(own);
    const folder = mkdtempSync(join(own, 'run-'));
    made.push(folder);
    return folder;
  }

  const fileNamed = (name: string, ending = 'txt'): string => {
    const last = made.at(-1);
    // Somebody who tidies temporary folders may have taken it away.
    const folder = last === undefined || statsOf(last) === undefined ? makeFolder() : last;
    files += 1;
    return join(folder, `${name}-${files}.${ending}`);
  };

  return {
    newFile: () => fileNamed('command'),
    newPage: () => fileNamed('page'),
    newAnswer: () => fileNamed('answer'),
    newScreenshot: () => fileNamed('screenshot', 'png'),
    folders: () => (readable ??= existingFolder(parent)) ?? [],
  };
}

/** The folder's real path where it is there and nobody else may write into it; `undefined` otherwise. */
function existingFolder(path: string): readonly string[] | undefined {
  const stats = statsOf(path);
  if (stats === undefined || !stats.isDirectory() || !isOwn(stats)) return undefined;
  return process.platform !== 'win32' && (stats.mode & 0o077) !== 0 ? undefined : [realpathSync(path)];
}

/** Makes sure that `path` is a folder of this user that nobody else may enter; throws when it is not and cannot be. */
function ownFolder(path: string): string {
  makeFolders(path);
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${path} is not a folder`);
  if (!isOwn(stats)) throw new Error(`${path} belongs to another user`);
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stats = statsOf(path);
    if (stats === undefined || !isOwn(stats) || Date.now() - stats.mtimeMs < leftoverMs) continue;
    try {
      rmSync(path, {recursive: true, force: true});
    } catch {
      // Tidying up is never worth a failure.
    }
  }
}

const statsOf = (path: string): Stats | undefined => lstatSync(path, {throwIfNoEntry: false});

/** Where the system knows no user ids every file counts as the user's own. */
function isOwn({uid}: Stats): boolean {
  const self = process.getuid?.();
  return self === undefined || uid === self;
}
