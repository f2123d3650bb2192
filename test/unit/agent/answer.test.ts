import {describe, expect, test} from 'vitest';
import {readAnswer} from '../../../src/agent/answer.ts';
import {isJsonObject, type Json, type JsonObject} from '../../../src/base/json.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {callBlock, engineBench, memorySession, says, scriptedModel} from '../../support/memory-ports.ts';

const usage = {inputTokens: 7, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0};
const final = {...usage, outputTokens: 9};
const started: ModelEvent = {event: 'message-started', id: messageId('a'), model: 'm-1', usage};
const finished: ModelEvent = {event: 'message-finished', stop: 'end-turn', usage: final};
const begins = (index: number, kind: 'text' | 'thinking'): ModelEvent => ({
  event: 'block-started',
  index,
  block: {kind},
});
const writes = (index: number, text: string, kind: 'text' | 'thinking' = 'text'): ModelEvent => ({
  event: 'block-delta',
  index,
  delta: {kind, text},
});
const fault = {kind: 'provider', message: 'gone', fix: '', status: 500, refusal: {kind: 'other'}} as const;
const stopped = {
  kind: 'provider',
  message: 'The model stopped in the middle of its answer.',
  fix: 'Try again.',
  status: 0,
  refusal: {kind: 'other'},
};
const request: ModelRequest = {
  model: 'm',
  system: '',
  tools: [],
  messages: [],
  thinking: {kind: 'default'},
  maxTokens: 'default',
};

/** Reads batches; `stopAfter` of them the signal fires. What was shown, and what was read of the model, too. */
async function read(
  batches: readonly (readonly ModelEvent[])[],
  stopAfter = Number.POSITIVE_INFINITY,
  messages: ModelRequest['messages'] = [],
) {
  const shown: AgentEvent[] = [];
  const order: string[] = [];
  const stop = new AbortController();
  const model = {
    ...scriptedModel([]),
    async *stream() {
      for (const [at, batch] of batches.entries()) {
        order.push(`sent ${at}`);
        yield batch;
      }
    },
  };
  const onBatch = async (events: readonly AgentEvent[]): Promise<void> => {
    shown.push(...events);
    const at = order.length;
    await new Promise(resolve => setImmediate(resolve));
    order.push(`taken ${at}`);
    if (order.length >= 2 * stopAfter) stop.abort();
  };
  return {answer: await readAnswer({...request, messages}, {model, onBatch}, stop.signal), shown, order};
}

describe('an answer', () => {
  const cutOff = [
    [started, begins(0, 'text'), writes(0, 'whole')],
    [{event: 'block-finished', index: 0, block: {kind: 'text', text: 'whole'}}],
    [begins(1, 'thinking'), writes(1, 'hm', 'thinking')],
    [{event: 'block-started', index: 2, block: {kind: 'tool-call', id: actionId('c'), name: 'Bash'}}],
    [begins(3, 'text'), writes(3, 'be'), writes(3, 'gun')],
  ] as const;
  const kept = {
    message: {
      role: 'assistant',
      id: 'a',
      model: 'm-1',
      blocks: [
        {kind: 'text', text: 'whole'},
        {kind: 'text', text: 'begun'},
      ],
      stop: 'interrupted',
      usage,
    },
    stop: 'interrupted',
    usage,
    explanation: '',
    unread: '',
  };

  test('that ends without an end has failed; what was finished of it and begun text are kept', async () => {
    expect((await read(cutOff)).answer).toEqual({...kept, end: 'failed', fault: stopped});
  });

  test('that fails says why, and nothing is read after it', async () => {
    const {answer, order} = await read([...cutOff, [{event: 'failed', fault}], [started]]);
    expect(answer).toEqual({...kept, end: 'failed', fault});
    expect(order.at(-1)).toBe('taken 11');
  });

  test('that is interrupted keeps the same, and only its bill is read after it', async () => {
    const bill = {...noUsage, outputTokens: 9};
    const {answer, shown} = await read([...cutOff, [begins(4, 'text'), {event: 'billed', usage: bill}]], cutOff.length);
    expect(answer).toEqual({...kept, message: {...kept.message, usage: bill}, usage: bill, end: 'interrupted'});
    expect(shown).not.toContainEqual(expect.objectContaining({index: 4}));
  });

  test('gets an id of its own if an earlier message has the id', async () => {
    const earlier = ['a', 'a_2'].map(id => ({role: 'user', id: messageId(id), blocks: []}) as const);
    const {answer, shown} = await read(cutOff, Number.POSITIVE_INFINITY, earlier);
    expect(answer.message?.id).toBe('a_3');
    expect(new Set(shown.flatMap(event => ('message' in event ? [event.message] : [])))).toEqual(new Set(['a_3']));
  });

  test('that was whole when the signal fired is whole', async () => {
    const block = {kind: 'text', text: 'x'} as const;
    const {answer} = await read([[started, {event: 'block-finished', index: 0, block}], [finished]], 2);
    const end = {stop: 'end-turn', usage: final};
    const message = {role: 'assistant', id: 'a', model: 'm-1', blocks: [block], ...end};
    expect(answer).toEqual({message, ...end, explanation: '', unread: '', end: 'complete'});
  });

  test('is read no faster than it is taken, and not after its end', async () => {
    const {order} = await read([[started], [begins(0, 'text')], [finished], [started]]);
    expect(order).toEqual(['sent 0', 'taken 1', 'sent 1', 'taken 3', 'sent 2', 'taken 5']);
  });

  test('of which nothing came is none, under the model that was asked', async () => {
    expect((await read([])).answer).toEqual({
      message: undefined,
      stop: 'interrupted',
      usage: noUsage,
      explanation: '',
      unread: '',
      end: 'failed',
      fault: stopped,
    });
  });

  test('of the model that another one fell back to is of that one, and the usage before it does not count', async () => {
    const fellBack: ModelEvent = {
      event: 'fell-back',
      model: 'm',
      fallback: 'other',
      trigger: 'overloaded',
      message: '',
    };
    const {answer, shown} = await read([[started], [fellBack], [begins(0, 'text'), writes(0, 'x')]]);
    expect(answer).toMatchObject({message: {model: 'other', usage: noUsage}, usage: noUsage});
    expect(shown[1]).toEqual(fellBack);
  });

  test('shows its calls under the same id from their beginning to their end', async () => {
    const block = callBlock('Read', {}, 'same');
    const call = (index: number): readonly ModelEvent[] => [
      {event: 'block-started', index, block: {kind: 'tool-call', id: actionId('same'), name: 'Read'}},
      {event: 'block-finished', index, block},
    ];
    const {shown} = await read([[started, ...call(0), ...call(1), ...call(2), finished]]);
    const ids = shown.flatMap(event =>
      'block' in event && event.block !== undefined && typeof event.block === 'object' && 'id' in event.block
        ? [event.block.id]
        : [],
    );
    expect(ids).toEqual(['same', 'same', 'same_2', 'same_2', 'same_3', 'same_3']);
  });

  test('loses what is nested too deep, wherever it stands', async () => {
    const other = (levels: number) => ({kind: 'other', type: 'poem', data: objectOf(nested(levels))}) as const;
    const cited = (levels: number) =>
      ({kind: 'text', text: 'x', cited: {text: 'x', citations: [objectOf(nested(levels))]}}) as const;
    const hm = {kind: 'thinking', text: 'hm', signature: ''} as const;
    const sourced = (levels: number) => {
      const details = [objectOf(nested(levels))];
      return {...hm, source: {host: 'x', model: 'm', field: 'reasoning_details', details}} as const;
    };
    const others = [other(100), other(101), cited(99), cited(100), sourced(99), sourced(100)];
    const blocks = [...others, callBlock('Bash', nested(100), 'c')];
    const {answer, shown} = await read([
      [
        started,
        {event: 'block-started', index: 0, block: other(101)},
        {event: 'block-delta', index: 0, delta: other(101)},
        {event: 'block-delta', index: 0, delta: other(1)},
        ...blocks.map((block, index) => ({event: 'block-finished', index, block}) as const),
        finished,
      ],
    ]);
    expect(answer.message?.blocks).toEqual([
      other(100),
      cited(99),
      {kind: 'text', text: 'x'},
      sourced(99),
      hm,
      blocks[6],
    ]);
    const empty = {kind: 'other', type: 'poem', data: {}};
    const content = shown.flatMap((event): readonly unknown[] => {
      if (event.event === 'block-started') return [event.block];
      return event.event === 'block-delta' ? [event.delta] : [];
    });
    expect(content).toEqual([empty, empty, other(1)]);
  });
});

