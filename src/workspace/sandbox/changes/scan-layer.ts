import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import {text} from 'node:stream/consumers';
import {setImmediate as yieldToEventLoop} from 'node:timers/promises';
import {hasCode} from '../../../domain/fault.ts';
import {tryOr} from '../../../base/outcome.ts';
import type {ChangeKind} from '../../../domain/change-set.ts';
import {findProgram} from '../../exec/trusted-path.ts';
import type {ViewLayer} from '../sandbox.ts';
import {joinBytes, type PathBytes, toBytes, toNative} from './path-bytes.ts';

/** The file, link or folder at a path. It is JSON, so that a later weft process can apply the change. */
export interface Node {
  readonly kind: 'none' | 'file' | 'link' | 'folder' | 'other';
  /** The twelve permission bits. */
  readonly mode: number;
  readonly size: number;
  readonly user: number;
  readonly group: number;
  /** The inode, and its number of names (hard links). */
  readonly inode: string;
  readonly names: number;
  /** The last change (ctime) and the last change of the content (mtime), in nanoseconds. */
  readonly changedNs: string;
  readonly modifiedNs: string;
}

/** One change in a layer. */
export interface LayerEntry {
  /** The path relative to the layer's folder. */
  readonly at: PathBytes;
  readonly kind: ChangeKind;
  /** The real node when the layer was read, and the view's node. */
  readonly was: Node;
  readonly is: Node;
  /** The target of a link in the view; empty for anything else. */
  readonly target: PathBytes;
  /** Whether the real file changed after the command began. */
  readonly changedMeanwhile: boolean;
}

/** A new folder in the view. Only an empty new folder is a change by itself. Otherwise its entries are. */
export interface NewFolder {
  readonly at: PathBytes;
  readonly mode: number;
  readonly modifiedNs: string;
}

/** A changed real folder in which its owner may not write. */
export interface LockedFolder {
  readonly at: PathBytes;
  readonly mode: number;
}

const missingNode: Node = {
  kind: 'none',
  mode: 0,
  size: 0,
  user: 0,
  group: 0,
  inode: '',
  names: 0,
  changedNs: '0',
  modifiedNs: '0',
};

/** Milliseconds of work before yielding to the event loop. */
const yieldAfterMs = 12;

/** Returns a function that yields to the event loop from time to time and throws once the signal has aborted. */
export function makeYield(signal: AbortSignal): () => Promise<void> | undefined {
  let ends = performance.now() + yieldAfterMs;
  const pause = async (): Promise<void> => {
    await yieldToEventLoop();
    ends = performance.now() + yieldAfterMs;
  };
  return () => {
    signal.throwIfAborted();
    return performance.now() < ends ? undefined : pause();
  };
}

/** Returns the node at a path, without following links. */
export function nodeAt(path: string | Buffer): Node {
  try {
    const stats = lstatSync(path, {bigint: true, throwIfNoEntry: false});
    return stats === undefined ? missingNode : nodeOf(stats);
  } catch (cause) {
    // A parent of the path is a file.
    if (hasCode(cause, 'ENOTDIR')) return missingNode;
    throw cause;
  }
}

const nodeOf = (stats: BigIntStats): Node => ({
  kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
  mode: Number(stats.mode & 0o7777n),
  size: Number(stats.size),
  user: Number(stats.uid),
  group: Number(stats.gid),
  inode: `${stats.dev}:${stats.ino}`,
  names: Number(stats.nlink),
  changedNs: String(stats.ctimeNs),
  modifiedNs: String(stats.mtimeNs),
});

/** A merged folder that may hide the whole real folder (opaque): the real one has names that the upper one lacks. */
interface MaybeOpaque {
  readonly at: PathBytes;
  readonly missing: readonly PathBytes[];
}

