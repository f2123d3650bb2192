// @module-tag long
import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {writeServerCredential} from '../../src/config/server-credentials.ts';
import {builtChunks} from '../support/built-chunks.ts';
import {call, say} from '../support/model-script.ts';
import {browse, memoryCredentials, signInTo, userAtBrowser} from '../support/oauth-client.ts';
import {startOAuthServer} from '../support/oauth-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {scriptedServer} from '../support/mcp-server.ts';
import {openPty} from '../support/pty-terminal.ts';
import {openScene} from '../support/scene.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';

const weftIn =
  (place: TempPlace, environment: Readonly<Record<string, string>> = {}) =>
  async (...args: readonly string[]) => {
    const {code, stdout, stderr} = await runWeft(['mcp', ...args], {place, environment});
    return {code, stdout, stderr};
  };

function write(path: string, text: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}

/** The address of the JSON Schema of settings in the built program, which weft writes into new files. */
const ownSchema = new URL('../../dist/settings.schema.json', import.meta.url).href;

test('a server is added, listed, shown without its secrets, and removed', async () => {
  using place = new TempPlace();
  const weft = weftIn(place);
  const file = join(place.work, '.weft', 'settings.local.json');
  const secret = 'sk-proj-0123456789abcdefghijklmnop';
  expect(await weft('add', 'files', '--env', `FILES_TOKEN=${secret}`, '--', 'npx', '-y', 'files server')).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining(`weft: added files to ${file}\n`),
  });
  expect(await weft('add', 'files', '--', 'other')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`files is already in ${file}`),
  });
  const listed = await weft('list', '--no-check', '--json');
  expect(JSON.parse(listed.stdout)).toEqual([
    {
      name: 'files',
      source: 'local',
      path: file,
      transport: 'stdio',
      target: 'npx -y "files server"',
      status: 'not-checked',
      detail: '',
      tools: null,
      signed_in: false,
    },
  ]);
  const shown = await weft('get', 'files', '--no-check', '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({
    name: 'files',
    status: 'not-checked',
    env: {FILES_TOKEN: '(hidden)'},
  });
  expect(await weft('remove', 'files')).toEqual({code: 0, stdout: '', stderr: `weft: removed files from ${file}\n`});
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({$schema: ownSchema, mcpServers: {}});
});

