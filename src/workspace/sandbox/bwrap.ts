import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {failed, ok} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {findProgram, splitPath, userPath} from '../exec/trusted-path.ts';
import {readTextFile} from '../exec/process-table.ts';
import {holds, realPath} from '../files/resolve-path.ts';
import {forwarderPort, withForwarder} from './forwarder.ts';
import type {BackendRequest, EnclosedStart, SandboxPolicy, SandboxProvider} from './sandbox.ts';

/**
 * bubblewrap (bwrap(1)): namespaces of a command's own, made without rights. The whole machine is read-only, the workspace is writable
 * but for what is protected, what holds secrets or leads out is not there.
 *
 * `--die-with-parent` is left out on purpose: it would end what a command leaves running (`npm run dev &`) with its shell. After
 * `kill -9` of weft the watchdog ends what runs inside, which it knows by the run tag of the sandbox's first process: when that ends,
 * the kernel ends all the others. `--new-session` is needed only for a terminal of
 * the user's: commands on pipes have none, those of blocks have one of their own.
 */
export const bwrap: SandboxProvider = {
  name: 'bwrap',
  async find() {
    const program = findProgram('bwrap');
    if (program === undefined)
      return failed('bwrap is not installed (Debian, Ubuntu, Fedora, Arch: package bubblewrap)');
    try {
      const {stdout} = await promisify(execFile)(program, ['--version'], {timeout: 5000});
      const version = /\d+\.\d+(?:\.\d+)?/u.exec(stdout)?.[0] ?? '';
      return ok({version});
    } catch (cause) {
      return failed(`${program} --version failed: ${causeText(cause)}`);
    }
  },
  async enclose(request) {
    const program = findProgram('bwrap');
    if (program === undefined) return failed('bwrap is not installed');
    versionFlags ??= await flagsOfVersion(program);
    const {policy} = request;
    if (policy.roots.some(root => root === '/'))
      return failed('the workspace is the root of the disk, so nothing would be left to protect');
    const view = mountView(policy);
    const mark = randomUUID();
    const begun = join(policy.session.scripts.outside, mark);
    const args = [
      ...namespaces(request),
      ...versionFlags,
      ...mounts(policy, view),
      ...markBegun(mark),
      '--chdir',
      request.directory,
      '--',
    ];
    const {network} = policy;
    const inner =
      network.kind === 'filtered'
        ? withForwarder(request.argv, {socket: socketInside, ports: network.loopbackPorts})
        : request.argv;
    return ok({
      kind: 'enclosed',
      view: 'direct',
      program,
      args: [...args, ...inner],
      environment: withExcludes(insideEnvironment(request), policy),
      prelude: policy.session,
      litter: [policy.session.folder, ...view.placeholders],
      hasBegun: () => lstatSync(begun, {throwIfNoEntry: false}) !== undefined,
      release() {
        rmSync(begun, {force: true});
        return view.release();
      },
    } satisfies EnclosedStart);
  },
  close: async () => {},
};

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

const namespaces = ({terminal}: BackendRequest): readonly string[] => [
  ...(terminal === 'shared' ? ['--new-session'] : []),
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--unshare-net',
];

/** Where things of weft's own are seen inside. */
const preludeInside = '/run/weft';
const socketInside = `${preludeInside}/proxy.sock`;

/** The last that bwrap does before the command: where the name is, everything was mounted. The command cannot remove it. */
const markBegun = (mark: string): readonly string[] => [
  '--symlink',
  '/',
  join(preludeInside, mark),
  '--remount-ro',
  preludeInside,
];

/** Bytes of shared memory that a command may take; more than browsers in tests need. */
const sharedMemory = 1024 * 1024 * 1024;

/** In the order in which they are made: a later one covers an earlier one. */
function mounts(policy: SandboxPolicy, view: MountView): readonly string[] {
  const {roots, workspace, session, hidden, network} = policy;
  const {scripts, reports, tmp, folder} = session;
  const insideRoots = (path: string): boolean => roots.some(root => holds(root, path) && root !== path);
  const groups: readonly (readonly string[])[] = [
    ['--ro-bind', '/', '/'],
    ['--dev', '/dev'],
    ['--size', String(sharedMemory), '--tmpfs', '/dev/shm'],
    ['--proc', '/proc'],
    // Sockets of services: docker, dbus, the agent of ssh, systemd.
    ['--tmpfs', '/run'],
    ...systemFolders.map(readOnlyIfThere),
    ['--bind', tmp, '/tmp'],
    ['--bind', tmp, '/var/tmp'],
    ...policy.readable.map(readOnlyIfThere),
    ...hidden.filter(path => !coversRoot(path, roots)).map(path => hiding(path, folder)),
    ...roots.map(root => [workspace === 'writable' ? '--bind' : '--ro-bind', root, root]),
    view.guards,
    // What is hidden inside the workspace, or was laid bare by it.
    ...hidden.filter(insideRoots).map(path => hiding(path, folder)),
    ...view.sockets.map(path => ['--ro-bind', join(folder, 'empty'), path]),
    ['--bind', scripts.outside, scripts.inside],
    ['--bind', reports.outside, reports.inside],
    network.kind === 'filtered' ? ['--ro-bind', network.socket, socketInside] : [],
  ];
  return groups.flat();
}

