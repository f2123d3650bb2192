import type {AgentEvent} from '../actions/agent-event.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {RewindTarget} from '../domain/rewind.ts';
import {carryOutRewind, previewRewind} from './rewind-session.ts';

export interface GoingBack {
  readonly session: OpenSession;
  readonly checkpoints: CheckpointsPort;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

/** Tells what going back would do, or why it cannot be. Never throws. */
export async function tellPreview(
  target: RewindTarget,
  {session, checkpoints, publish}: GoingBack,
  signal: AbortSignal,
): Promise<void> {
  try {
    const previewed = await previewRewind(target, {records: session.records, checkpoints}, signal);
    if (previewed.tag === 'ok') publish([{event: 'rewind-previewed', target, report: previewed.value}]);
    else if (!signal.aborted) publish([warning(faultText(previewed.error))]);
  } catch (cause) {
    publish([warning(faultText(thrownFault('Looking at what going back would do broke off', cause)))]);
  }
}

/** Goes back and tells of it; `reopen` reads the conversation anew and answers with its todo frames. Never throws. */
export async function goBack(
  target: RewindTarget,
  {session, checkpoints, publish, reopen}: GoingBack & {readonly reopen: () => readonly Uint8Array[]},
  signal: AbortSignal,
): Promise<void> {
  try {
    const {records} = session;
    const done = await carryOutRewind(target, {records, checkpoints, keep: record => session.append(record)}, signal);
    if (done.tag === 'ok') publish([{event: 'rewound', report: done.value, todoFrames: reopen()}]);
    else if (!signal.aborted) publish([warning(faultText(done.error))]);
  } catch (cause) {
    publish([warning(faultText(thrownFault('Going back broke off', cause)))]);
  }
}

const warning = (text: string): AgentEvent => ({event: 'notice', level: 'warning', text});
