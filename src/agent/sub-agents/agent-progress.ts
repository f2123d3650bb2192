import type {AgentEvent, PromptEnd} from '../../actions/agent-event.ts';
import {accessOf, labelOf, type Action} from '../../actions/catalogue.ts';
import {editPaths} from '../../domain/file-edit.ts';
import type {HarnessEvent} from '../../actions/harness-port.ts';
import {byKind, unreachable} from '../../base/unreachable.ts';
import {type Fault, faultText} from '../../domain/fault.ts';
import type {HarnessOutcome} from '../../domain/harness.ts';
import {type AgentRow, type AgentStatus, hasEnded} from '../../domain/sub-agent.ts';

/**
 * A sub-agent after an event of its own engine; the same row where nothing changed. A prompt that was withdrawn before it began was
 * stopped; every other one ends with its `prompt-finished`.
 */
export function afterEvent(row: AgentRow, event: AgentEvent): AgentRow {
  switch (event.event) {
    case 'prompt-accepted':
      return withStatus(row, {kind: 'in_progress', doing: ''});
    case 'prompt-withdrawn':
      return row.status.kind === 'started' ? withStatus(row, {kind: 'cancelled', answer: ''}) : row;
    case 'turn-started':
      return {
        ...withStatus(row, {kind: 'in_progress', doing: ''}),
        progress: {...row.progress, turns: row.progress.turns + 1},
      };
    case 'action-started':
      return {
        ...withStatus(row, {kind: 'in_progress', doing: labelOf(event.action)}),
        progress: {...row.progress, calls: row.progress.calls + 1},
      };
    case 'action-settled': {
      const {result} = event;
      if (result.tag !== 'action' || result.result.settled.state !== 'success') return row;
      return withFiles(row, changedBy(result.result));
    }
    case 'prompt-finished':
      return withStatus(row, endOf(event.summary.end, event.summary.answer));
    default:
      return row;
  }
}

/** A sub-agent after an event of its harness. Where the program ends without a word, it has failed. */
export function afterHarnessEvent(row: AgentRow, event: HarnessEvent): AgentRow {
  switch (event.event) {
    case 'working':
      return withStatus(row, {kind: 'in_progress', doing: ''});
    case 'tool-started':
      return {
        ...withStatus(row, {kind: 'in_progress', doing: event.title === '' ? event.name : event.title}),
        progress: {...row.progress, calls: row.progress.calls + 1},
      };
    case 'tool-finished':
      return withFiles(
        row,
        event.files.map(({path}) => path),
      );
    case 'finished':
      return withStatus(row, outcomeStatus(event.outcome));
    case 'closed':
      return hasEnded(row.status)
        ? row
        : withStatus(row, {kind: 'failed', reason: `It ended: ${event.reason}.`, answer: ''});
    case 'started':
    case 'text':
    case 'thinking':
    case 'tool-output':
    case 'usage':
    case 'plan':
    case 'warning':
      return row;
    default:
      return unreachable(event);
  }
}

/** Whether the model of a harness speaks, or its tools run and what they gave is yet to be sent. */
export type HarnessTurn = 'open' | 'between';

/**
 * No harness says when it sends a request to its model: what the model says first after the end of a tool, or at the beginning, came of
 * one.
 */
export function turnAfter(turn: HarnessTurn, {event}: HarnessEvent): HarnessTurn {
  if (event === 'text' || event === 'thinking' || event === 'tool-started') return 'open';
  return event === 'tool-finished' || event === 'finished' || event === 'closed' ? 'between' : turn;
}

const outcomeStatus = (outcome: HarnessOutcome): AgentStatus =>
  byKind<HarnessOutcome, AgentStatus>(outcome, {
    succeeded: ({text}) => ({kind: 'succeeded', answer: text}),
    failed: ({reason, text}) => ({kind: 'failed', reason, answer: text}),
    cancelled: ({text}) => ({kind: 'cancelled', answer: text}),
  });

/** Its task did not reach it. */
export const notBegun = (fault: Fault, signal: AbortSignal): AgentStatus =>
  signal.aborted ? {kind: 'cancelled', answer: ''} : {kind: 'failed', reason: faultText(fault), answer: ''};

export const withStatus = (row: AgentRow, status: AgentStatus): AgentRow => ({...row, status});

/** The row with files that were changed; each is there once. */
function withFiles(row: AgentRow, changed: readonly string[]): AgentRow {
  const files = [...new Set([...row.progress.files, ...changed])];
  return files.length === row.progress.files.length ? row : {...row, progress: {...row.progress, files}};
}

function changedBy(action: Action): readonly string[] {
  const access = accessOf(action);
  return access.kind === 'edit' ? access.edits.flatMap(editPaths) : [];
}

function endOf(end: PromptEnd, answer: string): AgentStatus {
  const failed = (reason: string): AgentStatus => ({kind: 'failed', reason, answer});
  return byKind<PromptEnd, AgentStatus>(end, {
    done: () => ({kind: 'succeeded', answer}),
    interrupted: () => ({kind: 'cancelled', answer}),
    failed: ({fault}) => failed(faultText(fault)),
    'not-sent': ({fault}) => failed(faultText(fault)),
    'max-turns': ({turns}) => failed(`It was stopped after ${turns} turns.`),
    'max-cost': ({usd}) => failed(`It was stopped: the session has cost $${usd}.`),
    'invalid-output': () => failed('It gave no answer that fits.'),
    'stopped-by-hook': ({reason}) => failed(reason === '' ? 'A hook stopped it.' : `A hook stopped it: ${reason}`),
  });
}
