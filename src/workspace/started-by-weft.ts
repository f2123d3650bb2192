import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {markOf, processTable, textOf} from './process-table.ts';
import {markName, type Environment} from './shell-environment.ts';

/**
 * The kernel hands limits on to every child, also through `env -i`, `setsid` and a parent that has ended, and only root can raise
 * them again: this one, on bytes of POSIX message queues, is set a little below what systems begin with, and so marks what runs
 * in weft's shells.
 */
const markedLimit = 819_187;

/** What a bash does first; it has no effect where the limit is lower already, or unknown. */
export const markLimit = `ulimit -q ${String(markedLimit)} 2>/dev/null\n`;

/**
 * Whether a command of weft started this process, directly or through others. Such a process may not change what weft is granted:
 * the variables of the environment tell it, those of the processes above, and on Linux the limit.
 */
export async function isStartedByWeft(environment: Environment): Promise<boolean> {
  return hasMark(environment) || hasMarkedLimit(textOf('/proc/self/limits') ?? '') || (await isBelowWeft());
}

const hasMark = (environment: Environment): boolean =>
  [markName, 'WEFT_ACTIVE'].some(name => (environment[name] ?? '') !== '');

/** `limits` is what Linux has in /proc/PID/limits. */
export function hasMarkedLimit(limits: string): boolean {
  const [, soft, hard] = /^Max msgqueue size\s+(\S+)\s+(\S+)/mu.exec(limits) ?? [];
  return [soft, hard].includes(String(markedLimit));
}

/** Looks at the processes above this one, and at those of its group, whose leader may have started it and ended. */
async function isBelowWeft(): Promise<boolean> {
  const rows = new Map((await processTable()).map(row => [row.pid, row]));
  const above = new Set<number>();
  for (let row = rows.get(process.pid); row !== undefined && !above.has(row.pid); row = rows.get(row.parent))
    above.add(row.pid);
  const group = rows.get(process.pid)?.group;
  const others = [...rows.values()].filter(row => row.group === group).map(({pid}) => pid);
  const pids = [...new Set([...above, ...others])].filter(pid => pid > 1 && pid !== process.pid);
  if (process.platform === 'linux') return pids.some(pid => markOf(pid) !== '');
  return pids.length > 0 && (await environmentsOf(pids)).includes(` ${markName}=`);
}

/** Elsewhere `ps` shows the environment of the user's own processes behind their command lines. */
async function environmentsOf(pids: readonly number[]): Promise<string> {
  try {
    return (await promisify(execFile)('ps', ['-E', '-ww', '-o', 'command=', '-p', pids.join(',')])).stdout;
  } catch {
    return '';
  }
}
