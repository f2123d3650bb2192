import {execFile} from 'node:child_process';
import {mkdirSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {release} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {readTextFile} from '../exec/process-table.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {isFolder, listFolder} from '../files/list-folder.ts';
import {containsPath, outermost} from '../files/resolve-path.ts';
import type {CommandView, SandboxPolicy, SandboxSession} from './sandbox.ts';
import {forceRemove} from './session.ts';
import {withFilter} from './seccomp-filter.ts';
import {explainViewFailure, type MountSettings} from './explain-failure.ts';

/**
 * The mounts that are made before bwrap starts, in unprivileged namespaces: overlayfs over the workspace, and read-only
 * overlays over the other folders of the disk. A socket or FIFO seen through an overlay is a different one from the one
 * below. So nothing inside can reach an outside service through it.
 */
export interface Overlays {
  /** Folders of the disk under read-only overlays. */
  readonly covered: readonly string[];
  /** The writable folders of the workspace, and their mount points for bwrap. */
  readonly places: readonly Mounted[];
  /** The program that makes the mounts and then starts the command that follows its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly view: CommandView | 'direct';
}

interface Mounted {
  readonly folder: string;
  readonly at: string;
}

/** Returns the overlays for one command. A failure says why this machine or this workspace has none. */
export async function openOverlays(policy: SandboxPolicy): Promise<Outcome<Overlays, string>> {
  const shared = await sharedMountsOf(policy);
  if (shared.tag === 'failed') return shared;
  const ground = shared.value;
  const {covered, unshare, mount, namespaces} = ground;
  const {workspace} = policy;
  const isHeld = workspace === 'held';
  const view = isHeld ? openView(ground, policy) : 'direct';
  return ok({
    covered,
    places: workspace === 'read-only' ? [] : ground.lowers,
    program: unshare,
    args: [
      ...namespaces,
      // When bwrap's first process ends, the kernel ends all others of the command before `unshare` itself ends.
      ...(isHeld ? ['--pid', '--fork', '--kill-child'] : []),
      '/bin/sh',
      '-c',
      `"$0" -a -T "$1" || exit 125; filter=$2; shift 2; ${withFilter('$filter')}`,
      mount,
      view === 'direct' ? join(policy.session.mounts, `${workspace}.fstab`) : view.table,
      policy.session.filter,
    ],
    view,
  });
}

/** Makes the view of one command, with the file that lists its mounts. */
function openView(
  {lowers, covers}: Pick<SharedMounts, 'lowers' | 'covers'>,
  policy: Pick<SandboxPolicy, 'readChanges' | 'session'>,
): CommandView & {readonly table: string} {
  commands += 1;
  const name = String(commands);
  const folders = [...new Set(lowers.map(({held}) => join(held, name)))];
  for (const folder of folders) mkdirSync(folder, {mode: 0o700});
  const mine = join(policy.session.mounts, name);
  mkdirSync(mine);
  const lines: string[] = [];
  const layers = lowers.map(({folder: lower, link, held, heldLink, at}, index) => {
    const own = join(name, String(index));
    for (const each of [own, join(own, 'upper'), join(own, 'work')]) mkdirSync(join(held, each));
    const upper = join(held, own, 'upper');
    const [upperLink, work] = [join(heldLink, own, 'upper'), join(heldLink, own, 'work')];
    lines.push(overlayLine(at, {lower: link, upper: upperLink, work}, ',volatile'));
    // All local file systems use the same clock.
    return {lower, upper, begunNs: statSync(upper, {bigint: true}).ctimeNs};
  });
  const table = join(mine, 'fstab');
  writeFileSync(table, lines.join('') + covers);
  return {
    layers,
    table,
    read: signal => policy.readChanges({layers}, signal),
    close: () => void Promise.all([mine, ...folders].map(forceRemove)),
  };
}

let commands = 0;

/**
 * Returns the line of a table for mount(8) that lays an overlay over `at`. The paths of the layers hold no commas or colons. The kernel
 * mounts `volatile` layers only once.
 */
export const overlayLine = (
  at: string,
  {lower, upper, work}: {readonly lower: string; readonly upper: string; readonly work: string},
  again: '' | ',volatile',
): string =>
  `weft ${escapeField(at)} overlay ${escapeField(`lowerdir=${lower},upperdir=${upper},workdir=${work}`)},userxattr${again} 0 0\n`;

/** A folder of the workspace with its own layer. The links replace folder names that may contain separators of mount options. */
interface Lower extends Mounted {
  readonly link: string;
  /** The folder that contains the upper folders of this mount. */
  readonly held: string;
  readonly heldLink: string;
}

/** The part that all commands of a session share while the machine's mounts stay the same. */
interface SharedMounts {
  readonly covered: readonly string[];
  /** The mounts over the `covered` folders, as lines for mount(8). */
  readonly covers: string;
  readonly lowers: readonly Lower[];
  readonly unshare: string;
  readonly mount: string;
  readonly namespaces: readonly string[];
}

const knownMounts = new WeakMap<
  SandboxSession,
  {readonly mounts: string; readonly ground: Promise<Outcome<SharedMounts, string>>}
>();

function sharedMountsOf(policy: SandboxPolicy): Promise<Outcome<SharedMounts, string>> {
  const mounts = readTextFile('/proc/self/mountinfo') ?? '';
  const known = knownMounts.get(policy.session);
  if (known?.mounts === mounts) return known.ground;
  const ground = makeSharedMounts(policy, mountTable(mounts));
  knownMounts.set(policy.session, {mounts, ground});
  return ground;
}

/** Tries the mounts once. A folder that the kernel refuses must not keep every command from starting. */
async function makeSharedMounts(
  policy: SandboxPolicy,
  table: readonly Mount[],
): Promise<Outcome<SharedMounts, string>> {
  const {roots, session, places} = policy;
  const unshare = findProgram('unshare');
  const mount = findProgram('mount');
  if (unshare === undefined || mount === undefined)
    return failed(`${unshare === undefined ? 'unshare' : 'mount'} is not installed (package util-linux)`);
  if (/[:,\\]/u.test(session.folder))
    return failed(`the path of the temporary folder ${session.folder} contains a colon, comma or backslash`);
  const at = (name: string): string => {
    const folder = join(session.mounts, name);
    mkdirSync(folder, {recursive: true});
    return folder;
  };
  const linkTo = (target: string, name: string): string => {
    const link = join(session.mounts, name);
    rmSync(link, {force: true});
    symlinkSync(target, link);
    return link;
  };
  const own = outermost(roots);
  const inside = table.filter(
    ({point, type}) => isDisk(type) && own.some(root => root !== point && containsPath(root, point)) && isFolder(point),
  );
  const lowers: Lower[] = [];
  for (const [index, folder] of [...new Set([...own, ...inside.map(({point}) => point)])].entries()) {
    if (belongsToOther(folder))
      return failed(
        `${folder} belongs to another user or group, whose files overlayfs cannot copy for this user. chown it, or run weft as its owner`,
      );
    const place = upperFolderFor(folder, {places: [...places, ...sharedUpperFolders], roots: own, table});
    if (place === undefined)
      return failed(
        'weft found no folder outside the workspace on a file system that can hold the changes of commands',
      );
    const held = session.heldIn(place);
    const name = String(index);
    const links = {link: linkTo(folder, `lower-${name}`), heldLink: linkTo(held, `held-${name}`)};
    lowers.push({folder, at: at(`layer-${name}`), held, ...links});
  }
  // In a user's own namespace, a folder with mounts below it can't be a lower layer.
  const namespaces = inside.length > 0 && process.getuid?.() === 0 ? ['-m'] : ['-Urm'];
  const why = (words: string): string =>
    inside.length > 0 && namespaces[0] !== '-m'
      ? `other file systems are mounted inside the workspace (${inside.map(({point}) => point).join(', ')}), which overlayfs can show only to root`
      : explainViewFailure(firstLine(words, 300), mountSettings());
  // A read-only overlay needs two layers.
  const below = at('none');
  const linesOver = (folders: readonly string[]): string => folders.map(folder => coverLine(folder, below)).join('');
  const wanted = coverable(table, session);
  const view = openView({lowers, covers: linesOver(wanted)}, policy);
  try {
    const {stdout, stderr} = await promisify(execFile)(
      unshare,
      [...namespaces, '/bin/sh', '-c', trialScript, mount, view.table],
      {
        timeout: 20_000,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    const made = new Set(mountTable(stdout).flatMap(({point, source}) => (source === 'weft' ? [point] : [])));
    if (lowers.some(lower => !made.has(lower.at))) return failed(why(stderr.trim()));
    const covered = wanted.filter(folder => made.has(folder));
    const covers = linesOver(covered);
    writeFileSync(join(session.mounts, 'writable.fstab'), lowers.map(bindLine).join('') + covers);
    writeFileSync(join(session.mounts, 'read-only.fstab'), covers);
    return ok({covered, covers, lowers, unshare, mount, namespaces});
  } catch (cause) {
    return failed(why(stderrOf(cause)));
  } finally {
    view.close();
  }
}

/**
 * Whether a folder belongs to another user or group. The namespace maps only this user and the user's primary group, so
 * copying other files fails with EOVERFLOW.
 */
export function belongsToOther(folder: string): boolean {
  const {uid, gid} = statSync(folder);
  return uid !== process.getuid?.() || gid !== process.getgid?.();
}

/** Some mounts may fail, so the resulting mount table counts. */
const trialScript = `"$0" -a -T "$1"; while IFS= read -r line; do printf '%s\\n' "$line"; done </proc/self/mountinfo`;

function stderrOf(cause: unknown): string {
  const printed =
    cause instanceof Error && 'stderr' in cause && typeof cause.stderr === 'string' ? cause.stderr.trim() : '';
  return printed === '' ? causeText(cause) : printed;
}

const mountSettings = (): MountSettings => ({
  kernel: release(),
  appArmor: readTextFile('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') ?? '',
  clone: readTextFile('/proc/sys/kernel/unprivileged_userns_clone') ?? '',
  most: readTextFile('/proc/sys/user/max_user_namespaces') ?? '',
});

/** Returns the line of a table for mount(8) that shows a folder, with the mounts in it, at another path, too. */
export const bindLine = ({folder, at}: Mounted): string => `${escapeField(folder)} ${escapeField(at)} none rbind 0 0\n`;

const coverLine = (folder: string, below: string): string =>
  `weft ${escapeField(folder)} overlay lowerdir=${escapeField(below)}:${escapeField(folder)},userxattr 0 0\n`;

export const escapeField = (text: string): string =>
  text.replaceAll(/[\s\\#]/gu, each => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Returns the first folder that can hold an upper layer for `lower`. Prefers one on the same file system. */
export function upperFolderFor(
  lower: string,
  {
    places,
    roots,
    table,
  }: {readonly places: readonly string[]; readonly roots: readonly string[]; readonly table: readonly Mount[]},
): string | undefined {
  const usable = places.filter(
    place => isFolder(place) && !roots.some(root => containsPath(root, place)) && canHoldUpper(typeOf(place, table)),
  );
  const {dev} = statSync(lower);
  return usable.find(place => statSync(place).dev === dev) ?? usable[0];
}

/** Folders outside weft's own that may contain upper layers. */
export const sharedUpperFolders = ['/var/tmp', '/dev/shm'];

/** Returns the file system type of a path, from the innermost mount. If several mounts have the same mount point, the last counts. */
const typeOf = (path: string, table: readonly Mount[]): string =>
  table
    .filter(({point}) => containsPath(point, path))
    .reduce((best, each) => (each.point.length >= best.point.length ? each : best), {point: '', type: ''}).type;

/** Whether unprivileged overlayfs can store whiteouts and its attributes on this file system type. */
const canHoldUpper = (type: string): boolean =>
  /^(?:ext[34]|xfs|btrfs|f2fs|bcachefs|zfs)$/u.test(type) || (type === 'tmpfs' && hasTmpfsAttributes());

/** Linux supports user attributes on tmpfs since 6.6. */
function hasTmpfsAttributes(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 6);
}

export interface Mount {
  readonly point: string;
  readonly type: string;
  readonly source: string;
  /** Whether nothing on the file system can change, through this mount or another. */
  readonly isFixed: boolean;
  /** The options of the mount itself, such as `rw,nosuid`. */
  readonly options: string;
}

/** Parses /proc/self/mountinfo (proc(5)). */
export function mountTable(text: string): readonly Mount[] {
  return text.split('\n').flatMap(row => {
    const [before = '', after = ''] = row.split(' - ');
    const [, , , , point, own = ''] = before.split(' ');
    const [type = '', source = '', options = ''] = after.split(' ');
    if (point === undefined) return [];
    return [{point: unescapeField(point), type, source, isFixed: options.split(',').includes('ro'), options: own}];
  });
}

const unescapeField = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/gu, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** Whether the file system stores files, and is not an interface of the kernel. */
export const isDisk = (type: string): boolean => !kernelTypes.has(type);
const kernelTypes = new Set(
  'proc sysfs cgroup cgroup2 devtmpfs devpts mqueue debugfs tracefs securityfs pstore bpf autofs binfmt_misc configfs fusectl hugetlbfs efivarfs nsfs rpc_pipefs selinuxfs'.split(
    ' ',
  ),
);

/** The maximum number of overlays for one command. */
const maxCovers = 64;

/**
 * Returns the outermost folders that can be lower layers. They have no mounts below them, because those would be
 * missing. Skips folders that a command has as its own, and system folders, because no service keeps sockets there.
 * Skipped folders are searched for sockets instead.
 */
function coverable(table: readonly Mount[], session: SandboxSession): readonly string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    if (found.length >= maxCovers || skippedFolders.has(folder) || /[:,\\]/u.test(folder)) return;
    const own = table.findLast(({point}) => point === folder);
    if (own !== undefined && (!isDisk(own.type) || own.isFixed)) return;
    const isWhole = folder !== '/' && !table.some(({point}) => point !== folder && containsPath(folder, point));
    // An overlay must not be inside one of its own layers.
    if (isWhole && !containsPath(folder, session.folder)) found.push(folder);
    else for (const {name, kind} of listFolder(folder)) if (kind === 'folder') look(join(folder, name));
  };
  look('/');
  return found;
}

const skippedFolders = new Set(
  '/proc /sys /dev /run /tmp /var/run /var/tmp /usr /etc /boot /bin /sbin /lib /lib32 /lib64 /libx32 /nix /snap /lost+found'.split(
    ' ',
  ),
);
