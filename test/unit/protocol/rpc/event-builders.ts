import {emptyChangesOutcome} from '../../../../src/actions/changes-port.ts';
import type {AgentEvent, PromptSummary, SessionUsage} from '../../../../src/actions/agent-event.ts';
import {actionOf, type SettledOf} from '../../../../src/actions/catalogue.ts';
import {callEndOf} from '../../../../src/actions/outcome.ts';
import {unreachable} from '../../../../src/base/unreachable.ts';
import {type AssistantBlock, type StopReason, type ToolCallBlock} from '../../../../src/domain/conversation.ts';
import {actionId, messageId, parseSessionId} from '../../../../src/domain/ids.ts';
import type {BlockStart} from '../../../../src/domain/model-stream.ts';
import {noUsage, type Usage} from '../../../../src/domain/usage.ts';

/** Hand-made events of the engine, with fixed ids and times. */

const sessionId = parseSessionId('11111111-2222-4333-8444-555555555555');
if (sessionId === undefined) throw new Error('the fixed id is a UUID');

const atStart: Usage = {inputTokens: 12, outputTokens: 1, cacheReadTokens: 300, cacheWriteTokens: 40};
const atEnd: Usage = {...atStart, outputTokens: 25};
const model = 'claude-test-1';

const sessionUsage: SessionUsage = {
  models: {
    [model]: {usage: atEnd, costUsd: 0.0125, requests: 1, webSearches: 0},
    'local-llama': {usage: {...noUsage, inputTokens: 7}, costUsd: 'unknown', requests: 1, webSearches: 0},
  },
  contextTokens: 377,
  contextWindow: 200_000,
};

export const opened: AgentEvent = {
  event: 'session-opened',
  session: {
    id: sessionId,
    origin: 'new',
    directory: '/work/project',
    provider: 'anthropic',
    model,
    mode: 'default',
    tools: ['Bash', 'Read', 'Write'],
  },
  history: [],
  todoFrames: [],
  usage: sessionUsage,
};

export const accepted = (text: string): readonly AgentEvent[] => [
  {event: 'prompt-accepted', id: messageId('p1'), text, attached: []},
];

export const turn = (number: number): AgentEvent => ({event: 'turn-started', turn: number});

export const call = (id: string, name: string, input: ToolCallBlock['input']): ToolCallBlock => ({
  kind: 'tool-call',
  id: actionId(id),
  name,
  input,
});

export const started = (id: string): AgentEvent => ({
  event: 'message-started',
  message: messageId(id),
  model,
  usage: atStart,
});

export const begun = (id: string, index: number, whole: BlockStart): AgentEvent => ({
  event: 'block-started',
  message: messageId(id),
  index,
  block: whole,
});

export const textDelta = (id: string, index: number, text: string): AgentEvent => ({
  event: 'block-delta',
  message: messageId(id),
  index,
  delta: {kind: 'text', text},
});

const ended = (id: string, index: number, whole: AssistantBlock): AgentEvent => ({
  event: 'block-finished',
  message: messageId(id),
  index,
  block: whole,
});

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** A block from its start to its end, in two deltas. */
export function block(id: string, index: number, whole: AssistantBlock): readonly AgentEvent[] {
  const message = messageId(id);
  switch (whole.kind) {
    case 'text':
      return [
        begun(id, index, {kind: 'text'}),
        ...halves(whole.text).map(text => textDelta(id, index, text)),
        ended(id, index, whole),
      ];
    case 'thinking':
      return [
        begun(id, index, {kind: 'thinking'}),
        ...halves(whole.text).map((text): AgentEvent => ({
          event: 'block-delta',
          message,
          index,
          delta: {kind: 'thinking', text},
        })),
        {event: 'block-delta', message, index, delta: {kind: 'signature', signature: whole.signature}},
        ended(id, index, whole),
      ];
    case 'sealed-thinking':
      return [begun(id, index, {kind: 'sealed-thinking', data: whole.data}), ended(id, index, whole)];
    case 'other':
      return [begun(id, index, whole), ended(id, index, whole)];
    case 'tool-call':
      return [
        begun(id, index, {kind: 'tool-call', id: whole.id, name: whole.name}),
        ...halves(JSON.stringify(whole.input)).map((json): AgentEvent => ({
          event: 'block-delta',
          message,
          index,
          delta: {kind: 'tool-input', json},
        })),
        ended(id, index, whole),
      ];
    default:
      return unreachable(whole);
  }
}

export const finished = (id: string, blocks: readonly AssistantBlock[], stop: StopReason): AgentEvent => ({
  event: 'message-finished',
  message: {role: 'assistant', id: messageId(id), model, blocks, stop, usage: atEnd},
});

/** A whole message of the model. */
export const message = (id: string, blocks: readonly AssistantBlock[], stop: StopReason): readonly AgentEvent[] => [
  started(id),
  ...blocks.flatMap((whole, index) => block(id, index, whole)),
  finished(id, blocks, stop),
];

/** A Bash call that has settled. */
export function commandSettled(
  made: ToolCallBlock,
  settled: SettledOf<'request-command-output'>,
  told: string,
): readonly AgentEvent[] {
  const input = {
    command: 'npm test',
    place: 'foreground',

    timeoutMs: 120_000,
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
    description: '',
    rationale: '',
  } as const;
  return [
    {
      event: 'action-queued',
      id: made.id,
      action: actionOf('request-command-output', input),
      label: 'Run npm test',
    },
    {
      event: 'action-settled',
      call: made,
      result: {tag: 'action', result: {name: 'request-command-output', input, settled}},
      toolResult: {
        kind: 'tool-result',
        id: made.id,
        content: [{kind: 'text', text: told}],
        ...callEndOf({name: 'request-command-output', input, settled}),
      },
      durationMs: 412,
    },
  ];
}

export const commandReport = (
  text: string,
  code: number,
  changes = emptyChangesOutcome,
): SettledOf<'request-command-output'> => ({
  state: 'success',
  output: {
    kind: 'completed',
    command: 'npm test',
    report: {
      end: {kind: 'exited', code},
      output: {text, totalBytes: text.length, leftOutLines: 0, file: undefined},
      durationMs: 400,
      directory: '/work/project',
      nextDirectory: '/work',
      leftRunning: [],
      blocked: '',
      changes,
      notes: [],
    },
  },
});

const summary = (given: Partial<PromptSummary>): PromptSummary => ({
  end: {kind: 'done'},
  answer: '',
  stop: 'end-turn',
  turns: 1,
  results: 0,
  durationMs: 1500,
  modelMs: 1100,
  waitedMs: 0,
  usage: atEnd,
  webSearches: 2,
  sessionUsage,
  denials: [],
  checks: [],
  structured: {kind: 'none'},
  ...given,
});

export const promptFinished = (given: Partial<PromptSummary>): AgentEvent => ({
  event: 'prompt-finished',
  summary: summary(given),
});
