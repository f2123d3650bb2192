import type {ShellReport} from '../../actions/ports.ts';
import type {EnclosedEnd} from './run-enclosed.ts';

/** Explains from its output why a backend could not start a command here, and what to do. */
export function explainSandboxFailure({end, output}: Pick<EnclosedEnd, 'end' | 'output'>): string {
  const words = end.kind === 'not-started' ? end.reason : output;
  const known = causes.find(({pattern}) => pattern.test(words));
  if (known !== undefined) return known.words;
  if (end.kind === 'not-started') return `it could not be started: ${end.reason}`;
  if (end.kind === 'timed-out' || end.kind === 'aborted') return 'its probe did not end in time';
  const line = output.split('\n').find(each => each.trim() !== '') ?? 'it printed nothing';
  return `a command does not run inside: ${line.trim().slice(0, 200)}`;
}

/** Returns the message that commands have no copy-on-write view of the workspace, with the reason. */
export const viewProblem = (why: string): string => `no copy-on-write view of the workspace: ${why}`;

/** The system settings that control unprivileged mounts, as /proc has them; empty if missing. */
export interface MountSettings {
  /** `uname -r`. */
  readonly kernel: string;
  /** kernel.apparmor_restrict_unprivileged_userns */
  readonly appArmor: string;
  /** kernel.unprivileged_userns_clone, of Debian's older kernels */
  readonly clone: string;
  /** user.max_user_namespaces */
  readonly most: string;
}

/** Explains from the output of unshare(1) and mount(8) why the mounts of a view failed here, and what to do. */
export function explainViewFailure(words: string, {kernel, appArmor, clone, most}: MountSettings): string {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  if (major < 5 || (major === 5 && minor < 11))
    return `Linux ${kernel} has no unprivileged overlayfs; weft needs Linux 5.11 or newer`;
  if (appArmor.trim() === '1')
    return `AppArmor restricts user namespaces (Ubuntu 24.04 and newer); give ${programs} an AppArmor profile with "userns,", or run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`;
  if (clone.trim() === '0') return 'user namespaces are off; run: sudo sysctl -w kernel.unprivileged_userns_clone=1';
  if (most.trim() === '0') return 'user namespaces are off; run: sudo sysctl -w user.max_user_namespaces=15000';
  if (/unshare failed|unshare:.*(?:not permitted|denied)|permission denied|must be superuser/iu.test(words))
    return `mounts are not permitted here (${words}); ${inContainer}`;
  return words;
}

const programs = '/usr/bin/unshare and /usr/bin/bwrap';
const inContainer =
  "in a container start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or rely on the container's isolation";

/** Messages of bwrap and the kernel if unprivileged namespaces don't work (facts: bubblewrap#505, sandbox-runtime#74, #214). */
const causes: readonly {readonly pattern: RegExp; readonly words: string}[] = [
  {
    pattern: /Can't mount proc|No space left on device/u,
    words:
      'weft already runs inside a sandbox or container that allows no nested one; rely on that one, or start weft outside it',
  },
  {
    pattern: /setting up uid map: Permission denied|RTM_NEWADDR|Failed to make \/ slave/u,
    words:
      'the system restricts unprivileged user namespaces (AppArmor); give bwrap an AppArmor profile with "userns,", as Ubuntu 25.04 has it, or set kernel.apparmor_restrict_unprivileged_userns=0',
  },
  {
    pattern: /No permissions to creat\w* (?:a )?new namespace|Creating new namespace failed|clone|unshare/iu,
    words: `namespaces are not permitted here; ${inContainer}; elsewhere set kernel.unprivileged_userns_clone=1`,
  },
];

/**
 * Returns what the sandbox probably blocked, as the end of a sentence; empty if the command succeeded or failed for
 * another reason. No backend records what it refuses, so this reads the programs' output.
 */
export function blockedBySandbox(end: ShellReport['end'], output: string): string {
  if (end.kind !== 'exited' || end.code === 0) return '';
  return blockedSigns.find(({pattern}) => pattern.test(output))?.words ?? '';
}

const blockedSigns: readonly {readonly pattern: RegExp; readonly words: string}[] = [
  {
    pattern:
      /(?:connect|listen|bind|socket):? EPERM|(?:connect|socket)\S*: Operation not permitted|ENETUNREACH|EAI_AGAIN|Network is unreachable|network unreachable|Temporary failure in name resolution|Could not resolve host|getaddrinfo ENOTFOUND|Name or service not known|failed to lookup address/iu,
    words: 'it has no network there',
  },
  {
    pattern: /EROFS|Read-only file system/iu,
    words: 'it can write only to the workspace there, except protected files',
  },
  {
    pattern: /EPERM|Operation not permitted/iu,
    words: 'it may not do everything there that your own commands may do',
  },
];
