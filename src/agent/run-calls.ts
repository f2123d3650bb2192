import {definitions} from '../actions/catalogue.ts';
import {decodeAction} from '../actions/decode-action.ts';
import {labelOf} from '../actions/settle-action.ts';
import type {AgentEvent, Denial} from '../actions/agent-event.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import type {CallContext} from './call-context.ts';
import {judgeCall, unjudged, type DecodedCall} from './judge-call.ts';
import {settleCall} from './settle-call.ts';

export interface CallsReport {
  /** One per call, in the order of the calls. */
  readonly results: readonly ToolResultBlock[];
  readonly denials: readonly Denial[];
  /** What the journal threw, where it did not take a result; nothing starts after that. */
  readonly lost: readonly unknown[];
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
  const decoded = calls.map((call): DecodedCall => ({
    call,
    action: decodeAction(call.name, call.input, context.toolSources()),
  }));
  context.publish(decoded.flatMap(queuedEvent));

  const settling: ReturnType<typeof settleCall>[] = [];
  /** Of those that settled before the last barrier there is nothing to be found out any more. */
  let open: ReturnType<typeof settleCall>[] = [];
  let lost = false;
  const isLost = async (): Promise<boolean> => {
    const ended = await Promise.all(open);
    open = [];
    lost ||= ended.some(({kept}) => kept.state === 'lost');
    return lost;
  };
  for (const entry of decoded) {
    // What will not be run needs no verdict.
    const judged = signal.aborted ? unjudged(entry) : await judgeCall(entry, context, signal);
    const isBarrier = !canRunBeside(judged) || judged.verdict.decision !== 'allow';
    const stop = isBarrier && (await isLost());
    const settled = stop
      ? settleCall(judged, {...context, whyStopped: () => notKept}, AbortSignal.abort())
      : settleCall(judged, context, signal);
    settling.push(settled);
    open.push(settled);
    if (isBarrier) await settled;
  }
  const settled = await Promise.all(settling);
  return {
    results: settled.map(({told}) => told),
    denials: settled.flatMap(({call, deniedBy}) => (deniedBy === 'no' ? [] : [{call, by: deniedBy}])),
    lost: settled.flatMap(({kept}) => (kept.state === 'lost' ? [kept.cause] : [])),
  };
}

const notKept = {reason: 'not-run', message: 'This was not run: weft could not keep the session and stopped.'} as const;

const queuedEvent = ({call, action}: DecodedCall): AgentEvent[] =>
  action.tag === 'ok'
    ? [{event: 'action-queued', id: call.id, action: action.value, label: labelOf(action.value)}]
    : [];

const canRunBeside = ({action}: DecodedCall): boolean =>
  action.tag === 'ok' && definitions[action.value.name].scheduling === 'parallel';
