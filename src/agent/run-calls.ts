import {definitions} from '../actions/catalogue.ts';
import {decodeAction} from '../actions/decode-action.ts';
import {labelOf} from '../actions/settle-action.ts';
import type {AgentEvent, Denial} from '../actions/agent-event.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import {judged, settleCall, type CallContext, type DecodedCall} from './settle-call.ts';

export interface CallsReport {
  /** One per call, in the order of the calls. */
  readonly results: readonly ToolResultBlock[];
  readonly denials: readonly Denial[];
}

/**
 * Runs the tool calls of one message. Neighbours that only read and need no approval run side by side; everything else is a
 * barrier: it waits for what came before and runs alone. Results come back in the order of the calls. After an abort what
 * has not started settles as cancelled.
 */
export async function runCalls(
  calls: readonly ToolCallBlock[],
  context: CallContext,
  signal: AbortSignal,
): Promise<CallsReport> {
  const decoded = calls.map((call): DecodedCall => ({call, action: decodeAction(call.name, call.input)}));
  context.publish(decoded.flatMap(queuedEvent));

  const settling: ReturnType<typeof settleCall>[] = [];
  for (const entry of decoded) {
    const verdict = judged(entry, context);
    if (!canRunBeside(entry) || verdict.decision !== 'allow') await Promise.all(settling);
    const settled = settleCall({...entry, verdict}, context, signal);
    settling.push(settled);
    if (!canRunBeside(entry) || verdict.decision !== 'allow') await settled;
  }
  const settled = await Promise.all(settling);
  return {
    results: settled.map(({told}) => told),
    denials: settled.flatMap(({call, deniedBy}) => (deniedBy === 'no' ? [] : [{call, by: deniedBy}])),
  };
}

const queuedEvent = ({call, action}: DecodedCall): AgentEvent[] =>
  action.tag === 'ok'
    ? [{event: 'action-queued', id: call.id, action: action.value, label: labelOf(action.value)}]
    : [];

const canRunBeside = ({action}: DecodedCall): boolean =>
  action.tag === 'ok' && definitions[action.value.name].scheduling === 'parallel';
