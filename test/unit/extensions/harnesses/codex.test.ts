import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import {unwrapShell} from '../../../../src/extensions/harnesses/codex.ts';
import {greetCodex, runOf, startScripted} from './support/scripted-harness.ts';

const codexSays = (method: string, params: object) => ({method, params: {threadId: 'th1', turnId: 'tu1', ...params}});
const codexEnd = (status: string, error: object | null = null) =>
  codexSays('turn/completed', {turn: {id: 'tu1', items: [], status, error}});
const codexAnswer = codexSays('item/completed', {item: {type: 'agentMessage', id: 'm1', text: 'DONE'}});

test('Codex: a command that it asks about, refused; the turn goes on', async () => {
  let answer: JsonObject = {};
  const scene = await startScripted(
    async side => {
      await greetCodex(side);
      const item = {
        type: 'commandExecution',
        id: 'call_1',
        command: "/bin/bash -lc 'echo hi > approved.txt'",
        cwd: '/project',
        status: 'inProgress',
      };
      side.say(codexSays('item/started', {item}), {
        id: 0,
        method: 'item/commandExecution/requestApproval',
        params: {threadId: 'th1', turnId: 'tu1', itemId: 'call_1', command: item.command, cwd: '/project'},
      });
      answer = await side.next();
      side.say(
        codexSays('item/completed', {item: {...item, status: 'declined', aggregatedOutput: null}}),
        codexSays('item/agentMessage/delta', {itemId: 'm1', delta: 'DONE'}),
        codexAnswer,
        codexSays('thread/tokenUsage/updated', {
          tokenUsage: {total: {inputTokens: 3000, cachedInputTokens: 1000, outputTokens: 200}, last: {}},
        }),
        codexSays('item/agentMessage/delta', {threadId: 'another', delta: 'not ours'}),
        codexEnd('completed'),
      );
    },
    {harness: 'codex', decide: async () => ({kind: 'denied', message: ''})},
  );
  await scene.first;
  expect(answer).toEqual({jsonrpc: '2.0', id: 0, result: {decision: 'decline'}});
  expect(scene.approvals).toEqual([
    {
      id: 'call_1',
      toolName: 'exec_command',
      input: {},
      reason: '',
      access: {kind: 'command', command: 'echo hi > approved.txt', directory: '/project', paths: []},
    },
  ]);
  expect(scene.events).toEqual([
    {event: 'started', session: 'th1', model: 'gpt-5-codex', version: '0.169.0'},
    {event: 'working'},
    {
      event: 'tool-started',
      id: 'call_1',
      name: 'exec_command',
      title: 'echo hi > approved.txt',
      input: {command: 'echo hi > approved.txt', cwd: '/project'},
      access: {kind: 'command', command: 'echo hi > approved.txt', directory: '/project', paths: []},
    },
    {event: 'tool-finished', id: 'call_1', end: 'cancelled', output: '', files: []},
    {event: 'text', message: 1, delta: 'DONE'},
    {
      event: 'usage',
      used: {
        model: 'gpt-5-codex',
        usage: {inputTokens: 2000, outputTokens: 200, cacheReadTokens: 1000, cacheWriteTokens: 0},
        cost: {kind: 'estimated', usd: 2},
      },
    },
    {event: 'finished', outcome: {kind: 'succeeded', text: 'DONE'}},
  ]);
});

test('Codex: changes of files are asked about as edits; permissions it lacks are not granted', async () => {
  const answers: JsonObject[] = [];
  const scene = await startScripted(
    async side => {
      await greetCodex(side);
      const changes = [
        {path: '/project/new.txt', kind: {type: 'add'}, diff: 'hello\n'},
        {path: '/project/old.txt', kind: {type: 'update', move_path: null}, diff: '@@ -1,2 +1,2 @@\n a\n-b\n+c\n'},
        {path: '/project/gone.txt', kind: {type: 'delete'}, diff: 'x'},
      ];
      const item = {type: 'fileChange', id: 'p1', changes, status: 'inProgress'};
      side.say(codexSays('item/started', {item}), {
        id: 'a',
        method: 'item/fileChange/requestApproval',
        params: {threadId: 'th1', itemId: 'p1', grantRoot: null},
      });
      answers.push(await side.next());
      for (const [id, method] of [
        ['b', 'item/permissions/requestApproval'],
        ['c', 'mcpServer/elicitation/request'],
        ['d', 'attestation/generate'],
      ]) {
        side.say({id, method, params: {}});
        answers.push(await side.next());
      }
      side.say(codexAnswer, codexEnd('completed'));
    },
    {harness: 'codex'},
  );
  await scene.first;
  expect(scene.approvals.map(({access}) => access)).toEqual([
    {
      kind: 'edit',
      paths: ['/project/new.txt', '/project/old.txt', '/project/gone.txt'],
      edits: [
        {kind: 'write', path: '/project/new.txt', content: 'hello\n'},
        {
          kind: 'patch',
          path: '/project/old.txt',
          hunks: [
            {
              context: [],
              place: 'anywhere',
              lines: [
                {kind: 'context', text: 'a'},
                {kind: 'removed', text: 'b'},
                {kind: 'added', text: 'c'},
              ],
            },
          ],
        },
        {kind: 'delete', path: '/project/gone.txt'},
      ],
    },
  ]);
  expect(answers.map(({result, error}) => result ?? error)).toEqual([
    {decision: 'accept'},
    {permissions: {}, scope: 'turn'},
    {action: 'decline', content: null},
    {code: -32_601, message: 'weft does not answer attestation/generate'},
  ]);
});

test('Codex: nobody is signed in', async () => {
  const scene = await startScripted(
    async side => {
      side.say({id: (await side.next())['id'], result: {userAgent: 'weft/0.169.0'}});
      await side.next();
      side.say({id: (await side.next())['id'], result: {account: null, requiresOpenaiAuth: true}});
    },
    {harness: 'codex'},
  );
  expect(scene.started).toMatchObject({
    error: {message: 'Codex could not start: you are not signed in: run codex login.'},
  });
});

test('Codex: an interrupt ends the turn and what it left running', async () => {
  const methods: unknown[] = [];
  const scene = await startScripted(
    async side => {
      await greetCodex(side);
      for (;;) {
        const {id, method} = await side.next();
        methods.push(method);
        side.say({id, result: {}});
        if (method === 'turn/interrupt') side.say(codexEnd('interrupted'));
      }
    },
    {harness: 'codex'},
  );
  await runOf(scene).interrupt();
  await runOf(scene).dispose();
  expect(methods).toEqual(['turn/interrupt', 'thread/backgroundTerminals/clean']);
});

test.each([
  ["/bin/bash -lc 'echo hi'", 'echo hi'],
  ['bash -lc ls', 'ls'],
  [`/usr/bin/zsh -c 'echo '\\''a b'\\'' c'`, "echo 'a b' c"],
  ["bash -lc 'ls' ; rm x", "bash -lc 'ls' ; rm x"],
  ['bash -lc $(evil)', 'bash -lc $(evil)'],
  ['ls -l', 'ls -l'],
])('Codex: %s is judged as %s', (shown, command) => {
  expect(unwrapShell(shown)).toBe(command);
});
