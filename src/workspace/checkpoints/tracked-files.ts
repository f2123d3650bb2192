import {hash} from 'node:crypto';
import {readFileSync, statSync, type Stats} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import {runGitQuery} from './git-query.ts';

/** The tick of the coarsest file times in use (FAT), in milliseconds. */
export const maxClockTickMs = 2000;

/** Shortens a text that is only compared to detect a change. */
export const shortKey = (text: string): string => (text === '' ? '' : hash('sha256', text, 'hex').slice(0, keyBytes));

export const keyBytes = 16;

/** An entry of the git index: the blob of a file, and the file's stats at that time. Times are in milliseconds. */
export interface IndexedFile {
  readonly blob: string;
  readonly size: number;
  /** NaN if the stats don't prove that the file is unchanged. */
  readonly mtime: number;
  readonly ctime: number;
  readonly inode: number;
}

export interface GitIndex {
  /** The folder of git's objects; for worktrees the common one. */
  readonly gitFolder: string;
  /** Differs after git has written the index. */
  readonly indexKey: string;
  /**
   * Differs if the patterns of ignored files outside of `.gitignore` files at or below the folder may have changed; empty if
   * that is unknown.
   */
  ignoreKey(now: number): string;
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
  if (known !== undefined && known.fingerprint === known.files.map(fingerprintOf).join('\n'))
    return withAllAttributes(known, folder, environment);
  lastRead.delete(folder);
  const git = async (...words: readonly string[]): Promise<string> => {
    const answer = await runGitQuery(words, {folder, environment, signal});
    if (answer === undefined) throw new Error('git does not answer');
    return answer;
  };
  try {
    const [places, listed] = await Promise.all([
      git('rev-parse', '--show-object-format', '--git-common-dir', '--git-path', 'index', '--show-toplevel'),
      git('config', '--list', '--show-origin', '-z'),
    ]);
    const [format, common, path, top] = places.split('\n');
    if (format !== 'sha1' || common === undefined || path === undefined || top === undefined) return undefined;
    const file = resolve(folder, path);
    const indexLook = fingerprintOf(file);
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > maxIndexBytes) return undefined;
    const parsed = parseIndex(readFileSync(file), {folder: top, writtenAt: stats.mtimeMs});
    if (parsed === undefined) return undefined;
    const gitFolder = resolve(folder, common);
    const {origins, settings} = readSettings(listed);
    const own = dirname(file);
    const settingsFiles = [
      ...[gitFolder, own].flatMap(each => [join(each, 'config'), join(each, 'config.worktree')]),
      '/etc/gitconfig',
      join(environment['HOME'] ?? '/', '.gitconfig'),
      join(userFolder(environment), 'config'),
      ...origins.map(origin => resolve(folder, origin)),
    ];
    const excludes = excludesFiles(settings, environment);
    const ignoreFiles = [
      join(gitFolder, 'info', 'exclude'),
      ...settingsFiles,
      ...(excludes ?? []).map(each => resolve(folder, each)),
      ...foldersBetween(top, folder).map(above => join(above, '.gitignore')),
    ];
    const index: GitIndex = {
      gitFolder,
      indexKey: shortKey(indexLook),
      ignoreKey: now => (excludes === undefined ? '' : fingerprintIfOld(ignoreFiles, now)),
      ...parsed,
      contents: convertsContents(settings) ? 'compared' : 'as-held',
    };
    const files = [file, ...settingsFiles];
    const fingerprint = [indexLook, ...settingsFiles.map(fingerprintOf)].join('\n');
    const read = {files, fingerprint, top, index};
    lastRead.set(folder, read);
    return withAllAttributes(read, folder, environment);
  } catch {
    return undefined;
  }
}

interface ReadIndex {
  /** The index and the files of settings, and their stats. */
  readonly files: readonly string[];
  readonly fingerprint: string;
  readonly top: string;
  readonly index: GitIndex;
}

/** The index that was read last, by folder. */
const lastRead = new Map<string, ReadIndex>();

const fingerprintOf = (file: string): string => fingerprintAndTime(file).text;

