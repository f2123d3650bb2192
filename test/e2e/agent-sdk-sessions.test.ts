// @module-tag long
import {randomUUID} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Options, Query, SDKMessage, SDKUserMessage} from '@anthropic-ai/claude-agent-sdk';
import {describe, expect, test} from 'vitest';
import {call, fail, say, think} from '../support/model-script.ts';
import {openScene, toldPrompt, toldSystem, type Scene} from '../support/scene.ts';
import {ask, kinds, readAll, resultIn, sessionOf, toolResults, userMessage} from './support/agent-sdk.ts';
import {writeFiles} from './support/overlay.ts';
import {isAnswer, request, startRpc} from './support/rpc-client.ts';

const asked = (scene: Scene, number: number): readonly unknown[] =>
  (scene.server.requests[number]?.body.messages ?? []).map(({role}) => role);

describe('sessions', () => {
  test('resume goes on in the same one, continue in the newest, fork in a copy', async () => {
    await using scene = await openScene([say('1'), say('2'), say('3'), say('4')]);
    const first = await readAll(ask(scene, 'one'));
    const id = sessionOf(first);
    const resumed = await readAll(ask(scene, 'two', {resume: id}));
    const continued = await readAll(ask(scene, 'three', {continue: true}));
    const forked = await readAll(ask(scene, 'four', {resume: id, forkSession: true}));
    expect([sessionOf(resumed), sessionOf(continued), sessionOf(forked) === id]).toEqual([id, id, false]);
    expect([0, 1, 2, 3].map(number => asked(scene, number).length)).toEqual([1, 3, 5, 7]);
  });

  test('an id of its own; and one that is not there', async () => {
    await using scene = await openScene([say('1')]);
    const sessionId = randomUUID();
    expect(sessionOf(await readAll(ask(scene, 'one', {sessionId})))).toBe(sessionId);
    const gone = randomUUID();
    const lost = await readAll(ask(scene, 'two', {resume: gone}));
    expect(resultIn(lost)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      num_turns: 0,
      errors: [`No such session: "${gone}". List them: weft sessions list`],
    });
    expect(lost.thrown).toContain(`No such session: "${gone}"`);
  });

  test('a copy under an id of its own', async () => {
    await using scene = await openScene([say('1'), say('2')]);
    const [id, sessionId] = [sessionOf(await readAll(ask(scene, 'one'))), randomUUID()];
    const forked = await readAll(ask(scene, 'two', {resume: id, forkSession: true, sessionId}));
    expect([sessionOf(forked), asked(scene, 1).length]).toEqual([sessionId, 3]);
  });

  test('a title of its own', async () => {
    await using scene = await openScene([say('1'), say('2')]);
    await readAll(ask(scene, 'one', {title: ' The first '}));
    await scene.run(['--prompt', 'two', '--name', 'The second']);
    const {stdout} = await scene.run(['sessions', 'list', '--json']);
    const titles: unknown = [].map.call(JSON.parse(stdout), session => Object(session).title);
    expect(titles).toEqual(['The second', 'The first']);
  });

  test('resumed behind a message: what followed is gone, and what stands in the middle of a turn is refused', async () => {
    await using scene = await openScene([
      call('Glob', {pattern: '*'}),
      [think('Hm.'), say('1')],
      say('2'),
      say('again'),
      say('in a copy'),
    ]);
    const first = await readAll(ask(scene, 'one'));
    const resume = sessionOf(first);
    await readAll(ask(scene, 'two', {resume}));
    const uuids = first.messages.flatMap(message =>
      message.type === 'assistant' || message.type === 'user' ? [message.uuid ?? ''] : [],
    );
    const [calls = '', , , last = ''] = uuids;
    expect(uuids).toHaveLength(4);
    const middle = await readAll(ask(scene, 'x', {resume, resumeSessionAt: calls}));
    expect(middle.thrown).toContain('in the middle of a turn');
    const nowhere = await readAll(ask(scene, 'x', {resume, resumeSessionAt: randomUUID()}));
    expect(nowhere.thrown).toContain('No message found');
    const guarded = await readAll(ask(scene, 'x', {resume, resumeSessionAt: last, resumeDropsTurn: randomUUID()}));
    expect(guarded.thrown).toContain('Resume rejected by --resume-drops-turn:');
    const again = await readAll(ask(scene, 'two again', {resume, resumeSessionAt: last}));
    expect([sessionOf(again), resultIn(again).subtype, asked(scene, 3)]).toEqual([
      resume,
      'success',
      ['user', 'assistant', 'user', 'assistant', 'user'],
    ]);
    const copy = await readAll(ask(scene, 'three', {resume, resumeSessionAt: last, forkSession: true}));
    expect([sessionOf(copy) === resume, toldPrompt(scene.server.requests[4]), asked(scene, 4).length]).toEqual([
      false,
      'three',
      5,
    ]);
  });

  test('one that is not kept cannot be resumed', async () => {
    await using scene = await openScene([say('1')]);
    const id = sessionOf(await readAll(ask(scene, 'one', {persistSession: false})));
    expect((await readAll(ask(scene, 'two', {resume: id}))).thrown).toContain(`No such session: "${id}"`);
  });
});

