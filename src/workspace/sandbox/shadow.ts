import {execFile} from 'node:child_process';
import {chmodSync, constants, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {cp} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {basename, join, relative} from 'node:path';
import {promisify} from 'node:util';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {readTextFile} from '../exec/process-table.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {commonGitFolder, gitFolderAround} from '../files/git-branch.ts';
import {isFolder} from '../files/list-folder.ts';
import {containsPath, outermost, realPath} from '../files/resolve-path.ts';
import {worktreesFolder} from '../worktrees/worktree-record.ts';
import {
  belongsToOther,
  bindLine,
  escapeField,
  isDisk,
  mountTable,
  overlayLine,
  sharedUpperFolders,
  upperFolderFor,
} from './overlay.ts';
import {openSession} from './session.ts';

/**
 * A workspace in which a process works without changing the real one. `view`: copy-on-write, with the same paths. `copy`: copied folders,
 * for systems without such views.
 */
export interface Shadow {
  readonly kind: 'view' | 'copy';
  /** Why there is no view; empty if there is one. */
  readonly reason: string;
  /** The folders in place of the workspace folders, in the same order. */
  readonly roots: readonly [string, ...string[]];
  /** The program and the first arguments with which a process inside must start; the folder that it starts in follows. Empty for a copy. */
  readonly launcher: readonly string[];
  readonly folders: readonly string[];
  /** Removes the shadow, with all changes in it. */
  readonly close: () => Promise<void>;
}

interface ShadowPlace {
  /** The workspace folders, all links resolved. */
  readonly roots: readonly [string, ...string[]];
  /** weft's own folder, which no shadow may hold back. */
  readonly data: string;
}

/** Opens a shadow of a workspace. A failure says why there is none. */
export async function openShadow(place: ShadowPlace, signal: AbortSignal): Promise<Outcome<Shadow, string>> {
  const {roots, data} = place;
  const inside = roots.find(root => containsPath(root, realPath(data)));
  if (inside !== undefined)
    return failed(`weft's own folder ${data} is inside ${inside}. Set WEFT_HOME to another folder`);
  const session = openSession();
  try {
    const close = (): Promise<void> => session.close();
    const folders = (): readonly string[] => [session.folder, ...session.held()];
    const view = await openView(place, session);
    if (view.tag === 'ok') {
      return ok({kind: 'view', reason: '', roots, launcher: view.value, folders: folders(), close});
    }
    // On the same file system, a copy may share blocks.
    const parents = [tmpdir(), ...sharedUpperFolders.slice(0, 1)].filter(
      each => isFolder(each) && !roots.some(root => containsPath(root, realPath(each))),
    );
    const parent = parents.find(each => statSync(each).dev === statSync(roots[0]).dev) ?? parents.at(-1);
    if (parent === undefined) throw new Error('the temporary folder is inside the workspace');
    const top = session.heldIn(parent);
    const copy = async (root: string, index: number): Promise<string> => {
      const to = join(top, String(index), basename(root));
      await copyFolder(root, to, signal);
      return to;
    };
    const [first, ...others] = roots;
    const copied = [
      await copy(first, 0),
      ...(await Promise.all(others.map((root, at) => copy(root, at + 1)))),
    ] as const;
    return ok({kind: 'copy', reason: view.error, roots: copied, launcher: [], folders: folders(), close});
  } catch (cause) {
    await session.close();
    return failed(signal.aborted ? 'it was stopped' : causeText(cause));
  }
}

/**
 * Tries the mounts once, and returns the launcher that makes them. Inside, the workspace, the home folder and the temporary folders are
 * copy-on-write. weft's own folders are the real ones, and everything else on the disk is read-only.
 */
async function openView(
  {roots, data}: ShadowPlace,
  session: ReturnType<typeof openSession>,
): Promise<Outcome<readonly string[], string>> {
  const [unshare, mount] = [findProgram('unshare'), findProgram('mount')];
  if (unshare === undefined || mount === undefined) return failed('unshare and mount (util-linux) are not installed');
  if (!isFolder(memory)) return failed(`${memory} is missing`);
  const table = mountTable(readTextFile('/proc/self/mountinfo') ?? '');
  // The data of a git worktree is in its repository, perhaps outside the workspace.
  const repositories = roots
    .flatMap(root => gitFolderAround(root) ?? [])
    .flatMap(git => [git, commonGitFolder(git)])
    .filter(isFolder)
    .map(realPath);
  const held = outermost([...roots, ...repositories]);
  mkdirSync(data, {recursive: true, mode: 0o700});
  const kept = outermost([realPath(data), session.folder]);
  const temporary = ['/tmp', '/var/tmp', tmpdir()];
  const covers = outermost(
    [homedir(), ...temporary]
      .filter(isFolder)
      .map(realPath)
      .filter(each => each !== '/' && each !== memory),
  ).filter(each => !held.some(root => containsPath(root, each)));
  const lines: string[] = [];
  const uppers: string[] = [];
  const layer = (folder: string, upperPlace: string): void => {
    const index = String(lines.length);
    const own = join(session.heldIn(upperPlace), `shadow-${index}`);
    for (const each of [own, join(own, 'upper'), join(own, 'work')]) mkdirSync(each, {mode: 0o700});
    chmodSync(join(own, 'upper'), statSync(folder).mode & 0o7777);
    // The link replaces a folder name that may contain separators of mount options. Both are where no earlier mount covers them.
    const place = session.heldIn(memory);
    const [lower, upper] = [join(place, `lower-${index}`), join(place, `held-${index}`)];
    symlinkSync(folder, lower);
    mkdirSync(upper);
    lines.push(overlayLine(folder, {lower, upper: join(upper, 'upper'), work: join(upper, 'work')}, ''));
    uppers.push(bindLine({folder: own, at: upper}));
  };
  const places = [data, tmpdir(), ...sharedUpperFolders];
  for (const root of held) {
    if (belongsToOther(root))
      return failed(`${root} belongs to another user or group. chown it, or run weft as its owner`);
    if (table.some(({point}) => point !== root && containsPath(root, point)))
      return failed(`another file system is mounted inside ${root}`);
    const upperPlace = upperFolderFor(root, {places, roots, table});
    if (upperPlace === undefined) return failed('no file system outside the workspace can hold its changes');
    layer(root, upperPlace);
  }
  // The folders that stay are kept aside while their surroundings are covered.
  const aside = [...held, ...kept].map((folder, at) => ({folder, at: join(session.heldIn(memory), String(at))}));
  for (const {folder, at} of aside) {
    mkdirSync(at);
    lines.push(bindLine({folder, at}));
  }
  const hidden = [...held, ...kept, memory];
  for (const folder of covers) {
    const place = table.some(({point}) => point !== folder && containsPath(folder, point))
      ? undefined
      : upperFolderFor(folder, {places, roots: [...roots, folder], table});
    if (place === undefined && !temporary.includes(folder)) continue;
    hidden.push(folder);
    if (place !== undefined) layer(folder, place);
    else lines.push(`weft ${escapeField(folder)} tmpfs mode=1777 0 0\n`);
  }
  const back = aside.map(({folder, at}) => bindLine({folder: at, at: folder}));
  const mounts = join(session.mounts, 'shadow.fstab');
  writeFileSync(mounts, [...uppers, ...lines].join(''));
  const mountsBack = join(session.heldIn(memory), 'back.fstab');
  writeFileSync(mountsBack, [...back, `weft ${memory} tmpfs mode=1777 0 0\n`].join(''));
  const fixed = table.filter(
    ({point, type, isFixed}) =>
      isDisk(type) && !isFixed && isFolder(point) && !hidden.some(each => containsPath(each, point)),
  );
  const user = process.getuid?.() ?? 0;
  const isRoot = user === 0;
  // A second namespace gives the process its own user again.
  const again = `exec ${quoted(unshare)} -U --map-user=${String(user)} --map-group=${String(process.getgid?.() ?? 0)} -- "$@"`;
  const script = [
    'set -e',
    `${quoted(mount)} -a -T ${quoted(mounts)}`,
    // An empty folder in place of a temporary one lacks the folders in it.
    `mkdir -p -- ${aside.map(({folder}) => quoted(folder)).join(' ')}`,
    `${quoted(mount)} -a -T ${quoted(mountsBack)}`,
    ...new Set(
      fixed.map(
        ({point, options}) =>
          `${quoted(mount)} -o remount,bind,ro,${options.replace(/^rw,?/u, '')} ${quoted(point)} || [ ! -w ${quoted(point)} ]`,
      ),
    ),
    'cd "$1"',
    'shift',
    isRoot ? 'exec "$@"' : again,
  ];
  const file = join(session.mounts, 'shadow.sh');
  writeFileSync(file, script.map(line => `${line}\n`).join(''));
  const launcher = [unshare, isRoot ? '-m' : '-Urm', '/bin/sh', file];
  try {
    const probe = join(roots[0], '.weft-shadow-probe');
    const test = [...launcher.slice(1), roots[0], '/bin/sh', '-c', ': >"$1" && [ -O "$1" ] && rm -f "$1"', 'sh', probe];
    await promisify(execFile)(unshare, test, {timeout: 20_000});
    return ok(launcher);
  } catch (cause) {
    return failed(
      causeText(cause)
        .replace(/\s*dmesg\(1\) may have.*/su, '')
        .trim()
        .split('\n')
        .at(-1) ?? '',
    );
  }
}

/** A folder in memory, for what is kept aside. Inside, it is empty. */
const memory = '/dev/shm';

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Copies a folder with everything in it but weft's worktrees, pipes, sockets, and a link to git data elsewhere. Shares blocks if the file system can. */
async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  const worktrees = worktreesFolder(from);
  const filter = (path: string): boolean => {
    signal.throwIfAborted();
    const stats = lstatSync(path, {throwIfNoEntry: false});
    if (stats === undefined || path === worktrees || (stats.isFile() && relative(from, path) === '.git')) return false;
    return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
  };
  const mode = constants.COPYFILE_FICLONE;
  await cp(from, to, {recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode, filter});
}
