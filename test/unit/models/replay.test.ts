import type {ModelEvent, ModelPort} from '../../../src/domain/model-stream.ts';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {recordModel} from '../../../src/models/recording.ts';
import {openReplay, type ReplayOptions} from '../../../src/models/replay.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const header = '{"weft":"recording","version":1}';
const never = (): AbortSignal => new AbortController().signal;

function replay(answers: readonly object[], options: ReplayOptions = {variables: {}}): ModelPort {
  const text = [header, ...answers.map(answer => JSON.stringify(answer))].join('\n');
  const opened = openReplay(text, options);
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  return opened.value;
}

test('plays the answers in order, then says that they are used up', async () => {
  const model = replay([
    {prompt: 'go'},
    {answer: [{text: 'One two  three\nfour five.'}, {tool: 'Bash', input: {command: 'ls'}}], usage: {outputTokens: 9}},
    {answer: [{thinking: 'Hm.'}, {text: ''}], model: 'other'},
  ]);
  expect(await eventsOf(model.stream(ask('go'), never()))).toEqual([
    {
      event: 'message-started',
      id: 'replay_1',
      model: 'small-model',
      usage: {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0},
    },
    {event: 'block-started', index: 0, block: {kind: 'text'}},
    {event: 'block-delta', index: 0, delta: {kind: 'text', text: 'One two  three\nfour five.'}},
    {event: 'block-finished', index: 0, block: {kind: 'text', text: 'One two  three\nfour five.'}},
    {event: 'block-started', index: 1, block: {kind: 'tool-call', id: 'replay_1_1', name: 'Bash'}},
    {event: 'block-delta', index: 1, delta: {kind: 'tool-input', json: '{"command":"ls"}'}},
    {
      event: 'block-finished',
      index: 1,
      block: {kind: 'tool-call', id: 'replay_1_1', name: 'Bash', input: {command: 'ls'}},
    },
    {
      event: 'message-finished',
      stop: 'tool-use',
      usage: {inputTokens: 0, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0},
    },
  ]);
  const second = await eventsOf(model.stream(ask('go'), never()));
  expect(second[0]).toMatchObject({event: 'message-started', model: 'other'});
  expect(blocksOf(second)).toEqual([
    {kind: 'thinking', text: 'Hm.', signature: ''},
    {kind: 'text', text: ''},
  ]);
  expect(await eventsOf(model.stream(ask('go'), never()))).toEqual([
    {
      event: 'failed',
      fault: {
        kind: 'needs-user',
        message: 'The recording has ended: it has 2 answers.',
        fix: 'Replay a longer recording, or use a model.',
      },
    },
  ]);
});

test('fills in variables everywhere, and leaves other names alone', async () => {
  const answer = {
    answer: [
      {text: 'In ${directory}, not ${HOME} or ${toString}.'},
      {tool: 'Bash', input: {command: 'cd ${directory}', list: ['${directory}/a', 1, null]}},
    ],
  };
  const model = replay([answer], {variables: {directory: '/tmp/$&'}});
  expect(blocksOf(await eventsOf(model.stream(ask('go'), never())))).toEqual([
    {kind: 'text', text: 'In /tmp/$&, not ${HOME} or ${toString}.'},
    {
      kind: 'tool-call',
      id: 'replay_1_1',
      name: 'Bash',
      input: {command: 'cd /tmp/$&', list: ['/tmp/$&/a', 1, null]},
    },
  ]);
});

test('paces itself, a few words at a time, and stops when aborted', async () => {
  const waits: number[] = [];
  const abort = new AbortController();
  const pace = {
    msPerBatch: 7,
    sleep: (ms: number): Promise<void> => {
      waits.push(ms);
      if (waits.length === 4) abort.abort();
      return Promise.resolve();
    },
  };
  const model = replay([{answer: [{text: 'a b c d e f g h i j k l m n o p'}]}], {variables: {}, pace});
  const seen: ModelEvent[] = [];
  for await (const batch of model.stream(ask('go'), abort.signal)) seen.push(...batch);
  expect(waits).toEqual([7, 7, 7, 7]);
  expect(seen.flatMap(event => (event.event === 'block-delta' ? [event.delta] : []))).toEqual([
    {kind: 'text', text: 'a b c d'},
    {kind: 'text', text: ' e f g h'},
  ]);
});

const part = fc.oneof(
  fc.record({text: fc.string({minLength: 1})}),
  fc.record({thinking: fc.string()}),
  fc.record({tool: fc.string({minLength: 1}), input: fc.dictionary(fc.string(), fc.jsonValue()), id: fc.uuid()}),
);

test('a replayed conversation that is recorded plays the same again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({answer: fc.array(part)}), {minLength: 1, maxLength: 4}), async answers => {
      let file = '';
      const recorded = recordModel(replay(answers), line => {
        file += line;
      });
      const first: (readonly ModelEvent[])[] = [];
      for (const _ of answers) first.push(await eventsOf(recorded.stream(ask('go'), never())));
      const again = openReplay(file, {variables: {}});
      if (again.tag === 'failed') throw new Error(again.error.message);
      const second: (readonly ModelEvent[])[] = [];
      for (const _ of answers) second.push(await eventsOf(again.value.stream(ask('go'), never())));
      expect(second).toEqual(first);
    }),
    {numRuns: randomInputs(50)},
  );
});

test('the record says what the user asked, and keeps only finished answers', async () => {
  let file = '';
  const model = recordModel(replay([{answer: [{text: 'Yes.'}]}]), line => {
    file += line;
  });
  await eventsOf(model.stream(ask('Is it so?'), AbortSignal.abort()));
  expect(file).toBe('');
  await eventsOf(model.stream(ask('Is it so?'), never()));
  await eventsOf(model.stream(ask('And now?'), never()));
  expect(file).toBe(`${header}\n{"prompt":"Is it so?"}\n{"answer":[{"text":"Yes."}],"model":"small-model"}\n`);
});
