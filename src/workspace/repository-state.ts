import {closeSync, openSync, readdirSync, readSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {inflateSync, constants} from 'node:zlib';
import {tryOr} from '../base/outcome.ts';
import type {RepositoryState} from '../domain/disk.ts';
import {type GitContext, gitEnvironment} from './exec/git-environment.ts';
import {commonGitFolder, gitFolderAround, firstMatchIn} from './files/git-branch.ts';
import {readRegularFile} from './files/regular-files.ts';
import {runProgram} from './run-program.ts';

/** The longest wait of the first request for git, in milliseconds. In a script, the wait counts from the start of weft. */
const limitMs = 2000;
const maxOutput = 8 * 1024 * 1024;
const maxTextBytes = 8 * 1024 * 1024;
const maxSubjects = 3;

/**
 * Returns the state of the repository that a folder is in. Reads commits from git's files, because a process takes longer. Git counts the
 * changes: it writes nothing and runs no program that the repository's settings name.
 */
export async function repositoryState(context: GitContext): Promise<RepositoryState> {
  const own = gitFolderAround(context.folder) ?? context.folder;
  const common = commonGitFolder(own);
  const changed = isLarge(own) || mayRunFilters(own, common) ? 'unknown' : countChanges(context);
  return {subjects: tryOr(() => lastSubjects(own, common), []), changed: await changed};
}

/** The size of an index, in bytes, beyond which counting is not worth its cost: about 10,000 files. */
const maxIndexBytes = 1024 * 1024;

const isLarge = (own: string): boolean =>
  (statSync(join(own, 'index'), {throwIfNoEntry: false})?.size ?? 0) > maxIndexBytes;

/** True if the repository's own settings may name filters, which `git status` runs on files to compare them. */
function mayRunFilters(own: string, common: string): boolean {
  const shared = textOf(join(common, 'config'));
  return shared === undefined || /filter|include/iu.test(shared + (textOf(join(own, 'config.worktree')) ?? ''));
}

const textOf = (path: string): string | undefined => readRegularFile(path, maxTextBytes)?.toString('utf8');

export interface CleanCommit {
  readonly commit: string;
  readonly tree: string;
}

/** Returns the commit that a folder is at if `git status` lists no change, otherwise `none`. */
export async function cleanCommit(context: GitContext): Promise<CleanCommit | 'none'> {
  const {folder, environment, signal} = context;
  const own = gitFolderAround(folder);
  if (own === undefined || mayRunFilters(own, commonGitFolder(own))) return 'none';
  if ((await countChanges(context, 60_000)) !== 0) return 'none';
  const run = {folder, environment: gitEnvironment(environment, folder), input: '', limitMs, maxOutput};
  const {code, output} = await runProgram('git', ['rev-parse', 'HEAD', 'HEAD^{tree}'], run, signal);
  const [commit = '', tree = ''] = output.toString('latin1').trim().split('\n');
  return code === 0 ? {commit, tree} : 'none';
}

/** Counts the lines of `git status`. */
async function countChanges(
  {folder, environment, signal}: GitContext,
  atMostMs = limitMs,
): Promise<RepositoryState['changed']> {
  const run = {folder, environment: gitEnvironment(environment, folder), input: '', limitMs: atMostMs, maxOutput};
  const words = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=all'];
  const {kind, code, output} = await runProgram('git', words, run, signal);
  return kind === 'exited' && code === 0 ? output.toString('latin1').split('\n').length - 1 : 'unknown';
}

/** Returns the subjects of the last commits, each with its first parent. Ends at a commit that is stored as a difference. */
function lastSubjects(own: string, common: string): readonly string[] {
  const subjects: string[] = [];
  let id = headCommit(own, common);
  while (id !== undefined && subjects.length < maxSubjects) {
    const commit: string | undefined = looseCommit(id, common) ?? packedCommit(id, common);
    if (commit === undefined) break;
    const [headers = '', ...message] = commit.split('\n\n');
    subjects.push(message.join('\n\n').trimStart().split('\n')[0] ?? '');
    id = /^parent ([0-9a-f]{40})$/mu.exec(headers)?.[1];
  }
  return subjects;
}

function headCommit(own: string, common: string): string | undefined {
  const head = firstMatchIn(join(own, 'HEAD'), /^(.*)$/su) ?? '';
  const branch = /^ref: (refs\/.+)$/u.exec(head)?.[1];
  const id =
    branch === undefined
      ? head
      : (firstMatchIn(join(common, branch), /^(.+)$/su) ??
        textOf(join(common, 'packed-refs'))
          ?.split('\n')
          .find(line => line.endsWith(` ${branch}`))
          ?.split(' ')[0]);
  return id !== undefined && /^[0-9a-f]{40}$/u.test(id) ? id : undefined;
}

function looseCommit(id: string, common: string): string | undefined {
  const bytes = readRegularFile(join(common, 'objects', id.slice(0, 2), id.slice(2)), maxTextBytes);
  const text = bytes === undefined ? '' : inflateSync(bytes, {maxOutputLength: maxTextBytes}).toString('utf8');
  return text.startsWith('commit ') ? text.slice(text.indexOf('\0') + 1) : undefined;
}

/** Looks for a commit in the packs (git-scm.com/docs/pack-format). */
function packedCommit(id: string, common: string): string | undefined {
  const folder = join(common, 'objects', 'pack');
  for (const name of tryOr(() => readdirSync(folder), []).filter(each => each.endsWith('.idx'))) {
    const at = withBytes(join(folder, name), read => packOffset(Buffer.from(id, 'hex'), read));
    if (at !== undefined) return withBytes(join(folder, name.replace(/idx$/u, 'pack')), read => commitAt(at, read));
  }
  return undefined;
}

type ReadBytes = (at: number, length: number) => Buffer;

/** Finds an object in an index of version 2: counts by first byte, sorted ids, checksums, offsets. */
function packOffset(id: Buffer, read: ReadBytes): number | undefined {
  if (read(0, 8).toString('hex') !== 'ff744f6300000002') return undefined;
  const first = id[0] ?? 0;
  const countTo = (byte: number): number => (byte < 0 ? 0 : read(8 + byte * 4, 4).readUInt32BE());
  const ids = 8 + 256 * 4;
  let [low, high] = [countTo(first - 1), countTo(first)];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = read(ids + middle * 20, 20).compare(id);
    if (order === 0) {
      const offset = read(ids + countTo(255) * 24 + middle * 4, 4).readUInt32BE();
      // The offsets of packs of more than 2 GB are in another table.
      return offset < 0x80_00_00_00 ? offset : undefined;
    }
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

/** The bytes of a pack that hold the beginning of any usual commit. */
const commitBytes = 16 * 1024;

const inflating = {finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxTextBytes};

function commitAt(offset: number, read: ReadBytes): string | undefined {
  const bytes = read(offset, commitBytes);
  const [first = 0] = bytes;
  const isCommit = ((first >> 4) & 7) === 1;
  // The size follows in bytes of which each but the last has the highest bit.
  const data = bytes.findIndex(byte => byte < 0x80) + 1;
  return isCommit ? inflateSync(bytes.subarray(data), inflating).toString('utf8') : undefined;
}

function withBytes<Value>(path: string, use: (read: ReadBytes) => Value): Value {
  const file = openSync(path, 'r');
  try {
    return use((at, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, at));
    });
  } finally {
    closeSync(file);
  }
}
