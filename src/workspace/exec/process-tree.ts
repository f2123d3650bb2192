import {setTimeout as delay} from 'node:timers/promises';
import {isRunning, runTagOf, processTable, writesTo, type ProcessRow} from './process-table.ts';

/** The processes of one or more runs, described by what identifies them. */
export interface ProcessTree {
  readonly leaders: readonly GroupLeader[];
  /** Whether a process with this run tag in its environment belongs to the tree. */
  readonly owns: (tag: string) => boolean;
  /**
   * Names of the open files that the runs write to. A process that writes to one of them belongs to the tree, even if
   * it left its group and cleared its environment. Each function is called before each search. A function returns an
   * empty name once weft has closed the file, because the system reuses the name of a closed terminal. Empty if the
   * search would cost too much.
   */
  readonly outputs: readonly OutputName[];
}

/** Returns the name of the open file that a run writes to; empty if it has no name or weft has closed it. */
export type OutputName = () => string;

/**
 * The leader of a process group. The system reuses the number of an empty group. A group with a reused number has a
 * leader with another start time.
 */
export interface GroupLeader {
  readonly pid: number;
  /** The leader's start time, as in `ProcessRow`; empty if unknown. */
  readonly started: string;
}

export interface RunIds {
  readonly runTag: string;
  /** The process that leads the run's group. */
  readonly leader: number;
  /** The leader's start time; empty if unknown. */
  readonly leaderStarted: string;
}

/** Returns the tree of one run. */
export const treeOf = (run: RunIds, ...outputs: readonly OutputName[]): ProcessTree => ({
  leaders: [{pid: run.leader, started: run.leaderStarted}],
  owns: tag => tag === run.runTag,
  outputs,
});

/** Milliseconds between SIGTERM and SIGKILL; `short` is for a user who waits for the end. */
const graceMs = {short: 300, long: 1000} as const;

/** Milliseconds to wait for killed processes to disappear. A process that remains after that hangs in the kernel. */
const killTimeoutMs = 2000;

/** Whether the process group still has a member; a zombie counts. Costs one system call. */
export const groupRemains = (leader: number): boolean => isRunning(-leader);

/** Returns the living members. Processes in `except` are known not to be members. */
export const livingMembers = async (
  tree: ProcessTree,
  except: ReadonlySet<string> = new Set(),
): Promise<readonly ProcessRow[]> => trackMembers(tree, except)();

/**
 * Ends every process of the run: its group, descendants that left the group, and those that left their parents too.
 * They get SIGTERM, and SIGKILL after the grace period. Resolves when none is left, or none that can be ended. `last`
 * ends by itself when all others have; it is killed only if it does not.
 */
export async function endProcessTree(
  tree: ProcessTree,
  grace: keyof typeof graceMs,
  last: number | 'none' = 'none',
): Promise<void> {
  const members = trackMembers(tree);
  if (await endWith('SIGTERM', members, graceMs[grace])) return;
  if (last !== 'none' && (await endWith('SIGKILL', members, killTimeoutMs, last))) return;
  await endWith('SIGKILL', members, killTimeoutMs);
}

async function endWith(
  signal: 'SIGTERM' | 'SIGKILL',
  members: Membership,
  withinMs: number,
  last: number | 'none' = 'none',
) {
  // Finding the members can take long if there are many processes, so the time counts from the first signal.
  let until = Number.POSITIVE_INFINITY;
  const asked = new Set<number>();
  for (let pause = 4; ; pause = Math.min(pause * 2, 50)) {
    const alive = await members();
    if (alive.length === 0) return true;
    if (performance.now() >= until) return false;
    for (const {pid} of alive) {
      if (pid === last || (asked.has(pid) && signal === 'SIGTERM')) continue;
      asked.add(pid);
      sendSignal(pid, signal);
      // A stopped process receives SIGTERM only when it continues.
      sendSignal(pid, 'SIGCONT');
    }
    until = Math.min(until, performance.now() + withinMs);
    await delay(pause);
  }
}

type Membership = () => Promise<readonly ProcessRow[]>;

/**
 * Returns a function that finds the living members each time it is called. A process that was a member once remains
 * one, even if its parents end. A group found empty is not searched again, because its number may be reused.
 */
export function trackMembers(
  {leaders: given, owns, outputs}: ProcessTree,
  except: ReadonlySet<string> = new Set(),
): Membership {
  let leaders = given;
  const known = new Map<number, string>();
  const unrelated = new Map<number, string>();
  const isKnown = ({pid, started}: ProcessRow): boolean => known.get(pid) === started;

  return async () => {
    leaders = leaders.filter(({pid}) => groupRemains(pid));
    const table = await processTable(except);
    leaders = leaders.filter(leader => !isReused(leader, table));
    const groups = new Set(leaders.map(({pid}) => pid));
    // Nothing waits after this line, so no file is closed before it has been compared.
    const names = outputs.map(output => output()).filter(name => name !== '');
    for (const row of table) {
      if (groups.has(row.group) || groups.has(row.pid)) known.set(row.pid, row.started);
      else if (!isKnown(row) && unrelated.get(row.pid) !== row.started) {
        if (owns(runTagOf(row.pid)) || (names.length > 0 && writesTo(row.pid, names))) known.set(row.pid, row.started);
        else unrelated.set(row.pid, row.started);
      }
    }
    const living = new Map(table.filter(isKnown).map(row => [row.pid, row]));
    for (let found = living.size, before = -1; found !== before;) {
      before = found;
      for (const row of table) {
        if (!living.has(row.parent) || living.has(row.pid)) continue;
        living.set(row.pid, row);
        known.set(row.pid, row.started);
      }
      found = living.size;
    }
    return [...living.values()];
  };
}

const isReused = (leader: GroupLeader, table: readonly ProcessRow[]): boolean =>
  leader.started !== '' && table.some(({pid, started}) => pid === leader.pid && started !== leader.started);

/** Sends a signal to a process, or to the group of a negative number. Ignores failures. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended, or is another user's.
  }
}
