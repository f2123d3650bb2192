import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {commandLineOf, listeningPorts, runTagOf, type ProcessRow, processTable} from '../exec/process-table.ts';
import {endProcessTree, livingMembers, treeOf} from '../exec/process-tree.ts';
import {isTagOfFolder, isWeftAlive, tagPrefix} from '../exec/run-tag.ts';
import {makeTerminalText} from '../exec/terminal-text.ts';
import {makeBlockRegistry, readBlockRegistry, registeredRuns, type RegisteredBlock} from './block-registry.ts';

/** A running command that any weft process of this user started. It is in a block, or was left running when that process ended. */
export interface RunningCommand {
  /** The id that people use for the command; no two running commands share one. */
  readonly id: string;
  /** The command as the user or the model wrote it. If this is unknown, the command line of the process. */
  readonly command: string;
  /** Empty if unknown. */
  readonly directory: string;
  /** Milliseconds since the epoch; `undefined` if unknown. */
  readonly startedAt: number | undefined;
  readonly processes: readonly number[];
  readonly ports: readonly number[];
  /** The last line of the command's output as plain text; empty if other processes can't read the output. */
  readonly lastLine: string;
  /**
   * `running`: the weft process that started the command still runs. `kept` and `forgotten`: that process has ended
   * (see `LeftoverCommand`).
   */
  readonly life: 'running' | 'kept' | 'forgotten';
  /** Ends its whole tree. */
  readonly end: () => Promise<void>;
}

/** Finds the running commands of all weft processes. Blocks are registered in `folder`. */
export async function findRunning({folder}: {readonly folder: string}): Promise<readonly RunningCommand[]> {
  const leftovers = (await findLeftovers({folder})).map(leftover => leftoverToRunning(leftover, folder));
  const running: RunningCommand[] = [];
  for (const block of readBlockRegistry(folder)) {
    if (await isWeftAlive(block.runTag)) running.push(...(await runningOfBlock(block)));
  }
  return [...running, ...leftovers];
}

async function runningOfBlock(block: RegisteredBlock): Promise<readonly RunningCommand[]> {
  const tree = treeOf(block);
  const processes = (await livingMembers(tree)).map(({pid}) => pid);
  if (processes.length === 0) return [];
  const {command, directory, startedAt} = block;
  return [
    {
      id: `${block.runTag.split('.')[0]}.${block.id}`,
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

function leftoverToRunning(leftover: LeftoverCommand, folder: string): RunningCommand {
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

/** The bytes at the end of an output that are searched for its last line. The file can be half a gigabyte large. */
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

/** A command that an earlier weft process started and that still runs. */
interface LeftoverCommand extends Pick<RunningCommand, 'command' | 'directory' | 'startedAt' | 'processes'> {
  readonly runTag: string;
  /** `kept`: the user chose to keep it. `forgotten`: weft ended without ending it. */
  readonly life: 'kept' | 'forgotten';
  /** The file that the output of a kept command goes to; empty if there is none. */
  readonly file: string;
}

/**
 * Finds the commands that ended weft processes left running. On Linux it uses the run tags in the environment of
 * processes, elsewhere the blocks registered in `folder`. Removes the files of blocks that have no process left.
 */
export async function findLeftovers({folder}: {readonly folder: string}): Promise<readonly LeftoverCommand[]> {
  const registered = readBlockRegistry(folder);
  const registry = makeBlockRegistry(folder);
  const table = await processTable();
  const byTag = Map.groupBy(
    table.filter(({pid}) => pid !== process.pid),
    ({pid}) => runTagOf(pid),
  );
  const alive = new Map<string, Promise<boolean>>();
  const hasEnded = async (runTag: string): Promise<boolean> => {
    const prefix = tagPrefix(runTag);
    if (prefix === undefined || !isTagOfFolder(runTag, folder)) return false;
    const known = alive.get(prefix) ?? isWeftAlive(prefix);
    alive.set(prefix, known);
    return !(await known);
  };

  const found: LeftoverCommand[] = [];
  for (const block of registered) {
    if (!(await hasEnded(block.runTag))) continue;
    const processes = new Set((byTag.get(block.runTag) ?? []).map(({pid}) => pid));
    for (const {pid} of table.filter(row => isInGroup(block, row, table))) processes.add(pid);
    byTag.delete(block.runTag);
    if (processes.size === 0) registry.remove(block.runTag);
    else {
      const life = block.life === 'kept' ? 'kept' : 'forgotten';
      found.push({...block, processes: [...processes], life});
    }
  }
  for (const [runTag, rows] of byTag) {
    const [first] = rows;
    if (first === undefined || !(await hasEnded(runTag))) continue;
    found.push({
      runTag,
      command: commandLineOf(first.pid),
      directory: '',
      startedAt: undefined,
      processes: rows.map(({pid}) => pid),
      life: 'forgotten',
      file: '',
    });
  }
  for (const prefix of registeredRuns(folder)) {
    if ((await hasEnded(prefix)) && !found.some(({runTag}) => runTag.startsWith(prefix))) registry.endRun(prefix);
  }
  return found;
}

/** True if a weft process was killed while it ran commands, or left some running on purpose. Reads a few file names. */
export async function hasEndedRuns(folder: string): Promise<boolean> {
  const tags = [...registeredRuns(folder), ...readBlockRegistry(folder).map(({runTag}) => runTag)];
  const alive = await Promise.all(tags.map(isWeftAlive));
  return alive.includes(false);
}

/** Ends the whole process tree of a command. Removes the command from the registry when nothing is left. */
export async function endLeftover(leftover: LeftoverCommand, {folder}: {readonly folder: string}): Promise<void> {
  const block = readBlockRegistry(folder).find(({runTag}) => runTag === leftover.runTag);
  const table = await processTable();
  const isLeaderAlive = block !== undefined && table.some(row => isInGroup(block, row, table));
  const tree = {
    leaders: isLeaderAlive ? [{pid: block.leader, started: block.leaderStarted}] : [],
    owns: (runTag: string) => runTag === leftover.runTag,
    outputs: [],
  };
  await endProcessTree(tree, 'long');
  if ((await livingMembers(tree)).length === 0) makeBlockRegistry(folder).remove(leftover.runTag);
}

/** Whether the process belongs to the block's group. The group is certain only while its leader lives. */
const isInGroup = (block: RegisteredBlock, row: ProcessRow, table: readonly ProcessRow[]): boolean =>
  row.group === block.leader && table.some(({pid, started}) => pid === block.leader && started === block.leaderStarted);
