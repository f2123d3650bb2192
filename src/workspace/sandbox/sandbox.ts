import type {PendingChanges} from '../../actions/changes-port.ts';
import type {CommandHosts} from '../../actions/ports.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {Confinement} from '../../domain/risk.ts';
import type {ProviderName, Proof} from '../../domain/sandbox.ts';
import type {FilteredNetwork} from './open-network.ts';

/**
 * The sandbox for commands, as the code that starts commands sees it. Call `enclose` for every command. Nothing is
 * searched, loaded or started before the first call.
 */
export interface CommandSandbox {
  /**
   * Returns how to start a command. `plain`: unconfined. A failure says why a command that may run only in the sandbox
   * can't; such a command must not start.
   */
  enclose(request: EncloseRequest): Promise<Outcome<Enclosure, string>>;
  /** Returns the backend in use and what it provably stops. The first call runs the probe; later calls are cheap. */
  proof(): Promise<Proof>;
  /** Returns the proof if the probe has run. */
  known(): Proof | 'unknown';
  /** Removes the sandbox's files from the disk. Commands that still run inside keep their open files. */
  close(): Promise<void>;
}

export interface EncloseRequest {
  readonly argv: readonly [string, ...string[]];
  /** The absolute path of the folder in which the program starts. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `project`: like `chosen`, for programs that a project's settings start, whatever the user has chosen for commands. */
  readonly confinement: Confinement | 'project';
  /** Decides about hosts without a rule. `none`: the command needs no network. `all`: it reaches the network as weft does. */
  readonly hosts: CommandHosts | 'all';
  /** `shared`: on the user's terminal, into which a program inside could type. */
  readonly terminal: 'own' | 'shared';
}

/** `within`: the words before the program, if it runs unconfined but without a network. */
export type Enclosure = {readonly kind: 'plain'; readonly within?: readonly string[]} | EnclosedStart;

/** Returns how to start a program in an enclosure. */
export function startIn(enclosure: Enclosure, plain: CommandStart): CommandStart {
  if (enclosure.kind === 'enclosed') return enclosure;
  const [program = plain.program, ...args] = [...(enclosure.within ?? []), plain.program, ...plain.args];
  return {...plain, program, args};
}

/** The program to start for a command: its shell, or a program that encloses it. */
export interface CommandStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Record<string, string>;
}

/** A program to start instead of the command's own. */
export interface EnclosedStart extends CommandStart {
  readonly kind: 'enclosed';
  readonly prelude: InsidePrelude;
  /** The command's view of the workspace. `direct`: the workspace itself. */
  readonly view: CommandView | 'direct';
  /** Folders that exist because of the command. The watchdog removes them if weft can't. */
  readonly litter: readonly string[];
  /** Whether the command itself was started. Earlier output is the backend's error messages. */
  readonly hasBegun: () => boolean;
  /** Call this once, after all processes of the command have ended. Returns sentences for the model. */
  release(): readonly string[];
}

/** The copy-on-write view of the workspace that one confined command sees. */
export interface CommandView {
  readonly layers: readonly ViewLayer[];
  /** Reads the command's changes. Call this once, after all processes of the command have ended. */
  read(signal: AbortSignal): Promise<Outcome<PendingChanges, string>>;
  /** Removes the upper folders and their content. Call this once, after all processes of the command have ended. */
  close(): void;
}

/** One folder of the view: a workspace folder, or a file system that is mounted inside one. */
export interface ViewLayer {
  /** The real folder, absolute, all links resolved. Overlayfs calls it the lower layer. */
  readonly lower: string;
  /** The folder that contains the changes in overlayfs's form: whiteouts, and `user.overlay.*` attributes. */
  readonly upper: string;
  /** The time when the command began, in nanoseconds of the lower file system's clock. An entry with a later ctime has changed since. */
  readonly begunNs: bigint;
}

/** Folders for the files that a shell reads at its start and writes at its end: their path outside and their path inside. */
export interface InsidePrelude {
  readonly scripts: {readonly outside: string; readonly inside: string};
  readonly reports: {readonly outside: string; readonly inside: string};
}

/** A backend: one way to enclose commands. */
export interface SandboxProvider {
  readonly name: Exclude<ProviderName, 'native'>;
  /** Returns the installed version. A failure says what is missing and how to get it. */
  find(): Promise<Outcome<{readonly version: string}, string>>;
  enclose(request: BackendRequest): Promise<Outcome<EnclosedStart, string>>;
  /** Ends processes that it keeps for its commands. The provider may be used again. */
  close(): Promise<void>;
}

export interface BackendRequest extends Omit<EncloseRequest, 'confinement' | 'hosts'> {
  readonly policy: SandboxPolicy;
}

/** The rights of a command in the sandbox. All paths are absolute, and existing ones have their links resolved. */
export interface SandboxPolicy {
  readonly roots: readonly [string, ...string[]];
  readonly home: string;
  /** `held`: through a copy-on-write view, so that nothing changes while the command runs. */
  readonly workspace: 'held' | 'writable' | 'read-only';
  /** Existing folders for the changes of held commands, the best first. */
  readonly places: readonly string[];
  readonly readChanges: (
    view: Pick<CommandView, 'layers'>,
    signal: AbortSignal,
  ) => Promise<Outcome<PendingChanges, string>>;
  /** `read-only`: the whole `.git`. `guarded`: only the parts that run programs or choose them. */
  readonly repository: 'guarded' | 'read-only';
  /** `filtered`: only through the proxy that this socket leads to. */
  readonly network: {readonly kind: 'closed' | 'open'} | Pick<FilteredNetwork, 'kind' | 'socket' | 'loopbackPorts'>;
  /** Files and folders that are missing inside. */
  readonly hidden: readonly string[];
  /** Folders outside the workspace that are visible inside although their parents are hidden. */
  readonly readable: readonly string[];
  /** True if the name of a path below a root makes it off limits for changes and creation. */
  readonly isProtected: (belowRoot: string) => boolean;
  /** Protected paths deeper in the roots, as of the first command. */
  readonly nested: readonly string[];
  readonly session: SandboxSession;
}

export interface SandboxSession extends InsidePrelude {
  readonly folder: string;
  readonly tmp: string;
  /** The temporary folder of commands and programs that change the real workspace. Commands that ran without approval never wrote to it. */
  readonly changingTmp: string;
  /** The file with the system call filter. */
  readonly filter: string;
  /** Contains empty folders as mount points for a command's own namespace. */
  readonly mounts: string;
  /** Returns this session's folder in `place`; creates it at the first call. */
  heldIn(place: string): string;
  /** Returns all folders that `heldIn` has created. */
  held(): readonly string[];
}
