import {execFile} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {promisify} from 'node:util';
import {markName} from './shell-environment.ts';

/** One running process; the dead that nobody has collected yet are not in the table. `started` tells apart two users of one pid. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
}

/** Every running process of the machine. */
export async function processTable(): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Whether the process was started in the run that `mark` names. Only Linux can tell; elsewhere `false`. */
export function carriesMark(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return false;
  return (textOf(`/proc/${pid}/environ`) ?? '').split('\0').includes(`${markName}=${mark}`);
}

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
  const [state, parent, group] = fields;
  const started = fields[19];
  if (parent === undefined || group === undefined || started === undefined || isDead(state)) return undefined;
  return {pid: Number.parseInt(stat, 10), parent: Number(parent), group: Number(group), started};
}

async function fromPs(): Promise<readonly ProcessRow[]> {
  const {stdout} = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=']);
  return stdout.split('\n').flatMap(line => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/u);
    if (pid === undefined || parent === undefined || group === undefined || isDead(state)) return [];
    return [{pid: Number(pid), parent: Number(parent), group: Number(group), started: started.join(' ')}];
  });
}

const isDead = (state: string | undefined): boolean => state === undefined || /^[ZX]/u.test(state);

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
