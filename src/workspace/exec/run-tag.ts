import {execFile} from 'node:child_process';
import {hash, randomBytes} from 'node:crypto';
import {promisify} from 'node:util';
import {runTagOf, processTable, startOf, readTextFile} from './process-table.ts';
import {type Environment, runTagVariable} from './shell-environment.ts';

/** The run tags that one weft process puts into the environment of the commands it starts. */
export interface RunTags {
  /** The beginning that all tags of this weft process share. */
  readonly prefix: string;
  next(): string;
}

/**
 * A run tag names the weft process and, by `folder`, where that process registers its blocks. So a later weft with the same folder
 * recognises what was left running, and leaves the commands of other installations alone.
 */
export async function makeRunTags(folder: string): Promise<RunTags> {
  const started = ((await startOf(process.pid)) ?? '').replaceAll(/[^\w:]/gu, '_');
  const prefix = `${process.pid}.${started}.${folderTag(folder)}${randomBytes(3).toString('hex')}.`;
  let runs = 0;
  return {
    prefix,
    next() {
      runs += 1;
      return `${prefix}${runs}.`;
    },
  };
}

/** Whether the tag was given by a weft that registers its blocks in `folder`. */
export const isOfFolder = (tag: string, folder: string): boolean =>
  tag.split('.')[2]?.startsWith(folderTag(folder)) === true;

const folderTag = (folder: string): string => hash('sha256', folder, 'hex').slice(0, 6);

/** Whether the weft process that gave the tag (or has this tag prefix) is still running. */
export async function isWeftAlive(tag: string): Promise<boolean> {
  const [pid, started] = tag.split('.');
  const now = await startOf(Number(pid));
  return now !== undefined && now.replaceAll(/[^\w:]/gu, '_') === started;
}

/** The prefix that a tag shares with all tags of the same weft process; `undefined` when the text is no run tag. */
export const tagPrefix = (tag: string): string | undefined => /^\d+\.[\w:]*\.[0-9a-f]{12}\./u.exec(tag)?.[0];

/**
 * The kernel hands limits on to every child, also through `env -i`, `setsid` and a parent that has ended, and only root can raise
 * them again: this one, on bytes of POSIX message queues, is set a little below what systems begin with, and so tags what runs
 * in weft's shells.
 */
const tagLimit = 819_187;

/** The command that lowers the limit, for the start of each bash; it has no effect where the limit is lower already, or unknown. */
export const tagLimitCommand = `ulimit -q ${String(tagLimit)} 2>/dev/null\n`;

/**
 * Whether a command of weft started this process, directly or through others. Such a process may not change what weft is granted:
 * the variables of the environment tell it, those of the processes above, and on Linux the limit.
 */
export async function isStartedByWeft(environment: Environment): Promise<boolean> {
  return hasRunTag(environment) || hasTaggedLimit(readTextFile('/proc/self/limits') ?? '') || (await isBelowWeft());
}

const hasRunTag = (environment: Environment): boolean =>
  [runTagVariable, 'WEFT_ACTIVE'].some(name => (environment[name] ?? '') !== '');

/** `limits` is what Linux has in /proc/PID/limits. */
export function hasTaggedLimit(limits: string): boolean {
  const [, soft, hard] = /^Max msgqueue size\s+(\S+)\s+(\S+)/mu.exec(limits) ?? [];
  return [soft, hard].includes(String(tagLimit));
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
  if (process.platform === 'linux') return pids.some(pid => runTagOf(pid) !== '');
  return pids.length > 0 && (await environmentsOf(pids)).includes(` ${runTagVariable}=`);
}

/** Elsewhere `ps` shows the environment of the user's own processes behind their command lines. */
async function environmentsOf(pids: readonly number[]): Promise<string> {
  try {
    return (await promisify(execFile)('ps', ['-E', '-ww', '-o', 'command=', '-p', pids.join(',')])).stdout;
  } catch {
    return '';
  }
}
