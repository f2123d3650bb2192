import {realpathSync, statSync} from 'node:fs';

/*
 * SQLite keeps processes apart by POSIX locks. A process loses all its locks on a file when it closes any descriptor of
 * that file. The next program that opens the database then acts as its only user and deletes the `-wal` file, with the
 * changes in it. So weft opens a database only through SQLite.
 */

const files = new Set<string>();

/** Remembers, until this process ends, that SQLite has opened the existing database `file`. */
export function registerOpenDatabase(file: string): void {
  const real = realpathSync(file);
  for (const end of ['', '-wal', '-shm', '-journal']) files.add(real + end);
}

/**
 * Returns the databases that this process has opened and the files that SQLite keeps beside them, links followed. Not
 * all of them exist.
 */
export const openDatabases = (): readonly string[] => [...files];

/** Why weft does not read an open database. */
export const openDatabaseReason = 'weft has this database open';

/** True if the path, links followed, is a file of a database that this process has opened. */
export function isOpenDatabase(path: string): boolean {
  try {
    const found = files.size === 0 ? undefined : statsOf(path);
    return found !== undefined && openDatabases().some(name => isSame(found, statsOf(name)));
  } catch {
    return false;
  }
}

// `bigint` is lossless: as a `number`, neighboring inodes of some file systems are equal.
const statsOf = (name: string): Inode | undefined => statSync(name, {bigint: true, throwIfNoEntry: false});

const isSame = (one: Inode, other: Inode | undefined): boolean => one.ino === other?.ino && one.dev === other.dev;

interface Inode {
  readonly ino: bigint;
  readonly dev: bigint;
}
