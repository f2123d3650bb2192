import {setTimeout as delay} from 'node:timers/promises';
import {isRunning, runTagOf, processTable, writesTo, type ProcessRow} from './process-table.ts';

/** The processes of one run or of several, described by what identifies them. */
export interface ProcessTree {
  readonly leaders: readonly GroupLeader[];
  /** Whether a process with this run tag in its environment belongs to the tree. */
  readonly owns: (tag: string) => boolean;
  /**
   * Answer with the names of open files, as the system gives them: a process that writes to one belongs to the tree even if it has
   * left its group and cleared its environment. They are asked before each look, and answer with an empty name once weft has closed
   * the file: the system gives the name of a closed terminal to the next one that anybody opens. None where the search would cost too
   * much.
   */
  readonly outputs: readonly OutputName[];
}

/** The name of the open file that a run writes to; empty when it is not open in weft, or has no name. */
export type OutputName = () => string;

/**
 * The leader of a process group. A group without members gives its number back to the system, which may make it another's: that one
 * is known by its leader, which started at another time.
 */
export interface GroupLeader {
  readonly pid: number;
  /** When it started, as `ProcessRow` has it; empty where that is not known. */
  readonly started: string;
}

/** What identifies the processes of one run. */
export interface RunIds {
  readonly runTag: string;
  /** The process that leads its group. */
  readonly leader: number;
  /** When the leader started; empty where that is not known. */
  readonly leaderStarted: string;
}

/** The tree of one run. */
export const treeOf = (run: RunIds, ...outputs: readonly OutputName[]): ProcessTree => ({
  leaders: [{pid: run.leader, started: run.leaderStarted}],
  owns: tag => tag === run.runTag,
  outputs,
});

/** Milliseconds between SIGTERM and SIGKILL; `short` is for a user who waits for the end. */
const graceMs = {short: 300, long: 1000} as const;

/** Milliseconds to wait for killed processes to disappear; one that is still there then hangs inside the system. */
const patienceMs = 2000;

/** Whether the process group still has a member (a dead process that was not collected counts). Costs one system call. */
export const groupRemains = (leader: number): boolean => isRunning(-leader);

/** The members that live now, but for the processes of `except`, which are known not to be members. */
export const livingMembers = async (
  tree: ProcessTree,
  except: ReadonlySet<string> = new Set(),
): Promise<readonly ProcessRow[]> => trackMembers(tree, except)();

/**
 * Ends every process of the run: its group, the descendants that left the group, and those that left their parents too.
 * They get SIGTERM, after a grace SIGKILL. Resolves when none is left, or none that can be ended. `last` ends by itself when all others
 * have, and is killed only if it does not.
 */
export async function endProcessTree(
  tree: ProcessTree,
  grace: keyof typeof graceMs,
  last: number | 'none' = 'none',
): Promise<void> {
  const members = trackMembers(tree);
  if (await endWith('SIGTERM', members, graceMs[grace])) return;
  if (last !== 'none' && (await endWith('SIGKILL', members, patienceMs, last))) return;
  await endWith('SIGKILL', members, patienceMs);
}

async function endWith(
  signal: 'SIGTERM' | 'SIGKILL',
  members: Membership,
  withinMs: number,
  last: number | 'none' = 'none',
) {
  // Looking for the members can take long where there are many processes: the time counts from the first signal.
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
      // A stopped process hears of SIGTERM only once it goes on.
      sendSignal(pid, 'SIGCONT');
    }
    until = Math.min(until, performance.now() + withinMs);
    await delay(pause);
  }
}

type Membership = () => Promise<readonly ProcessRow[]>;

/**
 * Returns a function that looks for the living members each time it is called. A process that was a member once remains one,
 * whatever becomes of its parents. A group that was found empty once is not looked at again: its number may be reused.
 */
export function trackMembers(
  {leaders: given, owns, outputs}: ProcessTree,
  except: ReadonlySet<string> = new Set(),
): Membership {
  let leaders = given;
  const known = new Map<number, string>();
  const strangers = new Map<number, string>();
  const isKnown = ({pid, started}: ProcessRow): boolean => known.get(pid) === started;

  return async () => {
    leaders = leaders.filter(({pid}) => groupRemains(pid));
    const table = await processTable(except);
    leaders = leaders.filter(leader => !isAnothers(leader, table));
    const groups = new Set(leaders.map(({pid}) => pid));
    // From here on nothing waits, so that no file is closed before it has been compared.
    const names = outputs.map(output => output()).filter(name => name !== '');
    for (const row of table) {
      if (groups.has(row.group) || groups.has(row.pid)) known.set(row.pid, row.started);
      else if (!isKnown(row) && strangers.get(row.pid) !== row.started) {
        if (owns(runTagOf(row.pid)) || (names.length > 0 && writesTo(row.pid, names))) known.set(row.pid, row.started);
        else strangers.set(row.pid, row.started);
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

const isAnothers = (leader: GroupLeader, table: readonly ProcessRow[]): boolean =>
  leader.started !== '' && table.some(({pid, started}) => pid === leader.pid && started !== leader.started);

/** Sends a signal to a process, or to the group of a negative number, if it is there and weft may. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or is not ours.
  }
}
