import {readFileSync} from 'node:fs';
import {hasCode} from '../domain/fault.ts';

/** A process as another one can know it again, since the number alone may come back as another program. */
export interface ProcessMark {
  readonly pid: number;
  /** On Linux the boot and the tick at which it started; elsewhere empty, and `at` decides. In Postgres, what it holds a lock for. */
  readonly started: string;
  /** When the mark was made, in milliseconds since the epoch: the process has run since before that. */
  readonly at: number;
}

/** Whether two marks are of the same process. */
export const isOf = (one: ProcessMark, other: ProcessMark): boolean =>
  one.pid === other.pid && one.started === other.started;

export const markProcess = (pid: number, at: number): ProcessMark => ({
  pid,
  started: process.platform === 'linux' ? linuxStart(pid) : '',
  at,
});

/** Whether the marked process still runs. Where the system does not tell when a process started, any process of its number does. */
export function isAlive(mark: ProcessMark): boolean {
  if (mark.started !== '' && process.platform === 'linux') return linuxStart(mark.pid) === mark.started;
  if (!exists(mark.pid)) return false;
  const startedAt = askStartTime(mark.pid);
  return startedAt === undefined || startedAt <= mark.at + clockSlackMs;
}

/** Start times come in whole seconds. */
const clockSlackMs = 2000;

/** Empty when no such process runs; one that has ended and only waits to be reaped does not run. */
function linuxStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name, in parentheses, may hold anything; after it come state (field 3) and, 19 fields on, the start in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (state === undefined || ticks === undefined || state === 'Z' || state === 'X') return '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
  } catch {
    return '';
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return hasCode(cause, 'EPERM');
  }
}

/** Asks the system, which takes a process of its own: only for a session that is already marked. */
function askStartTime(pid: number): number | undefined {
  const {execFileSync} = process.getBuiltinModule('node:child_process');
  const [program, ...rest] =
    process.platform === 'win32'
      ? [
          'powershell',
          '-NoProfile',
          '-Command',
          `(Get-Process -Id ${String(pid)}).StartTime.ToUniversalTime().ToString('o')`,
        ]
      : ['ps', '-o', 'lstart=', '-p', String(pid)];
  try {
    const told = execFileSync(program, rest, {
      encoding: 'utf8',
      timeout: 3000,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {...process.env, LC_ALL: 'C'},
    });
    const time = Date.parse(told.trim());
    return Number.isNaN(time) ? undefined : time;
  } catch {
    return undefined;
  }
}
