import {describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../../../src/actions/agent-event.ts';
import {actionId, parseSessionId} from '../../../../src/domain/ids.ts';
import type {AgentRow} from '../../../../src/domain/sub-agent.ts';
import {noUsage} from '../../../../src/domain/usage.ts';
import {makeRpcEncoder, noExtras, type RpcExtras} from '../../../../src/protocol/rpc/encode-events.ts';
import {jsonLine, type RpcMessage} from '../../../../src/protocol/rpc/rpc-message.ts';
import {apiErrorKind} from '../../../../src/protocol/rpc/wire-content.ts';
import {accepted, block, call, finished, message, opened, promptFinished, started} from './event-builders.ts';
import {scripts} from './event-scripts.ts';

const encoderOf = (partials: 'with' | 'without', extras: RpcExtras) => {
  let count = 0;
  return makeRpcEncoder({partials, uuid: () => `uuid-${(count += 1)}`, version: '1.2.3', now: () => 7, extras});
};

function encodeAll(
  events: readonly AgentEvent[],
  partials: 'with' | 'without',
  extras: RpcExtras = noExtras,
): readonly RpcMessage[] {
  const encoder = encoderOf(partials, extras);
  return events.flatMap(event => encoder.encode(event));
}

describe('transcripts', () => {
  test.each(Object.entries(scripts))('%s', async (name, {events, partials, extras}) => {
    const lines = encodeAll(events, partials, extras).map(jsonLine);
    await expect(lines.join('')).toMatchFileSnapshot(`../../../golden/stream-json/${name}.jsonl`);
  });
});

/** `start 0`, `stop 0`, `message start`, …: the frame of the raw stream. */
const frame = (messages: readonly RpcMessage[]): readonly string[] =>
  messages.flatMap(line => {
    if (line.type !== 'stream_event') return [];
    const {event} = line;
    switch (event.type) {
      case 'message_start':
        return ['message start'];
      case 'message_stop':
        return ['message stop'];
      case 'content_block_start':
        return [`start ${event.index}`];
      case 'content_block_stop':
        return [`stop ${event.index}`];
      default:
        return [];
    }
  });

describe('the raw stream', () => {
  const whole = scripts['partial-messages']?.events ?? [];

  test.each(whole.map((_event, at) => at + 1))('cut off after %i events it is closed all the same', length => {
    const cut = whole.slice(0, length).filter(({event}) => event !== 'prompt-finished');
    const open: string[] = [];
    for (const word of frame(encodeAll([...cut, promptFinished({end: {kind: 'interrupted'}})], 'with'))) {
      if (word.includes('start')) open.push(word.replace('start', 'stop'));
      else expect(open.pop()).toBe(word);
    }
    expect(open).toEqual([]);
  });

  test('a message that is begun anew closes the one before', () => {
    const events = [opened, ...accepted('x'), started('a'), ...message('b', [{kind: 'text', text: 'Hi'}], 'end-turn')];
    expect(frame(encodeAll(events, 'with'))).toEqual([
      'message start',
      'message stop',
      'message start',
      'start 0',
      'stop 0',
      'message stop',
    ]);
  });

  test('blocks that are open side by side keep their indexes', () => {
    const [first, second] = [call('a', 'Read', {}), call('b', 'Read', {})];
    const [startA, deltaA, , endA] = block('m', 0, first);
    const [startB, deltaB, , endB] = block('m', 1, second);
    const events = [startA, startB, deltaB, deltaA, endB, endA].filter(event => event !== undefined);
    const told = encodeAll([opened, started('m'), ...events, finished('m', [first, second], 'tool-use')], 'with');
    expect(frame(told)).toEqual(['message start', 'start 0', 'start 1', 'stop 1', 'stop 0', 'message stop']);
    expect(told.flatMap(line => (line.type === 'assistant' ? line.message.content : []))).toEqual([
      {type: 'tool_use', id: 'b', name: 'Read', input: {}},
      {type: 'tool_use', id: 'a', name: 'Read', input: {}},
    ]);
  });
});

describe('every message', () => {
  test('is one line by every rule of what ends a line, and reads back as it was', () => {
    for (const line of encodeAll(scripts['partial-messages']?.events ?? [], 'with')) {
      const text = jsonLine(line);
      expect(text.split(/[\n\r\u2028\u2029\u0085]/u)).toEqual([text.slice(0, -1), '']);
      expect(JSON.parse(text)).toEqual(line);
    }
  });

  test('is addressed, and no uuid comes twice', () => {
    const lines = encodeAll(scripts['partial-messages']?.events ?? [], 'with');
    expect(new Set(lines.map(({session_id}) => session_id))).toEqual(new Set(['11111111-2222-4333-8444-555555555555']));
    expect(new Set(lines.map(({uuid}) => uuid)).size).toBe(lines.length);
  });

  test('of an answer and of a result can be named again: the same each time, and no two alike', () => {
    const names: (string | undefined)[] = [];
    const uuid = (name?: string): string => {
      if (name !== undefined) names.push(name);
      return '';
    };
    const {events} = scripts['tools'] ?? {events: []};
    for (const partials of ['with', 'without'] as const) {
      const encoder = makeRpcEncoder({partials, uuid, version: '1', now: () => 7, extras: noExtras});
      for (const event of events) encoder.encode(event);
    }
    const once = names.slice(0, names.length / 2);
    expect(names.slice(names.length / 2)).toEqual(once);
    expect(new Set(once).size).toBe(once.length);
    expect(once).toEqual([
      ...[0, 1, 2, 3, 4].map(number => `answer ${number} msg_1`),
      ...['toolu_1', 'toolu_2', 'toolu_3', 'toolu_4'].map(id => `result ${id}`),
      'answer 0 msg_2',
    ]);
  });

  test('belongs to a session: what comes before its opening is left out', () => {
    expect(encodeAll(accepted('x'), 'with')).toEqual([]);
  });

  test('an empty text block is not told as a message', () => {
    const events = [opened, ...message('m', [{kind: 'text', text: ''}], 'end-turn')];
    expect(encodeAll(events, 'without')).toEqual([]);
  });
});

test.each([
  [0, 'unknown'],
  [400, 'invalid_request'],
  [401, 'authentication_failed'],
  [402, 'billing_error'],
  [403, 'authentication_failed'],
  [404, 'model_not_found'],
  [422, 'invalid_request'],
  [429, 'rate_limit'],
  [500, 'server_error'],
  [529, 'overloaded'],
])('status %i is %s', (status, kind) => {
  expect(apiErrorKind(status)).toBe(kind);
});

test('a failure before any answer has no status', () => {
  const fault = {kind: 'provider', message: 'no route', fix: '', status: 0, refusal: {kind: 'other'}} as const;
  const told = encodeAll([opened, ...accepted('Hi'), promptFinished({end: {kind: 'failed', fault}})], 'without');
  expect(told.at(-1)).toMatchObject({subtype: 'success', is_error: true, api_error_status: null});
});

test.each([
  ['paused', 'pause_turn'],
  ['context-full', 'model_context_window_exceeded'],
  ['interrupted', null],
] as const)('a prompt that ended with %s', (stop, reason) => {
  const told = encodeAll([opened, ...accepted('Hi'), promptFinished({stop})], 'without');
  expect(told.at(-1)).toMatchObject({type: 'result', stop_reason: reason});
});

test('the end of a sub-agent is told once, and nobody sends one to the background that has ended', () => {
  const id = parseSessionId('22222222-2222-4333-8444-555555555555');
  if (id === undefined) throw new Error('the fixed id is a UUID');
  const agent: AgentRow['agent'] = {
    id,
    call: actionId('c1'),
    parent: 'main',
    name: 'Audit',
    kind: 'general',
    harness: 'weft',
    model: '',
    prompt: 'Audit it',
    isolation: 'none',
    computerUse: 'asks',
    lifecycle: [],
    startedAt: 0,
  };
  const progress = {turns: 1, calls: 0, usage: noUsage, costUsd: 0, files: []};
  const row: AgentRow = {agent, status: {kind: 'started'}, progress, place: 'foreground'};
  const done: AgentRow = {...row, status: {kind: 'succeeded', answer: 'All is well.'}};
  const told = encodeAll(
    [
      opened,
      {event: 'agent-started', row},
      {event: 'agent-changed', row: done},
      {event: 'agent-changed', row: {...done, place: 'background'}},
    ],
    'without',
  );
  expect(told.map(line => (line.type === 'system' ? line.subtype : line.type))).toEqual([
    'task_started',
    'task_updated',
    'task_notification',
  ]);
});
