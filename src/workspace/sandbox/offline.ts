import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {findProgram} from '../exec/trusted-path.ts';

/**
 * Returns the words before a program that take the network from it, up to its own loopback device, and hide other processes. A program
 * could end those, and reach the real files through `/proc/PID/root`. A failure says why no program of this system can do that.
 */
export async function findOfflineWords(): Promise<Outcome<readonly string[], string>> {
  const [bwrap, unshare] = [findProgram('bwrap'), findProgram('unshare')];
  const user = String(process.getuid?.() ?? 0);
  // The owner of a network may turn on its loopback device.
  // As the first process, the shell waits for the processes that others leave behind.
  const loopback = ['/bin/sh', '-c', 'ip link set lo up 2>/dev/null; "$@"; exit $?', 'sh'];
  const alone = ['--pid', '--fork', '--kill-child', '--mount-proc'];
  const again = ['-U', `--map-user=${user}`, `--map-group=${String(process.getgid?.() ?? 0)}`];
  const ways = [
    bwrap === undefined
      ? []
      : [bwrap, '--dev-bind', '/', '/', '--unshare-net', '--unshare-pid', '--proc', '/proc', '--'],
    unshare === undefined
      ? []
      : [
          unshare,
          ...(user === '0' ? ['-n', ...alone, ...loopback] : ['-Urn', ...alone, ...loopback, unshare, ...again]),
        ],
  ];
  for (const words of ways) {
    const [program, ...args] = words;
    const works = program !== undefined && promisify(execFile)(program, [...args, '/bin/true'], {timeout: 20_000});
    if (works !== false && (await works.then(() => true).catch(() => false))) return ok(words);
  }
  return failed(
    "Commands of a dry run reach no network and no other processes, and weft can't arrange that here. Install bubblewrap",
  );
}
