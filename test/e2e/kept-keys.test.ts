// @module-tag long
import {chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {freePort} from '../support/loopback-port.ts';
import {openPty} from '../support/pty-terminal.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';
import {startModelServer} from '../support/model-server.ts';
import {call, say} from '../support/model-script.ts';

const key = 'sk-ant-api03-0123456789abcdefghij';

/** The files below a folder that hold a text. */
const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => readFileSync(path).includes(text));

test('a key is kept for headless runs too, in one file that is the user’s alone, and can be removed', async () => {
  using place = new TempPlace();
  await using server = await startModelServer([say('Hello.'), say('No.')]);
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic, TMPDIR: place.home};
  const run = (args: readonly string[], text = '', more = {}) =>
    runWeft(args, {place, environment: {...environment, ...more}, stdin: {text}});
  const file = join(place.home, 'weft', 'credentials.json');

  expect(await run(['--prompt', 'hi'])).toMatchObject({code: 1, stdout: ''});
  expect(await run(['auth', 'login'], `ANTHROPIC_API_KEY="${key}"\n`)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `weft: saved the Anthropic key in ${file}\n`,
  });
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(await run(['auth', 'status'])).toMatchObject({
    stdout: `Anthropic  key saved in ${file}\nOpenAI     no key\nGemini     no key\n`,
  });
  expect(JSON.parse((await run(['auth', 'status', '--json'])).stdout)).toEqual({
    loggedIn: true,
    authMethod: expect.stringContaining('saved'),
  });
  expect((await run(['auth', 'status'], '', {ANTHROPIC_API_KEY: 'sk-other'})).stdout).toContain(
    'Anthropic  key from ANTHROPIC_API_KEY\n',
  );
  expect((await run(['doctor'])).stdout).toContain(
    `(anthropic at ${server.baseUrl.anthropic}), key saved in ${file}; not contacted`,
  );

  expect(await run(['--prompt', 'hi'])).toMatchObject({code: 0, stdout: 'Hello.\n'});
  expect(server.requests[0]?.headers['x-api-key']).toBe(key);
  await run(['--prompt', `is this a key: ${key}`]);
  expect(JSON.stringify(server.requests[1]?.body)).not.toContain(key);
  expect(filesWith(place.home, key)).toEqual([file]);

  // It is sent to no other address than the one that it was kept for.
  const elsewhere = await run(['--prompt', 'hi'], '', {ANTHROPIC_BASE_URL: 'http://127.0.0.1:1'});
  expect(elsewhere).toMatchObject({code: 1, stderr: expect.stringContaining('No model is configured')});

  expect(await run(['auth', 'logout'])).toMatchObject({
    code: 0,
    stderr: `weft: removed the Anthropic key from ${file}\n`,
  });
  expect(filesWith(place.home, key)).toEqual([]);
  expect(await run(['auth', 'logout'])).toMatchObject({code: 1, stderr: 'weft: no saved key\n'});
});

test('a keychain that answers has the key, and weft’s own file has not', async () => {
  using place = new TempPlace();
  await using server = await startModelServer([say('Hello.')]);
  const programs = join(place.home, 'programs');
  mkdirSync(programs);
  const tool = join(programs, 'secret-tool');
  writeFileSync(
    tool,
    `#!/bin/sh\ncase $1 in store) cat >'${programs}/kept' ;; lookup) cat '${programs}/kept' ;; clear) rm '${programs}/kept' ;; esac\n`,
  );
  chmodSync(tool, 0o755);
  const {PATH = ''} = place.environment();
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic, PATH: `${programs}:${PATH}`};
  const run = (args: readonly string[], text = '') => runWeft(args, {place, environment, stdin: {text}});
  expect((await run(['auth', 'login'], key)).stderr).toBe('weft: saved the Anthropic key in the keychain\n');
  expect(readFileSync(join(programs, 'kept'), 'utf8')).toBe(key);
  expect(filesWith(join(place.home, 'weft'), key)).toEqual([]);
  expect(await run(['--prompt', 'hi'])).toMatchObject({code: 0, stdout: 'Hello.\n'});
  expect(server.requests[0]?.headers['x-api-key']).toBe(key);
  expect((await run(['auth', 'logout', 'anthropic'])).stderr).toBe(
    'weft: removed the Anthropic key from the keychain\n',
  );
  expect(readdirSync(programs)).toEqual(['secret-tool']);
});

