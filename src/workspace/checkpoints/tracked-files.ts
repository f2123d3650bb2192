import {readFileSync, statSync, type Stats} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {runGitQuery} from './git-query.ts';

/** An entry of the git index: the blob of a file, and the file's stats at that time. Times are in milliseconds. */
export interface IndexedFile {
  readonly blob: string;
  readonly size: number;
  /** NaN if the stats don't prove that the file is unchanged. */
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
}

/** The git index of a repository. */
export interface GitIndex {
  /** The folder of git's objects; for worktrees the common one. */
  readonly gitFolder: string;
  /** Returns the entry of a tracked file by its absolute path. */
  file(path: string): IndexedFile | undefined;
  /** True if something is tracked at or below an absolute path. */
  tracks(path: string): boolean;
  /** The tracked `.gitattributes` files, by absolute path. */
  readonly attributes: ReadonlySet<string>;
  /**
   * `as-held`: files have the content of their blobs. `compared`: git may convert file content (line endings, filters),
   * so each file must be read.
   */
  readonly contents: 'as-held' | 'compared';
}

/**
 * Reads the index of the repository that contains `folder`. Returns `undefined` if there is none, or for a kind that isn't supported here
 * (split, SHA-256); everything is then stored as outside repositories. Runs no program that the repository names.
 */
export async function readGitIndex(
  folder: string,
  {environment, signal}: {readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal},
): Promise<GitIndex | undefined> {
  const known = lastRead.get(folder);
  if (known !== undefined && known.look === fingerprintOf(known.file))
    return withAllAttributes(known, folder, environment);
  lastRead.delete(folder);
  const git = async (...words: readonly string[]): Promise<string> => {
    const answer = await runGitQuery(words, {folder, environment, signal});
    if (answer === undefined) throw new Error('git does not answer');
    return answer;
  };
  try {
    const [places, settings] = await Promise.all([
      git('rev-parse', '--show-object-format', '--git-common-dir', '--git-path', 'index', '--show-toplevel'),
      git('config', '--list', '-z'),
    ]);
    const [format, common, path, top] = places.split('\n');
    if (format !== 'sha1' || common === undefined || path === undefined || top === undefined) return undefined;
    const file = resolve(folder, path);
    const fingerprint = fingerprintOf(file);
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > maxIndexBytes) return undefined;
    const parsed = parseIndex(readFileSync(file), {folder: top, writtenAt: stats.mtimeMs});
    if (parsed === undefined) return undefined;
    const gitFolder = resolve(folder, common);
    const index: GitIndex = {gitFolder, ...parsed, contents: convertsContents(settings) ? 'compared' : 'as-held'};
    const read = {file, look: fingerprint, top, index};
    lastRead.set(folder, read);
    return withAllAttributes(read, folder, environment);
  } catch {
    return undefined;
  }
}

interface ReadIndex {
  readonly file: string;
  readonly look: string;
  readonly top: string;
  readonly index: GitIndex;
}

/**
 * The index that was read last, by folder. Until git writes the index again, a file whose stats match its entry is unchanged, even if
 * settings have changed.
 */
const lastRead = new Map<string, ReadIndex>();

function fingerprintOf(file: string): string {
  const stats = statSync(file, {throwIfNoEntry: false});
  return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
}

function withAllAttributes({top, index}: ReadIndex, folder: string, environment: NodeJS.ProcessEnv): GitIndex {
  const files = [join(index.gitFolder, 'info', 'attributes'), '/etc/gitattributes', userAttributes(environment)];
  const own: GitIndex = files.some(mentionsConversion) ? {...index, contents: 'compared'} : index;
  return foldersBetween(top, folder).reduce(withAttributes, own);
}

/** The size of the largest index to read, in bytes. */
const maxIndexBytes = 256 * 1024 * 1024;

/** True if the stats match the index: git then holds the file's content, unless git converts it. */
export const matchesIndex = (file: IndexedFile, stats: Stats): boolean =>
  file.size === stats.size &&
  file.inode === stats.ino % 2 ** 32 &&
  Math.abs(file.mtime - stats.mtimeMs) < 0.001 &&
  Math.abs(file.ctime - stats.ctimeMs) < 0.001;

/** True if a setting of the user or the repository makes git convert file content. */
function convertsContents(settings: string): boolean {
  const rows = settings.toLowerCase().split('\0');
  return rows.some(
    row =>
      /^core\.(?:eol|attributesfile|ignorestat)\n/u.test(row) ||
      (/^core\.autocrlf(?:\n|$)/u.test(row) && !row.endsWith('\nfalse')),
  );
}

