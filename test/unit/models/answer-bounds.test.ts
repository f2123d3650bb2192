import {describe, expect, test} from 'vitest';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {BlockDelta, BlockStart, ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {emptyRefusalChanges} from '../../../src/models/send-request.ts';
import {streamWithRetries} from '../../../src/models/stream-with-retries.ts';
import type {AttemptItem} from '../../../src/models/provider-error.ts';

const request: ModelRequest = {
  model: 'm',
  system: '',
  tools: [],
  messages: [],
  thinking: {kind: 'default'},
  maxTokens: 'default',
};
const clock = {random: () => 0, sleep: async () => {}};

/** What came of an answer, deltas left out, and how many batches of it were read. */
async function readingOf(batches: Iterable<readonly ModelEvent[]>): Promise<{
  readonly events: readonly ModelEvent[];
  readonly read: number;
}> {
  let read = 0;
  async function* sendOnce(): AsyncGenerator<AttemptItem, void, void> {
    yield {kind: 'events', events: [{event: 'message-started', id: messageId('m1'), model: 'm', usage: noUsage}]};
    for (const events of batches) {
      read += 1;
      yield {kind: 'events', events};
    }
  }
  const events: ModelEvent[] = [];
  for await (const batch of streamWithRetries(
    request,
    {sendOnce, clock, fallbacks: [], lessons, judge},
    new AbortController().signal,
  )) {
    events.push(...batch.filter(({event}) => event !== 'block-delta'));
  }
  return {events, read};
}

const done = (): Promise<void> => Promise.resolve();
const lessons = {of: emptyRefusalChanges, lossesAt: async () => [], recall: done, keep: done, forget: done};

const judge = (): never => {
  throw new Error('nothing is refused');
};

function* endless(start: BlockStart, delta: BlockDelta): Generator<readonly ModelEvent[], void, void> {
  yield [{event: 'block-started', index: 0, block: start}];
  for (;;) yield [{event: 'block-delta', index: 0, delta}];
}

const mega = 'x'.repeat(1024 * 1024);
const call = (index: number): BlockStart & {kind: 'tool-call'} => ({
  kind: 'tool-call',
  id: actionId(`c${index}`),
  name: 'Write',
});
const failure = (what: string): ModelEvent => ({
  event: 'failed',
  fault: {
    kind: 'provider',
    message: `The answer is too long: it has ${what}. weft stopped reading and ran none of its tool calls.`,
    fix: 'Rephrase the prompt, or use another model.',
    status: 0,
    refusal: {kind: 'other'},
  },
});

function* manyTexts(): Generator<readonly ModelEvent[], void, void> {
  for (let index = 0; ; index += 1) {
    yield [
      {event: 'block-started', index, block: {kind: 'text'}},
      {event: 'block-delta', index, delta: {kind: 'text', text: mega}},
      {event: 'block-finished', index, block: {kind: 'text', text: mega}},
    ];
  }
}

function* manyCalls(): Generator<readonly ModelEvent[], void, void> {
  for (let index = 0; ; index += 1) {
    yield [
      {event: 'block-started', index, block: call(index)},
      {event: 'block-finished', index, block: {...call(index), input: {}}},
    ];
  }
}

describe('an answer that does not end is not read on', () => {
  test('the input of a tool call: the call is told so, and what came before it stands', async () => {
    function* batches(): Generator<readonly ModelEvent[], void, void> {
      const first = call(0);
      yield [
        {event: 'block-started', index: 0, block: first},
        {event: 'block-finished', index: 0, block: {...first, input: {}}},
        {event: 'block-started', index: 1, block: call(1)},
      ];
      for (;;) yield [{event: 'block-delta', index: 1, delta: {kind: 'tool-input', json: mega}}];
    }
    const {events, read} = await readingOf(batches());
    expect(read).toBe(6);
    const input =
      '(left out by weft: it is longer than 4 MB, and weft stopped reading there. Nothing was done; give less at a time)';
    expect(events.slice(-2)).toEqual([
      {event: 'block-finished', index: 1, block: {...call(1), input}},
      {event: 'message-finished', stop: 'tool-use', usage: noUsage},
    ]);
  });

  test.each<[string, BlockStart, BlockDelta]>([
    ['text', {kind: 'text'}, {kind: 'text', text: mega}],
    ['thinking', {kind: 'thinking'}, {kind: 'thinking', text: mega}],
    ['a signature', {kind: 'thinking'}, {kind: 'signature', signature: mega}],
    ['something unknown', {kind: 'other', type: 'z', data: {}}, {kind: 'other', type: 'zd', data: {mega}}],
  ])('%s', async (_, start, delta) => {
    const {events, read} = await readingOf(endless(start, delta));
    expect([read, events.at(-1)]).toEqual([6 - (start.kind === 'other' ? 1 : 0), failure('a text of more than 4 MB')]);
  });

  test('many texts', async () => {
    const {events, read} = await readingOf(manyTexts());
    expect([read, events.at(-1)]).toEqual([17, failure('more than 16 MB')]);
  });

  test('tool calls', async () => {
    const {events, read} = await readingOf(manyCalls());
    expect([read, events.at(-1)]).toEqual([1001, failure('more than 1000 blocks (texts and tool calls)')]);
  });
});

test('long answers that end are whole', async () => {
  const text = 'x'.repeat(3 * 1024 * 1024);
  const {events} = await readingOf([
    [
      {event: 'block-started', index: 0, block: {kind: 'text'}},
      {event: 'block-delta', index: 0, delta: {kind: 'text', text}},
      {event: 'block-finished', index: 0, block: {kind: 'text', text}},
      {event: 'message-finished', stop: 'end-turn', usage: noUsage},
    ],
  ]);
  expect(events.slice(-2)).toEqual([
    {event: 'block-finished', index: 0, block: {kind: 'text', text}},
    {event: 'message-finished', stop: 'end-turn', usage: noUsage},
  ]);
});
