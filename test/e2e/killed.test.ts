// @module-tag long
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {call, say, think, until, type Part} from '../support/model-script.ts';
import {lookUntil} from '../support/look-until.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {finish} from '../support/run-weft.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {endProcess, fileComes, openScene, toldPrompt, toldResults} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;

test('killed in the middle of a command: the model is told that its result was lost', async () => {
  await using scene = await openScene([
    [
      say('I work.'),
      call('Glob', {pattern: '*'}, {id: 'id_kept'}),
      call('Bash', {command: 'echo $$ >pid; exec sleep 1000'}, {id: 'id_lost'}),
      call('Glob', {pattern: '*'}, {id: 'id_never'}),
    ],
    say('I look first.'),
  ]);
  const child = scene.start(['--prompt', 'x', ...free]);
  const finished = finish(child);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  child.kill('SIGKILL');
  expect((await finished).signal).toBe('SIGKILL');
  endProcess(pid);

  expect(await scene.run(['--continue', '--prompt', 'Go on.'])).toEqual({
    code: 0,
    signal: null,
    stdout: 'I look first.\n',
    stderr: '',
  });
  const messages = scene.server.requests[1]?.body.messages ?? [];
  expect(messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user', 'user']);
  expect(idsIn(messages[2]?.content)).toEqual(['id_kept', 'id_lost', 'id_never']);
  const lost = expect.stringContaining('weft ended before it saved the result');
  const [kept, ...others] = resultsIn(scene.server.requests[1]);
  expect([kept, others]).toEqual([expect.not.stringContaining('weft ended'), [lost, lost]]);
});

test('killed while the answer comes: what was asked and what was shown are kept', {tags: 'smoke'}, async () => {
  await using scene = await openScene([[say('Half of'), until(new Promise(() => {}))], say('Whole.')]);
  const child = scene.start(['--prompt', 'x', '--output-format', 'stream-json', '--include-partial-messages']);
  const finished = finish(child);
  await new Promise<void>(resolve => {
    child.stdout.on('data', (chunk: Buffer) => void (chunk.includes('text_delta') && resolve()));
  });
  child.kill('SIGKILL');
  await finished;
  expect((await scene.run(['--continue', '--prompt', 'Go on.'])).stdout).toBe('Whole.\n');
  const told = JSON.stringify(scene.server.requests[1]?.body.messages);
  expect(told).toContain('"text":"x"');
  expect(told).toContain('Half');
});

test('killed beside a command in the background: people read what they saw, and no word for the model', async () => {
  await using scene = await openScene([
    call('Bash', {command: 'echo $$ >pid; echo up; exec sleep 1000', wait_until_completion: false}),
    until(new Promise(() => {})),
  ]);
  const child = scene.start(['--prompt', 'x', ...free]);
  const finished = finish(child);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  await lookUntil(
    () => scene.server.requests.length === 2,
    () => 'no second request',
  );
  child.kill('SIGKILL');
  await finished;
  endProcess(pid);
  using terminal = openScenePty(scene, {size: [80, 24], args: ['--continue']});
  await terminal.until(/Session resumed[^]*Start in background: echo[^]*Ask weft/u);
  expect(terminal.log()).toContain('b1: running');
  expect(terminal.log()).not.toContain('BashOutput');
  terminal.type('\u0004');
  await terminal.exited;
  const [{id}] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  expect((await scene.run(['sessions', 'show', id])).stdout).toMatch(/\[Bash: success, b1: running\]\n +up\n/u);
});

/** When a run is killed: so many milliseconds after it has sent that many requests. */
const moments = [
  {requests: 0, ms: 130},
  {requests: 1, ms: 0},
  {requests: 1, ms: 5},
  {requests: 1, ms: 15},
  {requests: 1, ms: 30},
  {requests: 2, ms: 0},
  {requests: 2, ms: 20},
  {requests: 2, ms: 40},
  {requests: 3, ms: 10},
  {requests: 4, ms: 25},
];

test('killed at any moment, a session goes on with a valid history', async () => {
  await using scene = await openScene(request => {
    if (toldPrompt(request).startsWith('Go on')) return say('Resumed.');
    const turn = request.body.messages.length;
    return turn > 12 ? say('done') : work(turn);
  });
  const {server} = scene;
  for (const [at, {requests, ms}] of moments.entries()) {
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const already = server.requests.length;
    const child = scene.start(['--prompt', `x ${at}`, '--session-id', id, ...free]);
    const finished = finish(child);
    await server.received(already + requests);
    await pause(ms);
    child.kill('SIGKILL');
    await finished;
    const before = server.requests.slice(already);
    const resumed = await scene.run(['--resume', id, '--prompt', 'Go on.']);
    if (before.length === 0 && resumed.code === 1) {
      // Killed before anything was kept.
      expect(resumed.stderr).toMatch(/^weft: No such session: [^\n]*\n$/u);
      continue;
    }
    expect({at, ...resumed}).toEqual({at, code: 0, signal: null, stdout: 'Resumed.\n', stderr: ''});
    const last = server.requests.at(-1);
    expect(faultsOf(last)).toEqual([]);
    // Whatever the model had been sent is still there.
    const seen = before.at(-1)?.body.messages ?? [];
    expect(stripped(last?.body.messages.slice(0, seen.length))).toBe(stripped(seen));
  }
});

const work = (turn: number): readonly Part[] => [
  think('Hm.'),
  say(`Step ${turn}.`),
  call('Glob', {pattern: '*'}),
  call('Bash', {command: `echo ${turn} >>log; sleep 0.02`}),
  call('TodoWrite', {todos: [{content: `Step ${turn}`, status: 'in_progress', activeForm: 'Working'}]}),
];

const stripped = (messages: unknown): string =>
  JSON.stringify(messages, (key, value: unknown) => (key === 'cache_control' ? undefined : value));

const idsIn = (content: unknown): readonly string[] =>
  [...JSON.stringify(content).matchAll(/"tool_use_id":"([^"]+)"/gu)].map(([, id = '']) => id);

const resultsIn = (request: ReceivedRequest | undefined): readonly string[] =>
  request === undefined
    ? []
    : toldResults({...request, body: {...request.body, messages: request.body.messages.slice(0, 3)}});

/** What a provider would refuse: the first message not the user's, calls without exactly their results right after them. */
function faultsOf(request: ReceivedRequest | undefined): readonly string[] {
  const messages = request?.body.messages ?? [];
  const faults = messages[0]?.role === 'user' ? [] : ['does not begin with the user'];
  for (const [at, {role, content}] of messages.entries()) {
    if (role !== 'assistant') continue;
    const calls = [...JSON.stringify(content).matchAll(/"type":"tool_use","id":"([^"]+)"/gu)].map(([, id]) => id);
    const results = idsIn(messages[at + 1]?.content ?? []);
    if (JSON.stringify(calls) !== JSON.stringify(results))
      faults.push(`message ${at}: ${calls.join()} has ${results.join()}`);
  }
  return faults;
}
