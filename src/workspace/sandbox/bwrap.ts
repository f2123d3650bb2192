import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {existsSync, lstatSync, readFileSync, rmSync, type Stats} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {promisify} from 'node:util';
import {failed, ok, tryOr} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {findProgram, splitPath, userPath} from '../exec/trusted-path.ts';
import {holds, realPath} from '../files/resolve-path.ts';
import {forwarderPort, withForwarder} from './forwarder.ts';
import {guardedPaths, rootIsWorkspace} from './guarded-paths.ts';
import {isMade} from './leftovers.ts';
import {openOverlays, type Overlays} from './overlay.ts';
import type {BackendRequest, EnclosedStart, SandboxPolicy, SandboxProvider} from './sandbox.ts';
import {filterDescriptor, withFilter} from './system-calls.ts';

/**
 * bubblewrap (bwrap(1)): namespaces of a command's own, made without rights. The whole machine is read-only, what holds secrets or leads
 * out is not there. The workspace is a copy-on-write view (`held`), itself but for what is protected (`writable`), or read-only.
 *
 * `--die-with-parent` is left out on purpose: it would end what a command that a person allowed leaves running (`npm run dev &`) with its
 * shell. After `kill -9` of weft the watchdog ends what runs inside, which it knows by the run tag of the sandbox's first process: when
 * that ends, the kernel ends all the others. `--new-session` is needed only for a terminal of the user's: commands on pipes have none,
 * those of blocks have one of their own.
 */
export const bwrap: SandboxProvider = {
  name: 'bwrap',
  async find() {
    const program = findProgram('bwrap');
    if (program === undefined)
      return failed('bwrap is not installed (Debian, Ubuntu, Fedora, Arch: package bubblewrap)');
    return versionOf(program, {form: /\d+\.\d+(?:\.\d+)?/u, limitMs: 5000});
  },
  async enclose(request) {
    const program = findProgram('bwrap');
    if (program === undefined) return failed('bwrap is not installed');
    versionFlags ??= await flagsOfVersion(program);
    const {policy} = request;
    if (policy.roots.includes('/')) return failed(rootIsWorkspace);
    const opened = await openOverlays(policy);
    if (opened.tag === 'failed' && policy.workspace === 'held') return opened;
    const overlays = opened.tag === 'ok' ? opened.value : undefined;
    const mark = randomUUID();
    const begun = join(policy.session.scripts.outside, mark);
    const {network} = policy;
    const inner =
      network.kind === 'filtered'
        ? withForwarder(request.argv, {socket: socketInside, ports: network.loopbackPorts})
        : request.argv;
    const mounted = mounts(policy, overlays ?? noOverlays);
    const args = [
      ...namespaces(request),
      ...(overlays === undefined ? [] : ownIds()),
      ...rightsInside(),
      '--seccomp',
      filterDescriptor,
      ...versionFlags,
      ...mounted.args,
      ...markBegun(mark),
      '--chdir',
      request.directory,
      '--',
      ...inner,
    ];
    return ok({
      kind: 'enclosed',
      view: overlays?.view ?? 'direct',
      program: overlays?.program ?? '/bin/sh',
      args: [...(overlays?.args ?? ['-c', withFilter('$0'), policy.session.filter]), program, ...args],
      environment: insideEnvironment(request),
      prelude: policy.session,
      litter: [policy.session.folder, ...policy.session.held()],
      hasBegun: () => lstatSync(begun, {throwIfNoEntry: false}) !== undefined,
      release() {
        rmSync(begun, {force: true});
        for (const path of mounted.mountedOver) if (isMade(path)) rmSync(path, {force: true});
        return mounted.neverThere.flatMap(path => {
          if (statsOf(path) === undefined) return [];
          rmSync(path, {recursive: true, force: true});
          return [`weft removed ${path}: it would lead git to another configuration`];
        });
      },
    } satisfies EnclosedStart);
  },
  close: async () => {},
};

/** What a backend answers to `--version`. */
export async function versionOf(
  program: string,
  {form, limitMs}: {readonly form: RegExp; readonly limitMs: number},
): ReturnType<SandboxProvider['find']> {
  try {
    const {stdout} = await promisify(execFile)(program, ['--version'], {timeout: limitMs});
    return ok({version: form.exec(stdout)?.[0] ?? ''});
  } catch (cause) {
    return failed(`${program} --version failed: ${causeText(cause)}`);
  }
}

let versionFlags: readonly string[] | undefined;

/** Without `--disable-userns` (before 0.8) a command can make namespaces in which it is root; the probe then says so. */
async function flagsOfVersion(program: string): Promise<readonly string[]> {
  try {
    const {stdout} = await promisify(execFile)(program, ['--help'], {timeout: 5000});
    return stdout.includes('--disable-userns') ? ['--disable-userns'] : [];
  } catch {
    return [];
  }
}

const namespaces = ({terminal, policy}: BackendRequest): readonly string[] => [
  ...(policy.network.kind === 'open' ? [] : ['--unshare-net']),
  ...(terminal === 'shared' ? ['--new-session'] : []),
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];

