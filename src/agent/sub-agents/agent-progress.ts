import type {AgentEvent, PromptEnd} from '../../actions/agent-event.ts';
import {accessOf, labelOf, type Action} from '../../actions/catalogue.ts';
import {editPaths} from '../../domain/file-edit.ts';
import type {HarnessEvent} from '../../actions/harness-port.ts';
import {byKind, unreachable} from '../../base/unreachable.ts';
import {toolCalls} from '../../domain/conversation.ts';
import {type Fault, faultText} from '../../domain/fault.ts';
import type {HarnessOutcome} from '../../domain/harness.ts';
import {type AgentRow, type AgentStatus, hasEnded} from '../../domain/sub-agent.ts';

/**
 * Returns the row of a sub-agent after an event of its engine, or the same row if nothing changed. A prompt that was
 * withdrawn before it began was stopped. Every other prompt ends with its `prompt-finished`.
 */
export function applyAgentEvent(row: AgentRow, event: AgentEvent): AgentRow {
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
    case 'message-finished': {
      // Refused calls count, too, as in Claude Code.
      const calls = row.progress.calls + toolCalls(event.message).length;
      return calls === row.progress.calls ? row : {...row, progress: {...row.progress, calls}};
    }
    case 'action-started':
      return withStatus(row, {kind: 'in_progress', doing: labelOf(event.action)});
    case 'action-settled': {
      const {result} = event;
      if (result.tag !== 'action' || result.result.settled.state !== 'success') return row;
      return withFiles(row, editedPathsOf(result.result));
    }
    case 'prompt-finished':
      return withStatus(row, endOf(event.summary.end, event.summary.answer));
    default:
      return row;
  }
}

/** Returns the row after an event of its harness. A program that ends without a result has failed. */
export function applyHarnessEvent(row: AgentRow, event: HarnessEvent): AgentRow {
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
        : withStatus(row, {kind: 'failed', reason: `The program ended: ${event.reason}.`, answer: ''});
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

/** `open`: the model of a harness is answering. `between`: its tools run, or their results are not sent yet. */
export type HarnessTurn = 'open' | 'between';

/** Harnesses don't report requests to their model. The first output after the end of a tool, or at the start, means that there was one. */
export function nextHarnessTurn(turn: HarnessTurn, {event}: HarnessEvent): HarnessTurn {
  if (event === 'text' || event === 'thinking' || event === 'tool-started') return 'open';
  return event === 'tool-finished' || event === 'finished' || event === 'closed' ? 'between' : turn;
}

/** The reason for a sub-agent that ended without an answer: its parent can't know what it found. */
const silentAgentReason = 'It ended without an answer.';

const outcomeStatus = (outcome: HarnessOutcome): AgentStatus =>
  byKind<HarnessOutcome, AgentStatus>(outcome, {
    succeeded: ({text}) =>
      text.trim() === '' ? {kind: 'failed', reason: silentAgentReason, answer: ''} : {kind: 'succeeded', answer: text},
    failed: ({reason, text}) => ({kind: 'failed', reason, answer: text}),
    cancelled: ({text}) => ({kind: 'cancelled', answer: text}),
  });

/** Returns the status of a sub-agent that never received its task. */
export const unstartedStatus = (fault: Fault, signal: AbortSignal): AgentStatus =>
  signal.aborted ? {kind: 'cancelled', answer: ''} : {kind: 'failed', reason: faultText(fault), answer: ''};

export const withStatus = (row: AgentRow, status: AgentStatus): AgentRow => ({...row, status});

/** Adds changed files to the row, each once. */
function withFiles(row: AgentRow, changed: readonly string[]): AgentRow {
  const files = [...new Set([...row.progress.files, ...changed])];
  return files.length === row.progress.files.length ? row : {...row, progress: {...row.progress, files}};
}

function editedPathsOf(action: Action): readonly string[] {
  const access = accessOf(action);
  return access.kind === 'edit' ? access.edits.flatMap(editPaths) : [];
}

/** Leaves out the advice of a fault, which is for a person: the parent's model reads this text. */
const textForModel = (fault: Fault): string => ('fix' in fault ? fault.message : faultText(fault));

function endOf(end: PromptEnd, answer: string): AgentStatus {
  const failed = (reason: string): AgentStatus => ({kind: 'failed', reason, answer});
  return byKind<PromptEnd, AgentStatus>(end, {
    done: () => (answer.trim() === '' ? failed(silentAgentReason) : {kind: 'succeeded', answer}),
    interrupted: () => ({kind: 'cancelled', answer}),
    failed: ({fault}) => failed(textForModel(fault)),
    'not-sent': ({fault}) => failed(textForModel(fault)),
    'max-turns': ({turns}) => failed(`Stopped after ${turns} turns.`),
    'max-cost': ({usd}) => failed(`Stopped: the session has cost $${usd}.`),
    'invalid-output': () => failed('It gave no answer that fits the schema.'),
    'stopped-by-hook': ({reason}) => failed(reason === '' ? 'A hook stopped it.' : `A hook stopped it: ${reason}`),
  });
}
