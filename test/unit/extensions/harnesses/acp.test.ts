import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import {greetAcp, startScripted} from './support/scripted-harness.ts';

const update = (fields: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {sessionId: 'ses_1', update: fields},
});
const chunk = (text: string) => update({sessionUpdate: 'agent_message_chunk', content: {type: 'text', text}});
const options = [
  {optionId: 'proceed_always', name: 'Allow for this session', kind: 'allow_always'},
  {optionId: 'proceed_once', name: 'Allow', kind: 'allow_once'},
  {optionId: 'cancel', name: 'Reject', kind: 'reject_once'},
];

test('ACP: Gemini puts the command into the title; only what is allowed for once is answered', async () => {
  const answers: JsonObject[] = [];
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      const toolCall = {
        toolCallId: 'c1',
        status: 'pending',
        title: 'echo hi > a',
        content: [{type: 'content', content: {type: 'text', text: '[in src] (Says hi)'}}],
        locations: [],
        kind: 'execute',
      };
      side.say({
        jsonrpc: '2.0',
        id: 0,
        method: 'session/request_permission',
        params: {sessionId: 'ses_1', options, toolCall},
      });
      answers.push(await side.next());
      side.say(
        update({sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', content: []}),
        chunk('DONE'),
      );
      side.say({jsonrpc: '2.0', id: 1, method: 'fs/read_text_file', params: {path: '/etc/passwd'}});
      answers.push(await side.next());
      const quota = {token_count: {input_tokens: 2000, output_tokens: 200}};
      side.say({jsonrpc: '2.0', id, result: {stopReason: 'end_turn', _meta: {quota}}});
    },
    {harness: 'gemini'},
  );
  await scene.first;
  expect(answers).toEqual([
    {jsonrpc: '2.0', id: 0, result: {outcome: {outcome: 'selected', optionId: 'proceed_once'}}},
    {jsonrpc: '2.0', id: 1, error: {code: -32_601, message: 'weft does not answer fs/read_text_file'}},
  ]);
  const access = {kind: 'command', command: 'echo hi > a', directory: 'src', paths: []};
  expect(scene.approvals.map(approval => approval.access)).toEqual([access]);
  expect(scene.events.slice(2)).toEqual([
    {event: 'tool-started', id: 'c1', name: 'execute', title: 'echo hi > a', input: {}, access},
    {event: 'tool-finished', id: 'c1', end: 'succeeded', output: '', files: []},
    {event: 'text', message: 1, delta: 'DONE'},
    {
      event: 'usage',
      used: {
        model: '',
        usage: {inputTokens: 2000, outputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0},
        cost: {kind: 'estimated', usd: 2},
      },
    },
    {event: 'finished', outcome: {kind: 'succeeded', text: 'DONE'}},
  ]);
});

test('ACP: a title is no command elsewhere, and what can only be allowed for good is denied', async () => {
  const answers: JsonObject[] = [];
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      const ask = (toolCall: object, offered: object) =>
        side.say({
          jsonrpc: '2.0',
          id: 0,
          method: 'session/request_permission',
          params: {sessionId: 'ses_1', options: offered, toolCall},
        });
      ask({toolCallId: 'c1', title: 'ls', kind: 'execute'}, options);
      answers.push(await side.next());
      ask({toolCallId: 'c2', title: 'rm', kind: 'execute', rawInput: {command: ['rm', 'a b']}}, [
        options[0],
        options[2],
      ]);
      answers.push(await side.next());
      side.say(chunk('DONE'), {jsonrpc: '2.0', id, result: {stopReason: 'end_turn'}});
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.approvals.map(({access}) => access)).toEqual([
    {kind: 'other', title: 'ls', input: {}},
    {kind: 'command', command: "rm 'a b'", directory: '/project', paths: []},
  ]);
  expect(answers.map(({result}) => result)).toEqual([
    {outcome: {outcome: 'selected', optionId: 'proceed_once'}},
    {outcome: {outcome: 'selected', optionId: 'cancel'}},
  ]);
  expect(scene.events.filter(({event}) => event === 'warning')).toEqual([
    {event: 'warning', text: 'opencode offers no way to allow rm just once, so weft denied it.'},
  ]);
});

