import {readFileSync} from 'node:fs';
import {tryOr} from '../base/outcome.ts';
import {hasCode} from '../domain/fault.ts';

/** Identifies a process, because its pid alone may be reused. */
export interface ProcessMark {
  readonly pid: number;
  /**
   * On Linux, the boot id and the tick at which the process started. Elsewhere empty, so that `at` decides. In Postgres, the key of the
   * lock that the process holds.
   */
  readonly started: string;
  /** When the mark was made, in milliseconds since the epoch. The process started before that. */
  readonly at: number;
}

/** True if two marks are of the same process. */
export const isSameProcess = (one: ProcessMark, other: ProcessMark): boolean =>
  one.pid === other.pid && one.started === other.started;

export const markProcess = (pid: number, at: number): ProcessMark => ({
  pid,
  started: process.platform === 'linux' ? linuxStart(pid) : '',
  at,
});

/** True if the marked process still runs. If the system can't tell when a process started, any process with that pid counts. */
export function isAlive(mark: ProcessMark): boolean {
  if (mark.started !== '' && process.platform === 'linux') return linuxStart(mark.pid) === mark.started;
  if (!exists(mark.pid)) return false;
  const startedAt = queryStartTime(mark.pid);
  return startedAt === undefined || startedAt <= mark.at + clockSlackMs;
}

/** Start times come in whole seconds. */
const clockSlackMs = 2000;

/** Returns an empty string if no such process runs. A zombie doesn't count as running. */
const linuxStart = (pid: number): string =>
  tryOr(() => {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name, in parentheses, may contain anything. After it come the state (field 3) and, 19 fields later, the start in ticks since
    // boot.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (state === undefined || ticks === undefined || state === 'Z' || state === 'X') return '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
  }, '');

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return hasCode(cause, 'EPERM');
  }
}

/** Starts a process to query the system, so call it only for a session that is already marked. */
function queryStartTime(pid: number): number | undefined {
  const {execFileSync} = process.getBuiltinModule('node:child_process');
  const env = {...process.env, LC_ALL: 'C'};
  const ask = (): string =>
    execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 3000,
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    });
  const time = Date.parse(tryOr(ask, '').trim());
  return Number.isNaN(time) ? undefined : time;
}
