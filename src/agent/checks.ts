import type {ActionResult} from '../actions/catalogue.ts';
import {changesOfCommand, commandStandOf} from '../actions/outcome.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import type {CheckStatus} from '../domain/receipt.ts';
import type {Confinement, RiskLevel} from '../domain/risk.ts';
import {type SessionContext, warn} from './session-context.ts';

/** A command whose checks get receipts. */
export interface CheckedRun {
  readonly call: ActionId;
  readonly result: ActionResult;
  /** The directory in which a command started. */
  readonly directory: string;
  readonly confinement: Confinement;
  /** True if other actions may have changed files during the run. */
  readonly isMixed: boolean;
}

/** Returns the checks of the session that the user sees. Costs nothing if none has run. */
export async function checkStatuses(session: SessionContext, signal: AbortSignal): Promise<readonly CheckStatus[]> {
  const owner = session.owner();
  const hasRun = owner.conversation.journal.records.some(({kind}) => kind === 'receipt');
  return hasRun || owner.checks.running.size > 0 ? (await import('./receipts.ts')).readChecks(owner, signal) : [];
}

/**
 * Keeps receipts of the checks that an action ran, or whose end in a block it saw. Receipts of sub-agents belong to the session. A
 * sub-agent in its own worktree has other files, so its checks make none. Never throws.
 */
export async function noteChecks(
  {result, directory, ...run}: CheckedRun,
  session: SessionContext,
  signal: AbortSignal,
): Promise<void> {
  const owner = session.owner();
  const stand = commandStandOf(result);
  if (stand === undefined || session.directory !== owner.directory) return;
  try {
    if (stand.kind === 'seen') {
      if (owner.checks.running.has(stand.block.id))
        await (await import('./receipts.ts')).keepBlockEnd(stand.block, owner, signal);
      return;
    }
    const checks = await session.ports.judge.checksIn(stand.command, directory);
    if (checks.length === 0) return;
    // A check after other parts of the command may have seen their changes, which were dropped.
    const hasDropped = changesOfCommand(result).dropped.length > 0 && checks.some(({nonZero}) => nonZero !== 'failed');
    const {keepRun} = await import('./receipts.ts');
    await keepRun({...run, isMixed: run.isMixed || hasDropped, checks, stand}, session, signal);
  } catch (cause) {
    warn(session, faultText(thrownFault('Could not keep a receipt of the check', cause)));
  }
}

/** Shows the checks again to a person, because actions may have changed files. */
export async function showChecks(session: SessionContext, signal: AbortSignal): Promise<void> {
  if (session.interaction !== 'interactive') return;
  const checks = await checkStatuses(session, signal);
  if (checks.length > 0) session.owner().publish([{event: 'checks-changed', checks}]);
}

/** Counts an action that may change files while it runs. The returned function ends it, and returns whether others ran beside it. */
export function beginChange(session: SessionContext, risk: RiskLevel): () => boolean {
  const {checks} = session.owner();
  const isAlone = checks.active === 0;
  if (risk === 'read-only') {
    const before = checks.begun;
    return () => !isAlone || checks.begun > before;
  }
  checks.active += 1;
  checks.begun += 1;
  const own = checks.begun;
  return () => {
    checks.active -= 1;
    return !isAlone || checks.begun > own;
  };
}
