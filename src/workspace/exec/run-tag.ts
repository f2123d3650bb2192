import {execFile} from 'node:child_process';
import {hash, randomBytes} from 'node:crypto';
import {promisify} from 'node:util';
import {runTagOf, processTable, startTimeOf, readTextFile} from './process-table.ts';
import {type Environment, runTagVariable} from './shell-environment.ts';

/** The run tags that one weft process puts into the environment of the commands it starts. */
export interface RunTags {
  /** The prefix that all tags of this weft process share. */
  readonly prefix: string;
  next(): string;
}

/**
 * Makes run tags. A tag names the weft process and, by `folder`, the location in which that process registers its
 * blocks. A later weft process with the same folder recognizes processes that were left running, and ignores the
 * commands of other installations.
 */
export async function makeRunTags(folder: string): Promise<RunTags> {
  const started = startText((await startTimeOf(process.pid)) ?? '');
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

/** Whether a weft process that registers its blocks in `folder` made the tag. */
export const isTagOfFolder = (tag: string, folder: string): boolean =>
  tag.split('.')[2]?.startsWith(folderTag(folder)) === true;

const folderTag = (folder: string): string => hash('sha256', folder, 'hex').slice(0, 6);

/** Whether the weft process of this tag or tag prefix is still running. */
export async function isWeftAlive(tag: string): Promise<boolean> {
  const started = await startTimeOf(weftPid(tag));
  return started !== undefined && isStart(started, tag);
}

const weftPid = (tag: string): number => Number(tag.split('.')[0]);

/** Whether the weft process of the tag started at that time. */
const isStart = (started: string, tag: string): boolean => startText(started) === tag.split('.')[1];

const startText = (started: string): string => started.replaceAll(/[^\w:]/gu, '_');

/** Returns the prefix that all tags of the same weft process share, or `undefined` if the text is not a run tag. */
export const tagPrefix = (tag: string): string | undefined => /^\d+\.[\w:]*\.[0-9a-f]{12}\./u.exec(tag)?.[0];

/**
 * The tagged limit on bytes of POSIX message queues, slightly below the usual default. It marks everything that runs in weft's shells.
 * Children inherit limits, even through `env -i`, `setsid` and after their parent has ended, and only root can raise them.
 */
const tagLimit = 819_187;

/** The command that lowers the limit, run first in each bash. It has no effect if the limit is unknown or already lower. */
export const tagLimitCommand = `ulimit -q ${String(tagLimit)} 2>/dev/null\n`;

/**
 * Whether a command of weft started this process, directly or indirectly. Such a process must not change what weft may
 * do. Signs are the environment variables, those of the parent processes, and on Linux the limit.
 */
export async function isStartedByWeft(environment: Environment): Promise<boolean> {
  return (
    hasRunTag(environment) || hasTaggedLimit(readTextFile('/proc/self/limits') ?? '') || (await isDescendantOfWeft())
  );
}

const hasRunTag = (environment: Environment): boolean =>
  [runTagVariable, 'WEFT_ACTIVE'].some(name => (environment[name] ?? '') !== '');

/** `limits` is the content of /proc/PID/limits on Linux. */
export function hasTaggedLimit(limits: string): boolean {
  const [, soft, hard] = /^Max msgqueue size\s+(\S+)\s+(\S+)/mu.exec(limits) ?? [];
  return [soft, hard].includes(String(tagLimit));
}

/**
 * Checks the parents of this process, and the members of its group, whose leader may have started it and ended. weft
 * starts each command in a separate group. So if a weft process started a member of its own group, the
 * member is a server of that process, and both belong to the same script.
 */
async function isDescendantOfWeft(): Promise<boolean> {
  const rows = new Map((await processTable()).map(row => [row.pid, row]));
  const above = new Set<number>();
  for (let row = rows.get(process.pid); row !== undefined && !above.has(row.pid); row = rows.get(row.parent))
    above.add(row.pid);
  const group = rows.get(process.pid)?.group;
  const others = [...rows.values()].filter(row => row.group === group).map(({pid}) => pid);
  const pids = [...new Set([...above, ...others])].filter(pid => pid > 1 && pid !== process.pid);
  if (process.platform !== 'linux') {
    return pids.length > 0 && (await environmentsOf(pids)).includes(` ${runTagVariable}=`);
  }
  return pids.some(pid => {
    const tag = runTagOf(pid);
    if (tag === '') return false;
    const weft = rows.get(weftPid(tag));
    const isInSameGroup = weft !== undefined && weft.group === group && isStart(weft.started, tag);
    return above.has(pid) || !isInSameGroup;
  });
}

/**
 * Returns the processes' environments, which `ps` shows after their command lines. For systems other than Linux, and
 * the user's own processes.
 */
async function environmentsOf(pids: readonly number[]): Promise<string> {
  try {
    return (await promisify(execFile)('ps', ['-E', '-ww', '-o', 'command=', '-p', pids.join(',')])).stdout;
  } catch {
    return '';
  }
}
