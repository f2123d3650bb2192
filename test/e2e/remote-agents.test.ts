import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {agentEvents} from '../support/agent-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {type Answer, call, hang, say} from '../support/model-script.ts';
import {type ModelServer, type Script, startModelServer} from '../support/model-server.ts';
import {finish, TempPlace} from '../support/run-weft.ts';
import {openScene, pointedAt, type Scene, toldResults} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';

/** A scene whose settings name a weft server, in a place of its own, as `far`; each has a model of its own. */
async function withFar(script: Script, far: Script) {
  const scene = await openScene(script);
  const place = new TempPlace();
  const model = await startModelServer(far);
  const server = await WeftServer.start({place, environment: pointedAt(model)});
  const tokenFile = join(scene.place.home, 'far.token');
  writeFileSync(tokenFile, server.token);
  setFar(scene, {url: server.url.href, tokenFile, cwd: place.work});
  return {
    scene,
    place,
    model,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await model.close();
      place[Symbol.dispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

function setFar(scene: Scene, far: object): void {
  const folder = join(scene.place.home, 'weft');
  mkdirSync(folder, {recursive: true});
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({harnesses: {far}}));
}

const agentCall = call('Agent', {description: 'far away', prompt: 'WORK there', harness: 'far'});
const write: Answer = call('Write', {file_path: 'new.txt', content: 'x\n'});
const requests = (model: ModelServer, count: number) =>
  lookUntil(
    () => model.requests.length === count,
    () => `${String(model.requests.length)} requests`,
  );

test('a sub-agent works on another weft server, asks by the rules of the user here, and takes a message', async () => {
  await using far = await withFar(
    [agentCall, call('SendMessage', {to: 'far away', message: 'And more?'}), say('Good.')],
    [write, say('It is done.'), say('No more.')],
  );
  const {scene} = far;
  const ran = await scene.run(['--prompt', 'MAIN', '--allowed-tools', 'Edit', 'Write']);
  expect([ran.code, ran.stdout]).toEqual([0, 'Good.\n']);
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/^It is done\.\n\n\[agent .*: far away, far, /u),
  ]);
  expect(toldResults(scene.server.requests[2])).toEqual([expect.stringMatching(/^No more\./u)]);
  expect(readFileSync(join(far.place.work, 'new.txt'), 'utf8')).toBe('x\n');
  expect(existsSync(join(scene.place.work, 'new.txt'))).toBe(false);
  // Its session lies there.
  const [session] = (await far.server.ask('GET', '/agent/sessions')).body;
  expect(session).toMatchObject({running: false, messages: 5});
});

test('what is asked where nobody can answer is denied, and changes nothing there', async () => {
  await using far = await withFar([agentCall, say('So be it.')], [write, say('I could not.')]);
  const ran = await far.scene.run(['--prompt', 'MAIN']);
  expect([ran.code, ran.stdout]).toEqual([3, 'So be it.\n']);
  expect(existsSync(join(far.place.work, 'new.txt'))).toBe(false);
});

test.each(['SIGTERM', 'SIGKILL'] as const)('what runs there stops when weft here ends by %s', async signal => {
  await using far = await withFar([agentCall, say('Never.')], [hang(), say('Free again.')]);
  const main = far.scene.start(['--prompt', 'MAIN'], {stdin: 'open'});
  // Of what was written to a killed process, the rest comes back as an error.
  for (const stream of main.stdio) stream?.on('error', () => {});
  const gone = once(main, 'exit');
  await requests(far.model, 1);
  main.kill(signal);
  await gone;
  const [{id}] = (await far.server.ask('GET', '/agent/sessions')).body;
  let told: readonly string[] = [];
  // A prompt that went on would keep the next one waiting; one that comes too early goes with it.
  await lookUntil(
    async () => {
      const types: string[] = [];
      for await (const {type} of agentEvents(far.server, 'POST', '/agent', {body: {prompt: 'next', sessionId: id}}))
        types.push(type);
      told = types;
      return types.includes('text');
    },
    () => told.join(' '),
  );
  expect(told).toEqual(['session', 'text', 'done']);
});

test('a server that ends, a wrong token, nobody who answers, and a folder that is not there are told', async () => {
  await using far = await withFar(
    [agentCall, say('A.'), agentCall, say('B.'), agentCall, say('C.'), agentCall, say('D.')],
    [hang()],
  );
  const {scene, server} = far;
  const main = scene.start(['--prompt', 'MAIN']);
  const ended = finish(main);
  await requests(far.model, 1);
  await server.end('SIGKILL');
  expect((await ended).stdout).toBe('A.\n');
  expect(toldResults(scene.server.requests[1])[0]).toContain(
    `far ended before it was done: it exited with code 1 (it wrote: weft: the connection to ${server.url.origin} is lost)`,
  );
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[3])[0]).toContain(`nothing answers at ${server.url.origin}`);

  await using again = await WeftServer.start({place: far.place, environment: pointedAt(far.model)});
  const tokenFile = join(scene.place.home, 'far.token');
  setFar(scene, {url: again.url.href, tokenFile, cwd: '/nowhere'});
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[5])[0]).toContain('not an existing absolute folder, in body.workDir');
  writeFileSync(tokenFile, 'wrong');
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[7])[0]).toMatch(/refuses: /u);
});
