import {generateKeyPairSync, verify} from 'node:crypto';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {chooseModel, type ModelChoice} from '../../../src/app/choose-model.ts';
import type {CloudProvider} from '../../../src/domain/api-key.ts';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {loopbackPort} from '../../support/loopback-port.ts';
import {ask, blocksOf, eventsOf} from '../../support/model-events.ts';
import {fail, say} from '../../support/model-script.ts';
import {answers, type ModelServer, type ReceivedRequest, startModelServer} from '../../support/model-server.ts';
import {askAgain, askOnce, choiceIn, keyTextOf, keyCommand, writeProgram} from '../../support/ways-in.ts';
import {officialRequests} from './official-requests.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-clouds-'))));
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const signal = new AbortController().signal;
const originOf = ({baseUrl}: ModelServer): string => baseUrl.anthropic.replace(/\/v1$/u, '');

const faultOf = (events: readonly ModelEvent[]) =>
  events.flatMap(event => (event.event === 'failed' ? [event.fault] : []))[0];

const refusalOf = (choice: ModelChoice): Promise<string> =>
  chooseModel(choice, signal).then(
    () => 'connected',
    (cause: unknown) => (cause instanceof Error ? cause.message : 'no error'),
  );

/** What the request has in common with the captured ones. */
function comparable(request: ReceivedRequest | undefined) {
  const names = ['authorization', 'x-api-key', 'anthropic-version', 'x-goog-user-project', 'content-type'];
  const headers = Object.entries(request?.headers ?? {}).filter(([name]) => names.includes(name));
  return {
    path: request?.path,
    headers: Object.fromEntries(headers),
    body: JSON.stringify({...request?.body, thinking: undefined}),
  };
}

/** Application default credentials in a folder of their own, so that nothing of this machine counts. */
function googleDefaults(credentials: object): Readonly<Record<string, string>> {
  mkdirSync(join(folder, 'adc'), {recursive: true});
  writeFileSync(join(folder, 'adc', 'application_default_credentials.json'), JSON.stringify(credentials));
  return {CLOUDSDK_CONFIG: join(folder, 'adc')};
}

test.each<{
  readonly official: keyof typeof officialRequests;
  readonly provider: CloudProvider;
  readonly model: string;
  readonly variables: (origin: string) => Readonly<Record<string, string>>;
  readonly command?: string;
}>([
  {
    official: 'bedrock, bearer',
    provider: 'bedrock',
    model: 'claude-opus-4-7',
    variables: origin => ({
      ANTHROPIC_BEDROCK_BASE_URL: origin,
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
      AWS_REGION: 'eu-central-1',
    }),
  },
  {
    official: 'bedrock legacy, bearer',
    provider: 'bedrock',
    model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    variables: origin => ({
      ANTHROPIC_BEDROCK_BASE_URL: origin,
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
      AWS_REGION: 'eu-central-1',
    }),
  },
  {
    official: 'vertex',
    provider: 'vertex',
    model: 'claude-sonnet-4-5@20250929',
    variables: origin => ({
      ANTHROPIC_VERTEX_BASE_URL: `${origin}/v1`,
      ANTHROPIC_VERTEX_PROJECT_ID: 'my-project',
      ...googleDefaults({type: 'external_account', quota_project_id: 'billed'}),
    }),
  },
  {
    official: 'foundry, key',
    provider: 'foundry',
    model: 'my-deployment',
    variables: origin => ({
      ANTHROPIC_FOUNDRY_BASE_URL: `${origin}/anthropic`,
      ANTHROPIC_FOUNDRY_API_KEY: 'foundry-key',
    }),
  },
  {
    official: 'foundry, entra',
    provider: 'foundry',
    model: 'my-deployment',
    variables: origin => ({ANTHROPIC_FOUNDRY_BASE_URL: `${origin}/anthropic/`}),
  },
])('the request is that of the official package: $official', async ({official, provider, model, variables}) => {
  await using server = await startModelServer(answers([say('a')]));
  writeProgram(folder, 'gcloud', 'test "$*" = "auth print-access-token" && echo google-token');
  writeProgram(folder, 'az', 'test "$3 $4" = "--scope https://ai.azure.com/.default" && echo entra-token');
  const choice = choiceIn(folder, {provider, model, environment: variables(originOf(server))});
  const {port} = await chooseModel(choice, signal);
  const plain = {model, system: '', tools: [], maxTokens: 1000, thinking: {kind: 'default'}} as const;
  expect(blocksOf(await eventsOf(port.stream(ask('hi', plain), signal)))).toEqual([{kind: 'text', text: 'a'}]);
  expect(comparable(server.requests[0])).toEqual(officialRequests[official]);
});

