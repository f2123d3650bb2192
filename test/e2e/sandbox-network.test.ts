// @module-tag long
import {createServer} from 'node:http';
import {join} from 'node:path';
import {beforeEach, describe, expect, test, type TestContext} from 'vitest';
import {commandLineOf, processTable} from '../../src/workspace/exec/process-table.ts';
import {lookUntil} from '../support/look-until.ts';
import {loopbackPort} from '../support/loopback-port.ts';
import {call, say, type Part} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {finish} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, toldResults, type Scene} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';
import {ask, readAll} from './support/agent-sdk.ts';

beforeEach(needs('bwrap'));

const inside = {environment: {WEFT_SANDBOX: 'bwrap'}} as const;
const free = ['--permission-mode', 'bypassPermissions'] as const;

/** A scene with one command; skipped where this machine allows no sandbox, or weft's proxy cannot be proven. */
async function sceneWith({skip}: Pick<TestContext, 'skip'>, command: Part): Promise<Scene> {
  const scene = await openScene([command, say('Done.')]);
  const {stdout} = await scene.run(['sandbox', 'test', '--provider', 'bwrap', '--json']);
  const {works, reason, hosts} = JSON.parse(stdout);
  if (!works) await scene[Symbol.asyncDispose]();
  skip(!works, reason);
  expect(hosts).toEqual({proven: true, reason: ''});
  return scene;
}

/** Prints what comes from a host, asked for as programs do that follow HTTP_PROXY. */
const fetched = (url: string): Part =>
  call('Bash', {command: `node -e 'fetch("${url}").then(answer => answer.text()).then(console.log)'`});

test('where nobody can be asked, the model is told which host was refused and which rule would allow it', async context => {
  await using scene = await sceneWith(context, fetched('http://new.test/'));
  const {code} = await scene.run(['--prompt', 'x', '--allowed-tools', 'Network(domain:good.test)', ...free], inside);
  expect([code, toldResults(scene.server.requests[1])]).toEqual([
    0,
    [
      expect.stringMatching(
        /\[weft did not let the command reach new\.test:80: no rule covers this host, and there was no one to ask; the rule Network\(domain:new\.test\)/u,
      ),
    ],
  ]);
});

test('without a rule, and with nobody to ask, a command has no proxy at all', {tags: ['long']}, async context => {
  await using scene = await sceneWith(context, call('Bash', {command: 'node -p "process.env.HTTP_PROXY"'}));
  await scene.run(['--prompt', 'x', ...free], inside);
  expect(toldResults(scene.server.requests[1])[0]).toMatch(/^undefined\n/u);
});

test('a program that drives weft is asked about the host, with the command that wants it', async context => {
  await using scene = await sceneWith(context, fetched('http://new.test/'));
  const asked: unknown[] = [];
  await readAll(
    ask(scene, 'x', {
      env: scene.place.environment({...pointedAt(scene.server), TMPDIR: scene.place.home, ...inside.environment}),
      canUseTool: async (name, input) => {
        if (name !== 'AskUserQuestion') return {behavior: 'allow', updatedInput: input};
        asked.push(input);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what AskUserQuestion is given
        const {questions} = input as {questions: readonly {question: string}[]};
        const question = questions[0]?.question ?? '';
        return {behavior: 'allow', updatedInput: {...input, answers: {[question]: 'No'}}};
      },
    }),
  );
  expect(asked).toEqual([
    {
      questions: [
        expect.objectContaining({
          question: expect.stringMatching(
            /^A sandboxed command wants to reach new\.test, port 80\. Allow it\? node -e /u,
          ),
        }),
      ],
    },
  ]);
  expect(toldResults(scene.server.requests[1])[0]).toMatch(/new\.test:80: the user refused it/u);
});

/** What of the question has to be on the screen. */
const wanted =
  /A sandboxed command wants to reach new\.test, port 80\.[^]*No[^]*Allow once[^]*Allow for this session[^]*Always allow/u;

describe('in a terminal the user is asked about the host, with the command that wants it', () => {
  test('on a card', async context => {
    await using scene = await sceneWith(context, fetched('http://new.test/'));
    await using terminal = await openTerminal(scene.place, {...pointedAt(scene.server), ...inside.environment});
    await terminal.type(`weft ${free.join(' ')} go`);
    await terminal.press('Enter');
    await terminal.until(wanted);
    await terminal.press('Down', 'Enter');
    await terminal.until(/Done\./u);
    expect(toldResults(scene.server.requests[1])[0]).toMatch(/new\.test:80: the user refused it/u);
  });

  test('in lines, for a screen reader', {tags: ['long']}, async context => {
    await using scene = await sceneWith(context, fetched('http://new.test/'));
    await using terminal = await openTerminal(scene.place, {...pointedAt(scene.server), ...inside.environment});
    await terminal.type(`weft --accessible ${free.join(' ')} go`);
    await terminal.press('Enter');
    await terminal.until(wanted);
    await terminal.type('1');
    await terminal.press('Enter');
    await terminal.until(/Done\./u);
    expect(toldResults(scene.server.requests[1])[0]).toMatch(/new\.test:80: the user refused it/u);
  });
});

test(
  "with the setting allowLocalBinding a command reaches this machine's own ports",
  {tags: ['long']},
  async context => {
    const server = createServer((_request, response) => response.end('from outside'));
    const port = await loopbackPort(server);
    try {
      await using scene = await sceneWith(context, fetched(`http://localhost:${String(port)}/`));
      await scene.run(['config', 'set', 'allowLocalBinding', 'true']);
      await scene.run(['--prompt', 'x', ...free], inside);
      expect(toldResults(scene.server.requests[1])[0]).toMatch(/^from outside\n/u);
    } finally {
      server.close();
    }
  },
);

/** Other tests may run on this machine at the same time. */
const sleeping = `sleep 7${String(process.pid)}`;

/** What runs still of the command that sleeps. */
const left = async (): Promise<readonly string[]> =>
  (await processTable()).map(({pid}) => commandLineOf(pid)).filter(words => words.includes(sleeping));

test('nothing of the network outlives weft', async context => {
  await using scene = await sceneWith(context, call('Bash', {command: `echo x >started; ${sleeping}; :`}));
  const child = scene.start(['--prompt', 'x', '--allowed-tools', 'Network', ...free], inside);
  const finished = finish(child);
  await fileComes(join(scene.place.work, 'started'));
  expect((await left()).some(words => words.includes('weft-forwarder'))).toBe(true);
  child.kill('SIGKILL');
  await finished;
  await lookUntil(
    async () => (await left()).length === 0,
    async () => `there is ${(await left()).join()}`,
  );
});