test('a kept key that this run does not use is seen neither by the model nor on disk, whatever reads its file', async () => {
  using place = new TempPlace();
  const unclear = 'quiet7lanterns9over2harbour';
  const file = join(place.home, 'weft', 'credentials.json');
  await using server = await startModelServer([
    call('Bash', {command: `grep -o 'quiet[a-z0-9]*' ${file}`}),
    call('Bash', {command: `cat ${file}`}),
    call('Read', {file_path: file}),
    call('Grep', {pattern: 'quiet', path: join(place.home, 'weft'), output_mode: 'content'}),
    say('Done.'),
  ]);
  const run = (args: readonly string[], text = '', environment = {}) =>
    runWeft(args, {place, environment: {TMPDIR: place.home, ...environment}, stdin: {text}});
  const elsewhere = {OPENAI_BASE_URL: 'http://127.0.0.1:1/v1'};
  expect((await run(['auth', 'login', '--provider', 'openai'], unclear, elsewhere)).code).toBe(0);
  const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic, ANTHROPIC_API_KEY: key};
  const ran = await run(
    ['--permission-mode', 'bypassPermissions', '--output-format', 'stream-json', '--prompt', 'look'],
    '',
    environment,
  );
  expect(ran).toMatchObject({code: 0, stdout: expect.stringContaining('Done.')});
  expect(server.requests).toHaveLength(5);
  expect(JSON.stringify(server.requests.map(({body}) => body))).not.toContain(unclear);
  expect(ran.stdout + ran.stderr).not.toContain(unclear);
  expect(filesWith(place.home, unclear)).toEqual([file]);
});

test.each([
  ['please help', 2, 'A key is one word without spaces.'],
  [
    'sk-0123456789abcdef0123456789abcdef',
    2,
    "Can't tell which provider this key is for. Add --provider anthropic|openai|gemini.",
  ],
  [
    'gsk_0123456789abcdef',
    2,
    'This is a Groq key. Set OPENAI_BASE_URL=https://api.groq.com/openai/v1 and OPENAI_API_KEY instead.',
  ],
])('weft auth login refuses %j', async (text, code, why) => {
  using place = new TempPlace();
  expect(await runWeft(['auth', 'login'], {place, stdin: {text}})).toMatchObject({
    code,
    stdout: '',
    stderr: `weft: ${why}\n`,
  });
});

test('a server that is down is no reason not to open; the prompt can be sent again once it is there', async () => {
  using place = new TempPlace();
  const port = await freePort();
  const environment = {OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, NO_COLOR: '1'};
  const options = {place, environment, args: [], answers: 'all', size: [100, 30]} as const;
  using terminal = openPty(options);
  await terminal.until(/Nothing listens at http:\/\/127\.0\.0\.1:\d+\/v1\./u);
  terminal.type('hello\r');
  await terminal.until(/hello[^]*Start the model server/u);
  await using server = await startModelServer([say('Here I am.')], {port});
  terminal.type('hello\r');
  await terminal.until(/Here I am\.[^]*small-model/u);
  expect(server.requests.map(({body}) => body.model)).toEqual(['small-model']);
  terminal.type('/exit\r');
  expect(await terminal.exited).toBe(0);
});

test(
  'the same where the model is named: it is said at the start, not only with the first prompt',
  {tags: 'smoke'},
  async () => {
    using place = new TempPlace();
    const port = await freePort();
    const environment = {OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, WEFT_MODEL: 'small-model', NO_COLOR: '1'};
    using terminal = openPty({place, environment, args: [], answers: 'all', size: [100, 30]});
    await terminal.until(
      /Nothing listens at [^]* Start the model server, or choose\s+another\s+model\s+with\s+\/login\./u,
    );
    terminal.type('/exit\r');
    expect(await terminal.exited).toBe(0);
  },
);

test('headless, a server that is down is a clear error', async () => {
  using place = new TempPlace();
  const port = await freePort();
  const environment = {OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`};
  expect(await runWeft(['--prompt', 'hi'], {place, environment})).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^weft: Nothing listens at .+ Or choose a model with --model or WEFT_MODEL\.\n$/u),
  });
});
