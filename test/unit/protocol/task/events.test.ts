import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import * as fc from 'fast-check';
import {beforeEach, describe, expect, test} from 'vitest';
import {isJsonObject, type Json, type JsonObject} from '../../../../src/base/json.ts';
import {encodeEvent} from '../../../../src/protocol/task/encode-event.ts';
import {eventJson, eventRecord} from '../../../../src/protocol/task/response-event.ts';
import {readEventBytes, readEventJson} from '../../../../src/protocol/task/read-item.ts';
import type {ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {needs} from '../../../support/programs.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

interface Golden {
  readonly name: string;
  readonly bytes: string;
  readonly json: JsonObject;
}

/** The bytes are protoc's, from the schema and the text form of each event. */
const golden: readonly Golden[] = readFileSync(new URL('../../../golden/task/events.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line));

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function ofBytes(bytes: Uint8Array): ResponseEvent {
  const read = readEventBytes(bytes);
  if (read.tag === 'failed') throw new Error(`${read.error.message} at byte ${read.error.position}`);
  return read.value;
}

function ofJson(json: Json): ResponseEvent {
  const read = readEventJson(json);
  if (read.tag === 'failed') throw new Error(read.error);
  const [event] = read.value;
  if (event === undefined) throw new Error('no event');
  return event;
}

const made = (event: ResponseEvent): ResponseEvent => ({...event, unknown: {source: 'none'}});

const camel = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(camel);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replaceAll(/_([a-z])/gu, (_match, letter: string) => letter.toUpperCase()),
      camel(inner),
    ]),
  );
};

describe.each(golden)('$name', ({bytes, json}) => {
  test('bytes to JSON', () => {
    expect(eventJson(ofBytes(hex(bytes)))).toEqual(json);
  });

  test('and back to the same bytes', () => {
    expect(hexOf(encodeEvent(ofBytes(hex(bytes))))).toBe(bytes);
  });

  test('JSON to bytes, with payloads as objects', () => {
    expect(hexOf(encodeEvent(ofJson(json)))).toBe(bytes);
  });

  test('JSON in camelCase says the same', () => {
    expect(made(ofJson(camel(json)))).toEqual(made(ofJson(json)));
    expect(hexOf(encodeEvent(ofJson(camel(json))))).toBe(bytes);
  });

  test('bytes and JSON say the same', () => {
    const plain = ofBytes(hex(bytes));
    expect(JSON.parse(JSON.stringify(made(ofJson(json))))).toEqual(JSON.parse(JSON.stringify(made(plain))));
  });
});

test('the typed form', () => {
  const [, clearing] = golden;
  expect(made(ofBytes(hex(clearing?.bytes ?? '')))).toEqual({
    kind: 'client-actions',
    unknown: {source: 'none'},
    actions: [
      {
        kind: 'add-messages',
        taskId: 't',
        messages: [
          {
            id: 'm1',
            taskId: '',
            body: {
              kind: 'tool-call',
              callId: 'c1',
              call: {kind: 'server', payload: {tag: 'ok', tree: {'11': {}}, meaning: {kind: 'cleared'}}},
            },
          },
        ],
      },
    ],
  });
});

test.each(golden.filter(({name}) => !/command|begins|tools/u.test(name)))(
  'made here, $name has the same bytes',
  ({bytes}) => {
    expect(hexOf(encodeEvent(made(ofBytes(hex(bytes)))))).toBe(bytes);
  },
);

