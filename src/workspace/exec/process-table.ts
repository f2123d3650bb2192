import {readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import {hasCode} from '../../domain/fault.ts';
import {tryOr} from '../../base/outcome.ts';
import {runTagVariable} from './shell-environment.ts';

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

/** Every running process of the machine, but for those of the names `except`, which only Linux leaves out. */
export async function processTable(except: ReadonlySet<string> = new Set()): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? fromProc(except) : fromPs();
}

/** The processes that run now, by the names that `processTable` takes. Costs one system call; empty where the system has no /proc. */
export const runningNow = (): ReadonlySet<string> => new Set(process.platform === 'linux' ? processNames() : []);

const processNames = (): readonly string[] => readdirSync('/proc').filter(name => /^\d+$/u.test(name));

/** The run tag in the environment of the process; empty where it has none. Only Linux shows it. */
export function runTagOf(pid: number): string {
  if (process.platform !== 'linux') return '';
  const environment = readTextFile(`/proc/${pid}/environ`) ?? '';
  const start = `\0${environment}`.indexOf(`\0${runTagVariable}=`);
  if (start < 0) return '';
  const end = environment.indexOf('\0', start);
  return environment.slice(start + runTagVariable.length + 1, end < 0 ? undefined : end);
}

/** The name under which this process has an open file; empty where there is none. Only Linux can tell. */
export const openFileName = (descriptor: number): string => linkOf(`/proc/self/fd/${descriptor}`);

/**
 * Whether this process has the pseudo-terminal of that name (`/dev/pts/3`) open under the descriptor, as the one who made it. Only Linux
 * can tell.
 */
export function isMasterOf(descriptor: number, name: string): boolean {
  const information = readTextFile(`/proc/self/fdinfo/${descriptor}`) ?? '';
  return name === `/dev/pts/${/^tty-index:\s*(\d+)$/mu.exec(information)?.[1]}`;
}

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
    ? parseStat(readTextFile(`/proc/${pid}/stat`) ?? '')?.started
    : (await processTable()).find(row => row.pid === pid)?.started;

/** The same where the system tells it at once; elsewhere empty. For a process that was just started. */
export const startAtOnce = (pid: number): string =>
  process.platform === 'linux' ? (parseStat(readTextFile(`/proc/${pid}/stat`) ?? '')?.started ?? '') : '';

function fromProc(except: ReadonlySet<string>): readonly ProcessRow[] {
  return processNames().flatMap(name => {
    if (except.has(name)) return [];
    const row = parseStat(readTextFile(`/proc/${name}/stat`) ?? '');
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

/** The children of a process now, on Linux. */
export const childrenOf = (pid: number): readonly number[] =>
  (readTextFile(`/proc/${pid}/task/${pid}/children`) ?? '')
    .split(' ')
    .filter(text => text !== '')
    .map(Number);

/** The command line of a process with blanks between its words; the name in parentheses where it has none. */
export function commandOf(pid: number): string {
  const words = (readTextFile(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  return words === '' ? `(${(readTextFile(`/proc/${pid}/comm`) ?? '').trim()})` : words;
}

const isDead = (state: string | undefined): boolean => state === undefined || /^[ZX]/u.test(state);

export const linkOf = (path: string): string => tryOr(() => readlinkSync(path), '');

const deviceOf = (path: string): number | undefined => statSync(path, {throwIfNoEntry: false})?.dev;

export const readTextFile = (path: string): string | undefined => tryOr(() => readFileSync(path, 'utf8'), undefined);

/** Whether there is a process of that number, or a group of the negative one, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return hasCode(cause, 'EPERM');
  }
}

/** The TCP ports on which one of the processes waits for connections, in order. Only Linux can tell; elsewhere none. */
export function listeningPorts(pids: readonly number[]): readonly number[] {
  if (process.platform !== 'linux' || pids.length === 0) return [];
  const ports = new Map(listeners().map(({inode, port}) => [`socket:[${inode}]`, port]));
  if (ports.size === 0) return [];
  const found = new Set<number>();
  for (const pid of pids) {
    for (const target of openFiles(pid)) {
      const port = ports.get(target);
      if (port !== undefined) found.add(port);
    }
  }
  return [...found].toSorted((a, b) => a - b);
}

/** The TCP sockets of this machine that wait for connections, with their addresses in the notation of /proc/net/tcp (proc(5)). */
export const listeners = (): readonly {readonly address: string; readonly port: number; readonly inode: string}[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    (readTextFile(file) ?? '').split('\n').flatMap(line => {
      const row = /^\s*\d+: ([\dA-F]+):([\dA-F]{4}) \S+ 0A (?:\S+\s+){5}(\d+)/u.exec(line);
      const [, address = '', port = '', inode = ''] = row ?? [];
      return row === null ? [] : [{address, port: Number.parseInt(port, 16), inode}];
    }),
  );

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return tryOr(() => readdirSync(folder).flatMap(name => tryOr(() => [readlinkSync(`${folder}/${name}`)], [])), []);
}
