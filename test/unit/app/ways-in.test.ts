import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {chooseModel, type ModelChoice} from '../../../src/app/choose-model.ts';
import {runKeyCommand} from '../../../src/app/key-issuer.ts';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {fail, say} from '../../support/model-script.ts';
import {answers, type ReceivedRequest, startModelServer} from '../../support/model-server.ts';
import {startProxy} from '../../support/proxy-server.ts';
import {processEnds} from '../../support/processes.ts';
import {askAgain, askOnce, choiceIn, keyTextOf, keyCommand, writeProgram} from '../../support/ways-in.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-ways-'))));
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const signal = new AbortController().signal;

const credentialsOf = (request: Pick<ReceivedRequest, 'headers'> | undefined) => [
  request?.headers.authorization ?? '',
  request?.headers['x-api-key'] ?? '',
];

const faultOf = (events: readonly ModelEvent[]) =>
  events.flatMap(event => (event.event === 'failed' ? [event.fault] : []))[0];

/** Says what the connection says when it cannot be made. */
const refusalOf = (choice: ModelChoice): Promise<string> =>
  chooseModel(choice, signal).then(
    () => 'connected',
    (cause: unknown) => (cause instanceof Error ? cause.message : 'no error'),
  );

test('ANTHROPIC_AUTH_TOKEN is sent as a bearer alone, and wins over a key and a key command', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const choice = choiceIn(folder, {
    keyCommand: keyCommand('echo from-command'),
    environment: {
      ANTHROPIC_BASE_URL: server.baseUrl.anthropic,
      ANTHROPIC_AUTH_TOKEN: 'token',
      ANTHROPIC_API_KEY: 'key',
    },
  });
  expect(blocksOf(await askOnce(choice))).toEqual([{kind: 'text', text: 'a'}]);
  expect(credentialsOf(server.requests[0])).toEqual(['Bearer token', '']);
  expect(await keyTextOf('anthropic', choice)).toBe('token from ANTHROPIC_AUTH_TOKEN');
});

test('a refused token: the message names its variable', async () => {
  await using server = await startModelServer(answers([fail(401, {message: 'invalid token'})]));
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic, ANTHROPIC_AUTH_TOKEN: 'token'};
  expect(faultOf(await askOnce(choiceIn(folder, {environment})))).toMatchObject({
    message: `${server.baseUrl.anthropic} rejected the API key (401): invalid token`,
    fix: 'Check ANTHROPIC_AUTH_TOKEN.',
  });
});

test('the variable of a provider with chat completions holds the key for its address, and for no other', async () => {
  await using server = await startModelServer(answers([say('a'), fail(401, {message: 'no such key'})]));
  await using proxy = await startProxy(Number(new URL(server.baseUrl.openai).port));
  const environment = {
    OPENAI_BASE_URL: 'http://api.deepseek.com/v1',
    http_proxy: `http://${proxy.address}`,
    DEEPSEEK_API_KEY: 'deepseek-key',
    OPENAI_API_KEY: 'openai-key',
  };
  const choice = choiceIn(folder, {environment, model: 'small-model'});
  expect(blocksOf(await askOnce(choice))).toEqual([{kind: 'text', text: 'a'}]);
  expect(faultOf(await askOnce(choice))).toMatchObject({fix: 'Check DEEPSEEK_API_KEY.'});
  expect(server.requests.map(({headers}) => headers.authorization)).toEqual([
    'Bearer deepseek-key',
    'Bearer deepseek-key',
  ]);
  expect(await keyTextOf('openai', choice)).toBe('key from DEEPSEEK_API_KEY');
  const others = {...environment, OPENAI_BASE_URL: 'https://api.deepseek.com.example.org/v1'};
  expect(await keyTextOf('openai', choiceIn(folder, {environment: others}))).toBe('key from OPENAI_API_KEY');
});

test.each(['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'])('a token of a Claude plan in %s is not sent', async name => {
  expect(await refusalOf(choiceIn(folder, {environment: {[name]: 'sk-ant-oat01-abcdefghijklmnop'}}))).toBe(
    "Claude plans (Pro, Max) don't cover other tools. Use an API key, or let weft start your own Claude Code as an agent (weft agents list).",
  );
});