describe('what the schema does not know survives', () => {
  test.each([
    ['in an event', 'a01f05 aa1f026869'],
    ['in an event beside what is known', '1202 0a00 a01f05'],
    ['in an action', '1205 0a03 a01f05'],
    ['in a message', '120c 0a0a 1a08 1206 0a016d a01f05'],
    ['a known field of another wire type', '1202 0805'],
    ['the content of a message that is passed on', '1208 0a06 3204 0a026869'],
  ])('%s', (_name, bytes) => {
    expect(hexOf(encodeEvent(ofBytes(hex(bytes))))).toBe(bytes.replaceAll(' ', ''));
  });

  test('and is shown with its numbers', () => {
    expect(eventJson(ofBytes(hex('1202 0a00 a01f05 aa1f026869')))).toEqual({
      client_actions: {actions: [{}]},
      '500': 5,
      '501': 'hi',
    });
  });

  test('fields that protoc knows and weft only passes on', () => {
    fc.assert(
      fc.property(fc.integer({min: 30, max: 5000}), fc.uint8Array({maxLength: 20}), (number, content) => {
        const tag = varint(number * 8 + 2);
        const field = [...tag, content.length, ...content];
        const message = [...field, 0x0a, 1, 0x6d];
        const add = [0x12, message.length, ...message];
        const action = [0x1a, add.length, ...add];
        const actions = [0x0a, action.length, ...action];
        const bytes = Uint8Array.from([0x12, actions.length, ...actions]);
        const event = ofBytes(bytes);
        expect(encodeEvent(event)).toHaveLength(bytes.length);
        expect(eventJson(ofBytes(encodeEvent(event)))).toEqual(eventJson(event));
        expect(Object.keys(messageIn(eventJson(event)))).toEqual(expect.arrayContaining([String(number), 'id']));
      }),
    );
  });
});

const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))];

