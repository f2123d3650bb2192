import {mkdtempSync, rmSync} from 'node:fs';
import {createServer, type IncomingHttpHeaders} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {tryWay} from '../../../src/app/try-ways.ts';
import type {ModelChoice} from '../../../src/app/choose-model.ts';
import {type WayName, wayNames} from '../../../src/domain/ways-in.ts';
import {loopbackPort} from '../../support/loopback-port.ts';
import {choiceIn, keyCommand, writeProgram} from '../../support/ways-in.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-try-'))));
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const signal = new AbortController().signal;

/** A server that answers every request with `status` and `body`, and keeps what it was sent. */
async function startServer(status: number, body: object) {
  const seen: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      seen.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: await text(request),
      });
      response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));
    })();
  });
  const port = await loopbackPort(server);
  return {origin: `http://127.0.0.1:${port}`, seen, [Symbol.dispose]: () => void server.close()};
}

const counted = {input_tokens: 8};
const listed = {data: [{id: 'a'}, {id: 'b'}]};

const tryIn = (name: WayName, given: Parameters<typeof choiceIn>[1], isNamed = false) =>
  tryWay(name, choiceIn(folder, given), {signal, isNamed});

test.each<{
  readonly way: WayName;
  readonly answer: object;
  readonly given: (origin: string) => Partial<ModelChoice> & {readonly environment: Readonly<Record<string, string>>};
  readonly request: string;
  readonly detail: string;
}>([
  {
    way: 'anthropic',
    answer: listed,
    given: origin => ({environment: {ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: 'k', ANTHROPIC_AUTH_TOKEN: 't'}}),
    request: 'GET /v1/models',
    detail: '2 models (key from ANTHROPIC_API_KEY)',
  },
  {
    way: 'gateway',
    answer: listed,
    given: origin => ({environment: {ANTHROPIC_BASE_URL: origin, ANTHROPIC_AUTH_TOKEN: 't'}}),
    request: 'GET /v1/models',
    detail: '2 models (token from ANTHROPIC_AUTH_TOKEN)',
  },
  {
    way: 'command',
    answer: listed,
    given: origin => ({environment: {ANTHROPIC_BASE_URL: origin}, keyCommand: keyCommand('echo printed')}),
    request: 'GET /v1/models',
    detail: '2 models (key from the setting keyCommand)',
  },
  {
    way: 'other',
    answer: listed,
    given: origin => ({
      environment: {DEEPSEEK_API_KEY: 'k'},
      providers: {deepseek: {baseUrl: `${origin}/v1`}},
    }),
    request: 'GET /v1/models',
    detail: 'deepseek: 2 models (key from DEEPSEEK_API_KEY)',
  },
  {
    way: 'bedrock',
    answer: counted,
    given: origin => ({environment: {ANTHROPIC_BEDROCK_BASE_URL: origin, AWS_BEARER_TOKEN_BEDROCK: 'k'}}),
    request: 'POST /anthropic/v1/messages/count_tokens',
    detail: 'claude-sonnet-5-5 counts tokens (key from AWS_BEARER_TOKEN_BEDROCK, region us-east-1)',
  },
  {
    way: 'bedrock',
    answer: {inputTokens: 8},
    given: origin => ({
      provider: 'bedrock',
      model: 'us.anthropic.claude-opus-4-6-v1',
      environment: {ANTHROPIC_BEDROCK_BASE_URL: origin, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b'},
    }),
    request: 'POST /model/anthropic.claude-opus-4-6-v1/count-tokens',
    detail: 'us.anthropic.claude-opus-4-6-v1 counts tokens (AWS keys from AWS_ACCESS_KEY_ID, region us-east-1)',
  },
  {
    way: 'vertex',
    answer: counted,
    given: origin => ({
      environment: {
        ANTHROPIC_VERTEX_BASE_URL: `${origin}/v1`,
        ANTHROPIC_VERTEX_PROJECT_ID: 'p',
        CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
        CLOUDSDK_CONFIG: folder,
      },
    }),
    request: 'POST /v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict',
    detail: 'claude-sonnet-5-5 counts tokens (no key, as the gateway has it, project p, region global)',
  },
  {
    way: 'foundry',
    answer: counted,
    given: origin => ({
      environment: {ANTHROPIC_FOUNDRY_BASE_URL: `${origin}/anthropic`, ANTHROPIC_FOUNDRY_API_KEY: 'k'},
    }),
    request: 'POST /anthropic/v1/messages/count_tokens',
    detail: 'claude-sonnet-5-5 counts tokens (key from ANTHROPIC_FOUNDRY_API_KEY)',
  },
  {
    way: 'azure',
    answer: listed,
    given: origin => ({environment: {AZURE_OPENAI_ENDPOINT: origin, AZURE_OPENAI_API_KEY: 'k'}}),
    request: 'GET /openai/v1/models',
    detail: '2 models (key from AZURE_OPENAI_API_KEY)',
  },
])('$way works: $request', async ({way, answer, given, request, detail}) => {
  using server = await startServer(200, answer);
  expect(await tryIn(way, given(server.origin))).toEqual({name: way, state: 'works', detail});
  expect(server.seen.map(({method, path}) => `${method} ${path}`)).toEqual([request]);
});

test('what is counted at Bedrock and Vertex is a request of their own form', async () => {
  using server = await startServer(200, counted);
  const environment = {
    ANTHROPIC_BEDROCK_BASE_URL: server.origin,
    AWS_BEARER_TOKEN_BEDROCK: 'k',
    ANTHROPIC_VERTEX_BASE_URL: `${server.origin}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: 'p',
    CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
    CLOUDSDK_CONFIG: folder,
  };
  await tryIn('bedrock', {provider: 'bedrock', model: 'anthropic.claude-opus-4-6-v1', environment});
  await tryIn('vertex', {environment});
  const [older = '', vertex = ''] = server.seen.map(({body}) => body);
  const invoked = JSON.parse(Buffer.from(JSON.parse(older).input.invokeModel.body, 'base64').toString());
  const messages = [{role: 'user', content: 'hi'}];
  expect(invoked).toEqual({messages, anthropic_version: 'bedrock-2023-05-31', max_tokens: 1024});
  expect(JSON.parse(vertex)).toEqual({model: 'claude-sonnet-5-5', messages, anthropic_version: '2026-10-21'});
});

test.each([
  [401, {message: 'bad key'}, 'refused', 'Amazon Bedrock refused the credentials (401): bad key.'],
  [
    403,
    {Message: 'User is not authorized.'},
    'refused',
    'Amazon Bedrock refused the credentials (403): User is not authorized.',
  ],
  [404, {message: 'Not found'}, 'unproven', 'answers 404: Not found, which proves no credentials'],
  [200, {}, 'unproven', 'answers, but not with a count of tokens'],
] as const)('an answer %d of Bedrock', async (status, body, state, detail) => {
  using server = await startServer(status, body);
  const environment = {ANTHROPIC_BEDROCK_BASE_URL: server.origin, AWS_BEARER_TOKEN_BEDROCK: 'k'};
  expect(await tryIn('bedrock', {environment})).toEqual({
    name: 'bedrock',
    state,
    detail: `${detail} (key from AWS_BEARER_TOKEN_BEDROCK, region us-east-1)`,
  });
});

test('AWS CLI 1, which exports no credentials', async () => {
  const said = String.raw`usage: aws [options]\naws: error: argument subcommand: Invalid choice, valid choices are:\n\nget | list\n`;
  writeProgram(folder, 'aws', `printf '${said}' >&2; exit 2`);
  const environment = {AWS_PROFILE: 'work', ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:9'};
  expect((await tryIn('bedrock', {environment})).detail).toContain(
    'Install AWS CLI 2, because only that exports credentials. Or set AWS_BEARER_TOKEN_BEDROCK.',
  );
});

test('a way whose program fails, or that nobody has set up', async () => {
  writeProgram(folder, 'aws', 'echo "Token for work has expired" >&2; exit 255');
  const environment = {AWS_PROFILE: 'work', ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:9', CLOUDSDK_CONFIG: folder};
  expect(await tryIn('bedrock', {environment})).toEqual({
    name: 'bedrock',
    state: 'refused',
    detail:
      '"aws configure export-credentials" failed with exit code 255: Token for work has expired. Sign in again: aws sso login --profile work. Or set AWS_BEARER_TOKEN_BEDROCK. (AWS credentials from the aws program, profile work, region us-east-1)',
  });
  const others = wayNames.filter(name => name !== 'bedrock' && name !== 'local');
  for (const name of others) expect((await tryIn(name, {environment})).state, name).toBe('absent');
  // A named way is tried, and says what is missing.
  expect(await tryIn('vertex', {environment}, true)).toEqual({
    name: 'vertex',
    state: 'refused',
    detail: 'Name your Google Cloud project: set ANTHROPIC_VERTEX_PROJECT_ID.',
  });
});