describe('commands of weft', () => {
  test('/clear begins a new conversation, which is told', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('1'), say('2')]);
    const answered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield userMessage('first');
      await answered[0]?.promise;
      yield userMessage('/clear');
      await answered[1]?.promise;
      yield userMessage('second');
    }
    const messages: SDKMessage[] = [];
    for await (const message of ask(scene, prompts())) {
      messages.push(message);
      if (message.type === 'result') answered[results(messages).length - 1]?.resolve();
    }
    const [before, cleared, after] = results(messages);
    expect(cleared).toMatchObject({
      subtype: 'success',
      result: '',
      num_turns: 0,
      local_command: 'clear',
      total_cost_usd: 0,
    });
    expect([cleared?.session_id === before?.session_id, cleared?.session_id]).toEqual([false, after?.session_id]);
    expect(messages.filter(({type}) => type === 'conversation_reset')).toMatchObject([
      {session_id: before?.session_id, new_conversation_id: after?.session_id, trigger: 'clear'},
    ]);
    expect(asked(scene, 1)).toEqual(['user']);
  });

  test.each([
    ['/context', /^Context of .*\n- Tools: /u],
    ['/cost', /^Cost: \$0\.0000/u],
    ['/compact', /^Nothing to compact yet\.$/u],
  ])('%s answers without the model', async (command, answer) => {
    await using scene = await openScene([]);
    const run = await readAll(ask(scene, command));
    expect([kinds(run), run.thrown]).toEqual([['system/init', 'assistant', 'result/success'], undefined]);
    expect(resultIn(run)).toMatchObject({
      result: expect.stringMatching(answer),
      num_turns: 0,
      local_command: command.slice(1),
    });
  });

  test("a user's own /cost replaces it", async () => {
    await using scene = await openScene([say('Cheap.')]);
    writeFiles(scene.place.home, {'.claude/commands/cost.md': 'Estimate the cost of the work.'});
    expect(resultIn(await readAll(ask(scene, '/cost', {settingSources: ['user']})))).toMatchObject({result: 'Cheap.'});
    expect(JSON.stringify(scene.server.requests[0]?.body.messages)).toContain('Estimate the cost of the work.');
  });
});

/** Prompts one after the other, each after the result of the one before; `between` runs before the second. */
async function twoPrompts(scene: Scene, options: Options, between: (running: Query) => Promise<unknown>) {
  const answered = Promise.withResolvers<void>();
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield userMessage('first', {uuid: randomUUID()});
    await answered.promise;
    yield userMessage('second');
  }
  const running = ask(scene, prompts(), options);
  const messages: SDKMessage[] = [];
  for await (const message of running) {
    messages.push(message);
    if (message.type !== 'result') continue;
    if (messages.filter(({type}) => type === 'result').length === 1) await between(running);
    answered.resolve();
  }
  return messages;
}

const results = (messages: readonly SDKMessage[]) =>
  messages.flatMap(message => (message.type === 'result' ? [message] : []));