test('headers of the environment and of the settings go with every request, those of a provider only to it', async () => {
  await using server = await startModelServer(answers([say('a'), say('b'), say('c')]));
  const headers = {
    'X-Team': 'weft',
    'X-Other': 'settings',
    anthropic: {'X-Key': '${GATEWAY_KEY}'},
    openai: {'X-No': 'no'},
  };
  const environment = {
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: server.baseUrl.anthropic,
    ANTHROPIC_CUSTOM_HEADERS: 'X-Other: environment\r\n\nx-portkey-api-key:pk: 1',
    OPENAI_BASE_URL: server.baseUrl.openai,
    OPENAI_CUSTOM_HEADERS: 'X-Ai: yes',
    GATEWAY_KEY: 'gateway-key',
  };
  await askOnce(choiceIn(folder, {headers, environment}));
  await askOnce(choiceIn(folder, {provider: 'openai', model: 'm', headers, environment}));
  const [first, second] = server.requests.map(request => {
    const {
      'x-team': team,
      'x-other': other,
      'x-key': key,
      'x-no': no,
      'x-ai': ai,
      'x-portkey-api-key': portkey,
    } = request.headers;
    return {team, other, key, no, ai, portkey, credentials: credentialsOf(request)};
  });
  const nothing = {key: undefined, no: undefined, ai: undefined, portkey: undefined};
  expect(first).toEqual({
    ...nothing,
    team: 'weft',
    other: 'environment',
    key: 'gateway-key',
    portkey: 'pk: 1',
    credentials: ['Bearer key', 'key'],
  });
  expect(second).toEqual({...nothing, team: 'weft', other: 'settings', no: 'no', ai: 'yes', credentials: ['', '']});
});

test('an address and headers for Anthropic are enough for a gateway', async () => {
  await using server = await startModelServer(answers([say('a'), say('b')]));
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic};
  await askOnce(choiceIn(folder, {environment, headers: {anthropic: {'x-portkey-api-key': 'pk-1'}}}));
  await askOnce(choiceIn(folder, {environment: {...environment, ANTHROPIC_CUSTOM_HEADERS: 'x-portkey-api-key: pk-2'}}));
  expect(server.requests.map(({headers}) => [headers['x-portkey-api-key'], ...credentialsOf({headers})])).toEqual([
    ['pk-1', '', ''],
    ['pk-2', '', ''],
  ]);
});

test.each([
  [
    {ANTHROPIC_CUSTOM_HEADERS: 'X-A: 1\nsecret-without-name'},
    {},
    'Line 2 of ANTHROPIC_CUSTOM_HEADERS is not a header. Write each line as "Name: value".',
  ],
  [
    {ANTHROPIC_CUSTOM_HEADERS: 'Bad Name: 1'},
    {},
    'Line 1 of ANTHROPIC_CUSTOM_HEADERS is not a header. Write each line as "Name: value".',
  ],
  [{}, {'X-A': '${MISSING_ONE}'}, 'The setting headers gives X-A the variable MISSING_ONE, which is not set.'],
  [{}, {nobody: {'X-A': '1'}}, 'The setting headers names nobody, which is not a provider.'],
  [{}, {'Content-Length': '5'}, 'weft sets the header Content-Length itself. Remove it from your settings.'],
  [
    {ANTHROPIC_CUSTOM_HEADERS: 'X-A: 1\ntransfer-encoding: chunked'},
    {},
    'weft sets the header transfer-encoding itself. Remove line 2 of ANTHROPIC_CUSTOM_HEADERS.',
  ],
])('odd headers: %j', async (environment, headers, message) => {
  expect(await refusalOf(choiceIn(folder, {headers, environment: {ANTHROPIC_API_KEY: 'k', ...environment}}))).toBe(
    message,
  );
});

test('a key command runs once for several requests, and again when its key is refused', async () => {
  await using server = await startModelServer(answers([say('a'), say('b'), fail(401), say('c')]));
  writeProgram(folder, 'my-key', `echo run >> ${folder}/runs; echo key-$(wc -l < ${folder}/runs)`);
  const learned: string[] = [];
  const choice = choiceIn(folder, {
    keyCommand: keyCommand('my-key'),
    environment: {ANTHROPIC_BASE_URL: server.baseUrl.anthropic},
  });
  choice.issuedKeys.onSecret(secret => learned.push(secret));
  // A listener that has ended hears nothing.
  choice.issuedKeys.onSecret(() => expect.unreachable())();
  const chosen = await chooseModel(choice, signal);
  for (const text of ['a', 'b', 'c']) expect(blocksOf(await askAgain(chosen))).toEqual([{kind: 'text', text}]);
  expect(server.requests.map(credentialsOf)).toEqual([
    ['Bearer key-1', 'key-1'],
    ['Bearer key-1', 'key-1'],
    ['Bearer key-1', 'key-1'],
    ['Bearer key-2', 'key-2'],
  ]);
  expect(learned).toEqual(['key-1', 'key-2']);
  expect(await keyTextOf('anthropic', choice)).toBe('key from the setting keyCommand');
});

