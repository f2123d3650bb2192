import {readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import {hasCode} from '../../domain/fault.ts';
import {tryOr} from '../../base/outcome.ts';
import {runTagVariable} from './shell-environment.ts';

/** One running process. Zombies are not in the table. `started` distinguishes two processes with the same pid. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The foreground process group of its terminal; -1 if it has no terminal or the system does not say. */
  readonly foreground: number;
  readonly state: 'running' | 'other';
  readonly started: string;
}

/** Returns every running process of the machine. Linux leaves out the processes named in `except`. */
export async function processTable(except: ReadonlySet<string> = new Set()): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? fromProc(except) : fromPs();
}

/** Returns the pids that run now, for the `except` of `processTable`. Costs one system call; empty on a system without /proc. */
export const runningPids = (): ReadonlySet<string> => new Set(process.platform === 'linux' ? processNames() : []);

const processNames = (): readonly string[] => readdirSync('/proc').filter(name => /^\d+$/u.test(name));

/** Returns the run tag in the process's environment; empty if it has none. Works on Linux only. */
export function runTagOf(pid: number): string {
  if (process.platform !== 'linux') return '';
  const environment = readTextFile(`/proc/${pid}/environ`) ?? '';
  const start = `\0${environment}`.indexOf(`\0${runTagVariable}=`);
  if (start < 0) return '';
  const end = environment.indexOf('\0', start);
  return environment.slice(start + runTagVariable.length + 1, end < 0 ? undefined : end);
}

/** Returns the system's name of this process's open file; empty if there is none. Works on Linux only. */
export const openFileName = (descriptor: number): string => readLink(`/proc/self/fd/${descriptor}`);

/** True if the descriptor is the master of the pseudo-terminal with that name (`/dev/pts/3`). Works on Linux only. */
export function isPtyMaster(descriptor: number, name: string): boolean {
  const information = readTextFile(`/proc/self/fdinfo/${descriptor}`) ?? '';
  return name === `/dev/pts/${/^tty-index:\s*(\d+)$/mu.exec(information)?.[1]}`;
}

/** Whether the process's stdout or stderr is one of these open files. */
export function writesTo(pid: number, names: readonly string[]): boolean {
  return [1, 2].some(descriptor => {
    const path = `/proc/${pid}/fd/${descriptor}`;
    const name = readLink(path);
    if (!names.includes(name)) return false;
    // A container can have a different terminal with the same name.
    return !name.startsWith('/dev/') || deviceOf(path) === deviceOf(name);
  });
}

/** Returns the start time of the process in the system's own format, or `undefined` if there is no such process. */
export const startTimeOf = async (pid: number): Promise<string | undefined> =>
  process.platform === 'linux'
    ? parseStat(readTextFile(`/proc/${pid}/stat`) ?? '')?.started
    : (await processTable()).find(row => row.pid === pid)?.started;

/** Returns the start time of a process that was just started, without waiting. Empty except on Linux. */
export const startTimeSync = (pid: number): string =>
  process.platform === 'linux' ? (parseStat(readTextFile(`/proc/${pid}/stat`) ?? '')?.started ?? '') : '';

function fromProc(except: ReadonlySet<string>): readonly ProcessRow[] {
  return processNames().flatMap(name => {
    if (except.has(name)) return [];
    const row = parseStat(readTextFile(`/proc/${name}/stat`) ?? '');
    return row === undefined ? [] : [row];
  });
}

/** Parses a line of /proc/PID/stat. The process name may contain anything, so fields count from its last parenthesis. */
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
  const [{execFile}, {promisify}] = await Promise.all([import('node:child_process'), import('node:util')]);
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

/** Returns the process's current children. Works on Linux only. */
export const childrenOf = (pid: number): readonly number[] =>
  (readTextFile(`/proc/${pid}/task/${pid}/children`) ?? '')
    .split(' ')
    .filter(text => text !== '')
    .map(Number);

/** Returns the process's command line with blanks between its words. If it has none, the name in parentheses. */
export function commandLineOf(pid: number): string {
  const words = (readTextFile(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  return words === '' ? `(${(readTextFile(`/proc/${pid}/comm`) ?? '').trim()})` : words;
}

const isDead = (state: string | undefined): boolean => state === undefined || /^[ZX]/u.test(state);

export const readLink = (path: string): string => tryOr(() => readlinkSync(path), '');

const deviceOf = (path: string): number | undefined => statSync(path, {throwIfNoEntry: false})?.dev;

export const readTextFile = (path: string): string | undefined => tryOr(() => readFileSync(path, 'utf8'), undefined);

/** Whether a process with this number exists, or a group for a negative number. It may belong to another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return hasCode(cause, 'EPERM');
  }
}

/** Returns the TCP ports on which these processes listen, in ascending order. Works on Linux only; empty elsewhere. */
export function listeningPorts(pids: readonly number[]): readonly number[] {
  if (process.platform !== 'linux' || pids.length === 0) return [];
  const ports = new Map(listeningSockets().map(({inode, port}) => [`socket:[${inode}]`, port]));
  if (ports.size === 0) return [];
  const found = new Set<number>();
  for (const pid of pids) {
    for (const target of openFilesOf(pid)) {
      const port = ports.get(target);
      if (port !== undefined) found.add(port);
    }
  }
  return [...found].toSorted((a, b) => a - b);
}

/** Returns the listening TCP sockets of this machine, with their addresses in the notation of /proc/net/tcp (proc(5)). */
export const listeningSockets = (): readonly {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    (readTextFile(file) ?? '').split('\n').flatMap(line => {
      const row = /^\s*\d+: ([\dA-F]+):([\dA-F]{4}) \S+ 0A (?:\S+\s+){5}(\d+)/u.exec(line);
      const [, address = '', port = '', inode = ''] = row ?? [];
      return row === null ? [] : [{address, port: Number.parseInt(port, 16), inode}];
    }),
  );

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return tryOr(() => readdirSync(folder).flatMap(name => tryOr(() => [readlinkSync(`${folder}/${name}`)], [])), []);
}