test('Bedrock signs with the keys of the environment, which win over a profile', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const environment = {
    CLAUDE_CODE_USE_BEDROCK: '1',
    ANTHROPIC_BEDROCK_BASE_URL: originOf(server),
    AWS_PROFILE: 'work',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
  };
  const choice = choiceIn(folder, {environment});
  expect(blocksOf(await askOnce(choice))).toEqual([{kind: 'text', text: 'a'}]);
  const [request] = server.requests;
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/u,
  );
  expect([request?.headers['x-amz-security-token'], request?.headers['x-api-key'], request?.body.model]).toEqual([
    'session',
    undefined,
    'anthropic.claude-sonnet-5-5',
  ]);
  expect(await keyTextOf('bedrock', choice)).toBe('AWS keys from AWS_ACCESS_KEY_ID, region eu-central-1');
});

const exported = (name: string, expiration: string): string =>
  JSON.stringify({
    Version: 1,
    AccessKeyId: name,
    SecretAccessKey: `secret-of-${name}`,
    SessionToken: `token-of-${name}`,
    Expiration: expiration,
  });

const far = '2999-01-01T00:00:00Z';

test('a profile: the aws program gives the credentials, again when they have expired, and the region comes from the profile', async () => {
  const expired = fail(403, {message: 'The security token included in the request is expired'});
  await using server = await startModelServer(answers([expired, say('a'), say('b'), expired, expired]));
  writeProgram(
    folder,
    'aws',
    `test "$*" = "configure export-credentials --profile work --format process" || exit 9
echo run >> ${folder}/runs
printf '${exported('KEY%s', far)}' $(wc -l < ${folder}/runs) $(wc -l < ${folder}/runs) $(wc -l < ${folder}/runs)`,
  );
  writeFileSync(
    join(folder, 'config'),
    '[default]\nregion = us-west-2\n[profile work]\nsso_session = x\nregion = eu-west-1\n',
  );
  const environment = {
    ANTHROPIC_BEDROCK_BASE_URL: originOf(server),
    AWS_PROFILE: 'work',
    AWS_CONFIG_FILE: join(folder, 'config'),
  };
  const learned: string[] = [];
  const choice = choiceIn(folder, {provider: 'bedrock', environment});
  choice.issuedKeys.onSecret(secret => learned.push(secret));
  const chosen = await chooseModel(choice, signal);
  expect(blocksOf(await askAgain(chosen))).toEqual([{kind: 'text', text: 'a'}]);
  expect(blocksOf(await askAgain(chosen))).toEqual([{kind: 'text', text: 'b'}]);
  expect(faultOf(await askAgain(chosen))).toEqual({
    kind: 'needs-user',
    message: 'The credentials of AWS have expired (403).',
    fix: 'Sign in again: aws sso login --profile work.',
  });
  const scopes = server.requests.map(({headers}) =>
    /Credential=(\w+)\/\d+\/([\w-]+)/u.exec(headers.authorization ?? '')?.slice(1),
  );
  expect(scopes).toEqual([1, 2, 2, 2, 3].map(number => [`KEY${number}`, 'eu-west-1']));
  expect(learned.slice(0, 2)).toEqual(['secret-of-KEY1', 'token-of-KEY1']);
  expect(await keyTextOf('bedrock', choice)).toBe(
    'AWS credentials from the aws program, profile work, region eu-west-1',
  );
});