function fingerprintAndTime(file: string): {readonly text: string; readonly changedAt: number} {
  const stats = tryOr(() => statSync(file, {throwIfNoEntry: false}), undefined);
  if (stats === undefined) return {text: '', changedAt: 0};
  const {ino, size, mtimeMs, ctimeMs} = stats;
  return {text: [ino, size, mtimeMs, ctimeMs].join(' '), changedAt: Math.max(mtimeMs, ctimeMs)};
}

/**
 * Returns a text that differs after one of the files has changed. Returns an empty text if a file was changed so recently
 * that it may change again without looking different.
 */
export function fingerprintIfOld(files: readonly string[], now: number): string {
  const found = files.map(fingerprintAndTime);
  const isOld = found.every(({changedAt}) => changedAt < now - maxClockTickMs);
  return isOld ? found.map(({text}) => text).join('\n') + files.join('\n') : '';
}

function withAllAttributes({top, index}: ReadIndex, folder: string, environment: NodeJS.ProcessEnv): GitIndex {
  const files = [
    join(index.gitFolder, 'info', 'attributes'),
    '/etc/gitattributes',
    join(userFolder(environment), 'attributes'),
  ];
  const own: GitIndex = files.some(mentionsConversion) ? {...index, contents: 'compared'} : index;
  return foldersBetween(top, folder).reduce((read, above) => withAttributes(read, above), own);
}

/** The size of the largest index to read, in bytes. */
const maxIndexBytes = 256 * 1024 * 1024;

/** True if the stats match the index: git then holds the file's content, unless git converts it. */
export const matchesIndex = (file: IndexedFile, stats: Stats): boolean =>
  file.size === stats.size &&
  file.inode === stats.ino % 2 ** 32 &&
  Math.abs(file.mtime - stats.mtimeMs) < 0.001 &&
  Math.abs(file.ctime - stats.ctimeMs) < 0.001;

/** Reads the output of `git config --list --show-origin -z`: the files of the settings, and the settings as `name\nvalue`. */
function readSettings(listed: string): {readonly origins: readonly string[]; readonly settings: readonly string[]} {
  const parts = listed.split('\0');
  const origins = parts.filter((part, at) => at % 2 === 0 && part.startsWith('file:'));
  return {
    origins: [...new Set(origins)].map(origin => origin.slice('file:'.length)),
    settings: parts.filter((_, at) => at % 2 === 1),
  };
}

/** Returns the files of patterns that settings name, or `undefined` if they can't be found. */
function excludesFiles(settings: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] | undefined {
  const named = settings.flatMap(row => /^core\.excludesfile\n(.*)$/isu.exec(row)?.slice(1) ?? []);
  if (named.some(path => /^(?:~[^/]|%)/u.test(path))) return undefined;
  const home = environment['HOME'] ?? '/';
  return [...named.map(path => path.replace(/^~(?=\/)/u, home)), join(userFolder(environment), 'ignore')];
}

/** True if a setting of the user or the repository makes git convert file content. */
function convertsContents(settings: readonly string[]): boolean {
  const rows = settings.map(row => row.toLowerCase());
  return rows.some(
    row =>
      /^core\.(?:eol|attributesfile|ignorestat)\n/u.test(row) ||
      (/^core\.autocrlf(?:\n|$)/u.test(row) && !row.endsWith('\nfalse')),
  );
}

