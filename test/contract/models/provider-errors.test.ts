import {describe, expect, test, vi} from 'vitest';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {breakOff, call, callRaw, dropAfter, fail, say, sayPieces, think} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import {connect, dialects, NoWaiting, run, sourceOf} from './run-provider.ts';

const textOf = (events: readonly ModelEvent[]): string =>
  blocksOf(events)
    .map(block => (block.kind === 'text' ? block.text : ''))
    .join('');

const textSoFar = (events: readonly ModelEvent[]): string =>
  events.map(event => (event.event === 'block-delta' && event.delta.kind === 'text' ? event.delta.text : '')).join('');

const statuses = (events: readonly ModelEvent[]): readonly number[] =>
  events.flatMap(event => (event.event === 'retrying' ? [event.status] : []));

const goOn =
  'The connection dropped after that text; the user has read it. Continue exactly where it stopped, in the middle of the word ' +
  'if need be. Do not repeat any of it and do not mention the interruption.';

describe.each(dialects)('trouble with a model over %s', dialect => {
  const variable = dialect === 'anthropic' ? 'ANTHROPIC' : 'OPENAI';

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
        refusal: {kind: 'other'},
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
      const [first = [], both = []] = server.requests.map(({body}) =>
        dialect === 'responses' ? (body.input ?? []) : body.messages,
      );
      const second = both.slice(first.length);
      expect(second.map(message => message.role)).toEqual(['assistant', 'user']);
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
    const item = {id: 'rs_2_0', summary: [{type: 'summary_text', text: 'Hm!'}], encrypted_content: 's'};
    const {events, server} = await run(
      dialect,
      answers([dropAfter(1, think('Hm, well.')), [think('Hm!', 's'), say('Yes.')]]),
    );
    expect(blocksOf(events)).toEqual([
      {kind: 'thinking', text: 'Hm,', signature: ''},
      {kind: 'thinking', text: 'Hm!', signature: dialect === 'anthropic' ? 's' : '', ...sourceOf(dialect, server)},
      ...(dialect === 'responses' ? [{kind: 'other', type: 'reasoning', data: item}] : []),
      {kind: 'text', text: 'Yes.'},
    ]);
  });

  test('breaking off for good leaves a whole message and a fault', async () => {
    const {events} = await run(dialect, (_, number) => (number === 1 ? dropAfter(1, say('Only this')) : fail(401)));
    expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Only'}]);
    expect(events.at(-1)).toMatchObject({event: 'failed', fault: {kind: 'provider', status: 401}});
  });

  test.each([
    {answer: fail(401), says: 'BASE rejected the API key (401): scripted 401', fix: `Check ${variable}_API_KEY.`},
    {
      answer: fail(403),
      says: 'BASE does not allow this request (403): scripted 403',
      fix: `Check that the key in ${variable}_API_KEY may use the model small-model.`,
    },
    {
      answer: fail(404),
      says: 'BASE has no model small-model (404): scripted 404',
      fix: `Check the model (--model) and the base URL (--base-url or ${variable}_BASE_URL).`,
    },
    {
      answer: fail(400, {message: 'prompt is too long: 210000 tokens > 200000 maximum'}),
      says: 'The conversation is too long for small-model (400): prompt is too long: 210000 tokens > 200000 maximum',
      refusal: {kind: 'too-long', tokens: 210_000, window: 200_000},
      fix: 'Make room with /compact, start a new session, or use a model with a larger context window.',
    },
    {
      answer: fail(400, {code: 'context_length_exceeded', message: 'Too much.'}),
      says: 'The conversation is too long for small-model (400): Too much.',
      refusal: {kind: 'too-long', tokens: 0, window: 0},
      fix: 'Make room with /compact, start a new session, or use a model with a larger context window.',
    },
    {
      answer: fail(413, {body: '<html><body>413</body></html>', headers: {'content-type': 'text/html'}}),
      says: 'The conversation is too long for small-model (413)',
      refusal: {kind: 'too-long', tokens: 0, window: 0},
      fix: 'Make room with /compact, start a new session, or use a model with a larger context window.',
    },
    {
      answer: fail(422, {body: '{"detail":"no such field"}'}),
      says: 'BASE rejected the request (422): no such field',
      fix: 'Use another model.',
    },
    {
      answer: fail(429, {code: 'insufficient_quota', message: 'You ran out.'}),
      says: 'BASE refused for lack of credit (429): You ran out.',
      fix: 'Add credit with the provider, or use another key.',
    },
  ])('a refusal is final and says what to do: $says', async ({answer, says, fix, refusal = {kind: 'other'}}) => {
    const {events, server} = await run(dialect, answers([answer]));
    const status = Number(/\((\d{3})\)/u.exec(says)?.[1]);
    const message = says.replaceAll('BASE', server.baseUrl[dialect]);
    expect(events).toEqual([{event: 'failed', fault: {kind: 'provider', message, fix, status, refusal}}]);
    expect(server.requests.length).toBe(1);
  });

  test('nothing listening on this machine is said after a few tries', async () => {
    const server = await startModelServer([]);
    const baseUrl = server.baseUrl[dialect];
    await server.close();
    const clock = new NoWaiting();
    const stream = connect(dialect, baseUrl, {clock}).stream(ask('hello'), new AbortController().signal);
    const events = await eventsOf(stream);
    expect(clock.waits).toEqual([200, 400]);
    expect(events.at(-1)).toEqual({
      event: 'failed',
      fault: {
        kind: 'provider',
        message: `Nothing listens at ${baseUrl}.`,
        fix: `Start the model server, or set another address (--base-url or ${variable}_BASE_URL).`,
        status: 0,
        refusal: {kind: 'other'},
      },
    });
  });

  test('a base URL that is none is a fault', async () => {
    const bad = await eventsOf(connect(dialect, 'localhost:1234').stream(ask('hi'), new AbortController().signal));
    expect(bad).toMatchObject([
      {event: 'failed', fault: {kind: 'provider', message: expect.stringContaining('is not a URL')}},
    ]);
  });

  const json = 'application/json';
  const sse = 'text/event-stream';
  test.each([
    [json, '', 2, 'sent an empty answer.'],
    ['text/html', ' \n', 2, 'sent an empty answer.'],
    [sse, '', 2, 'sent an empty answer.'],
    [json, '{"a": 1}\n{"b": 2}\n', 1, `answered with other JSON instead of a model's answer: {"a": 1} …`],
    [sse, '[]', 1, `answered with other JSON instead of a model's answer: []`],
    [json, '{"detail": "Not Found"}', 1, `answered with other JSON instead of a model's answer: Not Found`],
    [json, 'Down for repair.\n', 1, `answered with plain text instead of a model's answer: Down for repair.`],
    ['text/plain', 'Hi\nyou', 1, `answered with plain text instead of a model's answer: Hi …`],
    [sse, 'data: Log in\n\n', 1, `answered with plain text instead of a model's answer: Log in`],
    [
      'text/html; charset=utf-8',
      '<!doctype html>\n<title>Sign in</title><style>a {}</style><p>Your\nproxy</p>',
      1,
      `answered with a web page instead of a model's answer: Sign in Your proxy`,
    ],
    ['text/html', '<html></html>', 1, `answered with a web page instead of a model's answer.`],
  ])('an answer that is not a message (%s: %j) is requested %i times', async (type, body, requests, said) => {
    const {events, server} = await run(dialect, () => fail(200, {headers: {'content-type': type}, body}));
    const later = requests === 1 ? 'Check' : 'Try again later, or check';
    expect({requests: server.requests.length, last: events.at(-1)}).toMatchObject({
      requests,
      last: {
        event: 'failed',
        fault: {
          message: `${server.baseUrl[dialect]} ${said}`,
          fix: `${later} the base URL (--base-url or ${variable}_BASE_URL).`,
        },
      },
    });
  });

  test.each([
    [json, '{"choices": [{"mess'],
    [sse, 'data: {"id": "a", "cho'],
    [sse, 'event: mess'],
    [sse, ': alive\n\n'],
  ])('an answer that breaks off at once (%s: %j) is requested three times', async (type, body) => {
    const {events, server} = await run(dialect, () => fail(200, {headers: {'content-type': type}, body}));
    expect({requests: server.requests.length, last: events.at(-1)}).toMatchObject({
      requests: 3,
      last: {
        event: 'failed',
        fault: {message: `The answer of ${server.baseUrl[dialect]} broke off before its first word.`},
      },
    });
  });

  test('a stream that falls silent for five minutes counts as broken', async () => {
    await using server = await startModelServer(answers([[say('First'), breakOff('hang')], say(' second.')]));
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
    try {
      const stream = connect(dialect, server.baseUrl[dialect]).stream(ask('hi'), new AbortController().signal);
      const events: ModelEvent[] = [];
      for await (const batch of stream) {
        events.push(...batch);
        if (events.every(event => event.event !== 'retrying') && textSoFar(events) === 'First')
          vi.advanceTimersByTime(300_000);
      }
      expect(textOf(events)).toBe('First second.');
      const message = 'No data from the model for five minutes.';
      expect(events.filter(({event}) => event === 'retrying')).toMatchObject([{status: 0, maxAttempts: 3, message}]);
    } finally {
      vi.useRealTimers();
    }
  });
});
