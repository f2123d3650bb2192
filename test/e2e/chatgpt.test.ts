// @module-tag long
import type {ChildProcessWithoutNullStreams} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {type ChatGptServer, startChatGptServer} from '../support/chatgpt-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {openPty} from '../support/pty-terminal.ts';
import {finish, type Finished, runWeft, startWeft, TempPlace} from '../support/run-weft.ts';

/** The environment of a user without any key. */
const of = (server: ChatGptServer, place: TempPlace) => ({WEFT_CHATGPT_ORIGIN: server.origin, TMPDIR: place.home});

const run = (args: readonly string[], server: ChatGptServer, place: TempPlace): Promise<Finished> =>
  runWeft(args, {place, environment: of(server, place)});

/** Starts the sign-in and returns the link that it shows. */
async function startSignIn(server: ChatGptServer, place: TempPlace) {
  const child = startWeft(['login', 'chatgpt'], {place, environment: of(server, place), stdin: 'open'});
  const ended = finish(child);
  const link = await linkOf(child);
  return {child, ended, link};
}

async function linkOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await lookUntil(
    () => /waiting \(5 minutes\)/u.test(said),
    () => `no link: ${said}`,
  );
  return /^ {2}(http\S+)$/mu.exec(said)?.[1] ?? '';
}

/** Does what a browser does with the link. */
const openInBrowser = async (link: string): Promise<string> => (await fetch(link)).text();

async function signIn(server: ChatGptServer, place: TempPlace): Promise<Finished> {
  const {child, ended, link} = await startSignIn(server, place);
  await openInBrowser(link);
  child.stdin.end();
  return ended;
}

const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => readFileSync(path).includes(text));

test('a sign-in with ChatGPT: kept in a private file, used, never shown, and removed', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  const file = join(place.home, 'weft', 'credentials.json');
  const {code, stdout, stderr} = await signIn(server, place);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(
    `weft: signed in to ChatGPT; saved in ${file}\nweft: OpenAI: 2 models (sign-in saved in ${file})\n`,
  );
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');

  const [asked] = server.authorized;
  const {state, nonce, code_challenge: challenge, ext_agent_host_id: host, ...rest} = Object.fromEntries(asked ?? []);
  expect(rest).toEqual({
    client_id: 'dynamic_agent_client',
    agent_name_hint: 'weft',
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:1455/auth/callback',
    resource: 'https://api.openai.com/v1',
    scope: 'openid profile email offline_access resource.invoke chatgpt.tokens.use.direct',
    code_challenge_method: 'S256',
  });
  expect(host).toMatch(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u);
  for (const secret of [state, nonce, challenge]) expect(secret).toMatch(/^[\w-]{43}$/u);

  expect(await run(['--prompt', 'hi'], server, place)).toMatchObject({code: 0, stdout: 'Hello from the plan.\n'});
  const {path, authorization, body} = server.seen.at(-1) ?? {};
  expect([path, authorization, body?.['model'], body?.['store']]).toEqual([
    '/v1/responses',
    'Bearer access-1-0123456789',
    'gpt-6.1-sol',
    false,
  ]);
  expect((await run(['status'], server, place)).stdout).toContain(`ChatGPT    sign-in saved in ${file}\n`);
  expect((await run(['doctor'], server, place)).stdout).toContain(
    `the first model that ChatGPT lists (chatgpt), sign-in saved in ${file}; not contacted`,
  );
  expect(filesWith(place.home, 'access-1-0123456789')).toEqual([file]);
  expect(filesWith(place.home, 'refresh-1-0123456789')).toEqual([file]);

  expect((await run(['logout', 'chatgpt'], server, place)).stderr).toBe(
    `weft: removed the ChatGPT sign-in from ${file}\n`,
  );
  expect(filesWith(place.home, 'access-1')).toEqual([]);
  expect(await run(['--provider', 'chatgpt', '--prompt', 'hi'], server, place)).toMatchObject({
    code: 2,
    stderr: 'weft: You are not signed in to ChatGPT. Run: weft login chatgpt\n',
  });

  // A later sign-in uses the client that OpenAI has issued, and the same host.
  await signIn(server, place);
  expect([server.authorized[1]?.get('client_id'), server.authorized[1]?.get('ext_agent_host_id')]).toEqual([
    'issued-client',
    host,
  ]);
});

test.each([
  [
    'a grant without the use of the plan',
    {scope: 'openid profile email offline_access'},
    'weft: OpenAI did not allow weft to use your ChatGPT plan. weft kept nothing. Sign in again and allow it, with a plan that includes it.\n',
  ],
  [
    'a token of another sign-in',
    {nonce: 'other'},
    'weft: The answer of OpenAI belongs to another sign-in. weft kept nothing.\n',
  ],
])('%s is refused', async (_, behaviour, sentence) => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  Object.assign(server.behaviour, behaviour);
  const {code, stderr} = await signIn(server, place);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(filesWith(place.home, 'access-1')).toEqual([]);
});

