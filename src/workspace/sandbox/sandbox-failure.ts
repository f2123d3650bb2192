import type {ShellReport} from '../../actions/ports.ts';

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
