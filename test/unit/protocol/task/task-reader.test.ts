import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {encodeBase64} from '../../../../src/protocol/task/base64.ts';
import {encodeEvent} from '../../../../src/protocol/task/encode-event.ts';
import type {ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {makeTaskReader, type TaskItemRead} from '../../../../src/protocol/task/task-reader.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

type Input = Parameters<typeof makeTaskReader>[0]['input'];

const init = (id: string): ResponseEvent => ({
  kind: 'init',
  conversationId: id,
  requestId: '',
  runId: '',
  unknown: {source: 'none'},
});

const initJson = (id: string): string => JSON.stringify({init: {conversation_id: id}});
const initBytes = (id: string): string =>
  encodeBase64(encodeEvent(init(id)))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

/** `1:init a`, `2:payload {…}`, `3:broken` with the message where it matters. */
const short = (item: TaskItemRead): string => {
  switch (item.tag) {
    case 'event':
      return `${item.line}:${item.event.kind}${item.event.kind === 'init' ? ` ${item.event.conversationId}` : ''}`;
    case 'payload':
      return `${item.line}:${item.payload.tag === 'ok' ? JSON.stringify(item.payload.tree) : `bad ${item.payload.position}`}`;
    case 'broken':
      return `${item.line}:broken`;
    default:
      return item;
  }
};

function read(text: string, input: Input = 'auto', size = text.length): readonly string[] {
  const reader = makeTaskReader({input});
  const items: TaskItemRead[] = [];
  for (let at = 0; at < text.length; at += size) items.push(...reader.push(text.slice(at, at + size)));
  items.push(...reader.end());
  return items.map(short);
}

const pretty = (id: string): string => JSON.stringify(JSON.parse(initJson(id)), null, 2);

const inputs: readonly [string, string, readonly string[]][] = [
  ['nothing', '', []],
  ['blank lines', '\n \r\n\t\n', []],
  ['payloads, one a line', 'WgA=\nIgA\r\n"WgA"\nEgA=', ['1:{"11":{}}', '2:{"4":{}}', '3:{"11":{}}', '4:{"2":{}}']],
  ['a payload of broken bytes', 'Eg==\nWgA=\n', ['1:bad 1', '2:{"11":{}}']],
  ['an event by itself as base64', `${initBytes('a')}\n`, ['1:init a']],
  ['the end of a stream as base64', 'GgISAA==\n', ['1:finished']],
  ['base64 that as an event would say nothing', 'GgA=\n', ['1:{"3":{}}']],
  ['base64 with fields no event has', 'GgIICg==\n', ['1:{"3":{"1":10}}']],
  ['JSON lines', `${initJson('a')}\n\n${initJson('b')}`, ['1:init a', '3:init b']],
  ['a payload as an object', '{"11":{}}\n', ['1:{"11":{}}']],
  ['a list in one line', `[${initJson('a')},${initJson('b')}]`, ['1:init a', '1:init b']],
  ['a list over lines', `[\n${initJson('a')},\n${initJson('b')}\n]\n`, ['2:init a', '3:init b']],
  ['a list of payloads and events', `["WgA=",{"4":{}},${initJson('a')}]`, ['1:{"11":{}}', '1:{"4":{}}', '1:init a']],
  ['JSON laid out over lines', `${pretty('a')}\n${pretty('b')}\n`, ['1:init a', '6:init b']],
  [
    'a list laid out over lines',
    JSON.stringify([{init: {conversation_id: 'a'}}, {finished: {}}], null, 2),
    ['2:init a', '7:finished'],
  ],
  [
    'several values in a line',
    `${initJson('a')}${initJson('b')} ${initJson('c')}`,
    ['1:init a', '1:init b', '1:init c'],
  ],
  ['server-sent events', `data: ${initBytes('a')}\n\ndata:${initBytes('b')}\n\n`, ['1:init a', '3:init b']],
  ['an event that is not ended', `data: ${initBytes('a')}`, ['1:init a']],
  ['data in quotes', `data: "${initBytes('a')}"\n\n`, ['1:init a']],
  ['data that is JSON', `data: {"parsed_data":${initJson('a')}}\n\n`, ['1:init a']],
  ['data over lines', `data: {"init":\ndata: {"conversation_id":"a"}}\n\n`, ['1:init a']],
  [
    'lines that end with carriage returns',
    `data: ${initBytes('a')}\r\rdata: ${initBytes('b')}\r\r`,
    ['1:init a', '3:init b'],
  ],
  [
    'line ends of all kinds',
    `data: ${initBytes('a')}\r\n\rdata: ${initBytes('b')}\n\r\nWgA=\r`,
    ['1:init a', '3:init b', '5:{"11":{}}'],
  ],
  ['data without a value', `data\ndata: ${initBytes('a')}\ndata\n\ndata\n\ndata:\n\n`, ['2:init a']],
  ['a byte order mark before data', `\uFEFFdata: ${initBytes('a')}\n\n`, ['1:init a']],
  ['other fields without a value', `event\nid\nretry\n:\ndata: ${initBytes('a')}\n\n`, ['5:init a']],
  ['unknown fields', `data: ${initBytes('a')}\nx-trace: 1\n\nx-trace: 2\n\n`, ['1:init a']],
  [
    'JSON over lines of data',
    `data: {"2":{"1":[\ndata: {"1":"a"},\ndata: {"1":"b"}\ndata\ndata:]}}\n\n`,
    ['1:{"2":{"1":[{"1":"a"},{"1":"b"}]}}'],
  ],
  [
    'a list over lines of data',
    `data: [\ndata: ${initJson('a')},\ndata: ${initJson('b')}\ndata: ]\n\n`,
    ['1:init a', '1:init b'],
  ],
  [
    'data that was cut off, without blank lines',
    `data: {"init":\ndata: ${initJson('b')}\ndata: ${initJson('c')}\n\n`,
    ['1:broken', '2:init b', '3:init c'],
  ],
  ['other fields and comments', `: hi\nevent: x\nid: 1\nretry: 5\ndata: ${initBytes('a')}\n\n`, ['5:init a']],
  ['the end mark', `data: ${initBytes('a')}\n\ndata: [DONE]\n\n`, ['1:init a']],
  [
    'data lines without blank lines',
    `data: ${initBytes('a')}\ndata: ${initJson('b')}\ndata: ${initJson('c')}`,
    ['1:init a', '2:init b', '3:init c'],
  ],
  ['data that cannot be read', `data: %%%\n\ndata: ${initJson('b')}\n\n`, ['1:broken', '3:init b']],
  [
    'data that cannot be read, without blank lines',
    `data: %%%\ndata: ${initJson('b')}\ndata: ${initJson('c')}`,
    ['1:broken', '2:init b', '3:init c'],
  ],
  ['data that is a payload', 'data: WgA=\n\n', ['1:{"11":{}}']],
  [
    'all in one',
    `WgA=\n${initJson('a')}\ndata: ${initBytes('b')}\n\n${pretty('c')}\n`,
    ['1:{"11":{}}', '2:init a', '3:init b', '5:init c'],
  ],
  ['a byte order mark', `\uFEFF${initJson('a')}`, ['1:init a']],
  ['line separators inside of text', '{"init":{"conversation_id":"\u2028"}}\n', ['1:init \u2028']],
  ['carriage returns', `${initJson('a')}\r\n${initJson('b')}\r\n`, ['1:init a', '2:init b']],
  ['no base64', 'hello, world\nWgA=\n', ['1:broken', '2:{"11":{}}']],
  ['numbers and the like', '[5,null,true]\n', ['1:broken', '1:broken', '1:broken']],
  ['a line that was cut off in a text', `{"init":{"conversation_\n${initJson('b')}\n`, ['1:broken', '2:init b']],
  ['a line that was cut off elsewhere', `{"init":{\n${initJson('b')}\n`, ['1:broken', '2:init b']],
  ['the same before a payload', `{"init":{\nWgA=\n`, ['1:broken', '2:{"11":{}}']],
  ['the same before a server-sent event', `{"init":{\ndata: ${initBytes('b')}\n\n`, ['1:broken', '2:init b']],
  [
    'an element that was cut off',
    `[\n{"init":{\n${initJson('b')},\n${initJson('c')}\n]\n`,
    ['2:broken', '3:init b', '4:init c'],
  ],
  [
    'one that was cut off where a value may follow',
    `{"init":\n${initJson('b')}\n${initJson('c')}\nWgA=\n`,
    ['1:broken', '2:init b', '3:init c', '4:{"11":{}}'],
  ],
  [
    'an element that was cut off where a value may follow',
    `[\n{"init":\n${initJson('b')},\n${initJson('c')},\n${initJson('d')}\n]`,
    ['2:broken', '3:init b', '4:init c', '5:init d'],
  ],
  [
    'lines at the margin that belong together',
    `{"client_actions":{"actions":[\n{"begin_transaction":{}},\n{"commit_transaction":{}}\n]}}\nWgA=`,
    ['1:client-actions', '5:{"11":{}}'],
  ],
  ['blank lines in a list', `[\n\n\n${initJson('a')}\n\n,\n${initJson('b')}]`, ['4:init a', '7:init b']],
  ['a list that does not end', `[\n${initJson('a')},\n`, ['2:init a', '1:broken']],
  ['JSON that is none', `{init: 1}\n${initJson('b')}\n`, ['1:broken', '2:init b']],
  ['what follows a value', `${initJson('a')} x\n${initJson('b')}\n`, ['1:init a', '1:broken', '2:init b']],
  ['lines with commas after them', `${initJson('a')},\n${initJson('b')},\n`, ['1:init a', '2:init b']],
  ['nested too deep', `${'[[[[[[[[[['.repeat(400)}${']]]]]]]]]]'.repeat(400)}\nWgA=`, ['1:broken', '2:{"11":{}}']],
];

describe('with auto', () => {
  test.each(inputs)('%s', (_name, text, items) => {
    expect(read(text)).toEqual(items);
  });

  test.each(inputs)('%s, in small pieces', (_name, text, items) => {
    expect(read(text, 'auto', 3)).toEqual(items);
  });
});

describe('with a form given', () => {
  test.each<[string, Input, string, readonly string[]]>([
    ['base64', 'base64', 'WgA=\n{}\nCgMKAWE=\n', ['1:{"11":{}}', '2:broken', '3:{"1":{"1":"a"}}']],
    ['json', 'json', `${initJson('a')}\n"WgA="\nWgA=\n`, ['1:init a', '2:{"11":{}}', '3:broken']],
    ['sse', 'sse', `data: ${initBytes('a')}\n\n{}\n`, ['1:init a', '3:broken']],
    ['sse with fields that nobody knows', 'sse', `foo: bar\nfoo\ndata: ${initBytes('a')}\n\n`, ['3:init a']],
    ['sse that lost its field', 'sse', `${initBytes('abcdef')}\n`, ['1:broken']],
  ])('%s', (_name, input, text, items) => {
    expect(read(text, input)).toEqual(items);
  });
});

test('an item comes as soon as its line is there', () => {
  const reader = makeTaskReader({input: 'auto'});
  expect([...reader.push(initJson('a'))].map(short)).toEqual([]);
  expect([...reader.push('\n')].map(short)).toEqual(['1:init a']);
  expect([...reader.push(`[\n${initJson('b')},\n`)].map(short)).toEqual(['3:init b']);
});

test('what is broken says what is wrong with it', () => {
  const items = makeTaskReader({input: 'auto'}).push(`hello, world\n{init: 1}\ndata: EgU=\n\n{"client_actions":5}\n`);
  const messages = Array.from(items, item => (item.tag === 'broken' ? item.message : item.tag));
  expect(messages).toEqual([
    'neither JSON nor base64 (it is cut short, or character 6 does not belong)',
    expect.stringMatching(/^not JSON: /u),
    expect.stringMatching(/^not a ResponseEvent: .* at byte \d+$/u),
    '"client_actions" must be an object',
  ]);
});

test('a line that is too long costs no more than itself', () => {
  const reader = makeTaskReader({input: 'auto'});
  const piece = 'A'.repeat(1024 * 1024);
  const items: TaskItemRead[] = [];
  for (let count = 0; count < 70; count += 1) items.push(...reader.push(piece));
  items.push(...reader.push('\nWgA=\n'), ...reader.end());
  expect(items.map(short)).toEqual(['1:broken', '2:{"11":{}}']);
});

test('whatever the text and its pieces, it is read to its end, the same way', () => {
  const words = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\n',
    '\r\n',
    '\r',
    'data',
    'data: [',
    '\\',
    'data: ',
    'WgA=',
    initJson('a'),
    '5',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(words, {maxLength: 40}), fc.integer({min: 1, max: 9}), (parts, size) => {
      const text = parts.join('');
      expect(read(text, 'auto', size)).toEqual(read(text));
    }),
    {numRuns: randomInputs(2000)},
  );
});

test('an event stream may be as long as it likes: what one event holds is no part of the next', () => {
  const reader = makeTaskReader({input: 'auto'});
  const event = `data: {"init": {"conversation_id": "a"},\ndata: "padding": "${'x'.repeat(8 * 1024 * 1024)}"}\n\n`;
  const items: TaskItemRead[] = [];
  for (let sent = 0; sent < 9; sent += 1) items.push(...reader.push(event));
  items.push(...reader.end());
  expect(items.map(item => short(item).replace(/^\d+:/u, ''))).toEqual(Array.from({length: 9}, () => 'init a'));
});
