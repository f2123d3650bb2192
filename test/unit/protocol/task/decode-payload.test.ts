import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {todoId} from '../../../../src/domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../../../src/domain/task-payload.ts';
import {decodePayload, encodePayload} from '../../../../src/protocol/task/payload.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const item = (id: string, title: string, description: string): TaskItem => ({id: todoId(id), title, description});

const wire: readonly {name: string; bytes: string; payload: TaskPayload}[] = [
  {name: 'the clearing call', bytes: '5a00', payload: {kind: 'cleared'}},
  {name: 'one running id', bytes: '4a03 0a0161', payload: {kind: 'running', ids: [todoId('a')]}},
  {name: 'two running ids', bytes: '4a06 0a0161 0a0162', payload: {kind: 'running', ids: [todoId('a'), todoId('b')]}},
  {name: 'no running id', bytes: '4a00', payload: {kind: 'running', ids: []}},
  {name: 'an empty snapshot', bytes: '1200', payload: {kind: 'snapshot', pending: [], completed: [], running: []}},
  {
    name: 'a snapshot of one pending and one completed item',
    bytes: '1215 0a0b 0a0161 120154 1a0344c3a4 1206 0a0162 120155',
    payload: {kind: 'snapshot', pending: [item('a', 'T', 'Dä')], completed: [item('b', 'U', '')], running: []},
  },
];

describe('the payloads of the protocol', () => {
  test.each(wire)('$name has one form on the wire', ({bytes, payload}) => {
    expect(hexOf(encodePayload(payload))).toBe(bytes.replaceAll(' ', ''));
    expect(decodePayload(hex(bytes))).toEqual({tag: 'ok', value: payload});
  });

  test('the clearing call is the WgA= seen in captures', () => {
    expect(decodePayload(base64('WgA='))).toEqual({tag: 'ok', value: {kind: 'cleared'}});
  });

  test.each(['IgA=', 'IgIQAQ==', 'KgwKBAgCEAQKBAgDEAY='])(
    '%s, which says nothing of tasks, is kept as it came',
    text => {
      const decoded = decodePayload(base64(text));
      expect(decoded).toMatchObject({tag: 'ok', value: {kind: 'other'}});
      if (decoded.tag === 'ok') expect(hexOf(encodePayload(decoded.value))).toBe(hexOf(base64(text)));
    },
  );

  test('unknown fields beside known ones, in items too, are passed over', () => {
    const decoded = decodePayload(hex('0801 120c 0a08 0a0161 2001 120154 3001 2001'));
    expect(decoded).toEqual({
      tag: 'ok',
      value: {kind: 'snapshot', pending: [item('a', 'T', '')], completed: [], running: []},
    });
  });

  test('a known number with another wire type is an unknown field', () => {
    expect(decodePayload(hex('1005'))).toEqual({
      tag: 'ok',
      value: {kind: 'other', fields: [{number: 2, bytes: hex('1005')}]},
    });
  });

  test('a field that comes twice is merged; a list and what runs of it are both told, of other fields the last one counts', () => {
    expect(decodePayload(hex('1205 0a03 0a0161 1205 0a03 0a0162'))).toEqual({
      tag: 'ok',
      value: {kind: 'snapshot', pending: [item('a', '', ''), item('b', '', '')], completed: [], running: []},
    });
    for (const both of ['1205 0a03 0a0161 4a03 0a0161', '4a03 0a0161 1205 0a03 0a0161']) {
      expect(decodePayload(hex(both))).toEqual({
        tag: 'ok',
        value: {kind: 'snapshot', pending: [item('a', '', '')], completed: [], running: ['a']},
      });
    }
    expect(decodePayload(hex('1205 0a03 0a0161 5a00'))).toEqual({tag: 'ok', value: {kind: 'cleared'}});
  });
});

describe('hostile bytes', () => {
  test.each([
    ['a cut length', '12'],
    ['a length past the end', '1205 0a'],
    ['an item that claims more than its list has', '1204 0a05 0a01 61616161'],
    ['field number 0', '0200'],
    ['a reserved wire type', '1f'],
    ['a group that does not close', '1b'],
    ['an end of a group that was not opened', '1c'],
    ['an overlong tag', 'ffffffffffffffffffff01'],
    ['text that is not UTF-8', '4a03 0a01ff'],
    ['broken bytes in the clearing call', '5a01 0a'],
    ['groups nested too deep', '2b'.repeat(5000)],
  ])('%s is a failure in words', (_name, bytes) => {
    const decoded = decodePayload(hex(bytes));
    expect(decoded).toEqual({tag: 'failed', error: expect.stringMatching(/./u)});
  });

  test('no bytes at all make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 200}), bytes => {
        expect(['ok', 'failed']).toContain(decodePayload(bytes).tag);
      }),
      {numRuns: randomInputs(2000)},
    );
  });

  test('a damaged payload does not throw', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({min: 0, max: 255}), (payload, at, value) => {
        const bytes = Uint8Array.from(encodePayload(payload));
        if (bytes.length > 0) bytes[at % bytes.length] = value;
        expect(['ok', 'failed']).toContain(decodePayload(bytes).tag);
      }),
      {numRuns: randomInputs(1000)},
    );
  });
});

const text = fc.string({unit: 'grapheme', maxLength: 100});
const items = fc.array(fc.record({id: text.map(todoId), title: text, description: text}), {maxLength: 6});
const payloads: fc.Arbitrary<TaskPayload> = fc.oneof(
  fc.constant<TaskPayload>({kind: 'cleared'}),
  fc.record({
    kind: fc.constant('snapshot' as const),
    pending: items,
    completed: items,
    running: fc.array(text.map(todoId)),
  }),
  fc.record({kind: fc.constant('running' as const), ids: fc.array(text.map(todoId))}),
);

test('what is encoded is decoded as it was', () => {
  fc.assert(
    fc.property(payloads, payload => {
      expect(decodePayload(encodePayload(payload))).toEqual({tag: 'ok', value: payload});
    }),
    {numRuns: randomInputs(500)},
  );
});

test('a lone surrogate becomes the replacement character, not broken bytes', () => {
  expect(decodePayload(encodePayload({kind: 'running', ids: [todoId('a\ud800')]}))).toEqual({
    tag: 'ok',
    value: {kind: 'running', ids: [todoId('a\ufffd')]},
  });
});