test('a sign-in at AWS that has ended: the advice of the aws program, and the command that signs in', async () => {
  writeProgram(folder, 'aws', 'echo "Error loading SSO Token: Token for work has expired" >&2; exit 255');
  const environment = {AWS_PROFILE: 'work it', ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:9'};
  expect(faultOf(await askOnce(choiceIn(folder, {provider: 'bedrock', environment})))).toEqual({
    kind: 'needs-user',
    message:
      '"aws configure export-credentials" failed with exit code 255: Error loading SSO Token: Token for work has expired.',
    fix: "Sign in again: aws sso login --profile 'work it'. Or set AWS_BEARER_TOKEN_BEDROCK.",
  });
});

test('a gateway with the credentials of Bedrock gets its own token, and the headers of the user', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const environment = {
    CLAUDE_CODE_USE_BEDROCK: 'true',
    CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1',
    ANTHROPIC_BEDROCK_BASE_URL: `${originOf(server)}/bedrock/`,
    ANTHROPIC_AUTH_TOKEN: 'gateway-token',
    ANTHROPIC_CUSTOM_HEADERS: 'x-team: weft',
  };
  await askOnce(choiceIn(folder, {environment}));
  const [request] = server.requests;
  expect([request?.path, request?.headers.authorization, request?.headers['x-team']]).toEqual([
    '/bedrock/anthropic/v1/messages',
    'Bearer gateway-token',
    'weft',
  ]);
});

/** A server that exchanges credentials for tokens: `token-1`, `token-2`, …; after `most` of them it refuses. */
async function tokenServer(most: number) {
  const forms: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const form = await text(request);
      forms.push(new URLSearchParams(form));
      const isOver = forms.length > most;
      response.writeHead(isOver ? 400 : 200, {'content-type': 'application/json'});
      response.end(
        JSON.stringify(
          isOver
            ? {error: 'invalid_grant', error_description: 'Token has been expired or revoked.'}
            : {access_token: `token-${forms.length}`, expires_in: 3599, token_type: 'Bearer'},
        ),
      );
    })();
  });
  const port = await loopbackPort(server);
  return {url: `http://127.0.0.1:${port}/token`, forms, [Symbol.dispose]: () => void server.close()};
}

test('Vertex with the credentials of a user: exchanged once, again after 401, and the refusal of the exchange is shown', async () => {
  await using server = await startModelServer(answers([say('a'), say('b'), fail(401), say('c'), fail(401)]));
  using tokens = await tokenServer(2);
  const environment = {
    CLAUDE_CODE_USE_VERTEX: '1',
    ANTHROPIC_VERTEX_BASE_URL: `${originOf(server)}/v1`,
    CLOUD_ML_REGION: 'europe-west1',
    ...googleDefaults({
      type: 'authorized_user',
      client_id: 'id',
      client_secret: 'secret',
      refresh_token: 'refresh',
      quota_project_id: 'billed',
      token_uri: tokens.url,
    }),
  };
  const choice = choiceIn(folder, {environment});
  const chosen = await chooseModel(choice, signal);
  for (const said of ['a', 'b', 'c']) expect(blocksOf(await askAgain(chosen))).toEqual([{kind: 'text', text: said}]);
  expect(server.requests.map(({headers}) => headers.authorization)).toEqual(
    [1, 1, 1, 2].map(number => `Bearer token-${number}`),
  );
  expect(server.requests[0]?.path).toBe(
    '/v1/projects/billed/locations/europe-west1/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict',
  );
  expect(Object.fromEntries(tokens.forms[0] ?? [])).toEqual({
    grant_type: 'refresh_token',
    client_id: 'id',
    client_secret: 'secret',
    refresh_token: 'refresh',
  });
  const file = join(folder, 'adc', 'application_default_credentials.json');
  expect(faultOf(await askAgain(chosen))).toEqual({
    kind: 'needs-user',
    message: `The credentials of Google Cloud in ${file} were refused (400): invalid_grant, Token has been expired or revoked.`,
    fix: 'Sign in again: gcloud auth application-default login',
  });
  expect(await keyTextOf('vertex', choice)).toBe(
    `token by the credentials in ${file}, project billed, region europe-west1`,
  );
});

