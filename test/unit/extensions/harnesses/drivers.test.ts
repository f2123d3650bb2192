import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import {knownHarnesses} from '../../../../src/domain/harness.ts';
import {withoutShell} from '../../../../src/extensions/harnesses/codex.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {
  claudeResult,
  greetAcp,
  greetClaude,
  type HarnessSide,
  runOf,
  startScripted,
} from './support/scripted-harness.ts';

/** Answers Codex's greeting, a signed-in account and the opening of a thread; takes the first turn and names it. */
async function greetCodex(side: HarnessSide): Promise<void> {
  const answer = async (result: object): Promise<void> => side.say({id: (await side.next())['id'], result});
  await answer({userAgent: 'weft/0.169.0 (Debian 12.0.0; x86_64) xterm (weft; 0)'});
  await side.next();
  await answer({account: null, requiresOpenaiAuth: false});
  await answer({thread: {id: 'th1'}, model: 'gpt-5-codex'});
  await answer({turn: {id: 'tu1', status: 'inProgress'}});
}
/** Answers what pi is asked before the first prompt, and takes that. */
async function greetPi(side: HarnessSide): Promise<void> {
  const answer = async (data: object): Promise<void> =>
    side.say({type: 'response', id: (await side.next())['id'], success: true, data});
  await answer({sessionId: 'pi-1', model: {provider: 'mock', id: 'mock'}});
  await answer(piStats(500, 1));
  await answer({});
}
const piStats = (input: number, cost: number) => ({
  tokens: {input, output: 100, cacheRead: 0, cacheWrite: 0},
  cost,
});

const codexSays = (method: string, params: object) => ({method, params: {threadId: 'th1', turnId: 'tu1', ...params}});
const codexEnd = (status: string, error: object | null = null) =>
  codexSays('turn/completed', {turn: {id: 'tu1', items: [], status, error}});
const codexAnswer = codexSays('item/completed', {item: {type: 'agentMessage', id: 'm1', text: 'DONE'}});

const streamed = (event: object) => ({type: 'stream_event', parent_tool_use_id: null, event});

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