/** In the namespace in which the overlays are mounted everybody is root. */
const ownIds = (): readonly string[] => [
  '--uid',
  String(process.getuid?.() ?? 0),
  '--gid',
  String(process.getgid?.() ?? 0),
];

/**
 * A user who is root would be root of the namespaces, too, and could make further ones and mount in them. Root keeps only the right to
 * files that deny their owner something.
 */
const rightsInside = (): readonly string[] => [
  '--cap-drop',
  'ALL',
  ...(process.getuid?.() === 0
    ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID'].flatMap(right => ['--cap-add', `CAP_${right}`])
    : []),
];

const noOverlays: Pick<Overlays, 'covered' | 'places'> = {covered: [], places: []};

/** Where things of weft's own are seen inside. */
const preludeInside = '/run/weft';
const socketInside = `${preludeInside}/proxy.sock`;

/** The last that bwrap does before the command: where the name is, everything was mounted. The command cannot remove it. */
const markBegun = (mark: string): readonly string[] => [
  '--symlink',
  'begun',
  join(preludeInside, mark),
  '--remount-ro',
  preludeInside,
];

/** Bytes of shared memory that a command may take; more than browsers in tests need. */
const sharedMemory = 1024 * 1024 * 1024;

/** In the order in which they are made: a later one covers an earlier one. */
function mounts(policy: SandboxPolicy, {covered, places}: Pick<Overlays, 'covered' | 'places'>): Mounts {
  const {roots, workspace, session, hidden, network} = policy;
  const {scripts, reports, folder} = session;
  const tmp = workspace === 'writable' ? session.changingTmp : session.tmp;
  const insideRoots = (path: string): boolean => roots.some(root => holds(root, path) && root !== path);
  /** Where bwrap finds what the command is to see at the path. */
  const seen = (path: string): string => {
    const place = places.findLast(each => holds(each.folder, path));
    return place === undefined ? path : join(place.at, relative(place.folder, path));
  };
  const guarded = guardedPaths(policy);
  const isCovered = (path: string): boolean => covered.some(each => holds(each, path));
  const sockets = listeningSockets(policy, {
    covered: [...replaced, ...covered],
    bare: roots.filter(root => workspace === 'writable' || (workspace === 'read-only' && !isCovered(root))),
  });
  const groups: readonly (readonly string[])[] = [
    ['--ro-bind', '/', '/'],
    ['--dev', '/dev'],
    ['--size', String(sharedMemory), '--tmpfs', '/dev/shm'],
    ['--proc', '/proc'],
    // The kernel's own settings: to write them the user root needs no other right, and `core_pattern` names a program to run outside.
    process.getuid?.() === 0 ? ['--remount-ro', '/proc'] : [],
    // Sockets of services: docker, dbus, the agent of ssh, systemd.
    ['--tmpfs', '/run'],
    ...systemFolders.map(readOnlyIfThere),
    ['--bind', tmp, '/tmp'],
    ['--bind', tmp, '/var/tmp'],
    ...policy.readable.map(readOnlyIfThere),
    ...outermost([...hidden, ...session.held()].filter(path => !coversRoot(path, roots))).map(path =>
      hiding(path, folder),
    ),
    ...roots.map(root => [workspace === 'read-only' ? '--ro-bind' : '--bind', seen(root), root]),
    // Other file systems in the workspace, which have layers of their own.
    ...places.filter(place => !roots.includes(place.folder)).map(place => ['--bind', place.at, place.folder]),
    // A view needs no such folders: what is renamed there is never applied.
    ...(workspace === 'held' ? [] : guarded.writable.map(path => ['--bind', seen(path), path])),
    ...guarded.readOnly.map(path => ['--ro-bind', seen(path), path]),
    // What is hidden inside the workspace, or was laid bare by it.
    ...outermost(hidden.filter(insideRoots)).map(path => hiding(path, folder)),
    ...sockets.map(path => ['--ro-bind', join(folder, 'empty'), path]),
    ['--bind', scripts.outside, scripts.inside],
    ['--bind', reports.outside, reports.inside],
    network.kind === 'filtered' ? ['--ro-bind', network.socket, socketInside] : [],
    // Where /etc/resolv.conf leads.
    network.kind === 'open' ? readOnlyIfThere('/run/systemd/resolve') : [],
  ];
  const mountedOver = [...hidden, ...sockets].filter(path => insideRoots(path) && !isMade(path));
  return workspace === 'writable'
    ? {args: groups.flat(), mountedOver, neverThere: guarded.neverThere}
    : {args: groups.flat(), mountedOver: [], neverThere: []};
}

interface Mounts {
  readonly args: readonly string[];
  /** Existing paths in the workspace itself. If one is gone before it is mounted over, bwrap makes an empty file there. */
  readonly mountedOver: readonly string[];
  /** See `GuardedPaths`. */
  readonly neverThere: readonly string[];
}

const readOnlyIfThere = (path: string): readonly string[] => ['--ro-bind-try', path, path];

