import {randomUUID} from 'node:crypto';
import {existsSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {readTextFile} from '../exec/process-table.ts';
import {withGitSettings} from '../exec/shell-environment.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {realPath} from '../files/resolve-path.ts';
import {findSearchBinary} from '../search/ripgrep.ts';
import {withoutOutsideAccess} from './bwrap.ts';
import {directPolicy, guardedPaths, makeStartMarker} from './guarded-paths.ts';
import type {EnclosedStart, SandboxProvider, SandboxSession} from './sandbox.ts';

/**
 * @anthropic-ai/sandbox-runtime, if installed: bubblewrap with a system call filter on Linux, Seatbelt on macOS. It is not bundled,
 * because its programs for three systems take 19 MB. Only the version that weft was written for is accepted, because other versions
 * change the meaning of settings. It is loaded with the first command. It provides no network, even if hosts are allowed.
 */
export const claude: SandboxProvider = {
  name: 'claude',
  async find() {
    const found = installed();
    if (found.tag === 'failed') return found;
    const missing =
      process.platform === 'linux' ? requiredPrograms.filter(program => findProgram(program) === undefined) : [];
    return missing.length === 0
      ? ok({version: supportedVersion})
      : failed(`it needs ${missing.join(' and ')} (Debian, Ubuntu: apt install bubblewrap socat)`);
  },
  async enclose({policy: given, argv, environment}) {
    const found = installed();
    const loaded = found.tag === 'ok' ? load(found.value) : found;
    if (loaded.tag === 'failed') return loaded;
    const placed = directPolicy('claude', given);
    if (placed.tag === 'failed') return placed;
    const policy = placed.value;
    const manager = loaded.value;
    const {session, roots, hidden, readable, workspace} = policy;
    const guarded = guardedPaths(policy);
    const mark = makeStartMarker(argv, session);
    const filesystem = {
      denyRead: hidden.filter(path => existsSync(path)),
      allowRead: [...roots, ...readable, session.folder],
      allowWrite: [...(workspace === 'writable' ? roots : []), session.tmp, session.reports.outside],
      denyWrite: guarded.readOnly,
    };
    // The runtime's own temporary folder is shared by all users.
    const command = `TMPDIR=${quote(session.tmp)} exec ${mark.argv.map(quote).join(' ')}`;
    try {
      await (starting ??= manager.initialize({...closedNetwork, filesystem, ripgrep: ripgrep()}));
      const wrapped = await manager.wrapWithSandboxArgv(command, '/bin/sh', {filesystem}, undefined, undefined, {
        // The command would otherwise appear in the variables of every process inside.
        commandId: randomUUID(),
        commandText: '',
      });
      const [program = '/bin/sh', ...args] = wrapped.argv;
      return ok({
        kind: 'enclosed',
        view: 'direct',
        program,
        args,
        environment: {
          ...withExcludes(withoutOutsideAccess(environment), session),
          XDG_CACHE_HOME: join(session.tmp, '.cache'),
          WEFT_INSIDE: 'claude',
        },
        prelude: session,
        litter: [session.folder],
        hasBegun: () => mark.hasBegun(),
        release() {
          mark.remove();
          manager.cleanupAfterCommand();
          return [];
        },
      } satisfies EnclosedStart);
    } catch (cause) {
      return failed(`the sandbox could not be started: ${causeText(cause)}`);
    }
  },
  async close() {
    if (starting === undefined) return;
    await starting.catch(() => {});
    starting = undefined;
    if (manager?.tag === 'ok') await manager.value.reset().catch(() => {});
  },
};

/**
 * Hides the placeholders that the runtime mounts if these files are missing. Git would see them as new files, and `git
 * add -A` would stop at them. The user's own ignore list still counts.
 */
function withExcludes(environment: Record<string, string>, {scripts}: SandboxSession): Record<string, string> {
  const file = join(scripts.outside, 'excludes');
  if (!existsSync(file)) {
    const config = environment['XDG_CONFIG_HOME'] ?? join(environment['HOME'] ?? '/', '.config');
    writeFileSync(file, `${readTextFile(join(config, 'git', 'ignore')) ?? ''}\n${ownPlaceholders.join('\n')}\n`);
  }
  return withGitSettings(environment, [['core.excludesFile', join(scripts.inside, 'excludes')]]);
}

const ownPlaceholders = [
  '.gitconfig',
  '.gitmodules',
  '.bashrc',
  '.bash_profile',
  '.zshrc',
  '.zprofile',
  '.profile',
  '.ripgreprc',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.claude',
];

/** The programs that the runtime starts on Linux. */
const requiredPrograms = ['bwrap', 'socat'];

const supportedVersion = '0.0.83';
const howToInstall = `npm install -g @anthropic-ai/sandbox-runtime@${supportedVersion}`;

/** Settings without rules for hosts and without questions: no network. */
const closedNetwork = {network: {allowedDomains: [], deniedDomains: [], strictAllowlist: true}};

/** The runtime searches for its own protected files, with weft's ripgrep. */
function ripgrep(): {readonly command: string} {
  const found = findSearchBinary();
  return {command: found.tag === 'ok' ? found.value.path : 'rg'};
}

/** There is one manager per process. It starts with the first command, and again after a `close`. */
let starting: Promise<void> | undefined;
let manager: Outcome<Manager, string> | undefined;

/** The part of the runtime that weft uses. */
interface Manager {
  initialize(settings: object): Promise<void>;
  wrapWithSandboxArgv(
    command: string,
    shell: string,
    settings: object,
    signal: undefined,
    directory: undefined,
    options: {readonly commandId: string; readonly commandText: string},
  ): Promise<{readonly argv: readonly string[]}>;
  cleanupAfterCommand(): void;
  reset(): Promise<void>;
}

/** Returns the package folder of the program `srt` on PATH. */
function installed(): Outcome<string, string> {
  const program = findProgram('srt');
  if (program === undefined) return failed(`it is not installed (${howToInstall})`);
  const folder = dirname(dirname(realPath(program)));
  const text = parseJson(readTextFile(join(folder, 'package.json')) ?? '');
  const described = text.tag === 'ok' && isJsonObject(text.value) ? text.value : {};
  if (described['name'] !== '@anthropic-ai/sandbox-runtime')
    return failed(`${program} is a different program (${howToInstall})`);
  return described['version'] === supportedVersion
    ? ok(folder)
    : failed(
        `version ${JSON.stringify(described['version'])} is installed, but weft supports only ${supportedVersion} (${howToInstall})`,
      );
}

function load(folder: string): Outcome<Manager, string> {
  return (manager ??= loadFrom(join(folder, 'dist', 'index.js')));
}

function loadFrom(file: string): Outcome<Manager, string> {
  try {
    // A static import is not possible, because the path is known only at runtime.
    const module: unknown = createRequire(file)(file);
    const found: unknown = Object.getOwnPropertyDescriptor(Object(module), 'SandboxManager')?.value;
    return isManager(found) ? ok(found) : failed(`${file} does not have the expected functions`);
  } catch (cause) {
    return failed(`${file} cannot be loaded: ${causeText(cause)}`);
  }
}

const isManager = (value: unknown): value is Manager =>
  typeof value === 'object' &&
  value !== null &&
  ['initialize', 'wrapWithSandboxArgv', 'cleanupAfterCommand', 'reset'].every(
    name => typeof Reflect.get(value, name) === 'function',
  );

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