test.each(knownHarnesses)('%s is never told to skip approvals', async harness => {
  for (const access of ['with-approvals', 'read-only'] as const) {
    const scene = await startScripted(async side => side.exit('it exited with code 0'), {
      harness,
      request: {access, model: 'm', resume: 'new'},
    });
    const [program] = scene.processes.started;
    expect(program?.args.join(' ')).not.toMatch(
      /dangerously|bypassPermissions|yolo|--auto\b|(?:^| )-y(?: |$)|never|danger-full/u,
    );
    expect(JSON.stringify(program?.env)).not.toMatch(/:\s*\\?"allow/u);
  }
});

test.each(knownHarnesses)('whatever %s says, a run keeps its order', async harness => {
  const words = [
    'type',
    'method',
    'params',
    'id',
    'result',
    'update',
    'sessionUpdate',
    'item',
    'toolCall',
    'message',
    'request',
  ];
  const kinds = [
    'tool_call',
    'tool_call_update',
    'plan',
    'assistant',
    'user',
    'result',
    'item/started',
    'item/completed',
    'session/update',
    'session/request_permission',
    'control_request',
    'turn/completed',
    'agent_end',
    'stream_event',
  ];
  const key = fc.oneof(fc.constantFrom(...words), fc.string());
  const {tree} = fc.letrec<{tree: unknown}>(tie => ({
    tree: fc.oneof(
      {maxDepth: 4},
      fc.constantFrom(...kinds),
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree'), {maxLength: 3}),
      fc.dictionary(key, tie('tree'), {maxKeys: 5}),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(key, tree, {maxKeys: 6}), {maxLength: 20}), async messages => {
      const scene = await startScripted(
        async side => {
          if (harness === 'claude') await greetClaude(side);
          else if (harness === 'codex') await greetCodex(side);
          else if (harness === 'pi') await greetPi(side);
          else await greetAcp(side);
          side.say(...messages);
          side.exit('it exited with code 0');
        },
        {harness, times: {interrupt: 1}},
      );
      if (scene.started.tag === 'ok') await runOf(scene).dispose();
      const order = scene.events
        .map(({event}) => event)
        .filter(event => ['started', 'working', 'finished', 'closed'].includes(event));
      expect(order.join(' ')).toMatch(/^(?:|started(?: working finished)+ closed)$/u);
      const count = (event: string): number => scene.events.filter(each => each.event === event).length;
      expect(count('tool-finished')).toBe(count('tool-started'));
    }),
    {numRuns: randomInputs(300)},
  );
});

test('Claude Code: text as it comes, edits in the terms of the catalogue, files that changed', async () => {
  const input = {file_path: '/project/a.ts', old_string: 'a', new_string: 'b'};
  const scene = await startScripted(async side => {
    await greetClaude(side);
    side.say(
      {type: 'system', subtype: 'init', model: 'claude-sonnet-4-5', permissionMode: 'default'},
      streamed({type: 'message_start', message: {id: 'm1'}}),
      streamed({type: 'content_block_delta', index: 0, delta: {type: 'text_delta', text: 'I \uD83D'}}),
      streamed({type: 'content_block_delta', index: 0, delta: {type: 'text_delta', text: '\uDE00 edit'}}),
      {
        type: 'assistant',
        parent_tool_use_id: null,
        message: {
          id: 'm1',
          content: [
            {type: 'text', text: 'I edit'},
            {type: 'tool_use', id: 't1', name: 'Edit', input},
          ],
        },
      },
      {
        type: 'control_request',
        request_id: 'r1',
        request: {subtype: 'can_use_tool', tool_name: 'Edit', input, tool_use_id: 't1'},
      },
    );
    await side.next();
    const content = [{type: 'tool_result', tool_use_id: 't1', content: [{type: 'text', text: 'ok'}]}];
    side.say({type: 'user', parent_tool_use_id: null, message: {role: 'user', content}}, claudeResult('done'));
  });
  await scene.first;
  expect(scene.approvals).toEqual([
    {
      id: 't1',
      toolName: 'Edit',
      reason: '',
      access: {
        kind: 'edit',
        paths: ['/project/a.ts'],
        edits: [
          {kind: 'replace', path: '/project/a.ts', replacements: [{oldText: 'a', newText: 'b', occurrence: 'only'}]},
        ],
      },
    },
  ]);
  expect(scene.events.slice(2, -2)).toEqual([
    {event: 'text', message: 1, delta: 'I '},
    {event: 'text', message: 1, delta: '\u{1F600} edit'},
    {event: 'tool-started', id: 't1', name: 'Edit', title: '/project/a.ts', input},
    {
      event: 'tool-finished',
      id: 't1',
      end: 'succeeded',
      output: 'ok',
      files: [{path: '/project/a.ts', change: 'changed'}],
    },
  ]);
});

test('Claude Code: its question is the user’s, by the text of the question', async () => {
  let answer: JsonObject = {};
  const questions = [
    {question: 'Which?', header: 'Pick', multiSelect: false, options: [{label: 'A', description: 'a'}]},
  ];
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      const request = {subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: {questions}, tool_use_id: 't1'};
      side.say({type: 'control_request', request_id: 'r1', request});
      answer = await side.next();
      side.say(claudeResult('done'));
    },
    {reply: () => ({kind: 'answered', answers: [{selected: ['A'], other: 'or so'}]})},
  );
  await scene.first;
  expect(answer).toMatchObject({
    response: {response: {behavior: 'allow', updatedInput: {questions, answers: {'Which?': 'A, or so'}}}},
  });
});

test('Claude Code: a message that came too late for an answer belongs to the prompt all the same', async () => {
  const scene = await startScripted(async side => {
    await greetClaude(side);
    const {uuid} = await side.next();
    side.say(
      claudeResult('first'),
      {type: 'system', subtype: 'init'},
      {type: 'user', isReplay: true, uuid, message: {}},
    );
    side.say(claudeResult('second'));
  });
  expect(await runOf(scene).send('also')).toEqual({tag: 'ok', value: 'steered'});
  await scene.first;
  expect(scene.events.filter(({event}) => event === 'finished')).toEqual([
    {event: 'finished', outcome: {kind: 'succeeded', text: 'second'}},
  ]);
});

test('Claude Code: of a conversation that goes on only what this program has used is told', async () => {
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say({...claudeResult('done'), total_cost_usd: 5});
    },
    {request: {resume: 'new'}},
  );
  await scene.first;
  const [session] = scene.events.flatMap(event => (event.event === 'started' ? [event.session] : []));
  if (session === undefined) throw new Error('not started');
  const resumed = await startScripted(
    async side => {
      await greetClaude(side);
      side.say({...claudeResult('done'), total_cost_usd: 7});
    },
    {request: {resume: session}},
  );
  await resumed.first;
  expect(resumed.processes.started[0]?.args.slice(-2)).toEqual(['--resume', session]);
  // The price of the test is a dollar for a thousand tokens.
  expect(resumed.events.flatMap(event => (event.event === 'usage' ? [event.used.cost] : []))).toEqual([
    {kind: 'estimated', usd: 1},
  ]);
});

