import {execFile} from 'node:child_process';
import {mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {release} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {readTextFile} from '../exec/process-table.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {holds} from '../files/resolve-path.ts';
import type {CommandView, SandboxPolicy, SandboxSession, ViewLayer} from './sandbox.ts';
import {removeHeld} from './session.ts';
import {lackOfView, type MountSettings} from './why-it-fails.ts';

/**
 * The mounts that are made before bwrap starts, in namespaces that need no rights: overlayfs over the workspace, and read-only overlays
 * over the other folders of the disk. A socket or a FIFO in an overlay is another one than that of the same name below, so nothing inside
 * reaches a service outside through it.
 */
export interface Overlays {
  /** Folders of the disk and where they are mounted as read-only overlays. */
  readonly covers: readonly Mounted[];
  /** The writable ones of the workspace; empty if the command is not held. */
  readonly layers: readonly (Mounted & ViewLayer)[];
  /** The program that makes the mounts and then starts the command that follows its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly view: CommandView | 'direct';
}

export interface Mounted {
  readonly folder: string;
  readonly at: string;
}

/** The overlays for one command. A failure says why this machine, or this workspace, has none. */
export async function openOverlays(policy: SandboxPolicy): Promise<Outcome<Overlays, string>> {
  const ground = await groundOf(policy);
  if (ground.tag === 'failed') return ground;
  const {covers, lowers, table, unshare, mount, namespaces} = ground.value;
  const isHeld = policy.workspace === 'held';
  const opened = isHeld ? openLayers(lowers) : {layers: [], folders: []};
  const layers = opened.layers.map(({lower, upper, at, begunNs}) => ({lower, folder: lower, upper, at, begunNs}));
  const words = opened.layers.flatMap(({lower, upper, work, at}) => [lower, upper, work, at]);
  return ok({
    covers,
    layers,
    program: unshare,
    args: [
      ...namespaces,
      // When bwrap's first process ends, the kernel ends all others of the command before `unshare` itself ends.
      ...(isHeld ? ['--pid', '--fork', '--kill-child'] : []),
      '/bin/sh',
      '-c',
      mountScript,
      'weft-mounts',
      mount,
      table,
      String(layers.length),
      ...words,
    ],
    view: isHeld
      ? {
          layers,
          read: signal => policy.readChanges({layers}, signal),
          close: () => void Promise.all(opened.folders.map(removeHeld)),
        }
      : 'direct',
  });
}

/** Folders are handed to the kernel as open files: their names may hold what separates options. No command gets those files. */
const mountScript = `
mount=$1 table=$2 layers=$3; shift 3
while [ "$layers" -gt 0 ]; do
  exec 3<"$1" 4<"$2" 5<"$3" || exit 125
  "$mount" -t overlay weft -o lowerdir=/proc/self/fd/3,upperdir=/proc/self/fd/4,workdir=/proc/self/fd/5,userxattr,volatile "$4" || exit 125
  exec 3<&- 4<&- 5<&-
  shift 4; layers=$((layers - 1))
done
[ ! -s "$table" ] || "$mount" -a -T "$table" || exit 125
exec "$@"`;

interface Layer extends ViewLayer {
  readonly work: string;
  readonly at: string;
}

function openLayers(lowers: readonly Lower[]): {
  readonly layers: readonly Layer[];
  readonly folders: readonly string[];
} {
  commands += 1;
  const folders = [...new Set(lowers.map(({place}) => join(place, String(commands))))];
  for (const folder of folders) mkdirSync(folder, {mode: 0o700});
  const layers = lowers.map(({folder: lower, place, at}, index) => {
    const own = join(place, String(commands), String(index));
    const upper = join(own, 'upper');
    const work = join(own, 'work');
    for (const each of [own, upper, work]) mkdirSync(each);
    // The clocks of all local file systems are one.
    return {lower, upper, work, at, begunNs: statSync(upper, {bigint: true}).ctimeNs};
  });
  return {layers, folders};
}

let commands = 0;

/** A folder of the workspace that gets a layer of its own. */
interface Lower {
  readonly folder: string;
  readonly at: string;
  /** The folder in which its upper folders are made. */
  readonly place: string;
}

/** What is the same for all commands of a session, as long as the machine has the same mounts. */
interface Ground {
  readonly mounts: string;
  readonly covers: readonly Mounted[];
  readonly lowers: readonly Lower[];
  /** The file that names the covers for mount(8). */
  readonly table: string;
  readonly unshare: string;
  readonly mount: string;
  readonly namespaces: readonly string[];
}

const grounds = new WeakMap<
  SandboxSession,
  {readonly mounts: string; readonly ground: Promise<Outcome<Ground, string>>}
>();

function groundOf(policy: SandboxPolicy): Promise<Outcome<Ground, string>> {
  const mounts = readTextFile('/proc/self/mountinfo') ?? '';
  const known = grounds.get(policy.session);
  if (known?.mounts === mounts) return known.ground;
  const ground = layGround(policy, mounts);
  grounds.set(policy.session, {mounts, ground});
  return ground;
}

/** Tries the mounts once: what the kernel refuses for one folder must not keep every command from starting. */
async function layGround({roots, session, places}: SandboxPolicy, mounts: string): Promise<Outcome<Ground, string>> {
  const unshare = findProgram('unshare');
  const mount = findProgram('mount');
  if (unshare === undefined || mount === undefined)
    return failed(`${unshare === undefined ? 'unshare' : 'mount'} is not installed (package util-linux)`);
  const table = mountTable(mounts);
  const at = (name: string): string => {
    const folder = join(session.mounts, name);
    mkdirSync(folder, {recursive: true});
    return folder;
  };
  const own = roots.filter(root => !roots.some(other => other !== root && holds(other, root)));
  const inside = table.filter(
    ({point, type}) => isDisk(type) && own.some(root => root !== point && holds(root, point)) && isFolder(point),
  );
  const lowers: Lower[] = [];
  for (const [index, folder] of [...new Set([...own, ...inside.map(({point}) => point)])].entries()) {
    const place = placeFor(folder, {places: [...places, ...sharedPlaces], roots: own, table});
    if (place === undefined)
      return failed(
        'weft found no folder outside the workspace on a file system that can hold the changes of commands',
      );
    lowers.push({folder, at: at(`layer-${String(index)}`), place: session.heldIn(place)});
  }
  const why = (words: string): string =>
    inside.length > 0 && namespaces[0] !== '-m'
      ? `other file systems are mounted inside the workspace (${inside.map(({point}) => point).join(', ')}), which overlayfs cannot show to a user`
      : lackOfView(firstLine(words, 300), mountSettings());
  // In a namespace of a user's own, a folder with mounts below it cannot be a lower layer.
  const namespaces = inside.length > 0 && process.getuid?.() === 0 ? ['-m'] : ['-Urm'];
  const below = at('none');
  const wanted = coverable(table, session).map((folder, index) => ({folder, at: at(`cover-${String(index)}`)}));
  const file = join(session.folder, 'mounts.fstab');
  const write = (covers: readonly Mounted[]): void =>
    writeFileSync(file, covers.map(cover => line(cover, below)).join(''));
  write(wanted);
  const {layers, folders} = openLayers(lowers);
  try {
    const words = layers.flatMap(({lower, upper, work, at: target}) => [lower, upper, work, target]);
    const {stdout, stderr} = await promisify(execFile)(
      unshare,
      [
        ...namespaces,
        '/bin/sh',
        '-c',
        mountScript,
        'weft-mounts',
        mount,
        '/dev/null',
        String(layers.length),
        ...words,
        '/bin/sh',
        '-c',
        trial,
        'weft-mounts',
        mount,
        file,
      ],
      {timeout: 20_000, maxBuffer: 16 * 1024 * 1024},
    );
    const made = new Set(mountTable(stdout).map(({point}) => point));
    if (layers.some(({at: target}) => !made.has(target))) return failed(why(stderr.trim()));
    const covers = wanted.filter(({at: target}) => made.has(target));
    write(covers);
    return ok({mounts, covers, lowers, table: file, unshare, mount, namespaces});
  } catch (cause) {
    return failed(why(stderrOf(cause)));
  } finally {
    await Promise.all(folders.map(removeHeld));
  }
}

/** Some mounts may fail: what there is afterwards counts. */
const trial = `"$1" -a -T "$2"; while IFS= read -r line; do printf '%s\\n' "$line"; done </proc/self/mountinfo`;

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

const line = ({folder, at}: Mounted, below: string): string =>
  `weft ${escaped(at)} overlay lowerdir=${escaped(below)}:${escaped(folder)},userxattr 0 0\n`;

const escaped = (text: string): string =>
  text.replaceAll(/[\s\\#]/gu, each => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** The first of the folders that can hold an upper layer for `lower`: on the same file system if one is. */
function placeFor(
  lower: string,
  {
    places,
    roots,
    table,
  }: {readonly places: readonly string[]; readonly roots: readonly string[]; readonly table: readonly Mount[]},
): string | undefined {
  const usable = places.filter(
    place => isFolder(place) && !roots.some(root => holds(root, place)) && canHold(typeOf(place, table)),
  );
  const {dev} = statSync(lower);
  return usable.find(place => statSync(place).dev === dev) ?? usable[0];
}

/** Folders outside weft's own in which upper layers may lie. */
export const sharedPlaces = ['/var/tmp', '/dev/shm'];

const isFolder = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isDirectory() === true;

/** The file system of a path: that of the innermost mount, and of several at one place the last. */
const typeOf = (path: string, table: readonly Mount[]): string =>
  table
    .filter(({point}) => holds(point, path))
    .reduce((best, each) => (each.point.length >= best.point.length ? each : best), {point: '', type: ''}).type;

/** File systems on which overlayfs can keep whiteouts and its attributes without rights. */
const canHold = (type: string): boolean =>
  /^(?:ext[34]|xfs|btrfs|f2fs|bcachefs|zfs)$/u.test(type) || (type === 'tmpfs' && hasTmpfsAttributes());

/** Linux keeps attributes of users in a tmpfs since 6.6. */
function hasTmpfsAttributes(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 6);
}

export interface Mount {
  readonly point: string;
  readonly type: string;
  /** Whether nothing on the file system can change, through this mount or another. */
  readonly isFixed: boolean;
}

/** Reads /proc/self/mountinfo (proc(5)). */
export function mountTable(text: string): readonly Mount[] {
  return text.split('\n').flatMap(row => {
    const [before = '', after = ''] = row.split(' - ');
    const point = before.split(' ')[4];
    const [type = '', , options = ''] = after.split(' ');
    if (point === undefined) return [];
    return [{point: unescaped(point), type, isFixed: options.split(',').includes('ro')}];
  });
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/gu, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** File systems of files, not of the kernel's own knobs. */
const isDisk = (type: string): boolean => !ofKernel.has(type);
const ofKernel = new Set(
  'proc sysfs cgroup cgroup2 devtmpfs devpts mqueue debugfs tracefs securityfs pstore bpf autofs binfmt_misc configfs fusectl hugetlbfs efivarfs nsfs rpc_pipefs selinuxfs'.split(
    ' ',
  ),
);

/** Overlays that are made for one command at most. */
const mostCovers = 64;

/**
 * The outermost folders that can be lower layers: without mounts below them, which would be missing. Left out are folders that a command
 * sees as its own, and those of the system, where no service keeps its sockets; what is left out is searched for sockets.
 */
function coverable(table: readonly Mount[], session: SandboxSession): readonly string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    if (found.length >= mostCovers || leftOut.has(folder) || /[:,\\]/u.test(folder)) return;
    const own = table.findLast(({point}) => point === folder);
    if (own !== undefined && (!isDisk(own.type) || own.isFixed)) return;
    const isWhole = folder !== '/' && !table.some(({point}) => point !== folder && holds(folder, point));
    // An overlay must not lie in one of its own layers.
    if (isWhole && !holds(folder, session.folder)) found.push(folder);
    else for (const name of foldersIn(folder)) look(join(folder, name));
  };
  look('/');
  return found;
}

const leftOut = new Set(
  '/proc /sys /dev /run /tmp /var/run /var/tmp /usr /etc /boot /bin /sbin /lib /lib32 /lib64 /libx32 /nix /snap /lost+found'.split(
    ' ',
  ),
);

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, {withFileTypes: true}).flatMap(entry => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}