test('ACP: what a call carries decides, and not the kind that the agent gives it', async () => {
  const diff = {type: 'diff', path: '/project/a', oldText: 'x', newText: 'y'};
  const command = {command: 'rm a', directory: '/project'};
  const edits = [
    {kind: 'replace', path: '/project/a', replacements: [{oldText: 'x', newText: 'y', occurrence: 'only'}]},
  ];
  const calls: readonly (readonly [toolCall: object, access: object])[] = [
    [
      {kind: 'read', rawInput: {command: 'rm a'}, locations: [{path: 'b'}]},
      {kind: 'command', ...command, paths: ['b']},
    ],
    [
      {kind: 'search', rawInput: {command: 'rm a', cwd: 'src'}},
      {kind: 'command', ...command, directory: 'src', paths: []},
    ],
    [{rawInput: {command: 'rm a'}}, {kind: 'command', ...command, paths: []}],
    [{kind: 'fetch', rawInput: {command: 'rm a', url: 'https://a'}}, {kind: 'other'}],
    [{kind: 'edit', rawInput: {command: 'rm a'}, content: [diff]}, {kind: 'other'}],
    [
      {kind: 'read', content: [diff]},
      {kind: 'edit', paths: ['/project/a'], edits},
    ],
    [{kind: 'read', rawInput: {url: 'https://a', path: 'b'}}, {kind: 'other'}],
    [
      {kind: 'fetch', rawInput: {url: 'https://a'}},
      {kind: 'web-page', url: 'https://a'},
    ],
    [
      {kind: 'read', locations: [{path: 'b'}]},
      {kind: 'read', paths: ['b']},
    ],
    [
      {kind: 'delete', locations: [{path: 'b'}]},
      {kind: 'edit', paths: ['b'], edits: [{kind: 'delete', path: 'b'}]},
    ],
    [{kind: 'read'}, {kind: 'other'}],
    ...['commands', 'script'].map(
      key => [{kind: 'read', rawInput: {[key]: {a: 'rm a'}, path: 'b'}}, {kind: 'other'}] as const,
    ),
    [{kind: 'read', rawInput: {command: ['rm', ['a']], path: 'b'}}, {kind: 'other'}],
    [{kind: 'read', rawInput: {cmd: 'rm a', command: 'ls', path: 'b'}}, {kind: 'other'}],
    [{rawInput: {cmd: 'rm a', dir_path: 'src'}}, {kind: 'command', ...command, directory: 'src', paths: []}],
    [{rawInput: {command: 'rm a', cwd: '.', workdir: 'src'}}, {kind: 'other'}],
    [{rawInput: {command: 'rm a', cwd: ['src']}}, {kind: 'other'}],
    [
      {kind: 'read', rawInput: {file_path: 'b', target_file: 'file:///c', paths: ['d']}},
      {kind: 'read', paths: ['b', '/c', 'd']},
    ],
    [
      {kind: 'search', rawInput: {pattern: 'x', dir_path: 'b'}},
      {kind: 'search', text: 'x', paths: ['b']},
    ],
  ];
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      for (const [at, [toolCall]] of calls.entries()) {
        const params = {sessionId: 'ses_1', options, toolCall: {toolCallId: `c${at}`, ...toolCall}};
        side.say({jsonrpc: '2.0', id: at, method: 'session/request_permission', params});
        await side.next();
      }
      side.say(chunk('DONE'), {jsonrpc: '2.0', id, result: {stopReason: 'end_turn'}});
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.approvals.map(({access}) => access)).toEqual(
    calls.map(([, access]) => ('kind' in access && access.kind === 'other' ? expect.objectContaining(access) : access)),
  );
});

test('ACP: a request that leaves out what the call named is about what the call named', async () => {
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      const read = {toolCallId: 'c1', title: 'read', kind: 'read', locations: [], rawInput: {}};
      const named = {...read, status: 'in_progress', locations: [{path: '/b.txt'}], rawInput: {filePath: '/b.txt'}};
      side.say(
        update({sessionUpdate: 'tool_call', ...read, status: 'pending'}),
        update({sessionUpdate: 'tool_call_update', ...named}),
        {
          jsonrpc: '2.0',
          id: 0,
          method: 'session/request_permission',
          params: {sessionId: 'ses_1', options, toolCall: {...read, status: 'pending'}},
        },
      );
      await side.next();
      side.say({jsonrpc: '2.0', id, result: {stopReason: 'end_turn'}});
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.approvals.map(({access, input}) => [access, input])).toEqual([
    [{kind: 'read', paths: ['/b.txt']}, {filePath: '/b.txt'}],
  ]);
});

