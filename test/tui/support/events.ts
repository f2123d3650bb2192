import type {AgentEvent, PromptSummary} from '../../../src/actions/agent-event.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {GrepInput} from '../../../src/actions/grep.ts';
import {actionOf} from '../../../src/actions/catalogue.ts';
import {noUsage} from '../../../src/domain/usage.ts';

/** Builders of the events the tests tell their stories with. */
export const message = messageId('m1');

export const delta = (text: string, index = 0): AgentEvent => ({
  event: 'block-delta',
  message,
  index,
  delta: {kind: 'text', text},
});

export const accepted = (text: string): Extract<AgentEvent, {event: 'prompt-accepted'}> => ({
  event: 'prompt-accepted',
  id: messageId('p1'),
  text,
  attached: [],
});

export const textStarted: AgentEvent = {event: 'block-started', message, index: 0, block: {kind: 'text'}};

export const finished = (
  end: PromptSummary['end'],
  last: Pick<PromptSummary, 'answer' | 'stop'> = {answer: 'Done.', stop: 'end-turn'},
): AgentEvent => ({
  event: 'prompt-finished',
  summary: {
    end,
    ...last,
    turns: 1,
    results: 0,
    durationMs: 1,
    modelMs: 1,
    waitedMs: 0,
    usage: noUsage,
    webSearches: 0,
    sessionUsage: {models: {}, contextTokens: 0, contextWindow: 0},
    denials: [],
    checks: [],
    structured: {kind: 'none'},
  },
});

export const grepInput: GrepInput = {
  queries: ['x'],
  path: '.',
  globs: [],
  mode: 'files',
  letterCase: 'sensitive',
  before: 0,
  after: 0,
  fileType: '',
  span: 'line',
  offset: 0,
  limit: 10,
};

const grepAction = actionOf('grep', grepInput);

export const grepQueued = (id: string): AgentEvent => ({
  event: 'action-queued',
  id: actionId(id),
  action: grepAction,
  label: `Search ${id}`,
});

export const grepSettled = (id: string, lines: readonly string[]): AgentEvent => ({
  event: 'action-settled',
  call: {kind: 'tool-call', id: actionId(id), name: 'Grep', input: {}},
  result: {
    tag: 'action',
    result: {
      name: 'grep',
      input: grepInput,
      settled: {state: 'success', output: {lines, omitted: {count: 0, exact: 'exact'}}},
    },
  },
  toolResult: {kind: 'tool-result', id: actionId(id), content: [], outcome: 'success'},
  durationMs: 5,
});