/** Reads what a command has changed in one layer of its view. Throws if the signal aborts or the layer can't be read. */
export class LayerScan {
  readonly #entries: LayerEntry[] = [];
  readonly newFolders: NewFolder[] = [];
  readonly lockedFolders: LockedFolder[] = [];
  /** Folders that the view no longer has, the innermost first. */
  readonly goneFolders: PathBytes[] = [];
  readonly #lower: PathBytes;
  readonly #upper: PathBytes;
  readonly #layer: ViewLayer;
  readonly #doubtful: MaybeOpaque[] = [];
  /** Allocated once: most files are small. */
  #chunks: readonly [Buffer, Buffer] | undefined;
  readonly #signal: AbortSignal;
  readonly #pause: () => Promise<void> | undefined;

  constructor(layer: ViewLayer, signal: AbortSignal) {
    this.#layer = layer;
    this.#lower = toBytes(layer.lower);
    this.#upper = toBytes(layer.upper);
    this.#signal = signal;
    this.#pause = makeYield(signal);
  }

  /** Finds the entries, except those that `settle` finds. */
  async walk(): Promise<readonly LayerEntry[]> {
    if (namesIn(this.#upper).length > 0) await this.#merged('', this.#lowerNode(''));
    return [...this.#entries];
  }

  /** Finds entries that are gone because a folder was removed and created again. Starts a process that works in parallel. */
  async settle(): Promise<readonly LayerEntry[]> {
    if (this.#doubtful.length === 0) return [];
    const opaque = await findOpaque(this.#layer, this.#doubtful, this.#signal);
    const known = this.#entries.length;
    for (const {at, missing} of this.#doubtful) {
      if (!opaque.has(at)) continue;
      for (const name of missing) await this.#removed(joinBytes(at, name));
    }
    return this.#entries.slice(known);
  }

  readonly #upperNode = (at: PathBytes): Node => nodeAt(toNative(joinBytes(this.#upper, at)));
  readonly #lowerNode = (at: PathBytes): Node => nodeAt(toNative(joinBytes(this.#lower, at)));

  #add(at: PathBytes, kind: ChangeKind, {was, is}: {readonly was: Node; readonly is: Node}): void {
    const changedMeanwhile =
      was.kind !== 'none' && was.kind !== 'folder' && BigInt(was.changedNs) > this.#layer.begunNs;
    const target = is.kind === 'link' ? targetOf(joinBytes(this.#upper, at)) : '';
    this.#entries.push({at, kind, was, is, target, changedMeanwhile});
  }

  /** Reads a folder that exists in both layers. */
  async #merged(at: PathBytes, {mode}: Node): Promise<void> {
    this.#noteLock(at, mode);
    const names = this.#namesInUpper(at);
    for (const name of names) await this.#changed(joinBytes(at, name), 'look');
    const known = new Set(names);
    const missing = (listNames(joinBytes(this.#lower, at)) ?? []).filter(name => !known.has(name));
    if (missing.length > 0 && at !== '') this.#doubtful.push({at, missing});
  }

  #noteLock(at: PathBytes, mode: number): void {
    if ((mode & ownerWrites) !== ownerWrites) this.lockedFolders.push({at, mode});
  }

  /** Lists a folder of the upper layer. No other process uses it now, so weft restores the owner's permissions that the command removed. */
  #namesInUpper(at: PathBytes): readonly PathBytes[] {
    const path = joinBytes(this.#upper, at);
    const {mode} = nodeAt(toNative(path));
    if ((mode & ownerRights) !== ownerRights) chmodSync(toNative(path), mode | ownerRights);
    return namesIn(path);
  }

  async #changed(at: PathBytes, below: 'look' | 'nothing'): Promise<void> {
    await this.#pause();
    const is = this.#upperNode(at);
    const was = below === 'look' ? this.#lowerNode(at) : missingNode;
    if (is.kind === 'other' && isWhiteout(joinBytes(this.#upper, at))) {
      if (was.kind !== 'none') await this.#removed(at);
      return;
    }
    if (is.kind === 'folder' && was.kind === 'folder') {
      if (is.mode !== was.mode) this.#add(at, 'mode', {was, is});
      await this.#merged(at, was);
      return;
    }
    const wasEmpty = was.kind !== 'folder' || (await this.#emptied(at, was));
    if (is.kind === 'folder') {
      const names = this.#namesInUpper(at);
      if (names.length === 0) this.#add(at, was.kind === 'none' ? 'created' : 'changed', {was, is});
      else if (was.kind !== 'none') this.#add(at, 'deleted', {was, is: missingNode});
      for (const name of names) await this.#changed(joinBytes(at, name), 'nothing');
      this.newFolders.push({at, mode: is.mode, modifiedNs: is.modifiedNs});
      return;
    }
    const kind = is.kind === 'link' ? 'link' : was.kind === 'none' || !wasEmpty ? 'created' : 'changed';
    if (was.kind !== is.kind) this.#add(at, kind, {was, is});
    else if (is.kind === 'link') {
      if (targetOf(joinBytes(this.#upper, at)) !== targetOf(joinBytes(this.#lower, at))) this.#add(at, kind, {was, is});
    } else if (is.kind === 'other' || !(await this.#hasSameBytes(at, {was, is}))) this.#add(at, kind, {was, is});
    else if (is.mode !== was.mode) this.#add(at, 'mode', {was, is});
  }

  /** Records that everything in a real folder is gone. Returns whether the folder was empty. */
  async #emptied(at: PathBytes, {mode}: Node): Promise<boolean> {
    const names = listNames(joinBytes(this.#lower, at)) ?? [];
    for (const name of names) await this.#removed(joinBytes(at, name));
    if (names.length === 0) return true;
    this.#noteLock(at, mode);
    this.goneFolders.push(at);
    return false;
  }

  async #removed(at: PathBytes): Promise<void> {
    await this.#pause();
    const was = this.#lowerNode(at);
    if (was.kind === 'folder' && !(await this.#emptied(at, was))) return;
    if (was.kind !== 'none') this.#add(at, 'deleted', {was, is: missingNode});
  }

  /** Compares the content. An unreadable file counts as changed. */
  async #hasSameBytes(at: PathBytes, {was, is}: {readonly was: Node; readonly is: Node}): Promise<boolean> {
    if (was.size !== is.size) return false;
    if (is.size === 0) return true;
    const upper = openToRead(joinBytes(this.#upper, at), is);
    const lower = openToRead(joinBytes(this.#lower, at), undefined);
    try {
      if (upper === undefined || lower === undefined) return false;
      const [left, right] = (this.#chunks ??= [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]);
      for (let position = 0; position < is.size;) {
        await this.#pause();
        const length = readSync(upper, left, 0, chunkBytes, position);
        if (length === 0 || readSync(lower, right, 0, chunkBytes, position) !== length) return false;
        if (left.compare(right, 0, length, 0, length) !== 0) return false;
        position += length;
      }
      return true;
    } finally {
      for (const handle of [upper, lower]) if (handle !== undefined) closeSync(handle);
    }
  }
}

/** The owner's permissions to change a folder's content, and all of the owner's permissions. */
const ownerWrites = 0o300;
const ownerRights = 0o700;

const chunkBytes = 256 * 1024;

/** True if this is a whiteout: overlayfs marks a deleted name with a character device 0:0. No command can create one. */
export function isWhiteout(path: PathBytes): boolean {
  const stats = lstatSync(toNative(path), {throwIfNoEntry: false});
  return stats?.isCharacterDevice() === true && stats.rdev === 0;
}

const namesIn = (path: PathBytes): readonly PathBytes[] => readdirSync(toNative(path), 'latin1');

/** Lists a folder; `undefined` if it can't be read. */
const listNames = (path: PathBytes): readonly PathBytes[] | undefined => tryOr(() => namesIn(path), undefined);

/** Returns the target of a link. */
export const targetOf = (path: PathBytes): PathBytes => readlinkSync(toNative(path), 'latin1');

/**
 * Opens a regular file for reading; `undefined` if that is impossible. `own` is a file of an upper layer, which no
 * other process uses. Such a file is opened whatever its permissions are, and gets them back.
 */
export function openToRead(path: PathBytes, own: Node | undefined): number | undefined {
  const native = toNative(path);
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  try {
    return openSync(native, flags);
  } catch {
    if (own?.kind !== 'file') return undefined;
  }
  try {
    chmodSync(native, 0o600);
    return openSync(native, flags);
  } catch {
    return undefined;
  } finally {
    chmodSync(native, own.mode);
  }
}

/** The maximum number of names to check per folder. A single name would not be enough, because it may be removed in the meantime. */
const maxNames = 4;

/**
 * Returns the folders that hide everything in the real folder at the same path (opaque folders). Overlayfs records that in an attribute
 * that Node can't read. So weft asks the kernel: through an ordinary folder, a name that only the real folder has is visible.
 */
async function findOpaque(
  layer: ViewLayer,
  folders: readonly {readonly at: PathBytes; readonly missing: readonly PathBytes[]}[],
  signal: AbortSignal,
): Promise<ReadonlySet<PathBytes>> {
  const asked = folders.flatMap(({at, missing}) =>
    missing.slice(0, maxNames).map(name => ({folder: at, path: joinBytes(at, name)})),
  );
  const answers = await checkThroughMount(
    layer,
    asked.map(({path}) => path),
    signal,
  );
  const visible = new Set(asked.filter((_one, index) => answers[index] === '1').map(({folder}) => folder));
  const lower = toBytes(layer.lower);
  const isThere = (path: PathBytes): boolean =>
    lstatSync(toNative(joinBytes(lower, path)), {throwIfNoEntry: false}) !== undefined;
  return new Set(asked.filter(({folder, path}) => !visible.has(folder) && isThere(path)).map(({folder}) => folder));
}

/** Mounts the layer read-only in its own namespaces. Returns a 1 for every path that exists, and a 0 for the others. */
async function checkThroughMount(layer: ViewLayer, paths: readonly PathBytes[], signal: AbortSignal): Promise<string> {
  const [unshare, mount] = [findProgram('unshare'), findProgram('mount')];
  if (unshare === undefined || mount === undefined) throw new Error('unshare and mount (util-linux) are not installed');
  let errorText = '';
  // A user's own namespace can't mount a folder that contains mounts from outside.
  for (const namespaces of process.getuid?.() === 0 ? ['-m', '-Urm'] : ['-Urm']) {
    const child = spawn(unshare, [namespaces, '/bin/sh', '-c', script, 'weft', mount, layer.upper, layer.lower], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.from(paths.map(path => `./${escapeForPrintf(path)}\n`).join(''), 'latin1'));
    const [answers, printed] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    signal.throwIfAborted();
    if (answers.length === paths.length) return answers;
    errorText = printed.trim();
  }
  throw new Error(`the view could not be mounted again: ${errorText}`);
}

/** Opens the folders in the new namespace, because the kernel accepts no folder from another one. Each line of stdin is a path. */
const script = `
exec 3<"$2" 4<"$3"
"$1" -t overlay weft -o lowerdir=/proc/self/fd/3:/proc/self/fd/4,userxattr "$2" || exit 1
cd "$2" || exit 1
while IFS= read -r path; do
  case $path in *\\\\*) path=$(printf '%b_' "$path"); path=\${path%_};; esac
  if [ -e "$path" ] || [ -L "$path" ]; then printf 1; else printf 0; fi
done`;

/** Escapes line ends, and the backslash, for printf. */
const escapeForPrintf = (path: PathBytes): string => path.replaceAll('\\', '\\0134').replaceAll('\n', '\\0012');
