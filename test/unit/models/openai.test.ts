import {modelTable} from '../../../src/models/model-facts.ts';
import {knownTable} from '../../support/model-info.ts';
import {expect, test} from 'vitest';
import {connectOpenAi, listModels} from '../../../src/models/openai.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {call, fail, say, usage} from '../../support/model-script.ts';
import {answers, startModelServer} from '../../support/model-server.ts';

const never = (): AbortSignal => new AbortController().signal;

test('a server that does not stream is understood too', async () => {
  const script = answers([[say('Here you are.'), call('Bash', {command: 'ls'}), usage({input: 3, output: 4})]]);
  await using server = await startModelServer(script, {streaming: 'ignored'});
  const model = connectOpenAi({
    apiKey: undefined,
    baseUrl: server.baseUrl.openai,
    models: knownTable,
    fallbacks: [],
    wireApi: 'chat',
    environment: {},
  });
  const events = await eventsOf(model.stream(ask('hi'), never()));
  expect(blocksOf(events)).toEqual([
    {kind: 'text', text: 'Here you are.'},
    {kind: 'tool-call', id: 'call_1_0', name: 'Bash', input: {command: 'ls'}},
  ]);
  expect(events.at(-1)).toEqual({
    event: 'message-finished',
    stop: 'tool-use',
    usage: {inputTokens: 3, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0},
  });
});

test('lists the models of a server', async () => {
  await using server = await startModelServer([]);
  const options = {apiKey: undefined, baseUrl: server.baseUrl.openai, environment: {}};
  expect(await listModels(options, never())).toEqual({tag: 'ok', value: ['small-model', 'large-model']});
});

test('says why the models cannot be listed', async () => {
  const server = await startModelServer([]);
  const baseUrl = server.baseUrl.openai;
  const elsewhere = `${server.baseUrl.anthropic}/elsewhere`;
  expect(await listModels({apiKey: undefined, baseUrl: elsewhere, environment: {}}, never())).toEqual({
    tag: 'failed',
    error: {
      kind: 'provider',
      message: `No model API at ${elsewhere} (404): no /elsewhere/models here`,
      fix: 'Check the base URL (--base-url or OPENAI_BASE_URL).',
      status: 404,
      refusal: {kind: 'other'},
    },
  });
  await server.close();
  expect(await listModels({apiKey: undefined, baseUrl, environment: {}}, never())).toEqual({
    tag: 'failed',
    error: {
      kind: 'provider',
      message: `Nothing listens at ${baseUrl}.`,
      fix: 'Start the model server, or set another address (--base-url or OPENAI_BASE_URL).',
      status: 0,
      refusal: {kind: 'other'},
    },
  });
});

test('bounds the answer only when asked to, and asks for the usage', async () => {
  await using server = await startModelServer(answers([say('a'), say('b'), say('c'), fail(400)]));
  const options = {apiKey: undefined, baseUrl: server.baseUrl.openai, environment: {}};
  await eventsOf(
    connectOpenAi({...options, models: knownTable, fallbacks: [], wireApi: 'chat'}).stream(ask('hi'), never()),
  );
  await eventsOf(
    connectOpenAi({
      ...options,
      models: modelTable({'small-model': {maxOutput: 99}}),
      fallbacks: [],
      wireApi: 'chat',
    }).stream(ask('hi'), never()),
  );
  await eventsOf(
    connectOpenAi({
      ...options,
      fallbacks: [],
      models: modelTable({'small-model': {maxOutput: 99}}),
      wireApi: 'chat',
    }).stream(ask('hi', {maxTokens: 50}), never()),
  );
  const [plain, bounded, short] = server.requests.map(request => request.body);
  expect(plain).toEqual({
    model: 'small-model',
    messages: [
      {role: 'system', content: 'Be brief.'},
      {role: 'user', content: 'hi'},
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'Bash',
          description: 'Runs a command.',
          parameters: {type: 'object', properties: {command: {type: 'string'}}},
        },
      },
    ],
    stream: true,
    stream_options: {include_usage: true},
  });
  expect(bounded).toEqual({...plain, max_completion_tokens: 99});
  expect(short).toEqual({...plain, max_completion_tokens: 50});
});