function messageIn(event: Json): JsonObject {
  const path = ['client_actions', 'actions', '0', 'add_messages_to_task', 'messages', '0'];
  let at: unknown = event;
  for (const key of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return isJsonObject(at) ? at : {};
}

describe('JSON that wraps or leaves out', () => {
  const finished: JsonObject = {finished: {done: {}}};
  const begin: JsonObject = {begin_transaction: {}};

  test.each<[string, Json, readonly string[]]>([
    ['an event', finished, ['finished']],
    ['a list', [finished, finished], ['finished', 'finished']],
    ['an empty list', [], []],
    ['parsed_data', {parsed_data: finished}, ['finished']],
    ['parsedData beside other things', {event_type: 'FINISHED', parsedData: finished}, ['finished']],
    ['an action by itself', begin, ['client-actions']],
    ['actions by themselves', {actions: [begin]}, ['client-actions']],
    ['something else', {ping: 1}, ['other']],
    ['a field that is null', {init: null, finished: {}}, ['finished']],
  ])('%s', (_name, json, kinds) => {
    const read = readEventJson(json);
    expect(read.tag === 'ok' ? read.value.map(({kind}) => kind) : read.error).toEqual(kinds);
  });

  test.each<[string, Json, string]>([
    ['a number', 5, 'an event must be an object'],
    ['a list with text in it', ['x'], 'an event must be an object'],
    ['actions that are no list', {client_actions: {actions: 'x'}}, '"actions" must be a list of objects'],
    ['client_actions that is no object', {client_actions: []}, '"client_actions" must be an object'],
    [
      'a text that is an object',
      {client_actions: {actions: [{update_task_summary: {summary: {}}}]}},
      '"summary" must be text',
    ],
    ['parsed_data that is text', {parsed_data: 'x'}, '"parsed_data" must be an object'],
  ])('%s is refused', (_name, json, error) => {
    expect(readEventJson(json)).toEqual({tag: 'failed', error});
  });

  test('one action, one message without the brackets of a list', () => {
    const message = {id: 'm', agentOutput: {text: 'hi'}};
    expect(ofJson({clientActions: {actions: {addMessagesToTask: {taskId: 't', messages: message}}}})).toMatchObject({
      actions: [{kind: 'add-messages', messages: [{id: 'm', body: {kind: 'agent-output', text: 'hi'}}]}],
    });
  });

  test('protobuf’s own JSON: masks, times and numbers as text', () => {
    const event = ofJson({
      client_actions: {
        actions: [
          {
            appendToMessageContent: {
              taskId: 't',
              mask: 'agentOutput.text,id',
              message: {id: 'm', timestamp: '2025-01-01T00:00:00.250Z', agentOutput: {text: 'x'}},
            },
          },
        ],
      },
    });
    expect(event).toMatchObject({actions: [{kind: 'append-content', mask: ['agent_output.text', 'id']}]});
    expect(eventJson(ofBytes(encodeEvent(event)))).toEqual({
      client_actions: {
        actions: [
          {
            append_to_message_content: {
              task_id: 't',
              mask: {paths: ['agent_output.text', 'id']},
              message: {
                id: 'm',
                timestamp: {seconds: 1_735_689_600, nanos: 250_000_000},
                agent_output: {text: 'x'},
              },
            },
          },
        ],
      },
    });
  });
});

test('one object with several actions is all of them', () => {
  const event = ofJson({
    client_actions: {actions: [{begin_transaction: {}, updateTaskSummary: {task_id: 't', summary: 's'}, rollback: {}}]},
  });
  expect(event).toMatchObject({actions: [{kind: 'begin'}, {kind: 'update-summary', summary: 's'}]});
});

const reasonOf = (provider: Json): unknown => {
  const event = ofJson({finished: {invalidApiKey: {provider, modelName: 'g'}}});
  return event.kind === 'finished' ? event.reason : undefined;
};

describe('why a stream ended', () => {
  test.each<[string, string, JsonObject]>([
    ['nothing said', '1a00', {kind: 'done'}],
    [
      'a number for the provider',
      '1a07 6205 0801 120167',
      {kind: 'invalid-api-key', provider: 'anthropic', model: 'g'},
    ],
    ['text for it', '1a0b 6209 0a04 78616931 120167', {kind: 'invalid-api-key', provider: 'xai1', model: 'g'}],
    ['a number that is not known', '1a04 6202 0863', {kind: 'invalid-api-key', provider: '99', model: ''}],
    ['the quota', '1a02 2200', {kind: 'quota-limit'}],
  ])('%s', (_name, bytes, reason) => {
    expect(ofBytes(hex(bytes))).toMatchObject({kind: 'finished', reason});
  });

  test('the provider in JSON', () => {
    const anthropic = {kind: 'invalid-api-key', provider: 'anthropic', model: 'g'};
    expect(['LLM_PROVIDER_ANTHROPIC', 1, 'anthropic'].map(reasonOf)).toEqual([anthropic, anthropic, anthropic]);
  });
});

test('a tool that came after the schema keeps its name and arguments in JSON', () => {
  const event = ofJson({add_messages_to_task: {messages: [{tool_call: {toolCallId: 'c', fooBar: {x: 1}}}]}});
  expect(event).toMatchObject({
    actions: [
      {messages: [{body: {kind: 'tool-call', callId: 'c', call: {kind: 'native', name: 'foo_bar', args: {x: 1}}}}]},
    ],
  });
});

describe('hostile bytes', () => {
  test.each([
    ['a length past the end', '120a 0a05', 2],
    ['a message that claims more than its action has', '1206 0a04 1a05 1203', 6],
    ['a tag that does not end', 'ff', 1],
    ['text that is not UTF-8', '0a04 0a02 c328', 6],
    ['a wire type that does not exist', '1204 0a02 0f00', 5],
    ['groups nested too deep', '0b'.repeat(5000), 101],
  ])('%s', (_name, bytes, position) => {
    const read = readEventBytes(hex(bytes));
    expect(read).toEqual({tag: 'failed', error: {position: expect.any(Number), message: expect.stringMatching(/./u)}});
    if (read.tag === 'failed') expect(Math.abs(read.error.position - position)).toBeLessThanOrEqual(4);
  });

  test('random, cut and changed bytes are read or refused, never thrown', () => {
    const events = golden.map(({bytes}) => hex(bytes));
    const damaged = fc.oneof(
      fc.uint8Array({maxLength: 200}),
      fc.tuple(fc.constantFrom(...events), fc.nat()).map(([bytes, at]) => bytes.slice(0, at % (bytes.length + 1))),
      fc
        .tuple(fc.constantFrom(...events), fc.nat(), fc.integer({min: 0, max: 255}))
        .map(([bytes, at, value]) => bytes.map((byte, index) => (index === at % bytes.length ? value : byte))),
    );
    fc.assert(
      fc.property(damaged, bytes => {
        const read = readEventBytes(bytes);
        if (read.tag === 'failed') {
          expect(read.error.position).toBeGreaterThanOrEqual(0);
          expect(read.error.position).toBeLessThanOrEqual(bytes.length);
          return;
        }
        expect(eventJson(ofBytes(encodeEvent(read.value)))).toEqual(eventJson(read.value));
      }),
      {numRuns: randomInputs(3000)},
    );
  });

  test('JSON of any kind is read or refused, never thrown', () => {
    const [example] = golden.filter(({name}) => name.startsWith('a command'));
    const names = [...JSON.stringify(golden.map(({json}) => json)).matchAll(/"(\w+)":/gu)].map(
      ([, name]) => name ?? '',
    );
    const values = fc.letrec<{value: Json}>(tie => ({
      value: fc.oneof(
        {depthSize: 'medium'},
        fc.constantFrom<Json>(null, true, 5, 'x', 'WgA=', ''),
        fc.dictionary(fc.constantFrom(...names), tie('value'), {maxKeys: 3}),
        fc.array(tie('value'), {maxLength: 3}),
      ),
    })).value;
    fc.assert(
      fc.property(values, json => {
        const read = readEventJson(json);
        if (read.tag === 'ok') {
          for (const event of read.value) {
            expect(eventJson(event)).toBeTypeOf('object');
            expect(encodeEvent(event)).toBeInstanceOf(Uint8Array);
          }
        }
      }),
      {numRuns: randomInputs(3000), examples: [[example?.json ?? null]]},
    );
  });
});

describe('protoc, with the same schema', () => {
  beforeEach(needs('protoc'));
  const folder = fileURLToPath(new URL('../../../../src/protocol/task', import.meta.url));
  // Some systems have protoc without the files of the types that the schema imports.
  const hasTypes = lazily(
    () => spawnSync('protoc', ['-I', folder, '-o', '/dev/null', 'google/protobuf/empty.proto']).status === 0,
  );
  beforeEach(({skip}) => skip(!hasTypes(), "need protoc's own types"));

  test.each(golden)('knows every field of: $name', ({bytes}) => {
    const {status, stdout} = spawnSync(
      'protoc',
      ['-I', folder, '--decode=weft.task.ResponseEvent', 'task-protocol.proto'],
      {input: hex(bytes), encoding: 'utf8'},
    );
    expect([status, stdout.split('\n').filter(line => /^\s*\d+(?::| \{)/u.test(line))]).toEqual([0, []]);
  });
});

function lazily<Value>(make: () => Value): () => Value {
  let kept: {readonly value: Value} | undefined;
  return () => (kept ??= {value: make()}).value;
}

test('an event that was made has no empty task id, and an empty message for what weft does not look into', () => {
  const messages = [{id: 'm', taskId: '', body: {kind: 'other', field: 'summarization'}}] as const;
  const event: ResponseEvent = {
    kind: 'client-actions',
    actions: [
      {kind: 'add-messages', taskId: 't', messages},
      {kind: 'other', field: 'show_suggestions'},
    ],
    unknown: {source: 'none'},
  };
  expect(eventRecord(event)).toEqual({
    client_actions: {
      actions: [
        {add_messages_to_task: {task_id: 't', messages: [{id: 'm', summarization: {}}]}},
        {show_suggestions: {}},
      ],
    },
  });
});

test('of two actions in one object both count in JSON, and the last one in bytes', () => {
  const both = {client_actions: {actions: [{begin_transaction: {}, commit_transaction: {}}]}};
  expect(ofJson(both)).toMatchObject({actions: [{kind: 'begin'}, {kind: 'commit'}]});
  expect(ofBytes(hex('12 06 0a 04 4a 00 52 00'))).toMatchObject({actions: [{kind: 'commit'}]});
});

test('what weft does not look into is an object all the same', () => {
  const given = {client_actions: {actions: [{show_suggestions: 'all'}]}};
  expect(readEventJson(given)).toEqual({tag: 'failed', error: '"show_suggestions" must be an object'});
});