test('a key that is refused twice: the fault shows what the command said', async () => {
  await using server = await startModelServer(answers([fail(401), fail(401, {message: 'bad key'})]));
  const baseUrl = server.baseUrl.anthropic;
  const choice = choiceIn(folder, {
    keyCommand: keyCommand("echo 'vault is sealed' >&2; echo 'more' >&2; echo old-key"),
    environment: {ANTHROPIC_BASE_URL: baseUrl},
  });
  expect(faultOf(await askOnce(choice))).toEqual({
    kind: 'needs-user',
    message: `The key command printed a key that ${baseUrl} refused (401): bad key. It also said: vault is sealed.`,
    fix: 'Check the setting keyCommand.',
  });
  expect(server.requests).toHaveLength(2);
});

test('a key is kept no longer than its time', async () => {
  await using server = await startModelServer(answers([say('a'), say('b')]));
  writeProgram(folder, 'my-key', `echo run >> ${folder}/runs; echo key-$(wc -l < ${folder}/runs)`);
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic};
  const chosen = await chooseModel(
    choiceIn(folder, {keyCommand: keyCommand('my-key', {ttlMs: 0}), environment}),
    signal,
  );
  await askAgain(chosen);
  await askAgain(chosen);
  expect(server.requests.map(request => credentialsOf(request)[0])).toEqual(['Bearer key-1', 'Bearer key-2']);
});

test.each([
  ['exit 3', 'The key command failed with exit code 3.'],
  ['kill -9 $$', 'The key command was killed.'],
  [String.raw`printf '\033[31mlocked\033[0m\nmore\n' >&2; exit 1`, 'The key command failed with exit code 1: locked.'],
  [
    String.raw`printf 'Traceback (most recent call last):\n  File "x"\nImportError: no yaml\n' >&2; exit 1`,
    'The key command failed with exit code 1: ImportError: no yaml.',
  ],
  ['echo not signed in. >&2; exit 1', 'The key command failed with exit code 1: not signed in.'],
  ['true', 'The key command printed nothing.'],
  ['echo two words', 'The key command printed something other than a key, which is one word.'],
  ['head -c 100000 /dev/zero', 'The key command printed too much for a key.'],
])('a key command that does not print a key: %s', async (command, message) => {
  await using server = await startModelServer([]);
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic};
  const events = await askOnce(choiceIn(folder, {keyCommand: keyCommand(command), environment}));
  expect(faultOf(events)).toEqual({kind: 'needs-user', message, fix: 'Check the setting keyCommand.'});
  expect(server.requests).toEqual([]);
});

test('a key command may leave a program behind that holds its pipes', async () => {
  const environment = process.env;
  const given = {command: 'sleep 2 & echo key-1', name: '', fix: '', environment, check: () => '', until: () => 0};
  expect(await runKeyCommand({...given, limitMs: 1500}, signal)).toEqual({text: 'key-1', said: '', until: 0});
});

test('a key command that hangs is ended with all that it started; so is one that nobody waits for', async () => {
  const seconds = `${600 + Math.random()}`;
  const command = {
    command: `sleep ${seconds} & wait`,
    name: 'The key command',
    fix: 'Fix.',
    environment: process.env,
    check: () => '',
    until: () => 0,
    limitMs: 300,
  };
  await expect(runKeyCommand(command, signal)).rejects.toThrow('The key command took longer than 0.3 seconds. Fix.');
  await processEnds(seconds);
  const abort = new AbortController();
  const run = runKeyCommand({...command, limitMs: 60_000}, abort.signal);
  abort.abort();
  await expect(run).rejects.toThrow('The key command was stopped');
});

test('an interrupted prompt ends its key command', async () => {
  const choice = choiceIn(folder, {
    keyCommand: keyCommand('sleep 60'),
    environment: {ANTHROPIC_BASE_URL: 'http://127.0.0.1:9'},
  });
  const {port, model} = await chooseModel(choice, signal);
  const abort = new AbortController();
  setImmediate(() => abort.abort());
  expect(await eventsOf(port.stream(ask('hi', {model}), abort.signal))).toEqual([]);
});

test('the key of a command goes only to the provider that the settings name', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const choice = choiceIn(folder, {
    provider: 'openai',
    model: 'm',
    keyCommand: keyCommand('echo secret', {provider: 'anthropic'}),
    environment: {OPENAI_BASE_URL: server.baseUrl.openai},
  });
  await askOnce(choice);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer none');
});

test('a gateway that speaks chat completions gets the key of the command, also for its list of models', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const choice = choiceIn(folder, {
    keyCommand: keyCommand('echo secret', {provider: 'openai'}),
    provider: 'openai',
    environment: {OPENAI_BASE_URL: server.baseUrl.openai},
  });
  await askOnce(choice);
  expect(server.requests.map(request => [request.body.model, ...credentialsOf(request)])).toEqual([
    ['small-model', 'Bearer secret', ''],
  ]);
});
