// @module-tag long
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, fail, say} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, type Scene} from '../support/scene.ts';

const addressOf = (scene: Scene): string => scene.server.baseUrl.anthropic.replace(/\/v1$/u, '');

const noKey = {ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: ''};

test(
  'a key command of the user: its key is sent, renewed after a refusal, and never shown',
  {tags: 'smoke'},
  async () => {
    await using scene = await openScene([
      fail(401),
      call('Bash', {command: 'printf key-2-; echo 0123456789'}),
      say('Done.'),
    ]);
    const {place, server} = scene;
    const folder = join(place.home, 'weft');
    mkdirSync(folder, {recursive: true});
    const keyCommand = `echo run >> ${place.home}/runs; echo key-$(wc -l < ${place.home}/runs)-0123456789`;
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({keyCommand, headers: {'X-Team': 'weft'}}));
    putFile(join(place.work, '.weft', 'settings.json'), JSON.stringify({keyCommand: `touch ${place.home}/evil`}));
    const environment = {...noKey, ANTHROPIC_BASE_URL: server.baseUrl.anthropic};
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash'], {environment});
    expect([code, stdout]).toEqual([0, 'Done.\n']);
    const told = JSON.stringify(server.requests[2]?.body.messages);
    expect(told).toMatch(/\[\[secret:MODEL_KEY:[0-9a-f]+\]\]/u);
    expect(told).not.toContain('key-2-0123456789');
    expect(stderr).toContain(
      '.weft/settings.json: "keyCommand" is ignored: only your own settings can say which command prints your key.',
    );
    expect(server.requests.map(({headers}) => [headers.authorization, headers['x-team']])).toEqual([
      ['Bearer key-1-0123456789', 'weft'],
      ['Bearer key-2-0123456789', 'weft'],
      ['Bearer key-2-0123456789', 'weft'],
    ]);
  },
);

test('an odd line in ANTHROPIC_CUSTOM_HEADERS is one clear sentence', async () => {
  await using scene = await openScene([]);
  const environment = {...noKey, ANTHROPIC_API_KEY: 'k', ANTHROPIC_CUSTOM_HEADERS: 'no header'};
  expect(await scene.run(['--prompt', 'x'], {environment})).toMatchObject({
    code: 2,
    stderr: 'weft: Line 1 of ANTHROPIC_CUSTOM_HEADERS is not a header. Write each line as "Name: value".\n',
  });
});

test('Bedrock, as users of Claude Code set it up: a signed request, and the doctor says why and from where', async () => {
  await using scene = await openScene([say('Hello.')]);
  const {place, server} = scene;
  const aws = join(place.home, 'bin', 'aws');
  mkdirSync(join(place.home, 'bin'));
  writeFileSync(
    aws,
    `#!/bin/sh\necho '{"Version":1,"AccessKeyId":"AKID","SecretAccessKey":"s","Expiration":"2999-01-01T00:00:00Z"}'\n`,
  );
  chmodSync(aws, 0o755);
  const environment = {
    ...noKey,
    PATH: `${join(place.home, 'bin')}:${place.environment()['PATH']}`,
    CLAUDE_CODE_USE_BEDROCK: '1',
    AWS_PROFILE: 'work',
    AWS_REGION: 'eu-west-1',
    ANTHROPIC_BEDROCK_BASE_URL: server.baseUrl.anthropic.replace(/\/v1$/u, ''),
  };
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x'], {environment});
  expect([code, stderr, stdout]).toEqual([0, '', 'Hello.\n']);
  expect(server.requests.map(({path, body}) => [path, body.model])).toEqual([
    ['/anthropic/v1/messages', 'anthropic.claude-sonnet-5-5'],
  ]);
  expect(server.requests[0]?.headers.authorization).toContain('Credential=AKID/');
  const doctor = await scene.run(['doctor', '--json'], {environment});
  expect(JSON.parse(doctor.stdout).checks.find(({name}: {readonly name: string}) => name === 'model')).toEqual({
    name: 'model',
    state: 'ok',
    detail: `claude-sonnet-5-5, the default of Amazon Bedrock (bedrock at ${environment.ANTHROPIC_BEDROCK_BASE_URL}), because CLAUDE_CODE_USE_BEDROCK is set, AWS credentials from the aws program, profile work, region eu-west-1; not contacted`,
    fix: '',
  });
});

