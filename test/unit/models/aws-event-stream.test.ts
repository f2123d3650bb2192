import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {AwsFrames} from '../../../src/models/aws-event-stream.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {awsFrame, chunkFrame, exceptionFrame, framesOf} from '../../support/aws-frames.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import type {Answer} from '../../support/model-script.ts';
import {randomInputs} from '../../support/random-inputs.ts';

function eventsIn(bytes: Buffer): readonly string[] {
  const frames = new AwsFrames();
  const events = frames.take(bytes);
  frames.end();
  return events;
}

/** Frames that @smithy/eventstream-codec 2.2.0 has made, in Base64. */
test.each([
  [
    'a chunk',
    'AAAA9gAAAEtDWOKMCzpldmVudC10eXBlBwAFY2h1bmsNOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJieXRlcyI6ImV5SjBlWEJsSWpvaVkyOXVkR1Z1ZEY5aWJHOWphMTlrWld4MFlTSXNJbWx1WkdWNElqb3dMQ0prWld4MFlTSTZleUowZVhCbElqb2lkR1Y0ZEY5a1pXeDBZU0lzSW5SbGVIUWlPaUpIY3NPOHc1OWxMQ0RrdUpibmxZd2lmWDA9IiwicCI6ImFiY2RlZmdoIn12zsos',
    ['{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße, 世界"}}'],
  ],
  [
    'a chunk that only keeps the connection alive',
    'AAAAegAAAEs3Tr8fCzpldmVudC10eXBlBwAFY2h1bmsNOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJieXRlcyI6ImUzMD0iLCJwIjoiYWJjZGVmZ2gifc4I2ZU=',
    [],
  ],
  [
    'headers of all types',
    'AAAAkwAAAGMnP7JLDTptZXNzYWdlLXR5cGUHAAVldmVudAs6ZXZlbnQtdHlwZQcABWNodW5rAWEAAWICAwFjAwADAWQEAAAACQFlBgADeHl6AWYIAAAAAAAAA+gBZwkAESIzRFVmd4iZqrvM3e7/eyJieXRlcyI6ImV5SjBlWEJsSWpvaWNHbHVaeUo5In3wMEUj',
    ['{"type":"ping"}'],
  ],
  [
    'an exception',
    'AAAAsAAAAGFPUIazDzpleGNlcHRpb24tdHlwZQcAE3Rocm90dGxpbmdFeGNlcHRpb24NOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcACWV4Y2VwdGlvbnsibWVzc2FnZSI6IlRvbyBtYW55IHRva2VucywgcGxlYXNlIHdhaXQgYmVmb3JlIHRyeWluZyBhZ2Fpbi4iffcK5X8=',
    [
      '{"type":"error","error":{"type":"throttlingException","message":"Too many tokens, please wait before trying again."}}',
    ],
  ],
  [
    'an error',
    'AAAAXwAAAE85AttyDTptZXNzYWdlLXR5cGUHAAVlcnJvcgs6ZXJyb3ItY29kZQcAD0ludGVybmFsRmFpbHVyZQ46ZXJyb3ItbWVzc2FnZQcACUl0IGJyb2tlLhvZ65w=',
    ['{"type":"error","error":{"type":"InternalFailure","message":"It broke."}}'],
  ],
])('%s', (_, frame, events) => {
  expect(eventsIn(Buffer.from(frame, 'base64'))).toEqual(events);
});

test('however the bytes are divided, the events are the same', () => {
  const piece = fc.oneof(
    fc.string({unit: 'binary', maxLength: 300}).map(text => {
      const event = JSON.stringify({type: 'x', text});
      return {frame: chunkFrame(event), events: [event]};
    }),
    fc.constantFrom(
      {frame: chunkFrame('{}'), events: []},
      {frame: awsFrame({':message-type': 'event'}, ''), events: []},
    ),
  );
  const cuts = fc.array(fc.integer({min: 1, max: 400}), {maxLength: 40});
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 12}), cuts, (pieces, lengths) => {
      const bytes = Buffer.concat(pieces.map(({frame}) => frame));
      const frames = new AwsFrames();
      const events: string[] = [];
      let at = 0;
      for (const length of [...lengths, bytes.length]) {
        events.push(...frames.take(bytes.subarray(at, at + length)));
        at += length;
      }
      frames.end();
      expect(events).toEqual(pieces.flatMap(each => each.events));
    }),
    {numRuns: randomInputs(1000)},
  );
});

test('one changed byte is noticed, wherever it is', () => {
  const good = Buffer.concat([chunkFrame('{"type":"a"}'), chunkFrame('{"type":"b"}')]);
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad.writeUInt8(bad.readUInt8(at) ^ 0x10, at);
    expect(() => eventsIn(bad), `byte ${at}`).toThrow(/^The answer (?:arrived damaged|broke off)/u);
  }
});

test('a stream that ends in the middle of a frame is damaged', () => {
  const frame = chunkFrame('{"type":"a"}');
  for (const length of [1, 11, 12, frame.length - 1]) {
    expect(() => eventsIn(frame.subarray(0, length))).toThrow('The answer broke off in the middle of an event.');
  }
});

test('a frame of an impossible length is refused, and not waited for', () => {
  const head = awsFrame({}, '').subarray(0, 12);
  const frames = new AwsFrames();
  expect(frames.take(head)).toEqual([]);
  expect(() =>
    eventsIn(Buffer.concat([awsFrame({':message-type': 'event', ':event-type': 'chunk'}, 'no JSON')])),
  ).toThrow('The answer holds an event that is not JSON.');
});

const begin =
  'data: {"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1,"output_tokens":1}}}\n';

/** What the user sees after three tries at a stream that ends in this way. */
async function faultAfter(end: Buffer): Promise<readonly ModelEvent[]> {
  const answer: Answer = {frames: Buffer.concat([framesOf(begin), end])};
  await using server = await startModelServer(answers(Array.from({length: 12}, () => answer)));
  const origin = server.baseUrl.anthropic;
  const port = connectAnthropic({
    apiKey: 'k',
    baseUrl: origin,
    environment: {},
    cacheTtl: '5m',
    models: modelTable({}),
    fallbacks: [],
    toolReferences: 'refused',
    clock: {random: () => 0, sleep: async () => {}},
  });
  return await eventsOf(port.stream(ask('hi'), new AbortController().signal));
}

test.each([
  ['throttlingException', 'is limiting the rate of requests (429): It happened.', 'retrying'],
  ['serviceUnavailableException', 'is overloaded (503): It happened.', 'retrying'],
  ['modelTimeoutException', 'has trouble (504): It happened.', 'retrying'],
  ['internalServerException', 'has trouble (500): It happened.', 'retrying'],
  ['modelStreamErrorException', 'has trouble (500): It happened.', 'retrying'],
  ['validationException', 'rejected the request (400): It happened.', 'failed'],
])('%s: %s', async (type, words, first) => {
  const events = await faultAfter(exceptionFrame(type, 'It happened.'));
  const told = events.filter(({event}) => event === 'retrying' || event === 'failed')[0];
  expect(told?.event).toBe(first);
  expect(JSON.stringify(told)).toContain(words);
});

test('a truncated answer is tried again, and then a clear fault', async () => {
  const events = await faultAfter(chunkFrame('{"type":"ping"}').subarray(0, 30));
  expect(events.at(-1)).toMatchObject({
    event: 'failed',
    fault: {message: 'The answer broke off in the middle of an event. (3 attempts)'},
  });
  expect(blocksOf(events)).toEqual([]);
});
