import {hash} from 'node:crypto';
import {lstatSync, mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gitEnvironment} from '../exec/git-environment.ts';
import {runProgram} from '../run-program.ts';
import {type FolderRecord, type FolderTable, statIndexBytes} from './folder-table.ts';

/**
 * A git index of weft's own, with the stats of the files in a table of folders. `git diff-files` compares it to the disk, with several threads.
 * A call for each file would take twice the processor time. The user's repository and its settings have no part in it.
 *
 * Git compares times in whole seconds. The index has only files that had not changed for two seconds, so each later change gives them a ctime
 * of another second. File systems whose clock may be another one are left out.
 */
export interface StatIndex {
  /** Writes the index of a table, and returns the table with marks on the rows that are in it. The id is empty if there are too few files. */
  write(table: FolderTable): FolderTable;
  /** Returns the files in the index of this table that may have changed since it was written. */
  changedFiles(table: FolderTable, signal: AbortSignal): Promise<ChangedFiles>;
}

/** The names of files that may have changed, by folder. `unknown`: any file may have. */
export type ChangedFiles = ReadonlyMap<string, ReadonlySet<string>> | 'unknown';

interface StatIndexOptions {
  readonly file: string;
  /** An empty repository for git, which is made if needed. */
  readonly gitFolder: string;
  readonly roots: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly minFiles?: number | undefined;
}

/** The number of files below which starting git takes longer than a call for each file. */
const minIndexedFiles = 8000;

const limitMs = 10_000;
const maxOutput = 64 * 1024 * 1024;

export function openStatIndex(options: StatIndexOptions): StatIndex {
  const {file, gitFolder, environment, minFiles = minIndexedFiles} = options;
  const [root = '', ...others] = options.roots;
  const isSupported = process.platform === 'linux' && root !== '' && others.length === 0;
  /** The id of the index that git can't read or that names most files. It isn't asked again. */
  let abandoned = '';
  return {
    write(table) {
      const without = {...table, statIndex: ''};
      if (!isSupported) return without;
      const fresh = `${file}.${String(process.pid)}`;
      try {
        const {bytes, id, count, folders} = encodeIndex(root, table);
        if (count < minFiles) return without;
        for (const name of ['objects', 'refs']) mkdirSync(join(gitFolder, name), {recursive: true, mode: 0o700});
        writeFileSync(join(gitFolder, 'HEAD'), 'ref: refs/heads/none\n', {mode: 0o600});
        writeFileSync(fresh, bytes, {mode: 0o600});
        renameSync(fresh, file);
        return {...table, folders, statIndex: id};
      } catch {
        rmSync(fresh, {force: true});
        return without;
      }
    },
    async changedFiles({folders, statIndex}, signal) {
      if (!isSupported || statIndex === '' || statIndex === abandoned) return 'unknown';
      const words = ['diff-files', '--name-only', '-z', '--ignore-submodules=all'];
      const own = {
        GIT_DIR: gitFolder,
        GIT_WORK_TREE: root,
        GIT_INDEX_FILE: file,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
      };
      const {code, output, stderr} = await runProgram(
        'git',
        [...settings.flatMap(setting => ['-c', setting]), ...words],
        {
          folder: gitFolder,
          environment: {...gitEnvironment(environment, root), ...own},
          input: '',
          limitMs,
          maxOutput,
        },
        signal,
      );
      signal.throwIfAborted();
      const paths = output.toString('utf8').split('\0');
      // The last entry is a file that is never there. If git names it, git has read this index, and to its end.
      const isWhole = code === 0 && stderr === '' && paths.at(-1) === '' && paths.at(-2) === sentinel(statIndex);
      // If the files belong to different users, git takes those of others for changed.
      const total = [...folders.values()].reduce((sum, {count}) => sum + count, 0);
      if (!isWhole || paths.length > total / 2) abandoned = statIndex;
      return isWhole ? byFolder(root, paths.slice(0, -2)) : 'unknown';
    },
  };
}

/** Git must trust nothing but the stats. */
const settings = [
  'core.checkStat=default',
  'core.trustCtime=true',
  'core.fileMode=true',
  'core.fsmonitor=false',
  'core.preloadIndex=true',
];

const sentinel = (id: string): string => `.weft-${id}`;

function byFolder(root: string, paths: readonly string[]): ChangedFiles {
  const changed = new Map<string, Set<string>>();
  for (const path of paths) {
    const at = path.lastIndexOf('/');
    const folder = at < 0 ? root : join(root, path.slice(0, at));
    const names = changed.get(folder);
    if (names === undefined) changed.set(folder, new Set([path.slice(at + 1)]));
    else names.add(path.slice(at + 1));
  }
  return changed;
}

/** Encodes the index of a table in version 2 of git's format. Other entries give another id. `folders` are marked records of the table. */
function encodeIndex(root: string, table: FolderTable) {
  const owner = lstatSync(root);
  const folders = new Map(table.folders);
  let bytes = Buffer.alloc(1024 * 1024);
  let length = headBytes;
  let count = 0;
  const add = (path: string, file: IndexedStats): void => {
    const most = length + entryBytes + path.length * 3 + 8;
    if (most > bytes.length) bytes = Buffer.concat([bytes], most * 2);
    const start = length;
    const nameBytes = bytes.write(path, start + entryBytes, 'utf8');
    bytes.writeUInt32BE(Math.floor(file.ctime / 1000), start);
    bytes.writeUInt32BE(Math.floor(file.mtime / 1000), start + 8);
    bytes.writeUInt32BE(file.inode % 2 ** 32, start + 20);
    bytes.writeUInt32BE(0o100000 | ((file.mode & 0o100) === 0 ? 0o644 : 0o755), start + 24);
    bytes.writeUInt32BE(owner.uid, start + 28);
    bytes.writeUInt32BE(owner.gid, start + 32);
    bytes.writeUInt32BE(file.size, start + 36);
    // Git takes an empty file with the name of other content for changed.
    if (file.size === 0) bytes.write(emptyBlob, start + 40, 'hex');
    bytes.writeUInt16BE(Math.min(nameBytes, 0xfff), start + 60);
    length = start + (((entryBytes + nameBytes) >> 3) + 1) * 8;
    count += 1;
  };
  const addFolder = (path: string, prefix: string): void => {
    const record = folders.get(path)?.withMarks();
    if (record === undefined) return;
    folders.set(path, record);
    const keys = record.names().map((name, at) => ({at, key: record.kindAt(at) === 'folder' ? `${name}/` : name}));
    for (const {at, key} of keys.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      if (record.isIndexed(at)) add(prefix + key, record.statsAt(at));
      else if (key.endsWith('/')) addFolder(join(path, key.slice(0, -1)), prefix + key);
    }
  };
  addFolder(root, '');
  const files = count;
  const id = hash('sha256', bytes.subarray(headBytes, length), 'hex').slice(0, statIndexBytes);
  add(sentinel(id), {size: 1, mtime: 0, ctime: 0, inode: 0, mode: 0o644});
  bytes.write('DIRC', 'latin1');
  bytes.writeUInt32BE(2, 4);
  bytes.writeUInt32BE(count, 8);
  const content = bytes.subarray(0, length);
  return {bytes: Buffer.concat([content, hash('sha1', content, 'buffer')]), id, count: files, folders};
}

type IndexedStats = ReturnType<FolderRecord['statsAt']>;

const headBytes = 12;
const entryBytes = 62;
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