const userAttributes = ({XDG_CONFIG_HOME, HOME = '/'}: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git', 'attributes');

/** Returns the folders above `folder`, from `top` down. */
function foldersBetween(top: string, folder: string): readonly string[] {
  const above: string[] = [];
  for (let at = folder; at !== top && dirname(at) !== at;) {
    at = dirname(at);
    above.unshift(at);
  }
  return above;
}

/**
 * Returns the index for the files below a folder. If a `.gitattributes` there (or a deleted one) may convert file
 * content, the files are `compared`.
 */
export function withAttributes(index: GitIndex, folder: string): GitIndex {
  if (index.contents === 'compared') return index;
  const file = join(folder, '.gitattributes');
  const isThere = statSync(file, {throwIfNoEntry: false}) !== undefined;
  const mayConvert = isThere ? mentionsConversion(file) : index.attributes.has(file);
  return mayConvert ? {...index, contents: 'compared'} : index;
}

/** True if an attributes file may make git convert file content. */
function mentionsConversion(file: string): boolean {
  try {
    const stats = statSync(file, {throwIfNoEntry: false});
    if (stats === undefined) return false;
    return (
      !stats.isFile() ||
      /\b(?:text|eol|crlf|filter|ident|working-tree-encoding)\b|^\[attr\]/mu.test(readFileSync(file, 'utf8'))
    );
  } catch {
    return true;
  }
}

/** Milliseconds within which the file system may give two changes of a file the same time. */
const tickMs = 20;

/**
 * Parses a git index of version 2 to 4. Returns `undefined` for other versions and for a split index. Parses the names
 * right away and the entries on demand, because there may be very many.
 */
function parseIndex(
  bytes: Buffer,
  {folder, writtenAt}: {readonly folder: string; readonly writtenAt: number},
): Pick<GitIndex, 'file' | 'tracks' | 'attributes'> | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const places = new Map<string, number>();
  const folders = new Set<string>();
  const attributes = new Set<string>();
  const beginning = folder.endsWith('/') ? folder : `${folder}/`;
  let at = 12;
  let path: Buffer = Buffer.alloc(0);
  let inside = '';
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const begin = at;
    const flags = bytes.readUInt16BE(begin + 60);
    at = begin + ((flags & extendedFlag) === 0 ? 62 : 64);
    let whole: string;
    if (version === 4) {
      let drop = 0;
      for (let shift = true; shift;) {
        const byte = bytes.readUInt8(at++);
        drop = (drop << 7) | (byte & 0x7f);
        shift = (byte & 0x80) !== 0;
        if (shift) drop += 1;
      }
      const end = bytes.indexOf(0, at);
      path = Buffer.concat([path.subarray(0, path.length - drop), bytes.subarray(at, end)]);
      whole = beginning + path.toString();
      at = end + 1;
    } else {
      const length = flags & 0xfff;
      const end = length === 0xfff ? bytes.indexOf(0, at) : at + length;
      whole = beginning + bytes.toString('utf8', at, end);
      at = begin + (((end - begin) >> 3) + 1) * 8;
    }
    places.set(whole, begin);
    const above = whole.slice(0, whole.lastIndexOf('/'));
    if (above === inside) continue;
    inside = above;
    for (let each = above; each.length >= beginning.length && !folders.has(each); each = dirname(each))
      folders.add(each);
  }
  for (const each of [folder, ...folders]) {
    const file = each.endsWith('/') ? `${each}.gitattributes` : `${each}/.gitattributes`;
    if (places.has(file)) attributes.add(file);
  }
  // Extensions. A lowercase name means that the entries can't be understood without it.
  while (at + 8 <= bytes.length - 20) {
    if (/^[a-z]/u.test(bytes.toString('latin1', at, at + 1))) return undefined;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return {
    attributes,
    tracks: each => places.has(each) || folders.has(each),
    file(each) {
      const found = places.get(each);
      return found === undefined ? undefined : fileAt(bytes, found, writtenAt);
    },
  };
}

const extendedFlag = 0x4000;

/** Parses one entry. Returns `undefined` for a link, a submodule, or a file in conflict. */
function fileAt(bytes: Buffer, begin: number, writtenAt: number): IndexedFile | undefined {
  const flags = bytes.readUInt16BE(begin + 60);
  const more = (flags & extendedFlag) === 0 ? 0 : bytes.readUInt16BE(begin + 62);
  const mode = bytes.readUInt32BE(begin + 24);
  if (mode >> 12 !== 8 || (flags & 0x3000) !== 0) return undefined;
  const mtime = timeAt(bytes, begin + 8);
  // The entry is flagged as unchanged, absent from the working tree or only announced, or the file changed while the
  // index was being written.
  const isUncertain = (flags & 0x8000) !== 0 || more !== 0 || mtime > writtenAt - tickMs;
  return {
    blob: bytes.toString('hex', begin + 40, begin + 60),
    size: bytes.readUInt32BE(begin + 36),
    mtime: isUncertain ? Number.NaN : mtime,
    ctime: timeAt(bytes, begin),
    inode: bytes.readUInt32BE(begin + 20),
  };
}

const timeAt = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at) * 1000 + bytes.readUInt32BE(at + 4) / 1e6;