describe('messages that are pushed while a turn runs', () => {
  test('go with its next request, but a command and a later one have turns of their own', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('All.'), say('Last.')]);
    const [asking, pushed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield userMessage('first');
      await asking.promise;
      yield userMessage('last', {priority: 'later'});
      yield userMessage('/rename Steered');
      yield userMessage('second');
      yield userMessage('third');
      pushed.resolve();
    }
    const run = await readAll(
      ask(scene, prompts(), {
        canUseTool: async () => {
          asking.resolve();
          await pushed.promise;
          return {behavior: 'allow'};
        },
      }),
    );
    expect(results(run.messages)).toMatchObject([
      {result: 'All.', num_turns: 2},
      {result: 'Last.', num_turns: 1},
      {result: 'Session renamed: Steered'},
    ]);
    const told = scene.server.requests.map(({body}) => JSON.stringify(body.messages));
    expect(told[1]).toMatch(/tool_result.*second.*third/u);
    expect([told[1]?.includes('last'), told[2]?.includes('last')]).toEqual([false, true]);
  });

  test('join one turn after an interrupt, in their order', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Both.')]);
    const asking = Promise.withResolvers<void>();
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield userMessage('first');
      await asking.promise;
      yield userMessage('second', {uuid: randomUUID()});
      yield userMessage('third', {uuid: randomUUID()});
      const receipt = await running.interrupt();
      expect(receipt?.still_queued).toHaveLength(2);
    }
    const running = ask(scene, prompts(), {
      canUseTool: (_name, _input, {signal}) => {
        asking.resolve();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      },
    });
    const {messages} = await readAll(running);
    expect(results(messages)).toMatchObject([{terminal_reason: 'aborted_tools'}, {result: 'Both.'}]);
    expect(JSON.stringify(scene.server.requests[1]?.body.messages)).toMatch(/second.*third/u);
  });
});