test('ACP: a mode that skips approvals is left, one that only reads is taken where nothing may change', async () => {
  const modes = {
    availableModes: [{id: 'default'}, {id: 'yolo'}, {id: 'plan'}],
    currentModeId: 'yolo',
  };
  for (const [access, modeId] of [
    ['with-approvals', 'default'],
    ['read-only', 'plan'],
  ] as const) {
    let chosen: JsonObject = {};
    const scene = await startScripted(
      async side => {
        chosen = await greetAcp(side, {modes});
        side.say({jsonrpc: '2.0', id: chosen['id'], result: {}});
        const {id} = await side.next();
        side.say(chunk('DONE'), {jsonrpc: '2.0', id, result: {stopReason: 'end_turn'}});
      },
      {harness: 'gemini', request: {access}},
    );
    await scene.first;
    expect(chosen).toMatchObject({method: 'session/set_mode', params: {sessionId: 'ses_1', modeId}});
  }
  const free = await startScripted(
    async side => void (await greetAcp(side, {modes: {availableModes: [{id: 'yolo'}], currentModeId: 'yolo'}})),
    {harness: 'gemini'},
  );
  expect(free.started).toMatchObject({
    error: {message: 'Gemini CLI could not start: its mode yolo skips approvals, and it has no mode that asks.'},
  });
});

test('ACP: what was said in an earlier program is not told again, and a plan is', async () => {
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      side.say(
        update({
          sessionUpdate: 'plan',
          entries: [
            {content: 'Look', status: 'completed', priority: 'high'},
            {content: 'Do', status: 'in_progress', priority: 'low'},
          ],
        }),
        {jsonrpc: '2.0', id, result: {stopReason: 'refusal'}},
      );
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.events.slice(2).filter(({event}) => event !== 'usage')).toEqual([
    {
      event: 'plan',
      steps: [
        {title: 'Look', status: 'completed'},
        {title: 'Do', status: 'in_progress'},
      ],
    },
    {event: 'finished', outcome: {kind: 'failed', reason: 'opencode refused to continue.', text: ''}},
  ]);
});

const ended = (toolCallId: string, outcome: string) =>
  update({sessionUpdate: 'tool_call', toolCallId, title: 'x', status: 'failed', _meta: {weft: {outcome}}});

test('ACP: weft at the other end says which calls were cancelled', async () => {
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      side.say(ended('c1', 'cancelled'), ended('c2', 'error'), {jsonrpc: '2.0', id, result: {stopReason: 'end_turn'}});
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.events.flatMap(event => (event.event === 'tool-finished' ? [event.end] : []))).toEqual([
    'cancelled',
    'failed',
  ]);
});

test('ACP: of calls that never end no more is kept than is bounded', async () => {
  const rawInput = {command: 'ls', pad: 'x'.repeat(1024 * 1024)};
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      for (let at = 0; at < 20; at += 1)
        side.say(update({sessionUpdate: 'tool_call', toolCallId: `c${at}`, status: 'pending', rawInput}));
      for (const toolCallId of ['c0', 'c19']) {
        const params = {sessionId: 'ses_1', options, toolCall: {toolCallId, title: 'x'}};
        side.say({jsonrpc: '2.0', id: toolCallId, method: 'session/request_permission', params});
        await side.next();
      }
      side.say(chunk('DONE'), {jsonrpc: '2.0', id, result: {stopReason: 'end_turn'}});
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.approvals.map(({access}) => access.kind)).toEqual(['other', 'command']);
});

test.each([
  ['refusal', 'refused to continue.'],
  ['max_tokens', 'stopped: its answer got too long.'],
  ['max_turn_requests', 'stopped: it reached its turn limit.'],
  ['tired', 'stopped for an unknown reason.'],
])('ACP: the stop reason %s is a failure', async (stopReason, why) => {
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      side.say({jsonrpc: '2.0', id, result: {stopReason}});
    },
    {harness: 'opencode'},
  );
  await scene.first;
  expect(scene.events.at(-1)).toEqual({
    event: 'finished',
    outcome: {kind: 'failed', reason: `opencode ${why}`, text: ''},
  });
});
