import {describe, expect, test} from 'vitest';
import type {ModelEvent, ModelRequest} from '../../../src/domain/model-stream.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import type {ModelConnection} from '../../../src/models/connection.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import type {RetryClock} from '../../../src/models/retry.ts';
import {ask, blocksOf, eventsOf, userSays} from '../../support/model-events.ts';
import {
  breakOff,
  call,
  callRaw,
  dropAfter,
  fail,
  say,
  sayPieces,
  stop,
  think,
  until,
  usage,
} from '../../support/model-script.ts';
import {
  answers,
  startModelServer,
  type DialectName,
  type ModelServer,
  type Script,
} from '../../support/model-server.ts';

const dialects = ['anthropic', 'openai'] as const;

/** The waits asked for, none of them waited for. */
class NoWaiting implements RetryClock {
  readonly waits: number[] = [];
  random(): number {
    return 0;
  }
  sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    return Promise.resolve();
  }
}

function connect(dialect: DialectName, baseUrl: string, clock: RetryClock = new NoWaiting()): ModelConnection {
  const options = {apiKey: 'key-1', baseUrl, maxOutputTokens: 'default', clock} as const;
  return dialect === 'anthropic' ? connectAnthropic(options) : connectOpenAi(options);
}

interface Run {
  readonly events: readonly ModelEvent[];
  readonly server: ModelServer;
  readonly waits: readonly number[];
}

async function run(dialect: DialectName, script: Script, request: ModelRequest = ask('hello')): Promise<Run> {
  await using server = await startModelServer(script);
  const clock = new NoWaiting();
  const stream = connect(dialect, server.baseUrl[dialect], clock).stream(request, new AbortController().signal);
  return {events: await eventsOf(stream), server, waits: clock.waits};
}

const textOf = (events: readonly ModelEvent[]): string =>
  blocksOf(events)
    .map(block => (block.kind === 'text' ? block.text : ''))
    .join('');

const statuses = (events: readonly ModelEvent[]): readonly number[] =>
  events.flatMap(event => (event.event === 'retrying' ? [event.status] : []));

const goOn =
  'The connection dropped after that text; the user has read it. Continue exactly where it stopped, in the middle of the word ' +
  'if need be. Do not repeat any of it and do not mention the interruption.';

