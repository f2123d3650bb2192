import {createServer, type ServerResponse} from 'node:http';
import {brotliCompressSync, deflateSync, gzipSync, zstdCompressSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {DamagedStreamError, makeHttpFetch, readAnyJson} from '../../../src/models/http-fetch.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import {loopbackPort} from '../../support/loopback-port.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {knownTable} from '../../support/model-info.ts';

const data = (...all: readonly object[]): string => all.map(each => `data: ${JSON.stringify(each)}\n\n`).join('');
const delta = (content: object, reason: string | null = null) => ({
  id: 'c',
  choices: [{index: 0, delta: content, finish_reason: reason}],
});
const answer = data(delta({content: 'Grüße'}), delta({}, 'stop'));
const stream = {'content-type': 'text/event-stream'};

/** Returns the requests that a provider got for some prompts, and what came of them. */
async function answered(
  serve: (response: ServerResponse) => void,
  dialect: 'chat' | 'anthropic' | 'responses' = 'chat',
  prompts = 1,
) {
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
      dialect === 'anthropic'
        ? connectAnthropic({...options, baseUrl: origin, cacheTtl: '5m', toolReferences: 'refused'})
        : connectOpenAi({...options, baseUrl: `${origin}/v1`, wireApi: dialect});
    const each: (readonly ModelEvent[])[] = [];
    for (let prompt = 0; prompt < prompts; prompt++)
      each.push(await eventsOf(model.stream(ask('hi', {model: 'm'}), new AbortController().signal)));
    const events = each.flat();
    const text = events.flatMap(event =>
      event.event === 'block-delta' && event.delta.kind === 'text' ? [event.delta.text] : [],
    );
    const last = events.at(-1);
    const notes = events.flatMap(event =>
      event.event === 'repaired' && event.repair !== 'asked-again' ? [event.text] : [],
    );
    const calls = each.flatMap(blocksOf).flatMap(block => (block.kind === 'tool-call' ? [block.input] : []));
    const end = last?.event === 'failed' ? last.fault : last?.event;
    return {requests, text: text.join(''), calls, notes, end};
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const whole = {requests: 1, text: 'Grüße', calls: [], notes: [], end: 'message-finished'};

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
      calls: [],
      notes: [],
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

describe('a stream that ends in order without an end mark', () => {
  const note = "The server didn't mark the end of the answer; it may be cut.";
  const cut = {message: 'The server cut the answer in the middle of a sentence.'};
  const said = (text: string): string => data(delta({role: 'assistant', content: ''}), delta({content: text}));
  const calling = (...pieces: readonly string[]): string =>
    data(
      ...pieces.map((json, at) =>
        delta({tool_calls: [{index: 0, ...(at === 0 ? {id: 'c1'} : {}), function: {name: 'Read', arguments: json}}]}),
      ),
    );
  const messages = (...blocks: readonly object[]): string =>
    data({type: 'message_start', message: {id: 'm1', model: 'm', usage: {input_tokens: 3}}}, ...blocks);
  const textBlock = [
    {type: 'content_block_start', index: 0, content_block: {type: 'text', text: ''}},
    {type: 'content_block_delta', index: 0, delta: {type: 'text_delta', text: 'Count to 4'}},
  ];
  const responseText = {type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Count to 4'};
  const responseItem = {
    type: 'response.output_item.done',
    output_index: 0,
    item: {type: 'message', id: 'i', content: [{type: 'output_text', text: 'Count to 4'}]},
  };
  const cutOff = 'The server cut the answer in the middle of a sentence.';
  const closed = 'The connection closed during the answer.';

  test.each<readonly [string, 'chat' | 'anthropic' | 'responses', readonly string[], object]>([
    ['a whole sentence is kept', 'chat', [said('Done. 🙂')], {requests: 1, text: 'Done. 🙂', notes: [note]}],
    ['a closed code block is kept', 'chat', [said('So:\n```\nls\n```\n')], {requests: 1, notes: [note]}],
    [
      'the end of a sentence is asked for once',
      'chat',
      [said('Coun'), said('t to 4.')],
      {requests: 2, text: 'Count to 4.', notes: [note]},
    ],
    [
      'a sentence that is cut twice is no answer',
      'chat',
      [said('Coun'), said('t to 4')],
      {requests: 2, text: 'Count to 4', notes: [], end: cut},
    ],
    [
      'a repeat that says the same words is cut, too',
      'chat',
      [said('src/a.ts'), said('src/a.ts')],
      {requests: 2, text: 'src/a.ts', notes: [], end: cut},
    ],
    ['and one that stops before', 'chat', [said('src/a.ts'), said('src')], {requests: 2, notes: [], end: cut}],
    [
      'and one that says nothing',
      'chat',
      [said('It is 42'), said('')],
      {requests: 2, text: 'It is 42', notes: [], end: cut},
    ],
    [
      'a whole call is kept',
      'chat',
      [calling('{"file_', 'path":"a"}')],
      {requests: 1, calls: [{file_path: 'a'}], notes: []},
    ],
    [
      'a cut call is asked for once',
      'chat',
      [calling('{"file_'), calling('{"file_path":"a"}')],
      {requests: 2, calls: [{file_path: 'a'}]},
    ],
    [
      'a call that is cut twice is left to the agent',
      'chat',
      [calling('{"file_'), calling('{"file_')],
      {requests: 2, calls: ['{"file_'], notes: [note]},
    ],
    [
      'thinking alone is no answer',
      'chat',
      [data(delta({reasoning_content: 'Hm.'}))],
      {requests: 2, end: {message: closed}},
    ],
    ['nothing is asked for once', 'chat', [said('')], {requests: 2, end: {message: closed}}],
    [
      'a finished block in the middle of a sentence is asked for once',
      'anthropic',
      [messages(...textBlock, {type: 'content_block_stop', index: 0})],
      {requests: 2, notes: [], end: {message: cutOff}},
    ],
    ['an open block is asked for once', 'anthropic', [messages(...textBlock)], {requests: 2, notes: [], end: cut}],
    ['a message without blocks is asked for once', 'anthropic', [messages()], {requests: 2, end: {message: closed}}],
    [
      'a finished item in the middle of a sentence is asked for once',
      'responses',
      [data(responseText, responseItem)],
      {requests: 2, notes: [], end: {message: cutOff}},
    ],
    ['an open item is asked for once', 'responses', [data(responseText)], {requests: 2, notes: [], end: cut}],
  ])('%s (%s)', async (_name, dialect, streams, expected) => {
    let at = 0;
    const found = await answered(
      response => response.writeHead(200, stream).end(streams[Math.min(at++, streams.length - 1)]),
      dialect,
    );
    expect(found).toMatchObject({end: 'message-finished', ...expected});
  });

  test('is cut if other answers of the server have marks', async () => {
    const streams = [`${answer}data: [DONE]\n\n`, said('Done.'), said('Done. More.')];
    let at = 0;
    const prompts = 2;
    expect(await answered(response => response.writeHead(200, stream).end(streams[at++]), 'chat', prompts)).toEqual({
      requests: 3,
      text: 'GrüßeDone. More.',
      calls: [],
      notes: [note],
      end: 'message-finished',
    });
  });

  test('is said for every answer', async () => {
    const prompts = 3;
    expect(
      await answered(response => response.writeHead(200, stream).end(said('It is 42.')), 'chat', prompts),
    ).toMatchObject({requests: 3, notes: [note, note, note], end: 'message-finished'});
  });
});

test('a whole answer in JSON needs no stop reason', async () => {
  const body = JSON.stringify({id: 'c', choices: [{index: 0, message: {role: 'assistant', content: 'It is 42'}}]});
  expect(
    await answered(response => response.writeHead(200, {'content-type': 'application/json'}).end(body)),
  ).toMatchObject({requests: 1, text: 'It is 42', notes: [], end: 'message-finished'});
});

test('an answer that is reset again and again is billed three times', async () => {
  const found = await answered(response => {
    response.writeHead(200, stream).write(data(delta({content: 'No'})), () => setImmediate(() => response.destroy()));
  });
  expect(found).toMatchObject({requests: 3, end: {kind: 'provider'}});
});