const readOnlyIfThere = (path: string): readonly string[] => ['--ro-bind-try', path, path];

/** A hidden folder that is a workspace root itself cannot be hidden: the user has started weft there. */
const coversRoot = (path: string, roots: readonly string[]): boolean => roots.includes(path);

/** NixOS has its programs here. */
const systemFolders = ['/run/current-system', '/run/opengl-driver', '/run/nvidia-persistenced/socket'].filter(path =>
  existsSync(path),
);

/** What weft cannot reach, as what lies in another user's closed folder, the command cannot reach either: it counts as not there. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false});
  } catch {
    return undefined;
  }
}

function hiding(path: string, session: string): readonly string[] {
  const stats = statsOf(path);
  if (stats === undefined || stats.isSymbolicLink()) return [];
  // Nothing can be put there either: it would seem to be kept and be gone.
  return stats.isDirectory()
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', join(session, 'empty'), path];
}

interface MountView {
  /** Mounts over what is protected in the workspace. */
  readonly guards: readonly string[];
  /** Sockets that somebody listens on, outside of what is hidden as a whole. */
  readonly sockets: readonly string[];
  readonly placeholders: readonly string[];
  release(): readonly string[];
}

/**
 * What is protected at the top of each root is mounted over: what exists by itself, read-only; what must not come to be by nothing, for
 * which bwrap makes an empty file there as long as a command runs. A folder with something protected in it is mounted over itself,
 * so that it cannot be renamed. Protected names for which no empty file is made are looked for when the command has ended.
 */
function mountView(policy: SandboxPolicy): MountView {
  if (policy.workspace === 'read-only')
    return {guards: [], sockets: listeningSockets(policy), placeholders: [], release: () => []};
  const guards: string[] = [];
  const placeholders: string[] = [];
  const before = new Map<string, string>();
  const empty = join(policy.session.folder, 'empty');
  const readOnly = (path: string): void => void guards.push('--ro-bind', path, path);
  const missing = (path: string): void => {
    // A device could not even be read there; of an empty file programs read nothing, and that it is read-only when they write.
    guards.push('--ro-bind', empty, path);
    placeholders.push(path);
  };
  for (const root of policy.roots) {
    const names = namesIn(root);
    for (const name of names) {
      const path = join(root, name);
      if (!policy.isProtected(name) || isPlaceholder(path)) continue;
      const stats = lstatSync(path, {throwIfNoEntry: false});
      if (stats === undefined) continue;
      before.set(path, stats.isSymbolicLink() ? readlinkSync(path) : '');
      if (stats.isSymbolicLink() || stats.isSocket()) continue;
      if (name === '.git' && stats.isDirectory() && policy.repository === 'guarded') {
        guards.push('--bind', path, path, ...repositoryGuards(path, empty));
        if (existsSync(join(path, 'commondir'))) before.set(join(path, 'commondir'), '');
      } else readOnly(path);
    }
    for (const name of root === policy.home ? [...neverMade, ...neverMadeAtHome] : neverMade) {
      const [first = '', second] = name.split('/');
      const top = join(root, first);
      const isThere = lstatSync(top, {throwIfNoEntry: false}) !== undefined && !isPlaceholder(top);
      if (!isThere) missing(top);
      else if (second !== undefined && !before.has(top)) {
        const path = join(top, second);
        if (lstatSync(top).isDirectory()) {
          guards.push('--bind', top, top);
          if (existsSync(path) && !isPlaceholder(path)) readOnly(path);
          else missing(path);
        }
      }
    }
  }
  for (const path of policy.nested) if (existsSync(path)) readOnly(path);
  const sockets = listeningSockets(policy);
  // In the place of one that is gone when it is mounted over, bwrap makes a file.
  placeholders.push(...sockets.filter(path => policy.roots.some(root => holds(root, path))));
  for (const path of placeholders) inUse.set(path, (inUse.get(path) ?? 0) + 1);
  return {
    guards,
    sockets,
    placeholders,
    release() {
      for (const path of placeholders) removePlaceholder(path);
      return policy.roots.flatMap(root => takeAway(root, before, policy));
    },
  };
}

