import {endProcessTree, livingMembers} from '../end-process-tree.ts';
import {commandOf, markOf, processTable, type ProcessRow} from '../process-table.ts';
import {isOfFolder, isWeftAlive, prefixOf} from '../run-marks.ts';
import {makeBlockRegistry, readBlockRegistry, type RegisteredBlock} from './block-registry.ts';

/** Something that an earlier run of weft started and that still runs. */
export interface Leftover {
  readonly mark: string;
  /** As it was given, or the command line of the process where that is not known. */
  readonly command: string;
  /** Empty where it is not known. */
  readonly directory: string;
  /** Milliseconds since the epoch; `undefined` where it is not known. */
  readonly startedAt: number | undefined;
  readonly processes: readonly number[];
  /** `kept`: the user wanted it to live on. `forgotten`: weft ended without ending it. */
  readonly life: 'kept' | 'forgotten';
  /** Where the output of a kept one goes; may be empty. */
  readonly file: string;
}

/**
 * Finds what runs of weft that have ended left running: by the marks in the environment of processes (Linux), else by what
 * the blocks' files in `folder` say. Files that speak of nothing any more are removed.
 */
export async function findLeftovers({folder}: {readonly folder: string}): Promise<readonly Leftover[]> {
  const registered = readBlockRegistry(folder);
  const registry = makeBlockRegistry(folder);
  const table = await processTable();
  const marked = Map.groupBy(
    table.filter(({pid}) => pid !== process.pid),
    ({pid}) => markOf(pid),
  );
  const alive = new Map<string, Promise<boolean>>();
  const isOld = async (mark: string): Promise<boolean> => {
    const prefix = prefixOf(mark);
    if (prefix === undefined || !isOfFolder(mark, folder)) return false;
    const known = alive.get(prefix) ?? isWeftAlive(prefix);
    alive.set(prefix, known);
    return !(await known);
  };

  const found: Leftover[] = [];
  for (const block of registered) {
    // oxlint-disable-next-line no-await-in-loop -- asks each weft once, of which there are few
    if (!(await isOld(block.mark))) continue;
    const processes = new Set((marked.get(block.mark) ?? []).map(({pid}) => pid));
    for (const {pid} of table.filter(row => isOf(block, row, table))) processes.add(pid);
    marked.delete(block.mark);
    if (processes.size === 0) registry.remove(block.mark);
    else {
      const life = block.life === 'kept' ? 'kept' : 'forgotten';
      found.push({...block, processes: [...processes], life});
    }
  }
  for (const [mark, rows] of marked) {
    const [first] = rows;
    // oxlint-disable-next-line no-await-in-loop -- asks each weft once, of which there are few
    if (first === undefined || !(await isOld(mark))) continue;
    found.push({
      mark,
      command: commandOf(first.pid),
      directory: '',
      startedAt: undefined,
      processes: rows.map(({pid}) => pid),
      life: 'forgotten',
      file: '',
    });
  }
  return found;
}

/** Ends its whole tree, and forgets it when nothing is left. */
export async function endLeftover(leftover: Leftover, {folder}: {readonly folder: string}): Promise<void> {
  const block = readBlockRegistry(folder).find(({mark}) => mark === leftover.mark);
  const table = await processTable();
  const leads = block !== undefined && table.some(row => isOf(block, row, table));
  const tree = {leaders: leads ? [block.leader] : [], owns: (mark: string) => mark === leftover.mark, outputs: []};
  await endProcessTree(tree, 'long');
  if ((await livingMembers(tree)).length === 0) makeBlockRegistry(folder).remove(leftover.mark);
}

/** Whether the process belongs to the block's group, which is known to be the same only while its leader lives. */
const isOf = (block: RegisteredBlock, row: ProcessRow, table: readonly ProcessRow[]): boolean =>
  row.group === block.leader && table.some(({pid, started}) => pid === block.leader && started === block.leaderStarted);