test('Vertex with a service account: a signed assertion is exchanged', async () => {
  await using server = await startModelServer(answers([say('a')]));
  using tokens = await tokenServer(1);
  const {privateKey, publicKey} = generateKeyPairSync('rsa', {modulusLength: 2048});
  const file = join(folder, 'service.json');
  writeFileSync(
    file,
    JSON.stringify({
      type: 'service_account',
      project_id: 'of-the-account',
      private_key_id: 'key-1',
      private_key: privateKey.export({type: 'pkcs8', format: 'pem'}),
      client_email: 'weft@of-the-account.iam.gserviceaccount.com',
      token_uri: tokens.url,
    }),
  );
  const environment = {ANTHROPIC_VERTEX_BASE_URL: `${originOf(server)}/v1`, GOOGLE_APPLICATION_CREDENTIALS: file};
  await askOnce(choiceIn(folder, {provider: 'vertex', environment}));
  expect(server.requests[0]?.headers.authorization).toBe('Bearer token-1');
  const {grant_type: grant, assertion = ''} = Object.fromEntries(tokens.forms[0] ?? []);
  expect(grant).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = '', signature = ''] = assertion.split('.');
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({alg: 'RS256', typ: 'JWT', kid: 'key-1'});
  const read: {readonly iat: number} = JSON.parse(Buffer.from(claims, 'base64url').toString());
  expect(read).toEqual({
    iss: 'weft@of-the-account.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: tokens.url,
    iat: read.iat,
    exp: read.iat + 3600,
  });
  expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
});

