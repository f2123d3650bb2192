// @module-tag long
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {serve} from '../support/agent-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {isInstalled} from '../support/programs.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {runWeft, type TempPlace} from '../support/run-weft.ts';
import {openScene, toldResults} from '../support/scene.ts';
import {isType, prompt, startRpc} from './support/rpc-client.ts';

const id = '0f9a1a34-1111-4222-8333-444455556666';
const fileOf = (place: TempPlace): string => join(place.home, 'weft', 'weft.db');

const query = 'select count(*) from sessions';
const programs = {
  sqlite3: (file: string) => [file, query],
  python3: (file: string) => ['-c', `import sqlite3; c=sqlite3.connect('${file}'); c.execute('${query}'); c.close()`],
};

/** Looks into the database with each program that is installed here, and with Node; each closes it as if it were the last one. */
function lookFromOutside(place: TempPlace): void {
  const file = fileOf(place);
  const open = `const d = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(process.argv[1]); d.exec('${query}'); d.close()`;
  execFileSync(process.execPath, ['--no-warnings', '-e', open, file]);
  for (const [program, args] of Object.entries(programs))
    if (isInstalled(program)) execFileSync(program, args(file), {stdio: 'ignore'});
}

/** The files of the database that the process has a lock on. */
function locked(place: TempPlace, pid: number): readonly string[] {
  const held = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .map(line => line.split(/ +/u))
    .filter(([, , , , owner]) => Number(owner) === pid)
    .map(fields => Number(fields[5]?.split(':').at(-1)));
  return ['weft.db', 'weft.db-shm'].filter(name => held.includes(statSync(join(fileOf(place), '..', name)).ino));
}

const bothLocked = ['weft.db', 'weft.db-shm'];
const shown = async (place: TempPlace) => (await runWeft(['sessions', 'show', id], {place})).stdout.split('\n\n');
const conversation = ['> one', 'First.', '> two', 'Second.\n'];

test.runIf(process.platform === 'linux')(
  'in the terminal: a look by another program between two prompts loses nothing',
  async () => {
    await using scene = await openScene([say('First.'), say('Second.')]);
    using terminal = openScenePty(scene, {args: ['--session-id', id]});
    await terminal.until(/Ask weft/u);
    terminal.type('one\r');
    await terminal.until(/First\./u);
    expect(await shown(scene.place)).toEqual(['> one', 'First.\n']);
    lookFromOutside(scene.place);
    terminal.type('two\r');
    await terminal.until(/Second\./u);
    await lookUntil(
      async () => (await shown(scene.place)).length === conversation.length,
      () => 'the second answer is not kept',
    );
    expect(locked(scene.place, terminal.pid)).toEqual(bothLocked);
    terminal.type('/exit\r');
    expect(await terminal.exited).toBe(0);
    expect(await shown(scene.place)).toEqual(conversation);
  },
);

test.runIf(process.platform === 'linux')(
  'headless: neither a look by another program nor one by the agent itself loses anything',
  async () => {
    // The agent reads the database through a link in its workspace; the descriptor it would close is one of weft's own.
    const read = call('Read', {file_path: 'link'});
    await using scene = await openScene([say('First.'), [say('Second.'), read], say('Third.')]);
    symlinkSync(fileOf(scene.place), join(scene.place.work, 'link'));
    const client = startRpc(scene, ['--session-id', id, '--permission-mode', 'bypassPermissions']);
    client.send(prompt('one'));
    await client.next(isType('result'));
    lookFromOutside(scene.place);
    client.send(prompt('two'));
    await client.next(isType('result'));
    expect(toldResults(scene.server.requests[2])).toEqual([expect.stringContaining('weft has this database open')]);
    lookFromOutside(scene.place);
    expect(locked(scene.place, client.child.pid ?? 0)).toEqual(bothLocked);
    expect((await client.finish()).code).toBe(0);
    expect((await shown(scene.place)).at(-1)).toBe('Third.\n');
  },
);

test.runIf(process.platform === 'linux')(
  'serve: what it answered after a look by another program is kept',
  async () => {
    await using scene = await serve([]);
    const {place, server} = scene;
    const create = (content: string) => server.ask('POST', '/api/messages/create', {body: {content}});
    expect((await create('before')).status).toBe(201);
    lookFromOutside(place);
    expect((await create('after')).status).toBe(201);
    const {body} = await server.ask('GET', '/api/messages/list');
    expect(body.map((message: {content: string}) => message.content)).toEqual(['before', 'after']);
    expect(JSON.parse((await runWeft(['stack', 'messages', '--json'], {place})).stdout)).toEqual(body);
    expect(locked(place, server.pid)).toEqual(bothLocked);
    expect(await server.end('SIGTERM')).toBe(143);
    expect((await (await scene.again()).ask('GET', '/api/messages/list')).body).toEqual(body);
  },
);