describe('what a client may change while it runs', () => {
  test('the model, and back to the one it began with', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('1'), say('2')]);
    await twoPrompts(scene, {model: 'claude-first'}, running => running.setModel('claude-second'));
    expect(scene.server.requests.map(({body}) => body.model)).toEqual(['claude-first', 'claude-second']);
  });

  test('what fills the context is told by part', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say('1'), say('2')]);
    writeFileSync(join(scene.place.work, 'AGENTS.md'), 'Use tabs.');
    let usage: Awaited<ReturnType<Query['getContextUsage']>> | undefined;
    const options: Options = {systemPrompt: {type: 'preset', preset: 'claude_code'}, settingSources: ['project']};
    await twoPrompts(scene, options, async running => {
      usage = await running.getContextUsage();
    });
    const rows = new Map(usage?.categories.map(({id, tokens}) => [id, tokens]));
    expect([...rows.keys()]).toEqual(['system_prompt', 'memory_files', 'system_tools', 'messages', 'free_space']);
    const used = [...rows].reduce((sum, [id, tokens]) => sum + (id === 'free_space' ? 0 : tokens), 0);
    expect(used).toBe(usage?.totalTokens);
    expect(usage?.memoryFiles.map(({path}) => path)).toEqual([join(scene.place.work, 'AGENTS.md')]);
    expect(usage?.systemTools?.map(({name}) => name)).toContain('Bash');
  });

  test('model and mode as settings, and no others', async () => {
    await using scene = await openScene([say('1'), call('Write', {file_path: 'a', content: 'x'}), say('2')]);
    await twoPrompts(scene, {model: 'claude-first'}, async running => {
      await running.applyFlagSettings({model: 'claude-second', permissions: {defaultMode: 'acceptEdits'}});
      await running.applyFlagSettings({agent: null, effortLevel: null});
      await expect(running.applyFlagSettings({agent: 'rev'})).rejects.toThrow(
        'weft acts as no agent for the whole session',
      );
      await expect(running.applyFlagSettings({model: 'claude-third', hooks: {}})).rejects.toThrow('not hooks');
    });
    expect(scene.server.requests.map(({body}) => body.model)).toEqual([
      'claude-first',
      'claude-second',
      'claude-second',
    ]);
    expect(scene.read('a')).toBe('x');
  });

  test('the effort as a setting, for this session alone', async () => {
    await using scene = await openScene([say('1'), call('Bash', {command: 'pwd'}), say('2')]);
    const options: Options = {model: 'claude-sonnet-4-6', effort: 'low'};
    await twoPrompts(scene, options, async running => {
      await running.applyFlagSettings({effortLevel: 'high'});
      await expect(running.applyFlagSettings({model: 'claude-haiku-4-5', effortLevel: 'high'})).rejects.toThrow(
        'effort',
      );
    });
    expect(scene.server.requests.map(({body}) => body['output_config'])).toEqual([
      {effort: 'low'},
      {effort: 'high'},
      {effort: 'high'},
    ]);
    expect(existsSync(join(scene.place.home, 'weft', 'settings.json'))).toBe(false);
  });

  test('requests of its adapter for editors: a title, and the settings', async () => {
    await using scene = await openScene([]);
    const client = startRpc(scene, ['--model', 'claude-first']);
    client.send(request('title', {subtype: 'generate_session_title', description: 'Fix it.\nThen test it.'}));
    client.send(request('settings', {subtype: 'get_settings'}));
    client.send(request('plugins', {subtype: 'reload_plugins'}));
    expect([
      await client.next(isAnswer('title')),
      await client.next(isAnswer('settings')),
      await client.next(isAnswer('plugins')),
    ]).toMatchObject([
      {response: {response: {title: 'Fix it. …'}}},
      {response: {response: {effective: {model: 'claude-first', permissions: {defaultMode: 'default'}}}}},
      {response: {subtype: 'error', error: expect.stringContaining('when it starts')}},
    ]);
    await client.finish();
  });

  test('files that it may read without a question', async () => {
    await using scene = await openScene([say('1'), say('2')]);
    writeFileSync(join(scene.place.work, 'a.txt'), 'tea\n');
    const outside = join(scene.place.home, 'b.txt');
    writeFileSync(outside, 'secret\n');
    const read: unknown[] = [];
    await twoPrompts(scene, {}, async running => {
      for (const [path, more] of [
        ['a.txt', {}],
        ['a.txt', {encoding: 'base64', maxBytes: 2}],
        ['c.txt', {}],
        [outside, {}],
      ] as const)
        read.push(await running.readFile(path, more));
      await running.seedReadState('a.txt', 1);
    });
    const absPath = join(scene.place.work, 'a.txt');
    expect(read).toEqual([
      {contents: 'tea\n', absPath, lossy: false},
      {contents: 'dGU=', absPath, truncated: true, encoding: 'base64'},
      null,
      null,
    ]);
  });

  test('the permission mode', async () => {
    await using scene = await openScene([say('1'), call('Write', {file_path: 'a', content: 'x'}), say('2')]);
    const messages = await twoPrompts(scene, {}, running => running.setPermissionMode('acceptEdits'));
    expect(messages.filter(message => message.type === 'system').map(({subtype}) => subtype)).toEqual([
      'init',
      'status',
      'init',
    ]);
    expect(scene.read('a')).toBe('x');
  });

  test('bypassing permissions only where it was allowed at the start', async () => {
    await using scene = await openScene([say('1'), say('2'), say('3'), say('4')]);
    await twoPrompts(scene, {}, running =>
      expect(running.setPermissionMode('bypassPermissions')).rejects.toThrow('start weft with'),
    );
    await twoPrompts(scene, {allowDangerouslySkipPermissions: true}, running =>
      running.setPermissionMode('bypassPermissions'),
    );
  });

  test('the files, back to before a prompt', async () => {
    await using scene = await openScene([call('Write', {file_path: 'a.txt', content: 'new'}), say('1'), say('2')]);
    writeFileSync(join(scene.place.work, 'b.txt'), 'untouched');
    let id = '';
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      const message = userMessage('first', {uuid: randomUUID()});
      id = message.uuid ?? '';
      yield message;
      await rewound.promise;
    }
    const rewound = Promise.withResolvers<void>();
    const running = ask(scene, prompts(), {permissionMode: 'acceptEdits', enableFileCheckpointing: true});
    const reports: unknown[] = [];
    for await (const message of running) {
      if (message.type !== 'result') continue;
      expect(readFileSync(join(scene.place.work, 'a.txt'), 'utf8')).toBe('new');
      reports.push(await running.rewindFiles(id, {dryRun: true}));
      expect(scene.read('a.txt')).toBe('new');
      reports.push(await running.rewindFiles(id));
      reports.push(await running.rewindFiles(randomUUID()));
      rewound.resolve();
    }
    const file = join(scene.place.work, 'a.txt');
    expect(reports).toMatchObject([
      {canRewind: true, filesChanged: [file]},
      {canRewind: true, filesChanged: [file]},
      {canRewind: false, error: expect.any(String)},
    ]);
    expect(() => scene.read('a.txt')).toThrow();
  });

  test('what it may ask: commands, models, servers, context', async () => {
    await using scene = await openScene([say('1'), say('2')]);
    await twoPrompts(scene, {model: 'claude-sonnet-4-6'}, async running => {
      expect((await running.supportedCommands()).map(({name}) => name)).toEqual([
        'compact',
        'effort',
        'rename',
        'goal',
        'btw',
        'clear',
        'context',
        'cost',
      ]);
      expect((await running.supportedModels()).map(({value}) => value)).toEqual(['default', 'claude-sonnet-4-6']);
      expect(await running.mcpServerStatus()).toEqual([]);
      expect(await running.accountInfo()).toMatchObject({apiKeySource: 'ANTHROPIC_API_KEY'});
      expect(await running.getContextUsage()).toMatchObject({
        totalTokens: 15,
        rawMaxTokens: 1_000_000,
        isAutoCompactEnabled: true,
      });
      await running.setMaxThinkingTokens(2000);
    });
    expect(scene.server.requests[1]?.body['thinking']).toMatchObject({type: 'enabled', budget_tokens: 2000});
  });
});

