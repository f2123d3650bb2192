import type {CheckStatus} from '../domain/receipt.ts';
import type {SessionContext} from './session-context.ts';

/** Returns the checks of the session that the user sees. Costs nothing if none has run. */
export async function checkStatuses(session: SessionContext, signal: AbortSignal): Promise<readonly CheckStatus[]> {
  const owner = session.owner();
  const hasRun = owner.conversation.journal.records.some(({kind}) => kind === 'receipt');
  return hasRun ? (await import('./receipts.ts')).readChecks(owner, signal) : [];
}