test('Vertex in the cloud: the metadata server gives the token', async () => {
  await using server = await startModelServer(answers([say('a')]));
  using tokens = await tokenServer(1);
  const environment = {
    ANTHROPIC_VERTEX_BASE_URL: `${originOf(server)}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: 'p',
    CLOUDSDK_CONFIG: folder,
    GCE_METADATA_HOST: URL.parse(tokens.url)?.host ?? '',
  };
  await askOnce(choiceIn(folder, {provider: 'vertex', environment}));
  expect(server.requests[0]?.headers.authorization).toBe('Bearer token-1');
});

test('Azure OpenAI: responses of a deployment, with its key or with a token of Entra', async () => {
  await using server = await startModelServer(answers([say('a'), say('b')]));
  writeProgram(folder, 'az', 'echo entra-token');
  const endpoint = {AZURE_OPENAI_ENDPOINT: `${originOf(server)}/`};
  await askOnce(
    choiceIn(folder, {
      provider: 'azure',
      model: 'my-gpt',
      environment: {...endpoint, AZURE_OPENAI_API_KEY: 'azure-key'},
    }),
  );
  await askOnce(choiceIn(folder, {provider: 'azure', model: 'my-gpt', environment: endpoint}));
  expect(
    server.requests.map(({path, headers, body}) => [path, headers['api-key'], headers.authorization, body.model]),
  ).toEqual([
    ['/openai/v1/responses', 'azure-key', undefined, 'my-gpt'],
    ['/openai/v1/responses', undefined, 'Bearer entra-token', 'my-gpt'],
  ]);
});

test('the key command counts for a service that the settings name', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const environment = {ANTHROPIC_FOUNDRY_BASE_URL: `${originOf(server)}/anthropic`};
  const choice = choiceIn(folder, {
    provider: 'foundry',
    environment,
    keyCommand: keyCommand('echo mine', {provider: 'foundry'}),
  });
  await askOnce(choice);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer mine');
  expect(await keyTextOf('foundry', choice)).toBe('key from the setting keyCommand');
});

test.each<[CloudProvider, Readonly<Record<string, string>>, string]>([
  ['vertex', {}, 'Name your Google Cloud project: set ANTHROPIC_VERTEX_PROJECT_ID.'],
  ['aws', {}, 'Name your workspace of Claude Platform on AWS: set ANTHROPIC_AWS_WORKSPACE_ID.'],
  ['foundry', {}, 'Name your Foundry resource: set ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL.'],
  ['azure', {}, 'Name your Azure OpenAI resource: set AZURE_OPENAI_ENDPOINT=https://NAME.openai.azure.com'],
  [
    'azure',
    {AZURE_OPENAI_ENDPOINT: 'https://x.openai.azure.com'},
    'Name your deployment of Azure OpenAI: --model or WEFT_MODEL.',
  ],
])('what is missing for %s is said', async (provider, variables, message) => {
  expect(await refusalOf(choiceIn(folder, {provider, environment: {CLOUDSDK_CONFIG: folder, ...variables}}))).toBe(
    message,
  );
});

test.each<[CloudProvider, Readonly<Record<string, string>>, string]>([
  [
    'bedrock',
    {AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'k'},
    'https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic',
  ],
  [
    'bedrock',
    {AWS_REGION: 'cn-north-1', AWS_BEARER_TOKEN_BEDROCK: 'k'},
    'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/anthropic',
  ],
  ['vertex', {ANTHROPIC_VERTEX_PROJECT_ID: 'p'}, 'https://aiplatform.googleapis.com/v1'],
  ['vertex', {ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLOUD_ML_REGION: 'eu'}, 'https://aiplatform.eu.rep.googleapis.com/v1'],
  [
    'vertex',
    {ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLOUD_ML_REGION: 'us-east5'},
    'https://us-east5-aiplatform.googleapis.com/v1',
  ],
  [
    'foundry',
    {ANTHROPIC_FOUNDRY_RESOURCE: 'mine', ANTHROPIC_FOUNDRY_API_KEY: 'k'},
    'https://mine.services.ai.azure.com/anthropic',
  ],
  [
    'azure',
    {AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/', AZURE_OPENAI_API_KEY: 'k'},
    'https://mine.openai.azure.com/openai/v1',
  ],
])('the address of %s with %j', async (provider, variables, address) => {
  const {openConnection, providerNamed} = await import('../../../src/app/choose-model.ts');
  const choice = choiceIn(folder, {environment: {CLOUDSDK_CONFIG: folder, ...variables}});
  const opened = await openConnection(await providerNamed(provider, choice), choice);
  expect(typeof opened === 'string' ? opened : opened.baseUrl).toBe(address);
});

test('Vertex: gcloud issues the token of a service account that the user impersonates', async () => {
  await using server = await startModelServer(answers([say('Hi.')]));
  writeProgram(folder, 'gcloud', 'test "$*" = "auth application-default print-access-token" && echo its-token');
  const environment = {
    ANTHROPIC_VERTEX_BASE_URL: `${originOf(server)}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: 'p',
    ...googleDefaults({type: 'impersonated_service_account', source_credentials: {}}),
  };
  const choice = choiceIn(folder, {provider: 'vertex', environment});
  expect(blocksOf(await askOnce(choice))).toEqual([{kind: 'text', text: 'Hi.'}]);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer its-token');
  expect(await keyTextOf('vertex', choice)).toContain('token by gcloud auth application-default print-access-token');
});

