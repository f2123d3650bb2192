import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import {knownHarnesses} from '../../../../src/domain/harness.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {
  claudeResult,
  greetAcp,
  greetClaude,
  greetCodex,
  greetPi,
  piStats,
  runOf,
  startScripted,
} from './support/scripted-harness.ts';

const streamed = (event: object) => ({type: 'stream_event', parent_tool_use_id: null, event});

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
      {type: 'system', subtype: 'init', model: 'claude-sonnet-4-6', permissionMode: 'default'},
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
      input,
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
    {event: 'tool-started', id: 't1', name: 'Edit', title: '/project/a.ts', input, access: scene.approvals[0]?.access},
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

/** What our extension sends before a call of pi. */
const asksFor = (toolCallId: string, toolName: string, input: object) => ({
  type: 'extension_ui_request',
  id: `ui-${toolCallId}`,
  method: 'input',
  title: 'weft',
  placeholder: JSON.stringify({toolCallId, toolName, input}),
});

const change = (kind: string, more: object) => ({
  kind: 'edit',
  paths: ['a.ts'],
  edits: [{kind, path: 'a.ts', ...more}],
});

test('each call of pi is judged by what it does, and pi hears the answer', async () => {
  const answers: JsonObject[] = [];
  const calls: readonly (readonly [string, object])[] = [
    ['bash', {command: 'ls'}],
    ['write', {path: 'a.ts', content: 'x'}],
    ['edit', {path: 'a.ts', edits: [{oldText: 'x', newText: 'y'}]}],
    ['edit', {path: 'a.ts', oldText: 'x', newText: 'y'}],
    ['ls', {}],
    ['grep', {pattern: 'x', path: 'src'}],
    ['find', {pattern: '../*.ts'}],
    ['codemode', {code: 'x'}],
  ];
  const scene = await startScripted(
    async side => {
      await greetPi(side);
      side.say({type: 'agent_start'});
      for (const [at, [name, input]] of calls.entries()) {
        side.say(asksFor(`t${at}`, name, input));
        answers.push(await side.next());
      }
      side.say({type: 'agent_end', messages: []});
      side.say({type: 'response', id: (await side.next())['id'], success: true, data: piStats(1500, 3)});
    },
    {
      harness: 'pi',
      decide: async ({toolName}) => (toolName === 'bash' ? {kind: 'denied', message: 'allow'} : {kind: 'allowed'}),
    },
  );
  await scene.first;
  const directory = '/project';
  const replaced = change('replace', {replacements: [{oldText: 'x', newText: 'y', occurrence: 'only'}]});
  expect(scene.approvals.map(({id, access}) => [id, access])).toEqual([
    ['t0', {kind: 'command', command: 'ls', directory, paths: []}],
    ['t1', change('write', {content: 'x'})],
    ['t2', replaced],
    ['t3', replaced],
    ['t4', {kind: 'read', paths: ['.']}],
    ['t5', {kind: 'search', text: 'x', paths: ['src']}],
    ['t6', {kind: 'other', title: 'find', input: {pattern: '../*.ts'}}],
    ['t7', {kind: 'other', title: 'codemode', input: {code: 'x'}}],
  ]);
  expect(answers.map(({id, value}) => [id, value])).toEqual(
    calls.map((_, at) => [`ui-t${at}`, at === 0 ? 'deny: allow' : 'allow']),
  );
});

test('pi without our extension gets no prompt', async () => {
  const scene = await startScripted(
    async side => {
      const {id} = await side.next();
      side.say({type: 'response', id, success: true, data: {sessionId: 'pi-1', model: {provider: 'mock', id: 'mock'}}});
    },
    {harness: 'pi'},
  );
  expect(scene.started).toMatchObject({
    tag: 'failed',
    error: {message: expect.stringContaining("it did not load weft's extension")},
  });
});

test('pi asks by our extension before each call, and says what it has used', async () => {
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
        asksFor('t1', 'read', {path: 'a.ts'}),
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
    '--no-extensions',
    '--tools',
    'read,bash,edit,write,grep,find,ls',
    '--extension',
    expect.stringMatching(/\/harnesses\/pi-gate\.ts$/u),
  ]);
  expect(scene.events).toEqual([
    {event: 'started', session: 'pi-1', model: 'mock', version: ''},
    {event: 'working'},
    {
      event: 'tool-started',
      id: 't1',
      name: 'read',
      title: 'a.ts',
      input: {path: 'a.ts'},
      access: {kind: 'read', paths: ['a.ts']},
    },
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
