import type {ShellReport} from '../../actions/ports.ts';
import type {EnclosedEnd} from './run-enclosed.ts';

/** Why a backend could not start a command here, and what to do, from what it printed. */
export function lackOfSandbox({end, output}: Pick<EnclosedEnd, 'end' | 'output'>): string {
  const words = end.kind === 'not-started' ? end.reason : output;
  const known = causes.find(({pattern}) => pattern.test(words));
  if (known !== undefined) return known.words;
  if (end.kind === 'not-started') return `it could not be started: ${end.reason}`;
  if (end.kind === 'timed-out') return 'its probe did not end in time';
  const line = output.split('\n').find(each => each.trim() !== '') ?? 'it printed nothing';
  return `a command does not run inside: ${line.trim().slice(0, 200)}`;
}

/** Says that commands cannot have a copy-on-write view of the workspace, and why. */
export const noView = (why: string): string => `no copy-on-write view of the workspace: ${why}`;

/** The settings of the machine that decide about mounts without rights: what /proc has of them, empty where it has none. */
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

/** Why the mounts of a command's view could not be made here, and what to do, from what unshare(1) and mount(8) printed. */
export function lackOfView(words: string, {kernel, appArmor, clone, most}: MountSettings): string {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  if (major < 5 || (major === 5 && minor < 11))
    return `Linux ${kernel} gives users no overlayfs; it needs Linux 5.11 or newer`;
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
  'in a container start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or treat the container as the wall';

/** What bwrap and the kernel say where unprivileged namespaces do not work (facts: bubblewrap#505, sandbox-runtime#74, #214). */
const causes: readonly {readonly pattern: RegExp; readonly words: string}[] = [
  {
    pattern: /Can't mount proc|No space left on device/u,
    words:
      'this already runs inside a sandbox or container that allows no further one; treat that as the wall, or start weft outside of it',
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
 * What the sandbox seems to have kept a command from, as the end of a sentence; empty where it failed for another reason, or did not fail.
 * No backend records what it refuses, so this is read from what programs print.
 */
export function blockedBySandbox(end: ShellReport['end'], output: string): string {
  if (end.kind !== 'exited' || end.code === 0) return '';
  return signs.find(({pattern}) => pattern.test(output))?.words ?? '';
}

const signs: readonly {readonly pattern: RegExp; readonly words: string}[] = [
  {
    pattern:
      /(?:connect|listen|bind|socket):? EPERM|(?:connect|socket)\S*: Operation not permitted|ENETUNREACH|EAI_AGAIN|Network is unreachable|network unreachable|Temporary failure in name resolution|Could not resolve host|getaddrinfo ENOTFOUND|Name or service not known|failed to lookup address/iu,
    words: 'it reaches no network there',
  },
  {
    pattern: /EROFS|Read-only file system/iu,
    words: 'it can only write to the workspace there, and not to protected files',
  },
  {
    pattern: /EPERM|Operation not permitted/iu,
    words: 'it is not permitted there to do all that your own commands may do',
  },
];
