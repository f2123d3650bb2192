import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  subarray,
  tuple,
  type Arbitrary,
} from 'fast-check';
import {expect, test} from 'vitest';
import type {ClientAction, MessageBody, ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {
  acts,
  add,
  append,
  begin,
  callsMcp,
  callsServer,
  cleared,
  commit,
  createTask,
  finished,
  init,
  item,
  message,
  rollback,
  running,
  says,
  snapshot,
  tells,
  thinks,
  update,
} from './event-builders.ts';
import {anthropicText, bothRead, readAnthropic} from './read-answers.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

/** One step of a server that tells a text from its beginning to its end, with attempts that it takes back. */
const step = oneof(
  {
    weight: 6,
    arbitrary: record({
      go: constant('on' as const),
      by: integer({min: 1, max: 7}),
      how: constantFrom('append', 'update', 'add'),
    }),
  },
  {weight: 2, arbitrary: constant({go: 'begin'} as const)},
  {weight: 1, arbitrary: constant({go: 'commit'} as const)},
  {weight: 2, arbitrary: record({go: constant('rollback' as const), ids: constantFrom('same', 'new')})},
  {weight: 1, arbitrary: constant({go: 'repeat'} as const)},
);
type Step = typeof step extends Arbitrary<infer S> ? S : never;

interface Attempt {
  /** Units of each message that are told. */
  readonly told: readonly number[];
}

/** The events by which `texts`, one message each, are told one after the other. */
function tellTexts(texts: readonly string[], steps: readonly Step[]): ResponseEvent[] {
  let attempt: Attempt = {told: texts.map(() => 0)};
  let generation = 0;
  const marks: {readonly attempt: Attempt; readonly ids: readonly string[]}[] = [];
  let ids = texts.map((_, index) => `m${index}`);
  const events: ResponseEvent[] = [];
  const tell = (index: number, by: number, how: string) => {
    const before = attempt.told[index] ?? 0;
    const text = texts[index] ?? '';
    const after = Math.min(text.length, before + by);
    const id = ids[index] ?? '';
    attempt = {told: attempt.told.with(index, after)};
    if (how === 'append') events.push(acts(append(id, says(text.slice(before, after)))));
    else
      events.push(acts(how === 'add' ? add(id, says(text.slice(0, after))) : update(id, says(text.slice(0, after)))));
  };
  const current = () => texts.findIndex((text, index) => (attempt.told[index] ?? 0) < text.length);
  for (const next of steps) {
    const index = current();
    switch (next.go) {
      case 'on':
        if (index >= 0) tell(index, next.by, next.how);
        break;
      case 'begin':
        marks.push({attempt, ids});
        events.push(acts(begin));
        break;
      case 'commit':
        if (marks.pop() !== undefined) events.push(acts(commit));
        break;
      case 'rollback': {
        const mark = marks.pop();
        if (mark === undefined) break;
        ({attempt} = mark);
        generation += 1;
        ids = mark.ids.map((id, at) =>
          next.ids === 'new' && mark.attempt.told[at] === 0 ? `${id}.${generation}` : id,
        );
        events.push(acts(rollback));
        break;
      }
      case 'repeat': {
        const last = index < 0 ? texts.length - 1 : index;
        if ((attempt.told[last] ?? 0) > 0) tell(last, 0, 'update');
        break;
      }
    }
  }
  for (let index = current(); index >= 0; index = current()) tell(index, 9, 'append');
  return events;
}

const fewLetters = string({unit: constantFrom('a', 'b', '😀'), maxLength: 12});

test('a text that only grows is told exactly once, however it comes', async () => {
  await assert(
    asyncProperty(
      array(fewLetters, {minLength: 1, maxLength: 4}),
      array(step, {maxLength: 30, size: 'max'}),
      async (texts, steps) => {
        const {openai, anthropic} = await bothRead(tellTexts(texts, steps));
        expect(openai.text).toBe(texts.join(''));
        expect(anthropic.text).toBe(texts.join(''));
      },
    ),
    {numRuns: randomInputs(400)},
  );
});

const someId = constantFrom('', 'm', 'n', 'o');
const body: Arbitrary<MessageBody> = oneof(
  fewLetters.map(says),
  fewLetters.map(thinks),
  tuple(someId, dictionary(fewLetters, jsonValue())).map(([id, args]) =>
    callsMcp(id, 'search', JSON.parse(JSON.stringify(args))),
  ),
  array(someId).map(ids => callsServer('x', running(...ids))),
  tuple(array(someId), array(someId)).map(([open, done]) =>
    tells(
      snapshot(
        open.map(id => item(id)),
        done.map(id => item(id)),
      ),
    ),
  ),
  constant(callsServer('x', cleared)),
);
const mask = subarray(['agent_output.text', 'toolCall', 'nothing.such', 'server_event']);
const action: Arbitrary<ClientAction> = oneof(
  tuple(someId, body).map(([id, said]) => add(id, said)),
  tuple(someId, body, mask).map(([id, said, names]) => update(id, said, names)),
  tuple(someId, body, mask).map(([id, said, names]) => append(id, said, names)),
  tuple(someId, body).map(([id, said]) => createTask(message(id, said))),
  constantFrom(begin, commit, rollback),
);
const someEvents = array(
  oneof(
    {weight: 9, arbitrary: array(action, {maxLength: 4}).map(some => acts(...some))},
    constantFrom(init, finished()),
  ),
  {maxLength: 20, size: 'max'},
);

test('whatever comes, and wherever it breaks off, both clients read a whole answer, and the same one', async () => {
  await assert(
    asyncProperty(someEvents, async events => {
      const {openai, anthropic} = await bothRead(events);
      expect({text: openai.text, calls: openai.calls}).toEqual({text: anthropic.text, calls: anthropic.calls});
      expect(openai.stop).toBe(openai.calls.length > 0 ? 'tool_calls' : 'stop');
      expect(new Set(openai.calls.map(({id}) => id)).size).toBe(openai.calls.length);
    }),
    {numRuns: randomInputs(300)},
  );
});

test('blocks open and close one after the other, with rising indexes and something in each', async () => {
  await assert(
    asyncProperty(someEvents, async events => {
      const {events: read} = await readAnthropic(anthropicText(events));
      let open: number | undefined;
      let next = 0;
      for (const event of read) {
        switch (event.type) {
          case 'content_block_start':
            expect(open).toBeUndefined();
            expect(event.index).toBe(next);
            open = next;
            break;
          case 'content_block_delta':
            expect(event.index).toBe(open);
            break;
          case 'content_block_stop':
            expect(event.index).toBe(open);
            open = undefined;
            next += 1;
            break;
          case 'message_start':
          case 'message_delta':
          case 'message_stop':
            expect(open).toBeUndefined();
            break;
        }
      }
      expect(read.map(({type}) => type).filter(type => !type.startsWith('content'))).toEqual([
        'message_start',
        'message_delta',
        'message_stop',
      ]);
      const starts = read.filter(({type}) => type === 'content_block_start').length;
      expect(read.filter(({type}) => type === 'content_block_delta').length).toBeGreaterThanOrEqual(starts);
    }),
    {numRuns: randomInputs(200)},
  );
});
