import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodeInput, type InputPrompt} from '../../../../src/protocol/rpc/decode-input.ts';

const user = (content: unknown, more: object = {}): string =>
  JSON.stringify({type: 'user', message: {role: 'user', content}, parent_tool_use_id: null, ...more});

const promptOf = (line: string): InputPrompt => {
  const input = decodeInput(line);
  if (input.kind !== 'prompt') throw new Error(`no prompt: ${line}`);
  return input.prompt;
};

const png = {type: 'image', source: {type: 'base64', media_type: 'image/png', data: 'iVBO'}};

describe('a prompt', () => {
  test.each([
    ['hello', 'hello'],
    [
      [
        {type: 'text', text: 'a'},
        {type: 'text', text: 'b'},
      ],
      'a\n\nb',
    ],
    [['a', 'b'], 'a\n\nb'],
    [
      [{type: 'document', title: 'T', source: {type: 'text', media_type: 'text/plain', data: 'D'}}],
      '<document title="T">\nD\n</document>',
    ],
  ])('%j', (content, text) => {
    expect(promptOf(user(content))).toMatchObject({text, images: [], leftOut: [], when: 'steering', send: 'now'});
  });

  test('images go along, what cannot is named', () => {
    const webp = {type: 'image', source: {type: 'url', url: 'https://example.org/a.webp'}};
    const broken = {...png, source: {...png.source, data: '%%%'}};
    expect(
      promptOf(user([png, {type: 'text', text: 'x'}, webp, {type: 'audio', data: 'AA'}, 7, broken])),
    ).toMatchObject({
      text: 'x',
      images: [{kind: 'image', mediaType: 'image/png', data: 'iVBO'}],
      leftOut: [
        'a block of type "image" was left out: only base64 images of PNG, JPEG, GIF and WebP can be sent',
        'a block of type "audio" was left out: weft can\'t send this type',
        'a block of type "unknown" was left out: weft can\'t send this type',
        'an image was left out: it is not valid base64',
      ],
    });
  });

  test.each([
    [{uuid: 'u'}, {id: 'u'}],
    [{uuid: ''}, {id: undefined}],
    [{priority: 'now'}, {when: 'steering'}],
    [{priority: 'next'}, {when: 'steering'}],
    [{priority: 'later'}, {when: 'queued'}],
    [{shouldQuery: false}, {send: 'hold'}],
  ])('%j', (more, expected) => {
    expect(promptOf(user('x', more))).toMatchObject(expected);
  });
});

test.each([
  ['{', 'broken'],
  ['7', 'broken'],
  ['{}', 'broken'],
  ['{"type":"user"}', 'broken'],
  ['{"type":"user","message":{"role":"assistant","content":"x"}}', 'broken'],
  ['{"type":"control_request","request":{"subtype":"interrupt"}}', 'broken'],
  ['{"type":"control_response","response":{}}', 'broken'],
  ['{"type":"poem"}', 'foreign'],
  ['{"type":"keep_alive"}', 'keep-alive'],
  ['{"type":"control_cancel_request","request_id":"a"}', 'withdrawal'],
  ['{"type":"control_request","request_id":"a","request":{"subtype":"nope"}}', 'unserved-request'],
  ['{"type":"control_request","request_id":"a"}', 'unserved-request'],
  ['{"type":"control_request","request_id":"a","request":{"subtype":"mcp_toggle"}}', 'unserved-request'],
  ['{"type":"control_request","request_id":"a","request":{"subtype":"toString"}}', 'unserved-request'],
  ['{"type":"control_request","request_id":"a","request":{"subtype":"interrupt","more":1}}', 'request'],
])('%s is %s', (line, kind) => {
  expect(decodeInput(line).kind).toBe(kind);
});

test.each([
  [
    {subtype: 'success', request_id: 'a', response: {x: 1}},
    {tag: 'ok', value: {x: 1}},
  ],
  [
    {subtype: 'success', request_id: 'a'},
    {tag: 'ok', value: {}},
  ],
  [
    {subtype: 'error', request_id: 'a', error: 'no'},
    {tag: 'failed', error: 'no'},
  ],
  [
    {subtype: 'error', request_id: 'a'},
    {tag: 'failed', error: 'refused'},
  ],
])('an answer: %j', (response, answer) => {
  expect(decodeInput(JSON.stringify({type: 'control_response', response}))).toEqual({
    kind: 'response',
    id: 'a',
    answer,
  });
});

test('nothing throws', () => {
  const types = fc.constantFrom('user', 'control_request', 'control_response', 'control_cancel_request', 'system');
  fc.assert(
    fc.property(types, fc.jsonValue(), fc.jsonValue(), (type, request, message) => {
      expect(decodeInput(JSON.stringify({type, request_id: 'a', request, message, response: request}))).toHaveProperty(
        'kind',
      );
    }),
  );
  fc.assert(
    fc.property(fc.string(), line => {
      expect(decodeInput(line)).toHaveProperty('kind');
    }),
  );
});