test('Claude Code: an error of the model’s server is the reason', async () => {
  const scene = await startScripted(async side => {
    await greetClaude(side);
    side.say({...claudeResult('Not logged in · Please run /login'), is_error: true, terminal_reason: 'api_error'});
  });
  await scene.first;
  expect(scene.events.at(-1)).toEqual({
    event: 'finished',
    outcome: {
      kind: 'failed',
      reason: 'Not logged in · Please run /login (sign in: run claude, then /login)',
      text: '',
    },
  });
});

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
      reason: '',
      access: {kind: 'command', command: 'echo hi > approved.txt', directory: '/project'},
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
    error: {message: 'Codex could not be started: nobody is signed in: run codex login.'},
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
  expect(withoutShell(shown)).toBe(command);
});

test('ACP: Gemini puts the command into the title; only what is allowed for once is answered', async () => {
  const answers: JsonObject[] = [];
  const scene = await startScripted(
    async side => {
      const {id} = await greetAcp(side);
      const toolCall = {
        toolCallId: 'c1',
        status: 'pending',
        title: 'echo hi > a',
        content: [],
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
  expect(scene.approvals.map(({access}) => access)).toEqual([
    {kind: 'command', command: 'echo hi > a', directory: '/project'},
  ]);
  expect(scene.events.slice(2)).toEqual([
    {event: 'tool-started', id: 'c1', name: 'execute', title: 'echo hi > a', input: {}},
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
    {kind: 'command', command: "rm 'a b'", directory: '/project'},
  ]);
  expect(answers.map(({result}) => result)).toEqual([
    {outcome: {outcome: 'selected', optionId: 'proceed_once'}},
    {outcome: {outcome: 'selected', optionId: 'cancel'}},
  ]);
  expect(scene.events.filter(({event}) => event === 'warning')).toEqual([
    {event: 'warning', text: 'opencode cannot be allowed rm just once, so it was denied.'},
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
    error: {message: 'Gemini CLI could not be started: its mode yolo skips approvals, and it offers none that asks.'},
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
    {event: 'finished', outcome: {kind: 'failed', reason: 'opencode refused to go on.', text: ''}},
  ]);
});

test('pi gets tools that read, and says what it has used', async () => {
  const scene = await startScripted(
    async side => {
      await greetPi(side);
      const content = [
        {type: 'thinking', thinking: 'hm'},
        {type: 'text', text: 'DONE'},
      ];
      side.say(
        {type: 'agent_start'},
        {type: 'tool_execution_start', toolCallId: 't1', toolName: 'read', args: {path: 'a.ts'}},
        {
          type: 'tool_execution_end',
          toolCallId: 't1',
          toolName: 'read',
          result: {content: [{type: 'text', text: 'x'}]},
          isError: false,
        },
        {type: 'message_start', message: {role: 'assistant'}},
        {type: 'message_update', assistantMessageEvent: {type: 'text_delta', delta: 'DONE'}},
        {type: 'agent_end', messages: [{role: 'user'}, {role: 'assistant', stopReason: 'stop', content}]},
      );
      side.say({type: 'response', id: (await side.next())['id'], success: true, data: piStats(1500, 3)});
    },
    {harness: 'pi'},
  );
  await scene.first;
  expect(scene.processes.started[0]?.args).toEqual([
    '--mode',
    'rpc',
    '--tools',
    'read,grep,find,ls',
    '--no-extensions',
  ]);
  expect(scene.events).toEqual([
    {event: 'started', session: 'pi-1', model: 'mock', version: ''},
    {event: 'working'},
    {event: 'warning', text: 'pi asks nobody before it acts, so weft gives it only tools that read.'},
    {event: 'tool-started', id: 't1', name: 'read', title: 'a.ts', input: {path: 'a.ts'}},
    {event: 'tool-finished', id: 't1', end: 'succeeded', output: 'x', files: []},
    {event: 'text', message: 1, delta: 'DONE'},
    {
      event: 'usage',
      used: {
        model: 'mock',
        usage: {inputTokens: 1000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0},
        cost: {kind: 'known', usd: 2},
      },
    },
    {event: 'finished', outcome: {kind: 'succeeded', text: 'DONE'}},
  ]);
});