test('an answer with another state is ignored, and a pasted address ends the sign-in', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  const {child, ended, link} = await startSignIn(server, place);
  const redirect = (await fetch(link, {redirect: 'manual'})).headers.get('location') ?? '';
  const wrong = redirect.replace(/state=[^&]*/u, 'state=wrong');
  expect((await fetch(wrong)).status).toBe(404);
  child.stdin.write(`${wrong}\n`);
  child.stdin.write(`${redirect}\n`);
  const {code, stderr} = await ended;
  expect(code).toBe(0);
  expect(stderr).toContain('weft: that is not the address of this sign-in. Paste it whole\n');
  expect(stderr).toContain('weft: signed in to ChatGPT');
});

test('the port is taken', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  const taken = createServer().listen(1455, '127.0.0.1');
  await once(taken, 'listening');
  const {code, stderr} = await run(['login', 'chatgpt'], server, place);
  taken.close();
  expect([code, stderr]).toEqual([
    1,
    "weft: Port 1455 of 127.0.0.1 is in use, and ChatGPT's page returns to no other. End the program that uses it, such as another sign-in or Codex, and try again.\n",
  ]);
});

test('Ctrl+C ends a sign-in, and nothing is kept', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  const {child, ended} = await startSignIn(server, place);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({code: 130, stderr: expect.stringContaining('stopped. You are not signed in')});
  expect(filesWith(place.home, 'access-')).toEqual([]);
});

test('a token that has ended is renewed once, whichever process needs it first', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  server.behaviour.expiresIn = 0.001;
  await signIn(server, place);
  server.behaviour.expiresIn = 3600;
  const before = server.seen.length;
  const runs = await Promise.all(['a', 'b', 'c'].map(prompt => run(['--prompt', prompt], server, place)));
  expect(runs.map(({code, stdout}) => [code, stdout])).toEqual(runs.map(() => [0, 'Hello from the plan.\n']));
  const renewals = server.seen.slice(before).filter(({form}) => form['grant_type'] === 'refresh_token');
  expect(renewals.map(({form}) => form)).toEqual([
    {
      grant_type: 'refresh_token',
      client_id: 'issued-client',
      refresh_token: expect.stringMatching(/^refresh-\d-/u),
      resource: 'https://api.openai.com/v1',
    },
  ]);
});

test('a sign-in that has ended is one clear sentence', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  await signIn(server, place);
  const file = join(place.home, 'weft', 'credentials.json');
  expect(readFileSync(file, 'utf8')).toContain('access-1');
  // The server forgets the token.
  await fetch(`${server.origin}/api/accounts/oauth/token`, {
    method: 'POST',
    headers: {'content-type': 'application/x-www-form-urlencoded'},
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1-0123456789',
      client_id: 'issued-client',
      resource: 'https://api.openai.com/v1',
    }).toString(),
  });
  const {code, stderr} = await run(['--model', 'gpt-6.1-sol', '--prompt', 'hi'], server, place);
  expect(code).toBe(1);
  expect(stderr).toContain('Your ChatGPT sign-in has ended');
  expect(stderr).toContain('Sign in again: weft login chatgpt');
  const host = server.origin.slice('http://'.length);
  expect(await run(['--prompt', 'hi'], server, place)).toMatchObject({
    code: 2,
    stderr: `weft: Your ChatGPT sign-in has ended: ${host} answered 400, invalid_grant, The grant is not valid. Sign in again: weft login chatgpt\n`,
  });
});

test('the limit of the plan ends the prompt, and names the page', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  await signIn(server, place);
  server.behaviour.answer = {status: 429, code: 'subscription_sharing_usage_limit_exceeded', message: 'Limit reached.'};
  const before = server.seen.length;
  const {code, stderr} = await run(['--model', 'gpt-6.1-sol', '--prompt', 'hi'], server, place);
  expect(code).toBe(1);
  expect(stderr).toContain('The limit of your ChatGPT plan is reached (429): Limit reached.');
  expect(stderr).toContain('https://chatgpt.com/settings/usage');
  expect(server.seen.length - before).toBe(1);
});

test('another address is taken only on this machine', async () => {
  using place = new TempPlace();
  expect(
    await runWeft(['login', 'chatgpt'], {place, environment: {WEFT_CHATGPT_ORIGIN: 'https://evil.example'}}),
  ).toMatchObject({
    code: 2,
    stderr: 'weft: WEFT_CHATGPT_ORIGIN must be an address of this machine, such as http://127.0.0.1:8080.\n',
  });
});

test('in the terminal UI: /login chatgpt shows the link, takes a pasted address, and connects', async () => {
  using place = new TempPlace();
  await using server = await startChatGptServer();
  const environment = {...of(server, place), NO_COLOR: '1'};
  // Wide enough for the link in one line.
  using terminal = openPty({place, environment, args: [], answers: 'all', size: [1000, 30]});
  await terminal.until(/No model yet/u);
  terminal.type('5');
  await terminal.until(/ChatGPT plan/u);
  terminal.type('1');
  await terminal.until(/Sign in to ChatGPT: http\S+[^]*type \/login and its address/u);
  const shown = (await terminal.rows()).join('\n');
  const link = /Sign in to ChatGPT: (http\S+)/u.exec(shown)?.[1] ?? '';
  const address = (await fetch(link, {redirect: 'manual'})).headers.get('location') ?? '';
  terminal.type(`/login ${address}\r`);
  await terminal.until(/ChatGPT plan: 2 models/u);
  terminal.type('hello\r');
  await terminal.until(/Hello from the plan\./u);
  terminal.type('/exit\r');
  expect(await terminal.exited).toBe(0);
});
