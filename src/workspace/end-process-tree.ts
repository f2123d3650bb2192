import {setTimeout as delay} from 'node:timers/promises';
import {markOf, processTable, writesTo, type ProcessRow} from './process-table.ts';

/** One run or several: the processes that lead their groups, and by what everything they started can be told. */
export interface ProcessTree {
  /** To be named only while the group may have members: afterwards the number may be another process's. */
  readonly leaders: readonly number[];
  /** By the mark in its environment. */
  readonly owns: (mark: string) => boolean;
  /**
   * By the open files it writes to, named as the system names them: for processes that left their group and cleared their
   * environment. Each must be open at this end as long as it is asked for. None where that would cost more than it tells.
   */
  readonly outputs: readonly string[];
}

/** The tree of one run; `outputs` may have empty names. */
export const treeOf = (
  run: {readonly leader: number; readonly mark: string},
  ...outputs: readonly string[]
): ProcessTree => ({
  leaders: [run.leader],
  owns: mark => mark === run.mark,
  outputs: outputs.filter(name => name !== ''),
});

/** Milliseconds between asking a process to end and ending it; `short` is for a user who waits for the end. */
const graceMs = {short: 300, long: 1000} as const;

/** Milliseconds for the system to remove what was killed; beyond that a process hangs inside the system. */
const patienceMs = 2000;

/** Whether the run's own group still has a member (one that is dead and not collected counts). Costs one system call. */
export function groupRemains(leader: number): boolean {
  return send(-leader, 0) !== 'nobody';
}

/** The members that live now. */
export const livingMembers = async (tree: ProcessTree): Promise<readonly ProcessRow[]> => trackMembers(tree)();

/**
 * Ends every process of the run: its group, the descendants that left the group, and those that left their parents too.
 * They get SIGTERM, after a grace SIGKILL. Resolves when none is left, or none that can be ended.
 */
export async function endProcessTree(tree: ProcessTree, grace: keyof typeof graceMs): Promise<void> {
  const members = trackMembers(tree);
  if (await endWith('SIGTERM', members, graceMs[grace])) return;
  await endWith('SIGKILL', members, patienceMs);
}

async function endWith(signal: 'SIGTERM' | 'SIGKILL', members: Membership, withinMs: number) {
  const until = performance.now() + withinMs;
  const asked = new Set<number>();
  for (let pause = 4; ; pause = Math.min(pause * 2, 50)) {
    const alive = await members();
    if (alive.length === 0) return true;
    if (performance.now() >= until) return false;
    for (const {pid} of alive) {
      if (asked.has(pid) && signal === 'SIGTERM') continue;
      asked.add(pid);
      send(pid, signal);
      // A stopped process hears of SIGTERM only once it goes on.
      send(pid, 'SIGCONT');
    }
    await delay(pause);
  }
}

type Membership = () => Promise<readonly ProcessRow[]>;

/**
 * Answers with the living members, as often as it is asked. What was a member once remains one, whatever becomes of its parents;
 * a group that had no member once is somebody else's from then on.
 */
export function trackMembers({leaders: given, owns, outputs}: ProcessTree): Membership {
  let leaders = given;
  const known = new Map<number, string>();
  const strangers = new Map<number, string>();
  const isKnown = ({pid, started}: ProcessRow): boolean => known.get(pid) === started;

  return async () => {
    leaders = leaders.filter(groupRemains);
    const table = await processTable();
    for (const row of table) {
      if (leaders.includes(row.group) || leaders.includes(row.pid)) known.set(row.pid, row.started);
      else if (!isKnown(row) && strangers.get(row.pid) !== row.started) {
        if (owns(markOf(row.pid)) || (outputs.length > 0 && writesTo(row.pid, outputs)))
          known.set(row.pid, row.started);
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

function send(pid: number, signal: NodeJS.Signals | 0): 'sent' | 'nobody' | 'not-ours' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM' ? 'not-ours' : 'nobody';
  }
}