describe('options', () => {
  const systems: readonly (readonly [string, Options, RegExp])[] = [
    ['a system prompt', {systemPrompt: 'You are a pirate.'}, /^You are a pirate\.$/u],
    ['the preset is weft’s own', {systemPrompt: {type: 'preset', preset: 'claude_code'}}, /^You are weft/u],
    [
      'the preset and more',
      {systemPrompt: {type: 'preset', preset: 'claude_code', append: 'Speak softly.'}},
      /^You are weft[\s\S]*\n\nSpeak softly\.$/u,
    ],
  ];
  test.each(systems)('%s', async (_name, options, system) => {
    await using scene = await openScene([say('1')]);
    await readAll(ask(scene, 'x', options));
    expect(toldSystem(scene.server.requests[0])).toMatch(system);
  });

  const tools: readonly (readonly [string, Options, readonly string[]])[] = [
    ['some tools', {tools: ['Read', 'Bash']}, ['Bash', 'Read']],
    ['no tools', {tools: []}, []],
    ['all but one', {tools: ['Read', 'Bash'], disallowedTools: ['Bash']}, ['Read']],
  ];
  test.each(tools)('%s', async (_name, options, names) => {
    await using scene = await openScene([call('Glob', {pattern: '*'}), say('1')]);
    const run = await readAll(ask(scene, 'x', options));
    expect(run.messages[0]).toMatchObject({tools: names});
    expect((scene.server.requests[0]?.body.tools ?? []).map(({name}) => name)).toEqual(names);
    expect(toolResults(run)).toEqual([expect.stringContaining('No tool named "Glob"')]);
  });

  test('what is allowed is not asked', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}), say('1')]);
    const run = await readAll(
      ask(scene, 'x', {canUseTool: () => Promise.reject(new Error('asked')), allowedTools: ['Bash(touch:*)']}),
    );
    expect(toolResults(run)).toEqual([expect.stringMatching(/^\[exit code 0/u)]);
  });

  const thinking: readonly (readonly [string, Options, object])[] = [
    [
      'a budget',
      {maxThinkingTokens: 2048, model: 'claude-sonnet-4-6'},
      {thinking: {type: 'enabled', budget_tokens: 2048}},
    ],
    ['a budget, where the model takes none', {maxThinkingTokens: 2048}, {thinking: {type: 'adaptive'}}],
    ['no budget', {maxThinkingTokens: 0, model: 'claude-sonnet-4-6'}, {thinking: {type: 'disabled'}}],
    ['none', {thinking: {type: 'disabled'}}, {thinking: {type: 'between_tools'}}],
    ['as much as it likes', {thinking: {type: 'adaptive'}}, {thinking: {type: 'adaptive'}}],
    ['little effort', {effort: 'low'}, {output_config: {effort: 'low'}}],
  ];
  test.each(thinking)('thinking: %s', async (_name, options, sent) => {
    await using scene = await openScene([say('1')]);
    await readAll(ask(scene, 'x', {model: 'claude-sonnet-5-5', ...options}));
    expect(scene.server.requests[0]?.body).toMatchObject(sent);
  });

  test('debugFile: what happens, as JSON lines', async () => {
    await using scene = await openScene([say('1')]);
    const debugFile = join(scene.place.home, 'debug.jsonl');
    await readAll(ask(scene, 'x', {debugFile}));
    const lines = readFileSync(debugFile, 'utf8').trimEnd().split('\n');
    expect(lines.map(line => Object(JSON.parse(line)).event)).toEqual(
      expect.arrayContaining(['session-opened', 'prompt-accepted', 'prompt-finished']),
    );
  });

  test('everything the client can set that weft takes', async () => {
    await using scene = await openScene([say('1')]);
    const run = await readAll(
      ask(scene, 'x', {
        effort: 'high',
        fallbackModel: 'claude-other',
        betas: [],
        thinking: {type: 'adaptive', display: 'summarized'},
        settingSources: ['user', 'project'],
        settings: JSON.stringify({permissions: {allow: ['Read']}}),
        strictMcpConfig: true,
        additionalDirectories: [scene.place.home],
        includeHookEvents: true,
        permissionPrompts: 'none',
        extraArgs: {'replay-user-messages': null, 'include-tool-progress': null},
      }),
    );
    expect([kinds(run), run.thrown]).toEqual([['system/init', 'user', 'assistant', 'result/success'], undefined]);
    expect(run.messages[1]).toMatchObject({isReplay: true, message: {role: 'user'}});
  });

  const refused: readonly (readonly [string, Options, RegExp])[] = [
    ['other tools in the place of weft’s', {toolAliases: {Bash: 'mcp__far__bash'}}, /can't replace the tools Bash/u],
    ['an agent', {agent: 'reviewer'}, /Unknown agent "reviewer"/u],
    ['a tool that is none', {permissionPromptToolName: 'ask'}, /must be stdio or a tool/u],
  ];
  test.each(refused)('%s: refused with a clear line', async (_name, options, why) => {
    await using scene = await openScene([]);
    expect((await readAll(ask(scene, 'x', options))).thrown).toMatch(why);
  });
});

