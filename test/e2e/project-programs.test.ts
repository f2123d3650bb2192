// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {loopbackPort} from '../support/loopback-port.ts';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, say} from '../support/model-script.ts';
import {running} from '../support/processes.ts';
import {needs} from '../support/programs.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, type Scene} from '../support/scene.ts';

/** Hooks and MCP servers that a trusted project names, on a machine that has a sandbox. */

beforeEach(needs('bwrap'));

const inside = {environment: {WEFT_SANDBOX: 'auto'}} as const;

/** A service of this machine that notes who reaches it. */
async function service() {
  let hits = 0;
  const server = createServer((_, response) => {
    hits += 1;
    response.end('reached');
  });
  return {
    url: `http://127.0.0.1:${await loopbackPort(server)}/`,
    hits: () => hits,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** A program that notes in the workspace that it ran, writes outside, writes a protected file, and connects. */
function program({place}: Scene, name: string, url: string): string {
  const text = `const {writeFileSync} = require('node:fs');
for (const path of ${JSON.stringify([`${name}.ran`, join(place.home, name), '.mcp.json'])})
  try { writeFileSync(path, '{"mcpServers":{}}', {flag: 'a'}); } catch {}
fetch('${url}').catch(() => {}).finally(() => writeFileSync('${name}.done', ''));
`;
  writeFileSync(join(place.work, `${name}.cjs`), text);
  return `node ${name}.cjs`;
}

function project({place}: Scene, settings: object): void {
  putFile(join(place.work, '.weft/settings.json'), JSON.stringify(settings));
}

const onEdit = (...hooks: readonly object[]) => ({hooks: {PostToolUse: [{matcher: 'Write', hooks}]}});
const write = call('Write', {file_path: 'a.txt', content: 'x'});
const edits = ['--prompt', 'x', '--permission-mode', 'acceptEdits'];

/** Where the program left its traces: the workspace, the home, the network. */
const traces = ({place}: Scene, name: string) => ({
  done: existsSync(join(place.work, `${name}.done`)),
  workspace: existsSync(join(place.work, `${name}.ran`)),
  home: existsSync(join(place.home, name)),
});

test('a hook of the project changes the workspace and nothing else, and trust says so', async () => {
  await using scene = await openScene([write, say('Done.')]);
  await using net = await service();
  project(scene, onEdit({type: 'command', command: program(scene, 'hook', net.url)}));
  writeFileSync(join(scene.place.work, '.mcp.json'), '{}');
  const card = await scene.run(['permissions', 'trust', '--yes'], inside);
  expect(card.stdout).toContain(
    'run on PostToolUse: node hook.cjs (in the sandbox: may change the workspace, no network)',
  );
  expect(card.stdout).not.toContain('no sandbox here');
  expect(await scene.run(edits, inside)).toMatchObject({code: 0});
  expect({...traces(scene, 'hook'), hits: net.hits(), protected: scene.read('.mcp.json')}).toEqual({
    done: true,
    workspace: true,
    home: false,
    hits: 0,
    protected: '{}',
  });
  expect(running(scene.place.work)).toEqual([]);
});

test('the rights that trust names are those that a hook has: the network, or everything', async () => {
  await using scene = await openScene([write, say('Done.')]);
  await using net = await service();
  project(
    scene,
    onEdit(
      {type: 'command', command: program(scene, 'net', net.url), sandbox: {network: true}},
      {type: 'command', command: program(scene, 'free', net.url), sandbox: false},
    ),
  );
  const card = await scene.run(['permissions', 'trust', '--yes'], inside);
  expect(card.stdout).toContain('node net.cjs (in the sandbox: may change the workspace, and reaches the network)');
  expect(card.stdout).toContain('node free.cjs (outside the sandbox, with all that you may do)');
  await scene.run(edits, inside);
  expect([traces(scene, 'net'), traces(scene, 'free'), net.hits()]).toEqual([
    {done: true, workspace: true, home: false},
    {done: true, workspace: true, home: true},
    2,
  ]);
});

test('a hook of the user runs as before, and one that fails in the sandbox says how it gets more rights', async () => {
  await using scene = await openScene([write, say('Done.')]);
  await using net = await service();
  mkdirSync(join(scene.place.home, 'weft'), {recursive: true});
  const own = onEdit({type: 'command', command: program(scene, 'own', net.url)});
  writeFileSync(join(scene.place.home, 'weft/settings.json'), JSON.stringify(own));
  project(scene, onEdit({type: 'command', command: 'echo no network >&2; exit 7'}));
  await scene.run(['permissions', 'trust', '--yes'], inside);
  const run = await scene.run(edits, inside);
  expect([traces(scene, 'own'), net.hits()]).toEqual([{done: true, workspace: true, home: true}, 1]);
  expect(run.stderr).toMatch(
    /exit code 7, no network .*has no network; set "sandbox": \{"network": true\} or false in its entry to allow more/u,
  );
});

test('a server of the project answers from the sandbox; without one, trust says that it runs as the user', async () => {
  await using scene = await openScene([call('mcp__s__env', {}), say('1'), call('mcp__s__env', {}), say('2')]);
  const {command, args} = scriptedServer({tools: [{name: 'env', does: 'environment'}]});
  const escape = join(scene.place.home, 'escaped');
  const start = `echo x 2>&- > '${escape}/x'; echo x > started; exec "$@"\n`;
  mkdirSync(escape);
  writeFileSync(join(scene.place.work, 'start.sh'), start);
  const mcpServers = {s: {command: 'sh', args: ['start.sh', command, ...args]}};
  writeFileSync(join(scene.place.work, '.mcp.json'), JSON.stringify({mcpServers}));
  const words = ['--prompt', 'x', '--allowed-tools', 'mcp__s'];
  const none = 'weft has no sandbox here';
  const noSandbox = await scene.run(['permissions', 'trust', '--yes']);
  expect(noSandbox.stdout).toContain(none);
  expect((await scene.run(['permissions', 'trust'], inside)).stdout).not.toContain(none);

  const listed = await scene.run(['mcp', 'list', '--json'], inside);
  expect(JSON.parse(listed.stdout)).toMatchObject([{name: 's', status: 'connected'}]);
  expect(await scene.run(words, inside)).toMatchObject({code: 0, stdout: '1\n'});
  expect(JSON.stringify(scene.server.requests[1]?.body)).toContain('WEFT_INSIDE');
  expect([existsSync(join(escape, 'x')), existsSync(join(scene.place.work, 'started'))]).toEqual([false, true]);
  expect(running(scene.place.work)).toEqual([]);

  expect(await scene.run(words)).toMatchObject({code: 0, stdout: '2\n'});
  expect(existsSync(join(escape, 'x'))).toBe(true);
});
