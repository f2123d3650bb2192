import type {ComparisonPort} from '../actions/review-port.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {CommandStand} from '../actions/outcome.ts';
import type {BlockSnapshot, BoundedOutput} from '../actions/ports.ts';
import type {TreeId} from '../domain/checkpoint.ts';
import type {ActionId} from '../domain/ids.ts';
import {
  type CheckEnd,
  type CheckStatus,
  checkKey,
  type FoundCheck,
  type HidingSyntax,
  outcomeOf,
  type Receipt,
} from '../domain/receipt.ts';
import type {Confinement} from '../domain/risk.ts';
import {sandboxesAllCommands} from '../domain/sandbox.ts';
import {timelineOf} from '../domain/timeline.ts';
import {countsIn} from './check-counts.ts';
import {journal, type SessionContext} from './session-context.ts';

/** A command with checks that ended or went on in a block. */
interface FinishedRun {
  readonly call: ActionId;
  readonly checks: readonly FoundCheck[];
  readonly stand: Exclude<CommandStand, {kind: 'seen'}>;
  readonly confinement: Confinement;
  /** True if other actions may have changed files during the run. */
  readonly isMixed: boolean;
}

/** Keeps receipts of a command with checks, or remembers its checks until its block ends. */
export async function keepRun(
  {call, checks, stand, confinement, isMixed}: FinishedRun,
  session: SessionContext,
  signal: AbortSignal,
): Promise<void> {
  const owner = session.owner();
  const {environment} = session.ports;
  const isConfined = confinement === 'chosen' ? sandboxesAllCommands(environment.sandbox) : confinement !== 'outside';
  // Files that other actions changed during the run may have been read before or after.
  const tree = isMixed ? 'unknown' : await treeNow(owner, signal);
  const run = {call, checks, tree, isConfined};
  if (stand.kind === 'moved') owner.checks.running.set(stand.block, run);
  else await keepReceipts({...run, end: stand.end, output: stand.output}, owner, signal);
}

/** Keeps receipts for blocks that have ended without being read. Nothing is known of their output. */
async function keepUnseenEnds(owner: SessionContext, signal: AbortSignal): Promise<void> {
  for (const [id] of owner.checks.running) {
    const found = owner.ports.machine.blocks.find(id);
    if (found.tag === 'failed') owner.checks.running.delete(id);
    else await keepBlockEnd({id, state: found.value.state, output: {text: '', leftOutLines: 0}}, owner, signal);
  }
}

/** The part of a command's output that counts are read from. */
type PrintedText = Pick<BoundedOutput, 'text' | 'leftOutLines'>;

/** Keeps receipts if the block of a check has ended. They have the files as they were when it began. */
export async function keepBlockEnd(
  {id, state, output}: Pick<BlockSnapshot, 'id' | 'state'> & {readonly output: PrintedText},
  owner: SessionContext,
  signal: AbortSignal,
): Promise<void> {
  const run = owner.checks.running.get(id);
  if (run === undefined || state.kind === 'running' || state.kind === 'waiting') return;
  owner.checks.running.delete(id);
  if (state.kind === 'ended') return;
  const end = state.kind === 'exited' ? state : ({kind: 'stopped', why: 'signal'} as const);
  // Earlier reads may have taken the beginning of the output.
  await keepReceipts(
    {...run, end, output: {text: output.text, leftOutLines: Math.max(1, output.leftOutLines)}},
    owner,
    signal,
  );
}

interface EndedRun extends Pick<Receipt, 'call' | 'tree' | 'isConfined'> {
  readonly checks: readonly FoundCheck[];
  readonly end: CheckEnd;
  readonly output: PrintedText;
}

async function keepReceipts(
  {checks, end: whole, output, call, tree, isConfined}: EndedRun,
  owner: SessionContext,
  signal: AbortSignal,
): Promise<void> {
  const at = owner.ports.clock.now();
  for (const {zero, nonZero, files, selection, ...check} of checks) {
    const printed = {text: output.text, middle: output.leftOutLines > 0 ? 'cut' : 'whole'} as const;
    const counts = countsIn(printed, check.kind, selection);
    // Without a count, perhaps no test has such a name.
    const passed =
      zero === 'passed' && selection === 'by-name' && Object.keys(counts).length === 0 ? 'unreached' : zero;
    const end = endOf(whole, {zero: passed, nonZero}, (counts.failed ?? 0) > 0);
    journal(owner, {
      kind: 'receipt',
      // A check in the background of its shell may still run.
      receipt: {
        ...check,
        call,
        end,
        counts,
        at,
        tree: files === 'as-read' && zero !== 'background' ? tree : 'unknown',
        isConfined,
      },
    });
  }
  const now = tree === 'unknown' ? 'now' : tree;
  owner.publish([
    {
      event: 'checks-changed',
      checks: await checksIn(owner.conversation.journal.records, owner.ports.comparison, signal, now),
    },
  ]);
}

/** Returns the end of a check in a command. `hasFailures`: the output counts failures of such a check. */
function endOf(
  whole: EndedRun['end'],
  {zero, nonZero}: {readonly zero: 'passed' | HidingSyntax; readonly nonZero: FoundCheck['nonZero']},
  hasFailures: boolean,
): CheckEnd {
  if (whole.kind !== 'exited') return whole;
  if (whole.code === 0) return zero === 'passed' ? whole : {kind: 'hidden', by: zero};
  return nonZero === 'failed' || (nonZero === 'unreached' && hasFailures) ? whole : {kind: 'hidden', by: nonZero};
}

async function treeNow(owner: SessionContext, signal: AbortSignal): Promise<Receipt['tree']> {
  const taken = await owner.ports.comparison.stateNow(signal);
  return taken.tag === 'ok' ? taken.value : 'unknown';
}

/** Returns the checks of an open session. */
export async function readChecks(owner: SessionContext, signal: AbortSignal): Promise<readonly CheckStatus[]> {
  await keepUnseenEnds(owner, signal);
  return checksIn(owner.conversation.journal.records, owner.ports.comparison, signal);
}

/** Returns the latest run of each check of a journal, in order of the first runs. A run with an unknown outcome replaces no fresh one. */
export async function checksIn(
  records: readonly JournalRecord[],
  comparison: Pick<ComparisonPort, 'unchangedSince'>,
  signal: AbortSignal,
  now: TreeId | 'now' = 'now',
): Promise<readonly CheckStatus[]> {
  const {activeRecords} = timelineOf(records);
  const receipts = activeRecords.flatMap(record => (record.kind === 'receipt' ? [record.receipt] : []));
  const candidates = [...Map.groupBy(receipts, checkKey).values()].map(runs => {
    const known = runs.findLast(receipt => outcomeOf(receipt) !== 'unknown');
    return [...new Set([known, runs.at(-1)])].filter(receipt => receipt !== undefined);
  });
  const compared = await comparison.unchangedSince(candidates.flat(), now, signal);
  const fresh = new Set(compared.tag === 'ok' ? candidates.flat().filter((_, at) => compared.value[at]) : []);
  return candidates.flatMap(runs => {
    const receipt = runs.find(run => fresh.has(run)) ?? runs.at(-1);
    return receipt === undefined ? [] : [{receipt, isFresh: fresh.has(receipt)}];
  });
}
