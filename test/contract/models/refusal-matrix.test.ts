import {expect, test} from 'vitest';
import {connectOpenAi} from '../../../src/models/openai.ts';
import type {Message} from '../../../src/domain/conversation.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import {fail, say} from '../../support/model-script.ts';
import {startModelServer, type ReceivedRequest} from '../../support/model-server.ts';
import type {Row} from './refusal-row.ts';
import {matrix, portOf, refusalOf} from './play-row.ts';
import {NoWaiting} from './run-provider.ts';

/** Whether the server of a row refuses a request. */
function refuses({end}: Row, {body}: ReceivedRequest, number: number): boolean {
  if ('repair' in end) return end.refuses(body);
  return !('waits' in end) || number === 1;
}

const names = matrix.map(row => [`${row.provider}, ${row.wire}: ${row.what}`, row] as const);

test.each(names)('%s', async (_name, row) => {
  const {end} = row;
  const refusal = refusalOf(row);
  await using server = await startModelServer((request, number) =>
    refuses(row, request, number) ? refusal : say('Done.'),
  );
  const clock = new NoWaiting();
  const port = portOf(row, server, clock);
  const play = async () => eventsOf(port.stream(ask('hello', row.request), new AbortController().signal));
  const events = await play();
  const last = events.at(-1);
  const fault = last?.event === 'failed' ? last.fault : undefined;
  const told = events.flatMap(event => (event.event === 'repaired' ? [event.repair] : []));

  if ('repair' in end) {
    expect([told, server.requests.map(request => end.shows(request.body))]).toEqual([[end.repair], end.sent]);
    expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Done.'}]);
    return;
  }
  expect(told).toEqual([]);
  if ('waits' in end) {
    expect(clock.waits).toEqual([end.waits]);
    expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Done.'}]);
    return;
  }
  expect(server.requests).toHaveLength(1);
  if ('tooLong' in end) {
    const [tokens, window] = end.tooLong;
    expect(fault).toMatchObject({refusal: {kind: 'too-long', tokens, window}});
  } else expect(fault).toMatchObject({fix: end.final, refusal: {kind: expect.stringMatching(/^(?:other|policy)$/u)}});
});

test('the matrix is wide enough', () => {
  const providers = new Set(matrix.map(({provider}) => provider));
  expect([matrix.length >= 60, providers.size >= 12]).toEqual([true, true]);
});

test.each(
  matrix.filter(({end}) => 'repair' in end).map(row => [`${row.provider}, ${row.wire}: ${row.what}`, row] as const),
)('refused after its repair too, the request ends: %s', async (_name, row) => {
  const {status, body} = row;
  const refusal = fail(status, {body: typeof body === 'string' ? body : JSON.stringify(body)});
  await using server = await startModelServer(() => refusal);
  const clock = new NoWaiting();
  const port = portOf(row, server, clock);
  const events = await eventsOf(port.stream(ask('hello', row.request), new AbortController().signal));
  const isGuess = 'repair' in row.end && row.end.repair === 'unexplained';
  const repairs = events.filter(({event}) => event === 'repaired').length + (isGuess ? 1 : 0);
  expect([events.at(-1)?.event, server.requests.length, clock.waits]).toEqual(['failed', repairs + 1, []]);
  // Each image has a repair of its own, and roles have two. No row has more than two. A guess is only said if it helps.
  const mayRepeat = 'repair' in row.end && /image|bytes|role/u.test(row.end.repair);
  expect(repairs === 1 || (mayRepeat && repairs === 2)).toBe(true);
});

const refused = (message: string) =>
  fail(400, {body: JSON.stringify({error: {type: 'invalid_request_error', message}})});
const signal = new AbortController().signal;
const chat: Row = {
  provider: 'Some gateway',
  what: 'anything',
  wire: 'chat',
  status: 400,
  body: '',
  end: {final: ''},
};

test('each unreadable image of a request is left out by a repair of its own', async () => {
  await using server = await startModelServer(({body}) =>
    JSON.stringify(body).includes('"type":"image') ? refused('Could not process image') : say('Done.'),
  );
  const image = {kind: 'image', mediaType: 'image/png', data: 'AAAA'} as const;
  const message: Message = {role: 'user', id: messageId('u'), blocks: [image, {...image, data: 'BBBB'}]};
  const port = portOf({...chat, wire: 'anthropic'}, server, new NoWaiting());
  const events = await eventsOf(port.stream(ask('hello', {messages: [message]}), signal));
  expect(events.flatMap(event => (event.event === 'repaired' ? [event.leftOut] : []))).toEqual([
    [{message: 'u', block: 1}],
    [{message: 'u', block: 0}],
  ]);
  expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Done.'}]);
});

test('a repair that did not help is forgotten', async () => {
  await using server = await startModelServer((_, number) =>
    number < 3 ? refused("Unsupported parameter: 'stream_options'") : say('Done.'),
  );
  const port = portOf(chat, server, new NoWaiting());
  const first = await eventsOf(port.stream(ask('hello'), signal));
  expect(first.map(({event}) => event)).toEqual(['repaired', 'failed']);
  expect(blocksOf(await eventsOf(port.stream(ask('hello'), signal)))).toEqual([{kind: 'text', text: 'Done.'}]);
  expect(server.requests.map(({body}) => 'stream_options' in body)).toEqual([true, false, true]);
});

test('a prompt that the provider may not answer goes to the fallback model', async () => {
  await using server = await startModelServer(({body}) =>
    body.model === 'other-model'
      ? say('Done.')
      : fail(400, {body: JSON.stringify({error: {code: 'content_filter', message: 'The prompt was filtered.'}})}),
  );
  const options = {
    apiKey: 'key',
    environment: {},
    models: modelTable({}),
    clock: new NoWaiting(),
    wireApi: 'chat',
  } as const;
  const baseUrl = server.baseUrl.openai;
  const play = async (fallbacks: readonly string[]) =>
    eventsOf(connectOpenAi({...options, baseUrl, fallbacks}).stream(ask('hello'), signal));
  const events = await play(['other-model']);
  expect(events[0]).toMatchObject({event: 'fell-back', fallback: 'other-model', trigger: 'not-allowed'});
  expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Done.'}]);
  expect((await play([])).at(-1)).toMatchObject({
    event: 'failed',
    fault: {message: expect.stringContaining('The prompt was filtered.'), refusal: {kind: 'policy'}},
  });
});