test('of a server that ends at once it is said how, and its last words', async () => {
  using place = new TempPlace();
  const weft = weftIn(place);
  const {command, args} = scriptedServer({exit: 3, log: ['starting', 'no database', 'giving up']});
  await weft('add', 'dead', '--', command, ...args);
  const how = 'the server stopped; it exited with code 3; no database; giving up';
  expect((await weft('list')).stdout).toContain(`(local)  failed: ${how}\n`);
  const shown = await weft('get', 'dead', '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({name: 'dead', status: 'failed', detail: how, tools: null});
  expect((await weft('get', 'dead')).stdout).toContain(`\nstatus: failed\ndetail: ${how}\n`);
});

test('what a project names waits for trust; weft itself may not add servers, and shared files get no secrets', async () => {
  using place = new TempPlace();
  const weft = weftIn(place);
  const file = join(place.work, '.mcp.json');
  write(file, `{"mcpServers": {"theirs": {"command": "${place.work}/missing"}}}\n`);
  const statuses = async () => {
    const rows: readonly {name: string; status: string}[] = JSON.parse((await weft('list', '--json')).stdout);
    return rows.map(({name, status}) => `${name} ${status}`);
  };
  expect(await weft('add', 'docs', '--scope', 'project', 'https://docs.test/mcp')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('this .mcp.json is not trusted'),
  });
  expect(await statuses()).toEqual(['theirs untrusted', 'docs untrusted']);
  const trusted = await runWeft(['permissions', 'trust', '--yes'], {place});
  expect(trusted).toMatchObject({code: 0});
  expect(await weft('remove', 'docs', '--scope', 'project')).toMatchObject({code: 0});
  // It stays trusted, since the user had weft change it; and it is started now.
  expect(await statuses()).toEqual(['theirs failed']);

  const before = readFileSync(file, 'utf8');
  for (const [args, why] of [
    [['--header', 'Authorization: Bearer abc', 'https://h.test/'], 'Authorization seems to contain a secret'],
    [['--header', 'X-Key: ${OPENAI_API_KEY}', 'https://h.test/'], 'it uses OPENAI_API_KEY'],
  ] as const) {
    expect(await weft('add', 'shared', '--scope', 'project', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(why),
    });
  }
  expect(await weftIn(place, {WEFT_ACTIVE: '1'})('add', 'mine', '--', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('so a command that weft runs can'),
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('the servers of other products are shown before they are copied, and those of a project start only after trust', async () => {
  using place = new TempPlace();
  const weft = weftIn(place);
  const codex = join(place.home, '.codex', 'config.toml');
  const gemini = join(place.work, '.gemini', 'settings.json');
  const started = join(place.home, 'started');
  const hostile = {command: 'sh', args: ['-c', `touch '${started}'`]};
  write(codex, '[mcp_servers.docs]\ncommand = "docs"\nenv = {DOCS_TOKEN = "value-of-mine"}\n');
  write(gemini, JSON.stringify({mcpServers: {docs: {command: 'other'}, far: hostile}}));
  write(join(place.work, '.codex', 'config.toml'), '[mcp_servers.docs]\ncommand = "theirs"\n');
  const row = {name: 'docs', product: 'codex', path: codex, written_to: ''};
  const ofProject = 'a server of this project: it starts only after `weft permissions trust`';
  const taken = {...row, outcome: 'exists', notes: ['a server with this name already exists']};
  const dry = await weft('import', '--all', '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toEqual([
    {...row, outcome: 'would-import', notes: [expect.stringContaining('env.DOCS_TOKEN')]},
    {...taken, path: join(place.work, '.codex', 'config.toml')},
    {...taken, product: 'gemini', path: gemini},
    {name: 'far', product: 'gemini', path: gemini, outcome: 'would-import', written_to: '', notes: [ofProject]},
  ]);
  const settings = join(place.home, 'weft', 'settings.json');
  expect(textOf(settings)).toBe('');
  expect(dry.stdout).not.toContain('value-of-mine');
  // A `.mcp.json` that the user trusts is no way around the question.
  expect(await weft('add', 'mine', '--scope', 'project', 'https://mine.test/')).toMatchObject({code: 0});
  expect(await weft('import', '--all', '--scope', 'local')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`imported to ${join(place.work, '.weft', 'settings.local.json')}`),
  });
  expect(JSON.parse(textOf(join(place.work, '.weft', 'settings.local.json')))).toEqual({
    $schema: ownSchema,
    mcpServers: {docs: {command: 'docs', env: {DOCS_TOKEN: '${DOCS_TOKEN}'}}},
  });
  expect(JSON.parse(textOf(join(place.work, '.mcp.json')))).toEqual({
    mcpServers: {mine: {type: 'http', url: 'https://mine.test/'}, far: hostile},
  });
  const rows: unknown = JSON.parse((await weft('list', '--json')).stdout);
  expect(rows).toMatchObject([
    {name: 'mine', status: 'untrusted'},
    {name: 'far', status: 'untrusted'},
    {name: 'docs', status: 'failed'},
  ]);
  expect(existsSync(started)).toBe(false);
  expect(await runWeft(['permissions', 'trust', '--yes'], {place})).toMatchObject({code: 0});
  await weft('list');
  expect(existsSync(started)).toBe(true);
});

test('signing in opens the browser, keeps the token in a file of the user’s alone, and signing out revokes it', async () => {
  using place = new TempPlace();
  await using server = await startOAuthServer();
  const programs = join(place.home, 'bin');
  const opened = join(place.home, 'opened');
  write(join(programs, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" >'${opened}.part' && mv '${opened}.part' '${opened}'\n`);
  chmodSync(join(programs, 'xdg-open'), 0o755);
  const {PATH = ''} = place.environment();
  const weft = weftIn(place, {
    PATH: `${programs}:${PATH}`,
    DISPLAY: ':0',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
  });
  const file = join(place.home, 'weft', 'mcp', 'credentials.json');
  await weft('add', 'guarded', server.mcpUrl);
  expect((await weft('list')).stdout).toContain('needs sign-in: weft mcp login guarded');

  const signingIn = weft('login', 'guarded');
  let link = '';
  await lookUntil(
    () => {
      link = textOf(opened);
      return link !== '';
    },
    () => 'the browser was never opened',
  );
  await browse(link);
  const signedIn = await signingIn;
  expect(signedIn).toMatchObject({code: 0, stdout: ''});
  expect(signedIn.stderr).toContain(`  ${link}\n`);
  expect(signedIn.stderr).toContain(`weft: signed in to guarded; saved in ${file}\nweft: guarded answers: 1 tool\n`);
  const [token = ''] = server.tokens.keys();
  expect(filesWith(place.home, token)).toEqual([file]);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const rows: unknown = JSON.parse((await weft('list', '--json')).stdout);
  expect(rows).toMatchObject([{name: 'guarded', status: 'connected', tools: 1, signed_in: true}]);

  expect(await weft('logout', 'guarded')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('revoked its tokens at'),
  });
  expect([server.tokens.size, server.refreshTokens.size]).toEqual([0, 0]);
  expect(filesWith(place.home, token)).toEqual([]);
});

test('a session uses the sign-in and refreshes it, and no token reaches the model, the output or another file', async () => {
  await using server = await startOAuthServer();
  await using scene = await openScene([call('mcp__guarded__whoami', {}), say('Done.')]);
  const config = {guarded: {type: 'http', url: server.mcpUrl, required: true}};
  const args = [
    '--prompt',
    'x',
    '--mcp-config',
    JSON.stringify({mcpServers: config}),
    '--output-format',
    'stream-json',
  ];
  const refused = await scene.run(args);
  expect([refused.code, scene.server.requests.length]).toEqual([1, 0]);
  expect(refused.stdout + refused.stderr).toContain('needs sign-in: weft mcp login guarded');

  const signedIn = await signInTo(server.mcpUrl, userAtBrowser(memoryCredentials()));
  if (signedIn.tag === 'failed') throw new Error('the sign-in failed');
  const file = join(scene.place.home, 'weft', 'mcp', 'credentials.json');
  mkdirSync(dirname(file), {recursive: true});
  await writeServerCredential(file, {url: server.mcpUrl, place: {in: 'file', credential: signedIn.value.credential}});
  server.expireTokens();
  const ran = await scene.run([...args, '--allowed-tools', 'mcp__guarded']);
  expect(ran).toMatchObject({code: 0, stdout: expect.stringContaining('Done.')});
  const [token = ''] = server.tokens.keys();
  const sent = JSON.stringify(scene.server.requests.map(({body}) => body));
  expect(sent).toContain('you are signed in');
  expect([sent, ran.stdout, ran.stderr].filter(text => text.includes(token))).toEqual([]);
  expect(filesWith(scene.place.home, token)).toEqual([file]);
});

test('where the browser is on another machine, the address of the page that it cannot show is pasted', async () => {
  using place = new TempPlace();
  await using server = await startOAuthServer();
  await weftIn(place)('add', 'guarded', server.mcpUrl);
  using terminal = openPty({
    place,
    environment: {SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22', DISPLAY: ':10'},
    size: [100, 30],
    args: ['mcp', 'login', 'guarded'],
    answers: 'all',
  });
  await terminal.until(/paste its address here/u);
  const link = /\S+\/authorize\?\S+/u.exec((await terminal.everything()).join('\n'))?.[0] ?? '';
  const back = (await fetch(link, {redirect: 'manual'})).headers.get('location') ?? '';
  terminal.type('http://127.0.0.1/callback?code=guessed&state=wrong\r');
  terminal.type(`${back}\r`);
  expect(await terminal.exited).toBe(0);
  expect((await terminal.everything()).join('\n')).toContain('weft: guarded answers: 1 tool');
});

test(
  'what servers say reaches no stderr past weft: the library of the protocol writes nothing',
  {tags: 'smoke'},
  () => {
    const texts = [...builtChunks().values()];
    expect(texts.some(text => text.includes('x-mcp-header'))).toBe(true);
    expect(texts.filter(text => /console\.\w+\([`'"]\[mcp-sdk\]/u.test(text))).toEqual([]);
  },
);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The files below a folder that hold a text. */
const filesWith = (folder: string, text: string): readonly string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => readFileSync(path).includes(text));
