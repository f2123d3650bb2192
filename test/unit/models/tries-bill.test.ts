import {expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {noUsage, type Usage} from '../../../src/domain/usage.ts';
import type {AttemptItem} from '../../../src/models/provider-error.ts';
import {emptyRefusalChanges} from '../../../src/models/send-request.ts';
import {TriesBill} from '../../../src/models/stream-merger.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import {ask} from '../../support/model-events.ts';

const models = modelTable({m: {price: {input: 10, output: 100}}});
const request = ask('x'.repeat(4000), {model: 'm', system: '', tools: []});
const lessons = {learned: emptyRefusalChanges(), once: []};

const started = (usage: Usage = noUsage): ModelEvent => ({
  event: 'message-started',
  id: messageId('a'),
  model: 'm',
  usage,
});
const text: readonly ModelEvent[] = [
  {event: 'block-started', index: 0, block: {kind: 'text'}},
  {event: 'block-delta', index: 0, delta: {kind: 'text', text: 'y'.repeat(400)}},
];
const finished = (usage: Usage = noUsage): ModelEvent => ({event: 'message-finished', stop: 'end-turn', usage});
const failed: ModelEvent = {event: 'failed', fault: {kind: 'needs-user', message: 'm', fix: 'f'}};

/** Returns the events of the end, after these tries. */
async function endOf(
  tries: readonly (readonly ModelEvent[])[],
  end: readonly ModelEvent[],
): Promise<readonly ModelEvent[]> {
  let next = 0;
  async function* sendOnce(): AsyncGenerator<AttemptItem, void, void> {
    yield {kind: 'events', events: tries[next++] ?? []};
  }
  const bill = new TriesBill(sendOnce, models);
  async function* all(): AsyncGenerator<readonly ModelEvent[], void, void> {
    const {signal} = new AbortController();
    const items: AttemptItem[] = [];
    for (const _ of tries) for await (const item of bill.sendOnce(request, lessons, signal)) items.push(item);
    if (end.length > 0) yield end;
  }
  const events: ModelEvent[] = [];
  for await (const batch of bill.withUsage(all())) events.push(...batch);
  return events;
}

const read = (inputTokens: number, outputTokens: number): Usage => ({...noUsage, inputTokens, outputTokens});
const input = 1005;

test.each<[string, readonly (readonly ModelEvent[])[], Usage]>([
  [
    'a reported usage stays',
    [[started(read(7, 1)), ...text, finished(read(7, 50))]],
    {...read(7, 50), costUsd: 0.00507},
  ],
  [
    'a missing usage is estimated',
    [[started(), ...text, finished()]],
    {...read(input, 100), estimated: true, costUsd: 0.02005},
  ],
  [
    'a missing output is estimated',
    [[started(read(7, 0)), ...text, finished(read(7, 0))]],
    {...read(7, 100), estimated: true, costUsd: 0.01007},
  ],
  [
    'a broken try counts with its input and its streamed output',
    [
      [started(read(7, 1)), ...text],
      [started(read(7, 1)), ...text, finished(read(7, 50))],
    ],
    {...read(14, 150), estimated: true, lostTokens: 107, costUsd: 0.01514},
  ],
  [
    'a reported cost stays, and is added to the other tries',
    [
      [started(), ...text],
      [started(), ...text, finished({...read(7, 50), costUsd: 1})],
    ],
    {...read(input + 7, 150), estimated: true, lostTokens: input + 100, costUsd: 1.02005},
  ],
  [
    'a try without an answer is free',
    [[], [started(read(7, 1)), finished(read(7, 0))]],
    {...read(7, 0), costUsd: 0.00007},
  ],
])('%s', async (_title, tries, usage) => {
  const {costUsd = 0, ...tokens} = usage;
  const [end] = await endOf(tries, [finished()]);
  expect(end).toEqual({
    event: 'message-finished',
    stop: 'end-turn',
    usage: {...tokens, costUsd: expect.closeTo(costUsd, 9)},
  });
});

test('tries that all die are billed, and so is a stopped answer', async () => {
  const tries = [1, 2, 3].map(() => [started(read(100_000, 1)), ...text]);
  const bill = {
    event: 'billed',
    usage: {...read(300_000, 300), estimated: true, lostTokens: 200_200, costUsd: expect.closeTo(3.03, 9)},
  };
  expect(await endOf(tries, [failed])).toEqual([bill, failed]);
  expect(await endOf(tries, [])).toEqual([bill]);
  expect(await endOf([[]], [failed])).toEqual([failed]);
});
