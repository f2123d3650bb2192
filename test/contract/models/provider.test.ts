import {describe, expect, test} from 'vitest';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {realClock} from '../../../src/models/retry.ts';
import {ask, blocksOf, eventsOf, userSays} from '../../support/model-events.ts';
import {breakOff, call, callRaw, fail, hang, say, stop, think, until, usage} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';
import {connect, dialects, run, sourceOf} from './run-provider.ts';

describe.each(dialects)('a model over %s', dialect => {
  const messageId = {anthropic: 'msg_1', openai: 'chatcmpl-1', responses: 'resp_1'}[dialect];
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
      {kind: 'tool-call', id: `${callId}${dialect === 'openai' ? 0 : 1}`, name: 'Bash', input: {command: 'ls'}},
      {kind: 'tool-call', id: `${callId}${dialect === 'openai' ? 1 : 2}`, name: 'Read', input: {file_path: 'a "b"'}},
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
    const {events, server} = await run(dialect, answers([[think('Let me see.', 'seal'), say('Yes.')]]));
    const item = {id: 'rs_1_0', summary: [{type: 'summary_text', text: 'Let me see.'}], encrypted_content: 'seal'};
    expect(blocksOf(events)).toEqual([
      {
        kind: 'thinking',
        text: 'Let me see.',
        signature: dialect === 'anthropic' ? 'seal' : '',
        ...sourceOf(dialect, server),
      },
      ...(dialect === 'responses' ? [{kind: 'other', type: 'reasoning', data: item}] : []),
      {kind: 'text', text: 'Yes.'},
    ]);
  });

  test('reads a call that the model writes as text', async () => {
    const markup = '<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>';
    const {events} = await run(dialect, answers([[say(`I look. ${markup}`)]]));
    const [id] = events.flatMap(event =>
      event.event === 'block-started' && event.block.kind === 'tool-call' ? [event.block.id] : [],
    );
    expect(id).toMatch(/^call_[\da-f]{32}$/u);
    expect(blocksOf(events)).toEqual([
      {kind: 'text', text: 'I look. '},
      {kind: 'tool-call', id, name: 'Bash', input: {command: 'ls'}},
    ]);
    expect(events.at(-1)).toMatchObject({event: 'message-finished', stop: 'tool-use'});
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

  test('an abort in the middle of the stream ends it, and the connection with it', async () => {
    await using server = await startModelServer(answers([[say('First '), breakOff('hang')]]));
    const abort = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const batch of connect(dialect, server.baseUrl[dialect]).stream(ask('hi'), abort.signal)) {
      seen.push(...batch);
      if (batch.some(event => event.event === 'block-delta')) abort.abort();
    }
    expect(seen.map(event => event.event)).toEqual(['message-started', 'block-started', 'block-delta', 'billed']);
    await server.disconnected();
  });

  test('an abort before the first word, and one while waiting to try again, end the stream at once', async () => {
    await using server = await startModelServer(answers([hang(), fail(503, {headers: {'retry-after': '60'}})]));
    const model = connect(dialect, server.baseUrl[dialect], {clock: realClock});
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

  test('messages and calls to which the server gave no id get ids that never come again', async () => {
    const bash = {name: 'Bash', arguments: '{}'};
    const events = {
      anthropic: [
        {type: 'message_start', message: {model: 'm'}},
        {type: 'content_block_start', index: 0, content_block: {type: 'tool_use', name: 'Bash'}},
        {type: 'content_block_start', index: 1, content_block: {type: 'tool_use', name: 'Bash'}},
        {type: 'message_stop'},
      ],
      openai: [{choices: [{delta: {tool_calls: [{function: bash}, {function: bash}]}, finish_reason: 'stop'}]}],
      responses: [
        {type: 'response.created', response: {model: 'm'}},
        {type: 'response.output_item.done', output_index: 0, item: {type: 'function_call', ...bash}},
        {type: 'response.output_item.done', output_index: 1, item: {type: 'function_call', ...bash}},
        {type: 'response.completed', response: {}},
      ],
    }[dialect];
    const stream = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('');
    const runs = [await run(dialect, answers([{stream}])), await run(dialect, answers([{stream}]))];
    const ids = runs.flatMap(each =>
      each.events.flatMap((event): readonly string[] => {
        if (event.event === 'message-started') return [event.id];
        return event.event === 'block-finished' && event.block.kind === 'tool-call' ? [event.block.id] : [];
      }),
    );
    const prefixes = ids.map(id => id.slice(0, id.indexOf('_')));
    const ofOneRun = ['msg', ...(dialect === 'anthropic' ? ['toolu', 'toolu'] : ['call', 'call'])];
    expect([prefixes, new Set(ids).size]).toEqual([[...ofOneRun, ...ofOneRun], 6]);
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
      await eventsOf(model.stream(ask('hi', {messages: [userSays(turn)]}), new AbortController().signal));
    }
    // The second may leave before the first one's connection is free.
    expect(server.connections()).toBeLessThan(3);
    expect(server.requests.map(request => request.headers.authorization)).toEqual(Array(3).fill('Bearer key-1'));
  });
});