async function* pictured(): AsyncGenerator<SDKUserMessage> {
  yield {
    ...userMessage(''),
    message: {
      role: 'user',
      content: [
        {type: 'text', text: 'What is this?'},
        {type: 'image', source: {type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo='}},
      ],
    },
  };
}

test('an image goes to the model', async () => {
  await using scene = await openScene([say('A dot.')]);
  expect(resultIn(await readAll(ask(scene, pictured())))).toMatchObject({result: 'A dot.'});
  expect(scene.server.requests[0]?.body.messages[0]?.content).toMatchObject([
    {type: 'image', source: {media_type: 'image/png', data: 'iVBORw0KGgo='}},
    {type: 'text', text: 'What is this?'},
    {type: 'text', text: expect.stringMatching(/^<reminder>Environment:/u)},
  ]);
  expect(toldPrompt(scene.server.requests[0])).toBe('What is this?');
});

test('an error of the API is told, then thrown', async () => {
  await using scene = await openScene([fail(401)]);
  const run = await readAll(ask(scene, 'x'));
  expect(kinds(run)).toEqual(['system/init', 'assistant', 'result/success']);
  expect(run.messages[1]).toMatchObject({error: 'authentication_failed'});
  expect(resultIn(run)).toMatchObject({is_error: true, terminal_reason: 'api_error', api_error_status: 401});
  expect(run.thrown).toContain('error result');
});
