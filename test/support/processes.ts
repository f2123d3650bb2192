import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {lookUntil} from './look-until.ts';

/** A process that is not dead; `words` is its command line, with blanks between the words. */
interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly words: string;
  readonly directory: string;
}

/** The command lines in which the text stands, of the processes that these tests have started. */
export const running = (text: string): readonly string[] => processesWith(text).map(({words}) => words);

/** The processes in whose command lines the text stands, of those that these tests have started. */
export const processesWith = (text: string): readonly RunningProcess[] =>
  allProcesses().filter(
    ({words, directory}) => (directory.startsWith(tmpdir()) || words.includes(tmpdir())) && words.includes(text),
  );

/** Resolves when a process with the text in its command line runs. */
export const processStarts = (text: string): Promise<void> =>
  lookUntil(
    () => running(text).length > 0,
    () => `${text} never started`,
  );

/** Resolves when no process with the text in its command line runs any more. */
export const processEnds = (text: string): Promise<void> =>
  lookUntil(
    () => running(text).length === 0,
    () => `still there: ${running(text).join(', ')}`,
  );

export function parentOf(pid: number): number {
  const found = allProcesses().find(each => each.pid === pid);
  if (found === undefined) throw new Error(`there is no process ${pid}`);
  return found.parent;
}

/** Milliseconds of processor time that a process has used. Linux counts in hundredths of a second. */
export function processorMs(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The fields of a process after its name. The name may hold anything, so they begin after its last parenthesis. */
function statFields(pid: number | string): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function allProcesses(): readonly RunningProcess[] {
  return process.platform === 'linux' ? readdirSync('/proc').flatMap(inProc) : inPs();
}

function inProc(name: string): readonly RunningProcess[] {
  if (!/^\d+$/u.test(name)) return [];
  try {
    const [state = '', parent] = statFields(name);
    if (/^[ZX]/u.test(state)) return [];
    const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').replace(/\0$/u, '').replaceAll('\0', ' ');
    return [{pid: Number(name), parent: Number(parent), words, directory: readlinkSync(`/proc/${name}/cwd`)}];
  } catch {
    return []; // it has ended meanwhile
  }
}

function inPs(): readonly RunningProcess[] {
  // It does not tell where a process runs: all count as ours.
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {encoding: 'utf8'}).split('\n');
  return lines.flatMap(line => {
    const [pid, parent, state = 'Z', ...words] = line.trim().split(/\s+/u);
    return state.startsWith('Z')
      ? []
      : [{pid: Number(pid), parent: Number(parent), words: words.join(' '), directory: tmpdir()}];
  });
}
