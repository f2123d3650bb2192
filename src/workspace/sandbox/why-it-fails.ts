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
    words:
      'namespaces are not permitted here; in a container start it with --security-opt seccomp=unconfined and --security-opt apparmor=unconfined, or treat the container as the wall; elsewhere set kernel.unprivileged_userns_clone=1',
  },
];
