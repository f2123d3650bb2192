import type {HeldChanges} from '../../actions/changes-port.ts';
import type {CommandHosts} from '../../actions/ports.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {Confinement} from '../../domain/risk.ts';
import type {ProviderName, Proof} from '../../domain/sandbox.ts';
import type {FilteredNetwork} from './open-network.ts';

/**
 * The sandbox that commands run in, as everything that starts commands sees it. `enclose` is asked for every command; nothing is
 * looked for, loaded or started before the first one.
 */
export interface CommandSandbox {
  /**
   * How to start a command inside. `plain`: this one runs as it is. A failure says why a command that may only run inside cannot: it must
   * not be started then.
   */
  enclose(request: EncloseRequest): Promise<Outcome<Enclosure, string>>;
  /** The backend in use and what it was seen to stop; finds out at the first call. Cheap afterwards. */
  proof(): Promise<Proof>;
  /** The same, where it has been found out by now. */
  known(): Proof | 'unknown';
  /** Removes what lies on the disk for the sandbox. Commands that still run inside keep what they have open. */
  close(): Promise<void>;
}

export interface EncloseRequest {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `project`: as `chosen`, for what a project's settings start, whatever the user has chosen for commands. */
  readonly confinement: Confinement | 'project';
  /** Who is asked about hosts that no rule speaks of; `none`: it needs no network. `all`: it reaches the network as weft does. */
  readonly hosts: CommandHosts | 'all';
  /** `shared`: with a terminal of the user's, into which a program inside could type. */
  readonly terminal: 'own' | 'shared';
}

export type Enclosure = {readonly kind: 'plain'} | EnclosedStart;

/** What is started for a command: its shell, or a program that encloses it. */
export interface CommandStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Record<string, string>;
}

/** A program to start in the place of the command's own. */
export interface EnclosedStart extends CommandStart {
  readonly kind: 'enclosed';
  readonly prelude: InsidePrelude;
  /** What it sees of the workspace; `direct`: the workspace itself. */
  readonly view: CommandView | 'direct';
  /** Folders that are there because of it, to be removed by somebody else if weft cannot. */
  readonly litter: readonly string[];
  /** Whether the command itself was started. What is printed before are complaints of the backend. */
  readonly hasBegun: () => boolean;
  /** To be called once, when nothing of the command runs any more. Returns sentences for the model. */
  release(): readonly string[];
}

/** The copy-on-write view of the workspace that one confined command sees. */
export interface CommandView {
  readonly layers: readonly ViewLayer[];
  /** Reads what the command has changed. To be called once, when nothing of the command runs any more. */
  read(signal: AbortSignal): Promise<Outcome<HeldChanges, string>>;
  /** Removes the upper folders with all that is in them. To be called once, when nothing of the command runs any more. */
  close(): void;
}

/** One folder of the view: a workspace folder, or a file system that is mounted inside one. */
export interface ViewLayer {
  /** The real folder, absolute, all links resolved. Overlayfs calls it the lower layer. */
  readonly lower: string;
  /** The folder that holds the changes in the form of overlayfs: whiteouts, and `user.overlay.*` attributes. */
  readonly upper: string;
  /** Nanoseconds by the clock of the lower file system when the command began: an entry with a later ctime changed meanwhile. */
  readonly begunNs: bigint;
}

/** Folders for the files that a shell reads and writes at its start and end: where they lie, and where the shell sees them. */
export interface InsidePrelude {
  readonly scripts: {readonly outside: string; readonly inside: string};
  readonly reports: {readonly outside: string; readonly inside: string};
}

/** A backend: one way to enclose commands. */
export interface SandboxProvider {
  readonly name: Exclude<ProviderName, 'native'>;
  /** Whether it is installed here, and in which version; a failure says what is missing and how to get it. */
  find(): Promise<Outcome<{readonly version: string}, string>>;
  enclose(request: BackendRequest): Promise<Outcome<EnclosedStart, string>>;
  /** Ends what it keeps running for its commands; it may be used again. */
  close(): Promise<void>;
}

export interface BackendRequest extends Omit<EncloseRequest, 'confinement' | 'hosts'> {
  readonly policy: SandboxPolicy;
}

/** What a command inside may do. All paths are absolute, and real where they exist. */
export interface SandboxPolicy {
  /** The workspace folders. */
  readonly roots: readonly [string, ...string[]];
  /** The user's home. */
  readonly home: string;
  /** `held`: through a copy-on-write view, so that nothing is changed while the command runs. */
  readonly workspace: 'held' | 'writable' | 'read-only';
  /** Existing folders for what held commands change, the best first. */
  readonly places: readonly string[];
  /** Reads the changes in the layers of a view. */
  readonly readChanges: (
    view: Pick<CommandView, 'layers'>,
    signal: AbortSignal,
  ) => Promise<Outcome<HeldChanges, string>>;
  /** `read-only`: the whole `.git`. `guarded`: only what runs programs or decides which run. */
  readonly repository: 'guarded' | 'read-only';
  /** `filtered`: what the proxy behind this socket lets through. */
  readonly network: {readonly kind: 'closed' | 'open'} | Pick<FilteredNetwork, 'kind' | 'socket' | 'loopbackPorts'>;
  /** Files and folders that are not there inside. */
  readonly hidden: readonly string[];
  /** Folders outside the workspace that are visible inside although their surroundings are not. */
  readonly readable: readonly string[];
  /** Whether a path below a root, by its names alone, is a file or folder that must not be changed or made. */
  readonly isProtected: (belowRoot: string) => boolean;
  /** Protected paths below the top of the roots that existed when weft looked. */
  readonly nested: readonly string[];
  /** The folder of this session. */
  readonly session: SandboxSession;
}

export interface SandboxSession extends InsidePrelude {
  readonly folder: string;
  /** The commands' temporary folder. */
  readonly tmp: string;
  /** That of commands and programs that change the workspace itself: nothing lies there that an unasked command has left. */
  readonly changingTmp: string;
  /** The file with the filter of system calls. */
  readonly filter: string;
  /** Holds empty folders on which a command's own namespace mounts. */
  readonly mounts: string;
  /** The folder of this session in that place, made at the first call. */
  heldIn(place: string): string;
  /** All those folders. */
  held(): readonly string[];
}