/** What of a repository runs programs, decides which, or leads to another configuration, whether it is there or not. */
function repositoryGuards(repository: string, empty: string): readonly string[] {
  return ['hooks', 'config', 'config.worktree', 'commondir', 'modules', 'worktrees'].flatMap(name => {
    const path = join(repository, name);
    if (existsSync(path)) return ['--ro-bind', path, path];
    // An empty file is in nobody's way there, but for one: git would stop at an empty `commondir`, so that is taken away afterwards.
    return name === 'hooks' || name === 'config.worktree' ? ['--ro-bind', empty, path] : [];
  });
}

/** Mounted over by nothing where they are missing: what runs, or chooses what runs, as soon as somebody enters the folder. */
export const neverMade = [
  '.envrc',
  '.mcp.json',
  '.npmrc',
  '.vscode',
  '.idea',
  '.claude',
  '.weft',
  '.husky',
  '.gitlab-ci.yml',
  '.github/workflows',
];

/** Read in no other folder. Elsewhere they are taken away afterwards, as all else that is protected. */
export const neverMadeAtHome = ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zshenv', '.gitconfig'];

/** Placeholders by how many commands they serve now. */
const inUse = new Map<string, number>();

/** Nothing of this weft's commands or of another's, and nothing of the user's: what bwrap makes to have something to mount over. */
function isPlaceholder(path: string): boolean {
  const stats = lstatSync(path, {throwIfNoEntry: false});
  return stats !== undefined && stats.isFile() && stats.size === 0 && (stats.mode & 0o777) === 0o444;
}

/** Only when no other command needs it: to remove it takes its protection from all of them. */
function removePlaceholder(path: string): void {
  const left = (inUse.get(path) ?? 1) - 1;
  if (left > 0) {
    inUse.set(path, left);
    return;
  }
  inUse.delete(path);
  if (isPlaceholder(path)) rmSync(path, {force: true});
}

/** Protected names that a command has made, for which there was no placeholder, go to the folder of the session. */
export function takeAway(root: string, before: ReadonlyMap<string, string>, policy: SandboxPolicy): readonly string[] {
  const notes: string[] = [];
  const otherRepository = join(root, '.git', 'commondir');
  if (policy.repository === 'guarded' && !before.has(otherRepository) && existsSync(otherRepository)) {
    rmSync(otherRepository, {force: true});
    notes.push('weft removed .git/commondir again: it would lead git to another configuration');
  }
  for (const name of namesIn(root)) {
    const path = join(root, name);
    const was = before.get(path);
    if (!policy.isProtected(name) || inUse.has(path) || isPlaceholder(path)) continue;
    const isNew = was === undefined || (was !== '' && linkTarget(path) !== was);
    if (!isNew || (name === '.git' && policy.repository === 'guarded')) continue;
    const aside = join(policy.session.folder, 'removed', `${Date.now()}-${name}`);
    try {
      mkdirSync(dirname(aside), {recursive: true});
      renameSync(path, aside);
    } catch {
      rmSync(path, {recursive: true, force: true});
    }
    notes.push(`weft removed ${name} again: commands in the sandbox may not make it`);
  }
  return notes;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Sockets in the file system that are bound now, outside of the `covered` folders. Abstract ones belong to the network that is not there. */
export function listeningSockets({roots, hidden}: SandboxPolicy, covered = replaced): readonly string[] {
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
    if (paths.size >= mostSockets) break;
  }
  // Below /tmp and /run only the workspace is to be seen.
  return [...paths].filter(
    path => !covered.some(folder => holds(folder, path)) || roots.some(root => holds(root, path)),
  );
}

const gone = ['/proc', '/dev'];
const replaced = ['/tmp', '/var/tmp', '/run', '/var/run'];
const mostSockets = 200;

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

/** Git takes the placeholders for new files, and `git add -A` would stop at them. The user's own list of ignored files counts, too. */
export function withExcludes(
  environment: Record<string, string>,
  {session: {scripts}}: SandboxPolicy,
  alsoMade: readonly string[] = [],
): Record<string, string> {
  const file = join(scripts.outside, 'excludes');
  if (!existsSync(file)) {
    const config = environment['XDG_CONFIG_HOME'] ?? join(environment['HOME'] ?? '/', '.config');
    const own = readTextFile(join(config, 'git', 'ignore')) ?? '';
    writeFileSync(
      file,
      `${own}\n${[...neverMade, ...neverMadeAtHome, ...alsoMade].map(name => name.replace(/\/.*/u, '')).join('\n')}\n`,
    );
  }
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? '0');
  return {
    ...environment,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${String(count)}`]: 'core.excludesFile',
    [`GIT_CONFIG_VALUE_${String(count)}`]: join(scripts.inside, 'excludes'),
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
