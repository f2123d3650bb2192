import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {endProcessTree, livingMembers, treeOf} from '../end-process-tree.ts';
import {isWeftAlive} from '../run-marks.ts';
import {makeTerminalText} from '../terminal-text.ts';
import {readBlockRegistry, type RegisteredBlock} from './block-registry.ts';
import {endLeftover, findLeftovers, type Leftover} from './find-leftovers.ts';
import {listeningPorts} from './listening-ports.ts';

/** A command of this user's that weft started and that runs beside a conversation, or was left by one. */
export interface RunningCommand {
  /** For people to name it by: unique among them. */
  readonly id: string;
  readonly command: string;
  readonly directory: string;
  /** Milliseconds since the epoch; `undefined` where it is not known. */
  readonly startedAt: number | undefined;
  readonly processes: readonly number[];
  readonly ports: readonly number[];
  /** Plain; empty where the output is not to be had from outside. */
  readonly lastLine: string;
  /** `running`: of a weft that runs. `kept` and `forgotten`: of one that does not. */
  readonly life: 'running' | 'kept' | 'forgotten';
  /** Ends its whole tree. */
  readonly end: () => Promise<void>;
}

/** All of them, whichever weft started them; `folder` is where blocks are written down. */
export async function findRunning({folder}: {readonly folder: string}): Promise<readonly RunningCommand[]> {
  const leftovers = (await findLeftovers({folder})).map(leftover => ofLeftover(leftover, folder));
  const running: RunningCommand[] = [];
  for (const block of readBlockRegistry(folder)) {
    // oxlint-disable-next-line no-await-in-loop -- few blocks, one look at the process table each
    if (await isWeftAlive(block.mark)) running.push(...(await ofBlock(block)));
  }
  return [...running, ...leftovers];
}

async function ofBlock(block: RegisteredBlock): Promise<readonly RunningCommand[]> {
  const tree = treeOf(block);
  const processes = (await livingMembers(tree)).map(({pid}) => pid);
  if (processes.length === 0) return [];
  const {command, directory, startedAt} = block;
  return [
    {
      id: `${block.mark.split('.')[0]}.${block.id}`,
      command,
      directory,
      startedAt,
      processes,
      ports: listeningPorts(processes),
      lastLine: lastLineOf(block.file),
      life: 'running',
      end: () => endProcessTree(tree, 'long'),
    },
  ];
}

function ofLeftover(leftover: Leftover, folder: string): RunningCommand {
  const {command, directory, startedAt, processes, life, file} = leftover;
  return {
    id: String(processes[0] ?? 0),
    command,
    directory,
    startedAt,
    processes,
    ports: listeningPorts(processes),
    lastLine: lastLineOf(file),
    life,
    end: () => endLeftover(leftover, {folder}),
  };
}

function lastLineOf(file: string): string {
  if (file === '') return '';
  try {
    const text = makeTerminalText();
    const {settled} = text.push(tailOf(file));
    return (settled + text.end()).trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return '';
  }
}

/** Bytes of an output in which its last line is looked for: it may be half a gigabyte long. */
const tailBytes = 8192;

function tailOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(tailBytes);
    const from = Math.max(0, fstatSync(descriptor).size - tailBytes);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, tailBytes, from));
  } finally {
    closeSync(descriptor);
  }
}