test('weft login lists the ways to a model in plain words, tries those that are set up, and says what it found', async () => {
  await using scene = await openScene([]);
  const environment = {
    ...noKey,
    ANTHROPIC_API_KEY: 'sk-0123456789abcdef',
    ANTHROPIC_BASE_URL: addressOf(scene),
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
    ANTHROPIC_BEDROCK_BASE_URL: addressOf(scene),
    AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:1',
    AZURE_OPENAI_API_KEY: 'azure-key',
  };
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'\n`);
  const {code, stdout, stderr} = await scene.shell(`${variables.join('')}weft login < /dev/null`);
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n').filter(line => /^\S/u.test(line));
  expect(lines).toEqual([
    '✓ Anthropic API key (anthropic): works',
    '- OpenAI API key (openai): not set up',
    '- Gemini API key (gemini): not set up',
    '- Key command (command): not set up',
    '- Gateway (gateway): not set up',
    '! Amazon Bedrock (bedrock): not proven',
    '- Claude Platform on AWS (aws): not set up',
    '- Google Vertex AI (vertex): not set up',
    '- Microsoft Foundry (foundry): not set up',
    '✗ Azure OpenAI (azure): does not work',
    '- Another provider (other): not set up',
    expect.stringMatching(/^[-✓] Local server \(local\): /u),
    '- ChatGPT plan (chatgpt): not set up',
    '- Claude plan (claude): as an agent',
    '- GitHub Copilot plan (copilot): as an agent',
    'Try one: weft login NAME. Each test is one free request.',
  ]);
  expect(stdout).toContain('    2 models (key from ANTHROPIC_API_KEY)\n');
  expect(stdout).toContain("Claude plans (Pro, Max) don't cover other tools.");
  expect(stdout).not.toContain('sk-0123456789abcdef');
  // Nothing that costs was sent.
  expect(scene.server.requests).toEqual([]);

  const named = await scene.run(['login', 'azure'], {environment});
  expect(named).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("✗ Azure OpenAI (azure): does not work\n    Can't reach Azure OpenAI: "),
  });
  const claude = await scene.run(['login', 'claude'], {environment: {...environment, PATH: '/usr/bin:/bin'}});
  expect(claude.stdout).toContain('Install it: npm install -g @anthropic-ai/claude-code.');
});

test("Bedrock's older API: an answer in frames of AWS, and a tool call", async () => {
  await using scene = await openScene([call('Bash', {command: 'echo one'}), say('Two, three.')]);
  const environment = {
    ...noKey,
    ANTHROPIC_BEDROCK_BASE_URL: addressOf(scene),
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
    CLAUDE_CODE_USE_BEDROCK: '1',
  };
  const args = ['--model', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', '--allowed-tools', 'Bash', '--prompt', 'x'];
  const {code, stdout, stderr} = await scene.run(args, {environment});
  expect([code, stderr, stdout]).toEqual([0, '', 'Two, three.\n']);
  expect(scene.server.requests.map(({path}) => path)).toEqual([
    '/model/us.anthropic.claude-haiku-4-5-20251001-v1:0/invoke-with-response-stream',
    '/model/us.anthropic.claude-haiku-4-5-20251001-v1:0/invoke-with-response-stream',
  ]);
});

test.each([
  ['anthropic', '', '/v1/messages'],
  ['anthropic', '/', '/v1/messages'],
  ['anthropic', '/v1/', '/v1/messages'],
  ['anthropic', '/v1/messages/?api-version=1', '/v1/messages?api-version=1'],
  ['anthropic', '?api-version=1', '/v1/messages?api-version=1'],
  ['openai', '/v1?api-version=1&tenant=a%20b', '/v1/chat/completions?api-version=1&tenant=a%20b'],
  ['openai', '/v1/?api-version=1', '/v1/chat/completions?api-version=1'],
  ['openai', '/v1/chat/completions/?api-version=1', '/v1/chat/completions?api-version=1'],
] as const)('an address (%s, %s) with a query, a slash or the path gets each part once', async (dialect, end, path) => {
  await using scene = await openScene([say('Hi.')], dialect);
  const origin = scene.server.baseUrl.anthropic;
  const environment =
    dialect === 'anthropic'
      ? {ANTHROPIC_BASE_URL: `${origin}${end}`}
      : {OPENAI_BASE_URL: `${origin}${end}`, WEFT_MODEL: ''};
  const {stdout} = await scene.run(['--prompt', 'x'], {environment});
  expect([stdout, scene.server.requests.map(request => request.path)]).toEqual(['Hi.\n', [path]]);
});
