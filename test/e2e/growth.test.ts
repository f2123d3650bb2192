// @module-tag long
import {createInterface} from 'node:readline/promises';
import {once} from 'node:events';
import {describe, expect, test} from 'vitest';
import {agentEvents, serve} from '../support/agent-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {type Answer, call, say} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {heapInUse, openHandles, withSnapshots} from '../support/open-handles.ts';
import {postgresMissing, startPostgres} from '../support/postgres-server.ts';
import {openPty} from '../support/pty-terminal.ts';
import {openScene, pointedAt} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';
import {isType, prompt as message, startRpc} from './support/rpc-client.ts';

/** A process that answers prompts, each of which runs a command. */
interface Prompted extends AsyncDisposable {
  readonly pid: number;
  /** Where it runs. */
  readonly folder: string;
  /** Sends a prompt and waits for its end. */
  prompt(number: number): Promise<void>;
}

const runsCommand = ({body: {messages}}: ReceivedRequest): Answer =>
  isResult(messages.at(-1)) ? say('Done.') : call('Bash', {command: 'echo hi'});

const isResult = (last: unknown): boolean => JSON.stringify(last).includes('"tool_result"');

/** `weft serve`: a session for each prompt. */
async function served(): Promise<Prompted> {
  const scene = await serve(runsCommand, withSnapshots);
  const {server, place} = scene;
  return {
    pid: server.pid,
    folder: place.work,
    async prompt() {
      const {text} = await server.ask('POST', '/agent/', {body: {prompt: 'Go', workDir: place.work}});
      expect(text).toContain('"Done."');
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

/** A program drives weft: one session. */
async function driven(): Promise<Prompted> {
  const scene = await openScene(runsCommand);
  const client = startRpc(scene, [], withSnapshots);
  return {
    pid: client.child.pid ?? 0,
    folder: scene.place.work,
    async prompt() {
      client.send(message('Go'));
      expect(await client.next(isType('result'))).toMatchObject({subtype: 'success'});
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

/** The terminal UI: one session, in which a sub-agent of each prompt runs the command. */
async function typed(): Promise<Prompted> {
  let number = 0;
  const scene = await openScene(request => {
    const {messages} = request.body;
    if (JSON.stringify(messages[0]).includes('MAKE-IT')) return runsCommand(request);
    return isResult(messages.at(-1)) ? say(`Answer ${number}.`) : call('Agent', {description: 'a', prompt: 'MAKE-IT'});
  });
  const {place} = scene;
  const environment = {...pointedAt(scene.server), ...withSnapshots};
  const terminal = openPty({place, environment, size: [100, 30], args: [], answers: 'all'});
  await terminal.until(/Ask weft/u);
  return {
    pid: terminal.pid,
    folder: place.work,
    async prompt(next) {
      number = next;
      terminal.type(`Go ${number}`);
      await terminal.until(new RegExp(`Go ${number}`, 'u'));
      terminal.type('\r');
      await terminal.until(new RegExp(`Answer ${number}\\.`, 'u'));
    },
    async [Symbol.asyncDispose]() {
      terminal[Symbol.dispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

/** `weft worker`: carries out a plan that was approved by HTTP for each prompt. */
async function queued(): Promise<Prompted> {
  const postgres = await startPostgres();
  const store = await postgres.newDatabase();
  const plan = call('ExitPlanMode', {goal: 'It is there', steps: ['Make it'], notes: ''});
  const scene = await openScene(request =>
    JSON.stringify(request.body.messages.slice(-2)).includes('Plan it') ? plan : runsCommand(request),
  );
  const {place, server: model} = scene;
  const server = await WeftServer.start({place, args: ['--store', store], environment: pointedAt(model)});
  const worker = scene.start(['worker', '--store', store], {stdin: 'open', environment: withSnapshots});
  await createInterface({input: worker.stdout})[Symbol.asyncIterator]().next();
  return {
    pid: worker.pid ?? 0,
    folder: place.work,
    async prompt(number) {
      let id = '';
      const body = {prompt: 'Plan it', workDir: place.work};
      for await (const event of agentEvents(server, 'POST', '/agent/plan', {body})) id = event.plan?.id ?? id;
      await server.ask('POST', `/agent/plan/${id}/approve`);
      const execute = {planId: id, workDir: place.work, background: true, taskId: `task-${number}`};
      expect((await server.ask('POST', '/agent/execute', {body: execute})).status).toBe(202);
      const task = async (): Promise<unknown> => (await server.ask('GET', `/agent/tasks/task-${number}`)).body;
      await lookUntil(
        async () => !/"(?:queued|running)"/u.test(JSON.stringify(await task())),
        async () => JSON.stringify(await task()),
      );
    },
    async [Symbol.asyncDispose]() {
      const gone = once(worker, 'exit');
      worker.kill('SIGTERM');
      await gone;
      await server[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
    },
  };
}

/** `kept` are the bytes that the session keeps of a prompt; none, if each prompt has a session of its own. */
const processes = {
  serve: {open: served, kept: 0},
  // Includes the wire form of each message, which is kept for the next request.
  'stream-json': {open: driven, kept: 2500},
  'the terminal UI': {open: typed, kept: 7000},
  worker: {open: queued, kept: 0},
} as const;

describe.runIf(process.platform === 'linux')('open handles and memory', () => {
  test.each(['serve', 'stream-json', 'the terminal UI'] as const)('%s: no handle is left of a prompt', async name => {
    await using prompted = await processes[name].open();
    for (let number = 1; number <= 2; number += 1) await prompted.prompt(number);
    const before = openHandles(prompted.pid);
    for (let number = 3; number <= 5; number += 1) await prompted.prompt(number);
    await expect.poll(() => openHandles(prompted.pid)).toEqual(before);
  });

  test.for(Object.entries(processes))(
    '%s: flat over 200 prompts',
    {timeout: 600_000},
    async ([name, {open, kept}], {skip}) => {
      skip(name === 'worker' && postgresMissing !== '', postgresMissing);
      await using prompted = await open();
      for (let number = 1; number <= 30; number += 1) await prompted.prompt(number);
      const handles = openHandles(prompted.pid);
      const heap = [await heapInUse(prompted.pid, prompted.folder)];
      for (const last of [130, 230]) {
        for (let number = last - 99; number <= last; number += 1) await prompted.prompt(number);
        heap.push(await heapInUse(prompted.pid, prompted.folder));
      }
      await expect.poll(() => openHandles(prompted.pid)).toEqual(handles);
      // Pools of buffers grow in steps of some 300,000 bytes, now and then. A leak makes both halves grow.
      const [first = 0, second = 0, third = 0] = heap;
      expect(Math.min(second - first, third - second)).toBeLessThan(300_000 + kept * 100);
    },
  );
});