describe.each(dialects)('a model over %s', dialect => {
  const messageId = dialect === 'anthropic' ? 'msg_1' : 'chatcmpl-1';
  const callId = dialect === 'anthropic' ? 'toolu_1_' : 'call_1_';

  test('streams text, with its usage', async () => {
    const counts = usage({input: 7, output: 3, cacheRead: 5, cacheWrite: 2});
    const {events} = await run(dialect, answers([[say('Hello, wörld 🌍!'), counts]]));
    const atStart =
      dialect === 'anthropic'
        ? {inputTokens: 7, outputTokens: 1, cacheReadTokens: 5, cacheWriteTokens: 2}
        : {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};
    expect(events).toEqual([
      {event: 'message-started', id: messageId, model: 'small-model', usage: atStart},
      {event: 'block-started', index: 0, block: {kind: 'text'}},
      {event: 'block-delta', index: 0, delta: {kind: 'text', text: 'Hello, wörld 🌍!'}},
      {event: 'block-finished', index: 0, block: {kind: 'text', text: 'Hello, wörld 🌍!'}},
      {
        event: 'message-finished',
        stop: 'end-turn',
        usage: {inputTokens: 7, outputTokens: 3, cacheReadTokens: 5, cacheWriteTokens: 2},
      },
    ]);
  });

  test('streams text and parallel tool calls', async () => {
    const script = answers([[say('Both.'), call('Bash', {command: 'ls'}), call('Read', {file_path: 'a "b"'})]]);
    const {events} = await run(dialect, script);
    expect(blocksOf(events)).toEqual([
      {kind: 'text', text: 'Both.'},
      {kind: 'tool-call', id: `${callId}${dialect === 'anthropic' ? 1 : 0}`, name: 'Bash', input: {command: 'ls'}},
      {kind: 'tool-call', id: `${callId}${dialect === 'anthropic' ? 2 : 1}`, name: 'Read', input: {file_path: 'a "b"'}},
    ]);
    expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
    const inputs = events.flatMap(event =>
      event.event === 'block-delta' && event.delta.kind === 'tool-input' ? [event.delta.json] : [],
    );
    expect(inputs).toEqual(['{"command":"ls"}', '{"file_path":"a \\"b\\""}']);
  });

  test('keeps an input that is not JSON as it was written, and takes none for an empty one', async () => {
    const {events} = await run(
      dialect,
      answers([[callRaw('Bash', '{"command": "l', {id: 'a'}), callRaw('Glob', '', {id: 'b'})]]),
    );
    expect(blocksOf(events)).toEqual([
      {kind: 'tool-call', id: 'a', name: 'Bash', input: '{"command": "l'},
      {kind: 'tool-call', id: 'b', name: 'Glob', input: {}},
    ]);
  });

  test('streams thinking before text', async () => {
    const {events} = await run(dialect, answers([[think('Let me see.', 'seal'), say('Yes.')]]));
    expect(blocksOf(events)).toEqual([
      {kind: 'thinking', text: 'Let me see.', signature: dialect === 'anthropic' ? 'seal' : ''},
      {kind: 'text', text: 'Yes.'},
    ]);
  });

  test('an empty answer is a message without blocks', async () => {
    const {events} = await run(dialect, answers([[]]));
    expect(blocksOf(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'end-turn'});
  });

  test.each(['max-tokens', 'refusal'] as const)('tells that the model stopped for %s', async reason => {
    const {events} = await run(dialect, answers([[say('So'), stop(reason)]]));
    expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: reason});
  });

  test('waits as long as the server asks, then sends the same request', async () => {
    const refusals = [
      fail(429, {headers: {'retry-after': '2'}}),
      fail(529, {headers: {'retry-after-ms': '30'}}),
      fail(500),
    ];
    const {events, server, waits} = await run(dialect, answers([...refusals, say('There.')]));
    expect(textOf(events)).toBe('There.');
    expect(statuses(events)).toEqual([429, 529, 500]);
    expect(waits).toEqual([2000, 30, 2000]);
    expect(events[0]).toEqual({
      event: 'retrying',
      attempt: 2,
      maxAttempts: 10,
      delayMs: 2000,
      status: 429,
      message: `${server.baseUrl[dialect]} is limiting the rate of requests (429): scripted 429`,
    });
    const bodies = server.requests.map(request => JSON.stringify(request.body));
    expect(new Set(bodies).size).toBe(1);
  });

  test('gives up after ten tries', async () => {
    const {events, server} = await run(dialect, () => fail(503));
    expect(server.requests.length).toBe(10);
    expect(statuses(events).length).toBe(9);
    expect(events.at(-1)).toEqual({
      event: 'failed',
      fault: {
        kind: 'provider',
        message: `${server.baseUrl[dialect]} is overloaded (503): scripted 503 (10 attempts)`,
        fix: 'Try again later.',
        status: 503,
      },
    });
  });

  test('a connection that breaks before anything was said: the same request again', async () => {
    const {events, server} = await run(
      dialect,
      answers([breakOff('reset'), [breakOff('end'), say('lost')], say('Here.')]),
    );
    expect(textOf(events)).toBe('Here.');
    expect(statuses(events)).toEqual([0, 0]);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
    expect(server.requests[2]?.body).toEqual(server.requests[0]?.body);
  });

  test.each(['reset', 'end', 'garbage', 'error'] as const)(
    'text shown before a break (%s) is not shown again',
    async how => {
      const script = answers([[say('One two thr'), breakOff(how)], sayPieces('ee', ' four.')]);
      const {events, server} = await run(dialect, script);
      expect(blocksOf(events)).toEqual([{kind: 'text', text: 'One two three four.'}]);
      expect(events.filter(event => event.event === 'message-started').length).toBe(1);
      const first = server.requests[0]?.body.messages ?? [];
      const second = server.requests[1]?.body.messages.slice(first.length);
      expect(second?.map(message => message.role)).toEqual(['assistant', 'user']);
      expect(JSON.stringify(second)).toContain('One two thr');
      expect(JSON.stringify(second)).toContain(goOn);
    },
  );

  test('a server that starts over is heard from where it broke off', async () => {
    const whole = sayPieces('One two', ' three', ' four.');
    const {events} = await run(dialect, answers([dropAfter(2, whole), whole]));
    expect(blocksOf(events)).toEqual([{kind: 'text', text: 'One two three four.'}]);
  });

  test('a break within a tool call: the call cannot be run, the text stays, the answer goes on', async () => {
    const broken = [say('Look:'), callRaw('Bash', '{}', {id: 'lost'}), breakOff('reset')];
    const first = dialect === 'anthropic' ? dropAfter(2, ...broken) : broken;
    const {events} = await run(dialect, answers([first, [call('Bash', {command: 'ls'}, {id: 'kept'})]]));
    expect(blocksOf(events)).toEqual([
      {kind: 'text', text: 'Look:'},
      {kind: 'text', text: ''},
      {kind: 'tool-call', id: 'kept', name: 'Bash', input: {command: 'ls'}},
    ]);
    expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
  });

  test('a break within thinking: what was seen stays, unsealed', async () => {
    const {events} = await run(dialect, answers([dropAfter(1, think('Hm, well.')), [think('Hm!', 's'), say('Yes.')]]));
    expect(blocksOf(events)).toEqual([
      {kind: 'thinking', text: 'Hm,', signature: ''},
      {kind: 'thinking', text: 'Hm!', signature: dialect === 'anthropic' ? 's' : ''},
      {kind: 'text', text: 'Yes.'},
    ]);
  });

  test('breaking off for good leaves a whole message and a fault', async () => {
    const {events} = await run(dialect, (_, number) => (number === 1 ? dropAfter(1, say('Only this')) : fail(401)));
    expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Only'}]);
    expect(events.at(-1)).toMatchObject({event: 'failed', fault: {kind: 'provider', status: 401}});
  });

  const variable = dialect === 'anthropic' ? 'ANTHROPIC' : 'OPENAI';
  test.each([
    {answer: fail(401), says: 'BASE did not accept the API key (401): scripted 401', fix: `Check ${variable}_API_KEY.`},
    {
      answer: fail(403),
      says: 'BASE does not allow this request (403): scripted 403',
      fix: `Check that the key in ${variable}_API_KEY may use the model small-model.`,
    },
    {
      answer: fail(404),
      says: 'BASE knows no model small-model at BASE (404): scripted 404',
      fix: `Check the model (--model) and the base URL (--base-url or ${variable}_BASE_URL).`,
    },
    {
      answer: fail(400, {message: 'prompt is too long: 210000 tokens > 200000 maximum'}),
      says: 'The conversation is too long for small-model (400): prompt is too long: 210000 tokens > 200000 maximum',
      fix: 'Start a new session, or use a model with a larger context window.',
    },
    {
      answer: fail(400, {code: 'context_length_exceeded', message: 'Too much.'}),
      says: 'The conversation is too long for small-model (400): Too much.',
      fix: 'Start a new session, or use a model with a larger context window.',
    },
    {
      answer: fail(413, {body: '<html><body>413</body></html>', headers: {'content-type': 'text/html'}}),
      says: 'The conversation is too long for small-model (413)',
      fix: 'Start a new session, or use a model with a larger context window.',
    },
    {
      answer: fail(422, {body: '{"detail":"no such field"}'}),
      says: 'BASE did not accept the request (422): no such field',
      fix: 'Check that small-model supports tools, or use another model.',
    },
    {
      answer: fail(429, {code: 'insufficient_quota', message: 'You ran out.'}),
      says: 'BASE refused for lack of credit (429): You ran out.',
      fix: 'Add credit with the provider, or use another key.',
    },
  ])('a refusal is final and says what to do: $says', async ({answer, says, fix}) => {
    const {events, server} = await run(dialect, answers([answer]));
    const status = Number(/\((\d{3})\)/u.exec(says)?.[1]);
    const message = says.replaceAll('BASE', server.baseUrl[dialect]);
    expect(events).toEqual([{event: 'failed', fault: {kind: 'provider', message, fix, status}}]);
    expect(server.requests.length).toBe(1);
  });

  test('nothing listening on this machine is said after a few tries', async () => {
    const server = await startModelServer([]);
    const baseUrl = server.baseUrl[dialect];
    await server.close();
    const clock = new NoWaiting();
    const stream = connect(dialect, baseUrl, clock).stream(ask('hello'), new AbortController().signal);
    const events = await eventsOf(stream);
    expect(clock.waits).toEqual([200, 400]);
    expect(events.at(-1)).toEqual({
      event: 'failed',
      fault: {
        kind: 'provider',
        message: `Nothing listens at ${baseUrl}.`,
        fix: `Start the model server, or name another address (--base-url or ${variable}_BASE_URL).`,
        status: 0,
      },
    });
  });

  test('a base URL that is none, and one of a web page, are faults', async () => {
    const bad = await eventsOf(connect(dialect, 'localhost:1234').stream(ask('hi'), new AbortController().signal));
    expect(bad).toMatchObject([
      {event: 'failed', fault: {kind: 'provider', message: expect.stringContaining('not the address')}},
    ]);
    const page = fail(200, {headers: {'content-type': 'text/html'}, body: '<html></html>'});
    const {events} = await run(dialect, answers([page]));
    expect(events).toMatchObject([
      {event: 'failed', fault: {kind: 'provider', message: expect.stringContaining('web page')}},
    ]);
  });

  test('an abort in the middle of the stream ends it, and the connection with it', async () => {
    await using server = await startModelServer(answers([[say('First '), breakOff('hang')]]));
    const abort = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const batch of connect(dialect, server.baseUrl[dialect]).stream(ask('hi'), abort.signal)) {
      seen.push(...batch);
      if (batch.some(event => event.event === 'block-delta')) abort.abort();
    }
    expect(seen.map(event => event.event)).toEqual(['message-started', 'block-started', 'block-delta']);
    await server.disconnected();
  });

  test('an abort before the first word, and one while waiting to try again, end the stream at once', async () => {
    await using server = await startModelServer(
      answers([breakOff('hang'), fail(503, {headers: {'retry-after': '60'}})]),
    );
    const {realClock} = await import('../../../src/models/retry.ts');
    const model = connect(dialect, server.baseUrl[dialect], realClock);
    const first = new AbortController();
    const silent = eventsOf(model.stream(ask('hi'), first.signal));
    await server.received(1);
    first.abort();
    expect(await silent).toEqual([]);

    const second = new AbortController();
    const kinds: string[] = [];
    for await (const batch of model.stream(ask('hi'), second.signal)) {
      kinds.push(...batch.map(event => event.event));
      second.abort();
    }
    expect(kinds).toEqual(['retrying']);
    expect(await eventsOf(model.stream(ask('hi'), AbortSignal.abort()))).toEqual([]);
    expect(server.requests.length).toBe(2);
  });

  test('leaving the iteration early closes the connection', async () => {
    await using server = await startModelServer(answers([[say('First '), breakOff('hang')]]));
    for await (const _ of connect(dialect, server.baseUrl[dialect]).stream(ask('hi'), new AbortController().signal))
      break;
    await server.disconnected();
  });

  test('events are told as they arrive', async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startModelServer(answers([[say('Now'), until(gate.promise), say(' then')]]));
    let text = '';
    for await (const batch of connect(dialect, server.baseUrl[dialect]).stream(
      ask('hi'),
      new AbortController().signal,
    )) {
      for (const event of batch) {
        if (event.event !== 'block-delta' || event.delta.kind !== 'text') continue;
        text += event.delta.text;
        if (text === 'Now') gate.resolve();
      }
    }
    expect(text).toBe('Now then');
  });

  test('connections are used again, and every request carries the key', async () => {
    await using server = await startModelServer(() => say('Fine.'));
    const model = connect(dialect, server.baseUrl[dialect]);
    for (const turn of ['a', 'b', 'c']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await eventsOf(model.stream(ask('hi', {messages: [userSays(turn)]}), new AbortController().signal));
    }
    // The second may leave before the first one's connection is free.
    expect(server.connections()).toBeLessThan(3);
    expect(server.requests.map(request => request.headers.authorization)).toEqual(Array(3).fill('Bearer key-1'));
  });
});
