import {describe, expect, test} from 'vitest';
import type {Json} from '../../../../src/base/json.ts';
import {encodeBase64, decodeBase64} from '../../../../src/protocol/task/base64.ts';
import {encodePayload, payloadText, readPayloadField} from '../../../../src/protocol/task/payload.ts';
import type {PayloadPlace} from '../../../../src/protocol/task/task-schema.ts';
import {todoId} from '../../../../src/domain/ids.ts';
import type {TaskPayload} from '../../../../src/domain/task-payload.ts';

const snapshot: TaskPayload = {
  kind: 'snapshot',
  pending: [{id: todoId('a?>'), title: 'Ünï ✓', description: ''}],
  completed: [],
  running: [],
};
const bytes = Buffer.from(encodePayload(snapshot));
const tree = {'2': {'1': [{'1': 'a?>', '2': 'Ünï ✓'}]}};

describe('one payload in every form', () => {
  test.each<[string, Json]>([
    ['base64', bytes.toString('base64')],
    ['base64 without padding', bytes.toString('base64').replaceAll('=', '')],
    ['base64url', bytes.toString('base64url')],
    ['base64url with padding', bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')],
    ['base64 in quotes', JSON.stringify(bytes.toString('base64'))],
    ['base64 in single quotes', `'${bytes.toString('base64')}'`],
    ['base64 between blanks', `  ${bytes.toString('base64')}\r\n`],
    ['base64 in lines', bytes.toString('base64').replaceAll(/.{8}/gu, '$&\r\n')],
    ['an object', tree],
    ['JSON text', JSON.stringify(tree, null, 2)],
    ['JSON text in quotes', JSON.stringify(JSON.stringify(tree))],
    ['an object whose list of one is its element', {'2': {'1': {'1': 'a?>', '2': 'Ünï ✓'}}}],
    ['an object whose message is a list of one', {'2': [{'1': [{'1': 'a?>', '2': 'Ünï ✓'}]}]}],
    ['an object in parts', {'2': [{'1': []}, {'1': {'1': 'a?>', '2': 'Ünï ✓'}}]}],
  ])('%s', (_name, given) => {
    expect(readPayloadField(given, 'event')).toEqual({tag: 'ok', tree, meaning: snapshot});
  });
});

const running = (...ids: readonly string[]): TaskPayload => ({kind: 'running', ids: ids.map(todoId)});

describe('what a payload says', () => {
  const empty: TaskPayload = {kind: 'snapshot', pending: [], completed: [], running: []};
  const done: TaskPayload = {
    kind: 'snapshot',
    pending: [],
    completed: [{id: todoId('a'), title: '', description: ''}],
    running: [],
  };

  test.each<[string, Json, PayloadPlace, TaskPayload]>([
    ['a clearing', {'11': {}}, 'call', {kind: 'cleared'}],
    ['a clearing whose message is empty text', {'11': ''}, 'call', {kind: 'cleared'}],
    ['one running id', {'9': {'1': 'a'}}, 'call', running('a')],
    ['several running ids', {'9': {'1': ['a', 'b']}}, 'call', running('a', 'b')],
    ['an id that was taken for a number', {'9': {'1': 17}}, 'call', running('17')],
    ['no running ids', {'9': ''}, 'call', running()],
    ['a result of 9', {'9': {'1': {'2': {'1': 'a'}}}}, 'result', done],
    ['a result of 11', {'11': {'1': {'2': [{'1': 'a'}]}}}, 'result', done],
    ['a result of 11 that is empty', {'11': {'1': {}}}, 'result', empty],
    ['a result without a list', {'11': {}}, 'result', {kind: 'cleared'}],
    ['a result of 11 as base64', 'WgcKBRIDCgFh', 'result', done],
    ['the same where the place is not known', 'WgcKBRIDCgFh', 'anywhere', done],
    ['an empty snapshot', {'2': {}}, 'event', empty],
    ['an empty snapshot as empty text', {'2': ''}, 'event', empty],
    ['a list and what runs of it', {'9': {'1': 'a'}, '11': {}, '2': {}}, 'event', {...empty, running: [todoId('a')]}],
    ['a list, and in a result another one', {'9': {'1': {'1': {'1': 'a'}}}, '2': {}}, 'result', empty],
    ['something else', {'4': {'2': 1}}, 'call', {kind: 'other', fields: []}],
    ['nothing', '', 'call', {kind: 'other', fields: []}],
    ['null', null, 'event', {kind: 'other', fields: []}],
  ])('%s', (_name, given, place, meaning) => {
    expect(readPayloadField(given, place)).toMatchObject({tag: 'ok', meaning});
  });

  test.each<[string, Json, {position: number; message: unknown}]>([
    ['a stranger among the characters', 'Wg?=', {position: 2, message: 'not base64'}],
    ['one character too many', 'WgA=W', {position: 4, message: 'not base64'}],
    ['one character too few', 'WgAAA', {position: 5, message: 'not base64'}],
    ['bytes that are cut short', 'Eg', {position: 1, message: 'a number that is cut short'}],
    ['JSON that is cut short', '{"2":', {position: 0, message: expect.stringContaining('not JSON')}],
    ['a number', 5, {position: 0, message: 'neither text nor an object'}],
  ])('%s is a failure', (_name, given, trouble) => {
    expect(readPayloadField(given, 'event')).toEqual({tag: 'failed', ...trouble});
  });

  test('a payload that comes again is not decoded again', () => {
    const text = bytes.toString('base64');
    expect(readPayloadField(text, 'event')).toBe(readPayloadField(text, 'event'));
    expect(readPayloadField(text, 'call')).not.toBe(readPayloadField(text, 'event'));
  });
});

describe('the text of a payload', () => {
  test.each(['WgA=', 'IgIQAQ==', 'KgwKBAgCEAQKBAgDEAY=', 'WgA'])('%s stays as it was read', text => {
    expect(payloadText(readPayloadField(text, 'call'))).toBe(text);
  });

  test('an object gets the text of its fields, also of those that say nothing of tasks', () => {
    expect(
      payloadText(
        readPayloadField(
          {
            '5': {
              '1': [
                {'1': 2, '2': 4},
                {'1': 3, '2': 6},
              ],
            },
          },
          'event',
        ),
      ),
    ).toBe('KgwKBAgCEAQKBAgDEAY=');
  });

  test('a payload made here gets the text of what it says', () => {
    expect(payloadText({tag: 'ok', tree: {}, meaning: {kind: 'cleared'}})).toBe('WgA=');
  });
});

test('base64 goes both ways, at every length', () => {
  for (let length = 0; length < 100; length += 1) {
    const some = Uint8Array.from({length}, (_value, at) => (at * 37 + length) % 256);
    expect(encodeBase64(some)).toBe(Buffer.from(some).toString('base64'));
    expect(decodeBase64(encodeBase64(some))).toEqual({tag: 'ok', value: some});
    expect(decodeBase64(Buffer.from(some).toString('base64url'))).toEqual({tag: 'ok', value: some});
  }
});

test.each([
  ['QQ===', 4],
  ['QQ=\n=\n=', 6],
  ['QQ=A', 3],
  ['=', -1],
])('the padding of %j ends at %i', (text, position) => {
  expect(decodeBase64(text)).toEqual(
    position < 0 ? {tag: 'ok', value: new Uint8Array()} : {tag: 'failed', error: position},
  );
});
