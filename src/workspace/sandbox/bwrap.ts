import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {existsSync, lstatSync, readFileSync, rmSync, type Stats} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {promisify} from 'node:util';
import {failed, ok, tryOr} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {findProgram, splitPath, userPath} from '../exec/trusted-path.ts';
import {containsPath, outermost, realPath} from '../files/resolve-path.ts';
import {forwarderPort, withForwarder} from './forwarder.ts';
import {guardedPaths, rootWorkspaceProblem} from './guarded-paths.ts';
import {isPlaceholder} from './leftovers.ts';
import {openOverlays, type Overlays} from './overlay.ts';
import type {BackendRequest, EnclosedStart, SandboxPolicy, SandboxProvider} from './sandbox.ts';
import {filterDescriptor, withFilter} from './seccomp-filter.ts';

/**
 * bubblewrap (bwrap(1)): unprivileged namespaces for each command. The whole machine is read-only. Paths with secrets
 * or with access to outside services are hidden. The workspace is a copy-on-write view (`held`), the real one except
 * for protected paths (`writable`), or read-only.
 *
 * `--die-with-parent` is missing on purpose: it would end processes that an allowed command leaves running (`npm run
 * dev &`) together with its shell. After `kill -9` of weft, the watchdog finds the sandbox's first process by its run
 * tag and ends it; the kernel then ends all others inside. `--new-session` is needed only for the user's own terminal:
 * commands on pipes have none, and blocks have their own.
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
    if (policy.roots.includes('/')) return failed(rootWorkspaceProblem);
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
    const mounted = mounts(policy, overlays ?? emptyOverlays);
    const args = [
      ...namespaces(request),
      ...(overlays === undefined ? [] : userIdFlags()),
      ...capabilityFlags(),
      '--seccomp',
      filterDescriptor,
      ...versionFlags,
      ...mounted.args,
      ...beginMarkerFlags(mark),
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
        for (const path of mounted.mountedOver) if (isPlaceholder(path)) rmSync(path, {force: true});
        return mounted.forbiddenFiles.flatMap(path => {
          if (statsOf(path) === undefined) return [];
          rmSync(path, {recursive: true, force: true});
          return [`weft removed ${path}: it would lead git to another configuration`];
        });
      },
    } satisfies EnclosedStart);
  },
  close: async () => {},
};

/** Returns the version that a backend prints for `--version`. */
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

/** Without `--disable-userns` (before 0.8) a command can create namespaces in which it is root. The probe then reports that. */
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

/** In the namespace of the overlay mounts every user is root. */
const userIdFlags = (): readonly string[] => [
  '--uid',
  String(process.getuid?.() ?? 0),
  '--gid',
  String(process.getgid?.() ?? 0),
];

/**
 * Drops capabilities. Otherwise a root user would also be root of the namespaces, and could create further ones and
 * mount in them. Root keeps only the capabilities for files that deny access to their owner.
 */
const capabilityFlags = (): readonly string[] => [
  '--cap-drop',
  'ALL',
  ...(process.getuid?.() === 0
    ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID'].flatMap(right => ['--cap-add', `CAP_${right}`])
    : []),
];

const emptyOverlays: Pick<Overlays, 'covered' | 'places'> = {covered: [], places: []};

/** The paths of weft's own files inside. */
const preludeInside = '/run/weft';
const socketInside = `${preludeInside}/proxy.sock`;

/** bwrap's last step before the command: the name exists only after all mounts are done. The command can't remove it. */
const beginMarkerFlags = (mark: string): readonly string[] => [
  '--symlink',
  'begun',
  join(preludeInside, mark),
  '--remount-ro',
  preludeInside,
];

/** Bytes of shared memory that a command may use; more than browsers in tests need. */
const sharedMemory = 1024 * 1024 * 1024;

/** Returns the mounts in their order: a later one covers an earlier one. */
function mounts(policy: SandboxPolicy, {covered, places}: Pick<Overlays, 'covered' | 'places'>): Mounts {
  const {roots, workspace, session, hidden, network} = policy;
  const {scripts, reports, folder} = session;
  const tmp = workspace === 'writable' ? session.changingTmp : session.tmp;
  const insideRoots = (path: string): boolean => roots.some(root => containsPath(root, path) && root !== path);
  /** Returns the path from which bwrap mounts what the command sees at `path`. */
  const mountSource = (path: string): string => {
    const place = places.findLast(each => containsPath(each.folder, path));
    return place === undefined ? path : join(place.at, relative(place.folder, path));
  };
  const guarded = guardedPaths(policy);
  const isCovered = (path: string): boolean => covered.some(each => containsPath(each, path));
  const sockets = listeningSockets(policy, {
    covered: [...replacedFolders, ...covered],
    bare: roots.filter(root => workspace === 'writable' || (workspace === 'read-only' && !isCovered(root))),
  });
  const groups: readonly (readonly string[])[] = [
    ['--ro-bind', '/', '/'],
    ['--dev', '/dev'],
    ['--size', String(sharedMemory), '--tmpfs', '/dev/shm'],
    ['--proc', '/proc'],
    // The kernel's settings: root could write them without any capability, and `core_pattern` names a program that runs
    // outside.
    process.getuid?.() === 0 ? ['--remount-ro', '/proc'] : [],
    // Sockets of services: docker, dbus, the agent of ssh, systemd.
    ['--tmpfs', '/run'],
    ...systemFolders.map(readOnlyIfThere),
    ['--bind', tmp, '/tmp'],
    ['--bind', tmp, '/var/tmp'],
    ...policy.readable.map(readOnlyIfThere),
    // Once a folder is hidden, nothing in it is left to mount over.
    ...outermost([...hidden, ...session.held()].filter(path => !coversRoot(path, roots))).map(path =>
      hideMount(path, folder),
    ),
    ...roots.map(root => [workspace === 'read-only' ? '--ro-bind' : '--bind', mountSource(root), root]),
    // Other file systems in the workspace, which have their own layers.
    ...places.filter(place => !roots.includes(place.folder)).map(place => ['--bind', place.at, place.folder]),
    // A view needs no such mounts, because renames in it are never applied.
    ...(workspace === 'held' ? [] : guarded.writable.map(path => ['--bind', mountSource(path), path])),
    ...guarded.readOnly.map(path => ['--ro-bind', mountSource(path), path]),
    // Hidden paths inside the workspace, or uncovered by its mount.
    ...outermost(hidden.filter(insideRoots)).map(path => hideMount(path, folder)),
    ...sockets.map(path => ['--ro-bind', join(folder, 'empty'), path]),
    ['--bind', scripts.outside, scripts.inside],
    ['--bind', reports.outside, reports.inside],
    network.kind === 'filtered' ? ['--ro-bind', network.socket, socketInside] : [],
    // The target of /etc/resolv.conf.
    network.kind === 'open' ? readOnlyIfThere('/run/systemd/resolve') : [],
  ];
  const mountedOver = [...hidden, ...sockets].filter(path => insideRoots(path) && !isPlaceholder(path));
  return workspace === 'writable'
    ? {args: groups.flat(), mountedOver, forbiddenFiles: guarded.forbiddenFiles}
    : {args: groups.flat(), mountedOver: [], forbiddenFiles: []};
}

