import {createServer} from 'node:http';
import {Readable} from 'node:stream';
import {isDeepStrictEqual} from 'node:util';
import {describe, expect, test} from 'vitest';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {readServerEvents} from '../../../src/models/http-fetch.ts';
import {framesOf} from '../../support/aws-frames.ts';
import {loopbackPort} from '../../support/loopback-port.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {call, type Part, sayPieces, think} from '../../support/model-script.ts';
import {anthropicEvents, openAiEvents, responsesEvents, type WireStep} from '../../support/model-wire.ts';
import {randomInputs} from '../../support/random-inputs.ts';
import {connect} from './run-provider.ts';

const text = 'Grüße, 世界! 🙂';
const parts: readonly Part[] = [
  think('Hm, ja.'),
  sayPieces('Grü', 'ße, 世', '界!', ' 🙂'),
  call('Read', {file_path: 'ä.txt'}, {id: 'call_one'}),
];
const bytesOf = (steps: readonly WireStep[]): string =>
  steps.map(step => (step.step === 'send' ? step.text : '')).join('');
const naming = {number: 1, model: 'm'};
const sse = 'text/event-stream';
const wires = [
  {dialect: 'anthropic', type: sse, bytes: Buffer.from(bytesOf(anthropicEvents(parts, naming)))},
  {dialect: 'openai', type: sse, bytes: Buffer.from(bytesOf(openAiEvents(parts, naming)))},
  {dialect: 'responses', type: sse, bytes: Buffer.from(bytesOf(responsesEvents(parts, naming)))},
  {
    dialect: 'anthropic',
    type: 'application/vnd.amazon.eventstream',
    bytes: framesOf(bytesOf(anthropicEvents(parts, naming))),
  },
] as const;

/** What must be true of every answer: each text once, each call once and whole, and one end. */
const outcomeOf = (events: readonly ModelEvent[]) => ({
  text: events
    .flatMap(event => (event.event === 'block-delta' && event.delta.kind === 'text' ? [event.delta.text] : []))
    .join(''),
  blocks: blocksOf(events)
    .map(block => (block.kind === 'text' ? block.text : ''))
    .join(''),
  calls: blocksOf(events).flatMap(block => (block.kind === 'tool-call' ? [block.input] : [])),
  ends: events.filter(({event}) => event === 'message-finished' || event === 'failed').map(({event}) => event),
});

const whole = {text, blocks: text, calls: [{file_path: 'ä.txt'}], ends: ['message-finished']};

describe.each(wires)('a stream of $dialect as $type', ({dialect, type, bytes}) => {
  test.each(['ends', 'is reset'] as const)('that %s at any byte is a whole answer after one repeat', async how => {
    const step = Math.max(1, Math.floor(bytes.length / randomInputs(300)));
    let cut = 0;
    let requests = 0;
    const wrong: object[] = [];
    const server = createServer((request, response) => {
      request.resume();
      requests += 1;
      response.writeHead(200, {'content-type': type});
      if (requests > 1) response.end(bytes);
      else if (how === 'ends') response.end(bytes.subarray(0, cut));
      else if (cut === 0) response.flushHeaders();
      else response.write(bytes.subarray(0, cut));
      if (requests === 1 && how === 'is reset') setImmediate(() => response.destroy());
    });
    const port = await loopbackPort(server);
    try {
      const model = connect(dialect, `http://127.0.0.1:${port}${dialect === 'anthropic' ? '' : '/v1'}`);
      for (cut = 0; cut < bytes.length; cut += cut < 10 ? 1 : step) {
        requests = 0;
        const events = await eventsOf(model.stream(ask('hi', {model: 'm'}), new AbortController().signal));
        const outcome = outcomeOf(events);
        if (requests > 2 || !isDeepStrictEqual(outcome, whole)) {
          wrong.push({cut, requests, before: bytes.subarray(0, cut).toString().slice(-60), outcome});
        }
      }
      expect(wrong).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

/** Reads a body that arrives in these pieces. */
const read = async (pieces: readonly Buffer[]): Promise<string> => {
  const events: string[] = [];
  for await (const batch of readServerEvents(Readable.from(pieces), 'stream')) events.push(...batch);
  return events.join('\n');
};

test.each(wires.slice(0, 3))('the events of $dialect are the same, wherever the bytes are divided', async ({bytes}) => {
  const expected = await read([bytes]);
  for (let at = 1; at < bytes.length; at++) {
    expect(await read([bytes.subarray(0, at), bytes.subarray(at)]), `divided at byte ${at}`).toBe(expected);
  }
  expect(await read([...bytes].map(byte => Buffer.from([byte])))).toBe(expected);
});
