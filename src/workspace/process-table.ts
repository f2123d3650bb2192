import {execFile} from 'node:child_process';
import {readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import {promisify} from 'node:util';
import {markName} from './shell-environment.ts';

/** One running process; the dead that nobody has collected yet are not in the table. `started` tells apart two users of one pid. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The group that its terminal listens to; -1 where it has no terminal or the system does not say. */
  readonly foreground: number;
  readonly state: 'running' | 'other';
  readonly started: string;
}

/** Every running process of the machine. */
export async function processTable(): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** The mark of the run in which the process was started, empty where it has none. Only Linux can tell. */
export function markOf(pid: number): string {
  if (process.platform !== 'linux') return '';
  const environment = textOf(`/proc/${pid}/environ`) ?? '';
  const start = `\0${environment}`.indexOf(`\0${markName}=`);
  if (start < 0) return '';
  const end = environment.indexOf('\0', start);
  return environment.slice(start + markName.length + 1, end < 0 ? undefined : end);
}

/** The name under which this process has an open file; empty where there is none. Only Linux can tell. */
export const openFileName = (descriptor: number): string => linkOf(`/proc/self/fd/${descriptor}`);

/** Whether the process writes (its stdout or stderr) to one of the open files of those names. */
export function writesTo(pid: number, names: readonly string[]): boolean {
  return [1, 2].some(descriptor => {
    const path = `/proc/${pid}/fd/${descriptor}`;
    const name = linkOf(path);
    if (!names.includes(name)) return false;
    // In a container of its own a terminal of the same name is another one.
    return !name.startsWith('/dev/') || deviceOf(path) === deviceOf(name);
  });
}

/** When the process started, in the system's own words; `undefined` when there is no such process. */
export const startOf = async (pid: number): Promise<string | undefined> =>
  process.platform === 'linux'
    ? parseStat(textOf(`/proc/${pid}/stat`) ?? '')?.started
    : (await processTable()).find(row => row.pid === pid)?.started;

function fromProc(): readonly ProcessRow[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/u.test(name)) return [];
    const row = parseStat(textOf(`/proc/${name}/stat`) ?? '');
    return row === undefined ? [] : [row];
  });
}

/** Reads a line of /proc/PID/stat; the name in it may hold anything, so fields count from its last parenthesis. */
function parseStat(stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, , , foreground] = fields;
  const started = fields[19];
  if (parent === undefined || group === undefined || started === undefined || isDead(state)) return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    foreground: Number(foreground),
    state: state === 'R' ? 'running' : 'other',
    started,
  };
}

async function fromPs(): Promise<readonly ProcessRow[]> {
  const {stdout} = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=']);
  return stdout.split('\n').flatMap(line => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/u);
    if (pid === undefined || parent === undefined || group === undefined || isDead(state)) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        foreground: -1,
        state: state?.startsWith('R') === true ? 'running' : 'other',
        started: started.join(' '),
      },
    ];
  });
}

/** The command line of a process with blanks between its words; the name in parentheses where it has none. */
export function commandOf(pid: number): string {
  const words = (textOf(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  return words === '' ? `(${(textOf(`/proc/${pid}/comm`) ?? '').trim()})` : words;
}

const isDead = (state: string | undefined): boolean => state === undefined || /^[ZX]/u.test(state);

export function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const deviceOf = (path: string): number | undefined => statSync(path, {throwIfNoEntry: false})?.dev;

export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