const userFolder = ({XDG_CONFIG_HOME, HOME = '/'}: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git');

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
export function withAttributes(
  index: GitIndex,
  folder: string,
  isThere = statSync(join(folder, attributesName), {throwIfNoEntry: false}) !== undefined,
): GitIndex {
  if (index.contents === 'compared') return index;
  const file = join(folder, attributesName);
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
 * Parses a git index of version 2 to 4. Returns `undefined` for other versions and for a split index. Remembers only
 * where the entries are, because there may be very many. They are in the order of their names' bytes.
 */
function parseIndex(
  bytes: Buffer,
  {folder, writtenAt}: {readonly folder: string; readonly writtenAt: number},
): Pick<GitIndex, 'file' | 'tracks' | 'attributes'> | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const begins = new Uint32Array(count);
  const nameStarts = new Uint32Array(count);
  const nameEnds = new Uint32Array(count);
  const attributes = new Set<string>();
  const beginning = folder.endsWith('/') ? folder : `${folder}/`;
  // In version 4, a name is stored as its difference to the one before. Here, the names follow each other.
  let names = version === 4 ? Buffer.allocUnsafe(bytes.length) : bytes;
  let namesLength = 0;
  let at = 12;
  for (let entry = 0; entry < count; entry += 1) {
    const begin = at;
    const flags = bytes.readUInt16BE(begin + 60);
    at = begin + ((flags & extendedFlag) === 0 ? 62 : 64);
    begins[entry] = begin;
    let start = at;
    let end: number;
    if (version === 4) {
      let drop = 0;
      for (let shift = true; shift;) {
        const byte = bytes.readUInt8(at++);
        drop = (drop << 7) | (byte & 0x7f);
        shift = (byte & 0x80) !== 0;
        if (shift) drop += 1;
      }
      const rest = bytes.indexOf(0, at);
      const kept = entry === 0 ? 0 : (nameEnds[entry - 1] ?? 0) - (nameStarts[entry - 1] ?? 0) - drop;
      start = namesLength;
      end = start + kept + rest - at;
      if (end > names.length) names = Buffer.concat([names], end * 2);
      if (kept > 0) names.copyWithin(start, nameStarts[entry - 1] ?? 0, (nameStarts[entry - 1] ?? 0) + kept);
      bytes.copy(names, start + kept, at, rest);
      namesLength = end;
      at = rest + 1;
    } else {
      const length = flags & 0xfff;
      end = length === 0xfff ? bytes.indexOf(0, at) : at + length;
      at = begin + (((end - begin) >> 3) + 1) * 8;
    }
    nameStarts[entry] = start;
    nameEnds[entry] = end;
    if (end - start >= attributesName.length && names[end - 1] === lastOfAttributes) {
      const name = names.toString('utf8', start, end);
      if (name === attributesName || name.endsWith(`/${attributesName}`)) attributes.add(beginning + name);
    }
  }
  // Extensions. A lowercase name means that the entries can't be understood without it.
  while (at + 8 <= bytes.length - 20) {
    if (/^[a-z]/u.test(bytes.toString('latin1', at, at + 1))) return undefined;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  let wanted = Buffer.allocUnsafe(4096);
  let length = 0;
  const compare = (entry: number): number => names.compare(wanted, 0, length, nameStarts[entry], nameEnds[entry]);
  /** Returns the first entry whose name is not below the wanted one. Files are looked up in almost the same order. */
  let last = -1;
  const find = (path: string): number => {
    const name = path.slice(beginning.length);
    if (name.length * 3 > wanted.length) wanted = Buffer.allocUnsafe(name.length * 3);
    length = wanted.write(name);
    if (last + 1 < count && compare(last + 1) === 0) return (last += 1);
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(middle) < 0) low = middle + 1;
      else high = middle;
    }
    if (low < count && compare(low) === 0) last = low;
    return low;
  };
  const isAt = (entry: number): boolean => entry < count && compare(entry) === 0;
  return {
    attributes,
    tracks(path) {
      if (!path.startsWith(beginning)) return false;
      if (isAt(find(path))) return true;
      const entry = find(`${path}/`);
      const start = nameStarts[entry] ?? 0;
      return (
        entry < count && names.compare(wanted, 0, length, start, Math.min(start + length, nameEnds[entry] ?? 0)) === 0
      );
    },
    file(path) {
      if (!path.startsWith(beginning)) return undefined;
      const entry = find(path);
      return isAt(entry) ? fileAt(bytes, begins[entry] ?? 0, writtenAt) : undefined;
    },
  };
}

const attributesName = '.gitattributes';
const lastOfAttributes = attributesName.charCodeAt(attributesName.length - 1);

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