/** What lies in another one is not there to be mounted over once that is hidden. */
const outermost = (paths: readonly string[]): readonly string[] =>
  paths.filter(path => !paths.some(other => other !== path && holds(other, path)));

/** A hidden folder that is a workspace root itself cannot be hidden: the user has started weft there. */
const coversRoot = (path: string, roots: readonly string[]): boolean => roots.includes(path);

/** NixOS has its programs here. */
const systemFolders = ['/run/current-system', '/run/opengl-driver', '/run/nvidia-persistenced/socket'].filter(path =>
  existsSync(path),
);

/** What weft cannot reach, as what lies in another user's closed folder, the command cannot reach either: it counts as not there. */
const statsOf = (path: string): Stats | undefined => tryOr(() => lstatSync(path, {throwIfNoEntry: false}), undefined);

function hiding(path: string, session: string): readonly string[] {
  const stats = statsOf(path);
  if (stats === undefined || stats.isSymbolicLink()) return [];
  // Nothing can be put there either: it would seem to be kept and be gone.
  return stats.isDirectory()
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', join(session, 'empty'), path];
}

/**
 * Sockets in the file system that are bound now, outside of the `covered` folders, but for `bare` folders in them. Abstract ones belong
 * to the network that is not there.
 */
export function listeningSockets(
  {roots, hidden}: SandboxPolicy,
  {covered, bare}: {readonly covered: readonly string[]; readonly bare: readonly string[]},
): readonly string[] {
  if (process.platform !== 'linux') return [];
  let table: string;
  try {
    table = readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return [];
  }
  const paths = new Set<string>();
  for (const line of table.split('\n')) {
    const path = /^\S+ \S+ \S+ \S+ \S+ \S+\s+\d+ (\/.+)$/u.exec(line)?.[1];
    if (path === undefined || gone.some(folder => holds(folder, path))) continue;
    if (hidden.some(folder => holds(folder, path)) && !roots.some(root => holds(root, path))) continue;
    const real = realPath(path);
    if (statsOf(real)?.isSocket() === true) paths.add(real);
    if (paths.size >= maxSockets) break;
  }
  return [...paths].filter(path => {
    const inWorkspace = roots.some(root => holds(root, path));
    return inWorkspace ? bare.some(root => holds(root, path)) : !covered.some(folder => holds(folder, path));
  });
}

const gone = ['/proc', '/dev'];
const replaced = ['/tmp', '/var/tmp', '/run', '/var/run'];
const maxSockets = 200;

/** Without what leads to services outside; with the temporary folder and, where there is one, the proxy of the inside. */
function insideEnvironment({environment, policy}: BackendRequest): Record<string, string> {
  const kept = withoutWaysOut(environment);
  const proxy = `http://127.0.0.1:${String(forwarderPort)}`;
  return {
    ...kept,
    TMPDIR: '/tmp',
    XDG_CACHE_HOME: '/tmp/.cache',
    WEFT_INSIDE: 'bwrap',
    ...(policy.network.kind !== 'filtered'
      ? {}
      : {
          HTTP_PROXY: proxy,
          HTTPS_PROXY: proxy,
          http_proxy: proxy,
          https_proxy: proxy,
          NO_PROXY: 'localhost,127.0.0.1,::1',
          no_proxy: 'localhost,127.0.0.1,::1',
          // Node's own fetch looks at them only when it is told to.
          NODE_USE_ENV_PROXY: '1',
        }),
  };
}

export const withoutWaysOut = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !leadsOut.test(name)));

const leadsOut =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_\w+|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST|CONTAINER_HOST|TMUX|VSCODE_IPC\w*|VSCODE_GIT\w*|TEMP|TMP|(?:https?|ftp|all|no)_proxy|GOOGLE_APPLICATION_CREDENTIALS|KUBECONFIG|AWS_(?:PROFILE|SHARED_CREDENTIALS_FILE|CONFIG_FILE))$/iu;

/** Folders that are hidden with their surroundings and needed all the same: programs on PATH, and the repository of a git worktree. */
export function neededFolders(roots: readonly string[]): readonly string[] {
  const programs = splitPath(userPath(), roots)
    .trusted.split(':')
    .map(folder => realPath(folder));
  const repositories = roots.flatMap(root => worktreeRepository(join(root, '.git')));
  return [...programs, dirname(process.execPath), ...repositories].filter(folder =>
    replaced.some(above => holds(above, folder)),
  );
}

/** `.git` of a worktree is a file that names the folder where git keeps the rest. */
function worktreeRepository(file: string): readonly string[] {
  try {
    const target = /^gitdir: (.+)$/mu.exec(readFileSync(file, 'utf8'))?.[1];
    if (target === undefined) return [];
    const folder = resolve(dirname(file), target.trim());
    const common = existsSync(join(folder, 'commondir'))
      ? resolve(folder, readFileSync(join(folder, 'commondir'), 'utf8').trim())
      : folder;
    return [realPath(common)];
  } catch {
    return [];
  }
}
