import {setTimeout as delay} from 'node:timers/promises';
import {carriesMark, processTable, type ProcessRow} from './process-table.ts';

/** A run: the process that leads its group, and the mark in the environment of everything it started. */
export interface ProcessTree {
  readonly leader: number;
  readonly mark: string;
}

/** Milliseconds between asking a process to end and ending it. */
const graceMs = 1000;

/** Milliseconds for the system to remove what was killed; beyond that a process hangs inside the system. */
const patienceMs = 2000;

/** Whether the run's own group still has a member (one that is dead and not collected counts). Costs one system call. */
export function groupRemains(leader: number): boolean {
  return send(-leader, 0) !== 'nobody';
}

/**
 * Ends every process of the run: its group, the descendants that left the group, and those that left their parents too.
 * They get SIGTERM, after a grace SIGKILL. Resolves when none is left, or none that can be ended.
 */
export async function endProcessTree(tree: ProcessTree): Promise<void> {
  const members = makeMembership(tree);
  if (await endWith('SIGTERM', members, graceMs)) return;
  await endWith('SIGKILL', members, patienceMs);
}

async function endWith(signal: 'SIGTERM' | 'SIGKILL', members: () => Promise<readonly number[]>, withinMs: number) {
  const until = performance.now() + withinMs;
  const asked = new Set<number>();
  for (let pause = 4; ; pause = Math.min(pause * 2, 50)) {
    const alive = await members();
    if (alive.length === 0) return true;
    if (performance.now() >= until) return false;
    for (const pid of alive) {
      if (asked.has(pid) && signal === 'SIGTERM') continue;
      asked.add(pid);
      send(pid, signal);
      // A stopped process hears of SIGTERM only once it goes on.
      send(pid, 'SIGCONT');
    }
    await delay(pause);
  }
}

/** Answers with the living members. What was a member once remains one, whatever becomes of its parents. */
function makeMembership({leader, mark}: ProcessTree): () => Promise<readonly number[]> {
  const known = new Map<number, string>();
  const strangers = new Map<number, string>();
  const isKnown = ({pid, started}: ProcessRow): boolean => known.get(pid) === started;

  return async () => {
    const table = await processTable();
    for (const row of table) {
      if (row.group === leader || row.pid === leader) known.set(row.pid, row.started);
      else if (!isKnown(row) && strangers.get(row.pid) !== row.started) {
        if (carriesMark(row.pid, mark)) known.set(row.pid, row.started);
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
    return [...living.keys()];
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