const callEvents = (name: string): readonly ModelEvent[] => [
  started,
  {event: 'block-started', index: 0, block: {kind: 'tool-call', id: actionId('c'), name}},
  {event: 'block-finished', index: 0, block: callBlock(name, {file_path: 'a'}, 'c')},
  {event: 'message-finished', stop: 'tool-use', usage},
];

describe('while an answer arrives', () => {
  test('a fall back to another model holds for the rest of the prompt', async () => {
    const fellBack: ModelEvent = {
      event: 'fell-back',
      model: 'm',
      fallback: 'other',
      trigger: 'overloaded',
      message: '',
    };
    const bench = engineBench([{events: [fellBack, ...callEvents('Read')]}, says('ok'), says('next')]);
    await bench.prompt('go');
    await bench.prompt('again');
    expect(bench.model.requests.map(({model}) => model)).toEqual(['scripted', 'other', 'scripted']);
  });

  test('an image that the provider cannot read becomes words, now and after the session is opened again', async () => {
    const image = {kind: 'image', mediaType: 'image/png', data: 'AAAA'} as const;
    const asked = {kind: 'text', text: 'What is this?'} as const;
    const left = {message: messageId('p'), block: 1};
    const repaired = {event: 'repaired', repair: 'media-left-out', text: 'It was left out.', leftOut: [left]} as const;
    const session = memorySession([
      {kind: 'prompt', message: {role: 'user', id: left.message, blocks: [asked, image]}},
      {
        kind: 'answer',
        message: {
          role: 'assistant',
          id: messageId('a'),
          model: 'm',
          blocks: [{kind: 'text', text: 'A dot.'}],
          stop: 'end-turn',
          usage,
        },
      },
    ]);
    const bench = engineBench([{events: [repaired, ...callEvents('Read')]}, says('ok')], {session});
    await bench.prompt('go');
    const words = {kind: 'text', text: '[image left out: the provider could not read it]'};
    expect(bench.model.requests.map(({messages}) => messages[0]?.blocks)).toEqual([
      [asked, image],
      [asked, words],
    ]);
    expect(session.kept).toContainEqual({kind: 'media-left-out', blocks: [left]});
    const again = historyFromJournal([...session.records, ...session.kept]).messages;
    expect(again[0]?.blocks).toEqual([asked, words]);
    expect(bench.events).toContainEqual(repaired);
  });
});

const nested = (levels: number): Json => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

function objectOf(value: Json): JsonObject {
  if (!isJsonObject(value)) throw new Error('no object');
  return value;
}