test.each([
  ['claude-haiku-4-5', 'claude-haiku-4-5@20251001'],
  ['claude-sonnet-4-20250514', 'claude-sonnet-4@20250514'],
  ['claude-opus-4-6', 'claude-opus-4-6'],
])('Vertex: the name of %s', async (model, name) => {
  await using server = await startModelServer(answers([say('Hi.')]));
  const environment = {
    ANTHROPIC_VERTEX_BASE_URL: `${originOf(server)}/v1`,
    ANTHROPIC_VERTEX_PROJECT_ID: 'p',
    CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
    CLOUDSDK_CONFIG: folder,
  };
  await askOnce(choiceIn(folder, {provider: 'vertex', model, environment}));
  expect(server.requests[0]?.path).toBe(
    `/v1/projects/p/locations/global/publishers/anthropic/models/${name}:streamRawPredict`,
  );
});

test.each([
  // Bedrock speaks the Messages API for these.
  ['claude-opus-4-7', '/anthropic/v1/messages', 'anthropic.claude-opus-4-7'],
  ['anthropic.claude-haiku-5-5', '/anthropic/v1/messages', 'anthropic.claude-haiku-5-5'],
  ['anthropic.claude-fable-5', '/anthropic/v1/messages', 'anthropic.claude-fable-5'],
  // And its older API for these.
  ['claude-opus-4-6', '/model/eu.anthropic.claude-opus-4-6-v1/invoke-with-response-stream', undefined],
  ['claude-haiku-4-5', '/model/eu.anthropic.claude-haiku-4-5-20251001-v1:0/invoke-with-response-stream', undefined],
  [
    'claude-haiku-4-5-20251001',
    '/model/eu.anthropic.claude-haiku-4-5-20251001-v1:0/invoke-with-response-stream',
    undefined,
  ],
  ['anthropic.claude-sonnet-4-6', '/model/anthropic.claude-sonnet-4-6/invoke-with-response-stream', undefined],
  [
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    '/model/anthropic.claude-3-5-sonnet-20241022-v2:0/invoke-with-response-stream',
    undefined,
  ],
  [
    'us-gov.anthropic.claude-opus-5-5',
    '/model/us-gov.anthropic.claude-opus-5-5/invoke-with-response-stream',
    undefined,
  ],
  [
    'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-opus-4-7',
    '/model/arn:aws:bedrock:eu-west-1:123456789012:inference-profile%2Feu.anthropic.claude-opus-4-7/invoke-with-response-stream',
    undefined,
  ],
])('Bedrock: the API for %s', async (model, path, sent) => {
  await using server = await startModelServer(answers([say('Hi there.')]));
  const environment = {
    ANTHROPIC_BEDROCK_BASE_URL: originOf(server),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const events = await askOnce(choiceIn(folder, {provider: 'bedrock', model, environment}));
  expect(blocksOf(events)).toEqual([{kind: 'text', text: 'Hi there.'}]);
  const [request] = server.requests;
  const isOlder = sent === undefined;
  expect([request?.path, request?.body.model, request?.body.stream, request?.body['anthropic_version']]).toEqual([
    path,
    sent,
    isOlder ? undefined : true,
    isOlder ? 'bedrock-2023-05-31' : undefined,
  ]);
  expect(request?.headers['anthropic-version'] === undefined).toBe(isOlder);
});

test('Bedrock: betas go into the body of the older API', async () => {
  await using server = await startModelServer(answers([say('a')]));
  const environment = {ANTHROPIC_BEDROCK_BASE_URL: originOf(server), AWS_BEARER_TOKEN_BEDROCK: 'k'};
  const {openConnection, providerNamed} = await import('../../../src/app/choose-model.ts');
  const choice = choiceIn(folder, {environment});
  const opened = await openConnection(await providerNamed('bedrock', choice), choice);
  if (typeof opened === 'string') throw new Error(opened);
  await opened.access?.fetch(`${opened.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: {'anthropic-beta': 'one-2025, two-2026', 'content-type': 'application/json'},
    body: '{"model":"us.anthropic.claude-opus-4-6-v1","stream":true,"max_tokens":1,"messages":[]}',
  });
  expect(server.requests[0]?.body).toEqual({
    max_tokens: 1,
    messages: [],
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['one-2025', 'two-2026'],
  });
  expect(server.requests[0]?.headers['anthropic-beta']).toBeUndefined();
});

test('Bedrock: another address of the Messages API is signed as bedrock-mantle, and older models go elsewhere', async () => {
  await using server = await startModelServer(answers([say('a'), say('b')]));
  const environment = {
    ANTHROPIC_BEDROCK_MANTLE_BASE_URL: `${originOf(server)}/mantle/anthropic`,
    ANTHROPIC_BEDROCK_BASE_URL: `${originOf(server)}/runtime`,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  await askOnce(choiceIn(folder, {provider: 'bedrock', model: 'claude-opus-5-5', environment}));
  await askOnce(choiceIn(folder, {provider: 'bedrock', model: 'claude-opus-4-6', environment}));
  const services = server.requests.map(({path, headers}) => [
    path,
    /eu-west-1\/([\w-]+)\//u.exec(headers.authorization ?? '')?.[1],
  ]);
  expect(services).toEqual([
    ['/mantle/anthropic/v1/messages', 'bedrock-mantle'],
    ['/runtime/model/eu.anthropic.claude-opus-4-6-v1/invoke-with-response-stream', 'bedrock'],
  ]);
});

test('Bedrock: keys of the environment that have expired are replaced by those of the aws program', async () => {
  const expired = fail(403, {message: 'The security token included in the request is expired'});
  await using server = await startModelServer(answers([expired, say('a'), say('b'), expired]));
  writeProgram(
    folder,
    'aws',
    `test -z "$AWS_ACCESS_KEY_ID" || exit 9\ntest ! -e ${folder}/out || exit 255\ntouch ${folder}/out\nprintf '%s' '${exported('NEW', far)}'`,
  );
  const environment = {
    ANTHROPIC_BEDROCK_BASE_URL: originOf(server),
    AWS_PROFILE: 'work',
    AWS_ACCESS_KEY_ID: 'OLD',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
  };
  const chosen = await chooseModel(choiceIn(folder, {provider: 'bedrock', environment}), signal);
  expect(blocksOf(await askAgain(chosen))).toEqual([{kind: 'text', text: 'a'}]);
  expect(blocksOf(await askAgain(chosen))).toEqual([{kind: 'text', text: 'b'}]);
  expect(server.requests.map(({headers}) => /Credential=(\w+)/u.exec(headers.authorization ?? '')?.[1])).toEqual([
    'OLD',
    'NEW',
    'NEW',
  ]);
  expect(faultOf(await askAgain(chosen))).toEqual({
    kind: 'needs-user',
    message:
      'The AWS keys in AWS_ACCESS_KEY_ID have expired, and "aws configure export-credentials" failed with exit code 255.',
    fix: 'Sign in again: aws sso login --profile work. Or set AWS_BEARER_TOKEN_BEDROCK.',
  });
});

test('Claude Platform on AWS: the workspace, and a key or a signature', async () => {
  await using server = await startModelServer(answers([say('a'), say('b')]));
  const place = {
    ANTHROPIC_AWS_BASE_URL: originOf(server),
    ANTHROPIC_AWS_WORKSPACE_ID: 'wrkspc_1',
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  await askOnce(choiceIn(folder, {environment: place}));
  await askOnce(choiceIn(folder, {provider: 'aws', environment: {...place, ANTHROPIC_AWS_API_KEY: 'aws-key'}}));
  const seen = server.requests.map(({path, headers, body}) => [
    path,
    headers['anthropic-workspace-id'],
    (headers.authorization ?? '').replace(/^.*\d{8}\/([^,]*),.*$/u, '$1'),
    body.model,
  ]);
  expect(seen).toEqual([
    ['/v1/messages', 'wrkspc_1', 'eu-west-1/aws-external-anthropic/aws4_request', 'claude-sonnet-5-5'],
    ['/v1/messages', 'wrkspc_1', 'Bearer aws-key', 'claude-sonnet-5-5'],
  ]);
});
