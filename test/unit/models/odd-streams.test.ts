import {createServer, type ServerResponse} from 'node:http';
import {brotliCompressSync, deflateSync, gzipSync, zstdCompressSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {DamagedStreamError, makeHttpFetch, readAnyJson} from '../../../src/models/http-fetch.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import {loopbackPort} from '../../support/loopback-port.ts';
import {ask, eventsOf} from '../../support/model-events.ts';
import {knownTable} from '../../support/model-info.ts';

const data = (...all: readonly object[]): string => all.map(each => `data: ${JSON.stringify(each)}\n\n`).join('');
const delta = (content: object, reason: string | null = null) => ({
  id: 'c',
  choices: [{index: 0, delta: content, finish_reason: reason}],
});
const answer = data(delta({content: 'Grüße'}), delta({}, 'stop'));
const stream = {'content-type': 'text/event-stream'};

/** Returns the requests that a provider got, and the last event. */
async function answered(serve: (response: ServerResponse) => void, dialect: 'chat' | 'anthropic' = 'chat') {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => serve(response));
  });
  const origin = `http://127.0.0.1:${await loopbackPort(server)}`;
  try {
    const options = {apiKey: 'k', models: knownTable, fallbacks: [], environment: {}};
    const model =
      dialect === 'chat'
        ? connectOpenAi({...options, baseUrl: `${origin}/v1`, wireApi: 'chat'})
        : connectAnthropic({...options, baseUrl: origin, cacheTtl: '5m', toolReferences: 'refused'});
    const events = await eventsOf(model.stream(ask('hi', {model: 'm'}), new AbortController().signal));
    const text = events.flatMap(event =>
      event.event === 'block-delta' && event.delta.kind === 'text' ? [event.delta.text] : [],
    );
    const last = events.at(-1);
    return {requests, text: text.join(''), end: last?.event === 'failed' ? last.fault : last?.event};
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const whole = {requests: 1, text: 'Grüße', end: 'message-finished'};

test.each([
  ['gzip', gzipSync(`${answer}data: [DONE]\n\n`)],
  ['br', brotliCompressSync(`${answer}data: [DONE]\n\n`)],
  ['deflate', deflateSync(`${answer}data: [DONE]\n\n`)],
  ['zstd', zstdCompressSync(`${answer}data: [DONE]\n\n`)],
  ['gzip', gzipSync(answer).subarray(0, -8)],
] as const)('an answer that is compressed though nobody asked for that is read (%s)', async (encoding, body) => {
  expect(
    await answered(response => response.writeHead(200, {...stream, 'content-encoding': encoding}).end(body)),
  ).toEqual(whole);
});

test.each(['gzip', 'deflate', 'br', 'zstd'])('a compressed answer that is damaged says so (%s)', async encoding => {
  const server = createServer((_request, response) =>
    response.writeHead(200, {'content-encoding': encoding}).end('This is not compressed at all.'),
  );
  const origin = `http://127.0.0.1:${await loopbackPort(server)}`;
  try {
    const response = await makeHttpFetch({})(origin);
    await expect(readAnyJson(response)).rejects.toBeInstanceOf(DamagedStreamError);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an answer in zstd that this Node cannot read is refused once, in words', async () => {
  const zlib = process.getBuiltinModule('node:zlib');
  const {createZstdDecompress} = zlib;
  Reflect.deleteProperty(zlib, 'createZstdDecompress');
  try {
    const found = await answered(response =>
      response.writeHead(200, {...stream, 'content-encoding': 'zstd'}).end(zstdCompressSync(answer)),
    );
    expect(found).toEqual({
      requests: 1,
      text: '',
      end: {
        kind: 'provider',
        message: `The server compressed its answer with zstd, which Node ${process.versions.node} can't read.`,
        fix: 'Use Node 22.15 or newer, or turn the compression off at the gateway.',
        status: 200,
        refusal: {kind: 'other'},
      },
    });
  } finally {
    Object.assign(zlib, {createZstdDecompress});
  }
});

test.each<readonly [string, (response: ServerResponse) => void]>([
  ['is cut', response => response.writeHead(200, stream).end(`${answer}data: {"usage": {"prompt`)],
  [
    'is lost',
    response => {
      response.writeHead(200, stream).write(answer, () => setImmediate(() => response.destroy()));
    },
  ],
])('a whole answer is not paid for twice if the rest of its stream %s', async (_name, serve) => {
  expect(await answered(serve)).toEqual(whole);
});

test.each(['chat', 'anthropic'] as const)('an error that a server calls a stream is a refusal (%s)', async dialect => {
  const body = JSON.stringify({error: {message: 'bad key', type: 'authentication_error'}});
  expect(await answered(response => response.writeHead(200, stream).end(body), dialect)).toMatchObject({
    requests: 1,
    end: {kind: 'provider', status: 401, message: expect.stringContaining('bad key')},
  });
});