interface Mounts {
  readonly args: readonly string[];
  /** Existing paths in the real workspace. If one disappears before it is mounted over, bwrap creates an empty file there. */
  readonly mountedOver: readonly string[];
  /** See `GuardedPaths`. */
  readonly forbiddenFiles: readonly string[];
}

const readOnlyIfThere = (path: string): readonly string[] => ['--ro-bind-try', path, path];

/** A hidden folder that is also a workspace root can't be hidden, because the user started weft there. */
const coversRoot = (path: string, roots: readonly string[]): boolean => roots.includes(path);

/** NixOS has its programs here. */
const systemFolders = ['/run/current-system', '/run/opengl-driver', '/run/nvidia-persistenced/socket'].filter(path =>
  existsSync(path),
);

/** Treats a path that weft can't reach, such as one in another user's private folder, as missing: the command can't reach it either. */
const statsOf = (path: string): Stats | undefined => tryOr(() => lstatSync(path, {throwIfNoEntry: false}), undefined);

function hideMount(path: string, session: string): readonly string[] {
  const stats = statsOf(path);
  if (stats === undefined || stats.isSymbolicLink()) return [];
  // Hidden paths are read-only, because anything written there would seem to be saved and then be lost.
  return stats.isDirectory()
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', join(session, 'empty'), path];
}

/**
 * Returns the bound sockets in the file system. Skips sockets in `covered` folders, and sockets in the workspace
 * outside `bare` folders. Abstract sockets belong to the network namespace, which is separate.
 */
export function listeningSockets(
  {roots, hidden}: SandboxPolicy,
  {covered, bare}: {readonly covered: readonly string[]; readonly bare: readonly string[]},
): readonly string[] {
  if (process.platform !== 'linux') return [];
  const paths = new Set<string>();
  for (const line of tryOr(() => readFileSync('/proc/net/unix', 'utf8'), '').split('\n')) {
    const path = /^\S+ \S+ \S+ \S+ \S+ \S+\s+\d+ (\/.+)$/u.exec(line)?.[1];
    if (path === undefined || virtualFolders.some(folder => containsPath(folder, path))) continue;
    if (hidden.some(folder => containsPath(folder, path)) && !roots.some(root => containsPath(root, path))) continue;
    const real = realPath(path);
    if (statsOf(real)?.isSocket() === true) paths.add(real);
    if (paths.size >= maxSockets) break;
  }
  return [...paths].filter(path => {
    const inWorkspace = roots.some(root => containsPath(root, path));
    return inWorkspace
      ? bare.some(root => containsPath(root, path))
      : !covered.some(folder => containsPath(folder, path));
  });
}

const virtualFolders = ['/proc', '/dev'];
const replacedFolders = ['/tmp', '/var/tmp', '/run', '/var/run'];
const maxSockets = 200;

/** Removes variables that lead to outside services. Sets the temporary folder and, if there is one, the proxy inside. */
function insideEnvironment({environment, policy}: BackendRequest): Record<string, string> {
  const kept = withoutOutsideAccess(environment);
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
          // Node's own fetch uses these variables only with this flag.
          NODE_USE_ENV_PROXY: '1',
        }),
  };
}

export const withoutOutsideAccess = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !outsideVariables.test(name)));

const outsideVariables =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_\w+|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST|CONTAINER_HOST|TMUX|VSCODE_IPC\w*|VSCODE_GIT\w*|TEMP|TMP|(?:https?|ftp|all|no)_proxy|GOOGLE_APPLICATION_CREDENTIALS|KUBECONFIG|AWS_(?:PROFILE|SHARED_CREDENTIALS_FILE|CONFIG_FILE))$/iu;

/** Returns folders that are needed although their parents are hidden: programs on PATH, and the repository of a git worktree. */
export function neededFolders(roots: readonly string[]): readonly string[] {
  const programs = splitPath(userPath(), roots)
    .trusted.split(':')
    .map(folder => realPath(folder));
  const repositories = roots.flatMap(root => worktreeRepository(join(root, '.git')));
  return [...programs, dirname(process.execPath), ...repositories].filter(folder =>
    replacedFolders.some(above => containsPath(above, folder)),
  );
}

/** Returns the repository of a worktree, whose `.git` is a file with the name of git's folder. */
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
