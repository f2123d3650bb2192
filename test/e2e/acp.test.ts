// @module-tag long
import {mkdirSync, existsSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import {type ClientContext, methods} from '@agentclientprotocol/sdk';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, hang, say, stop, until} from '../support/model-script.ts';
import {openScene, toldPrompt, toldResults} from '../support/scene.ts';
import {asEditor, type Editor, hello, newSession, prompt, textIn} from './support/editor.ts';
import {auto, skipWithoutOverlay, writeFiles} from './support/overlay.ts';

test('an editor shows no review and no suggestion, so neither is done', {tags: 'smoke'}, async () => {
  await using scene = await openScene([
    [call('OpenCodeReview', {}), call('SuggestPrompt', {prompt: 'next'})],
    say('Done.'),
  ]);
  await asEditor(scene, async (weft, editor) => {
    await prompt(weft, await newSession(weft, scene), 'Go.');
    expect(editor.asked).toEqual([]);
  });
  expect(toldResults(scene.server.requests[1])).toEqual([
    'No code review can be opened here. Report your findings in your answer.',
    'No suggestion can be shown here. Suggest next steps in your answer.',
  ]);
});

test('the first request of a session has the tools of the MCP servers that the editor names', async () => {
  await using scene = await openScene([say('Done.')]);
  const {command, args} = scriptedServer({tools: [{name: 'add'}]});
  await asEditor(scene, async weft => {
    const session = await newSession(weft, scene, [{name: 'calc', command, args: [...args], env: []}]);
    await prompt(weft, session, 'Go.');
  });
  expect((scene.server.requests[0]?.body.tools ?? []).map(({name}) => name)).toContain('mcp__calc__add');
});

test('MCP servers that are dead, silent or missing are named on stderr and in the conversation', async () => {
  await using scene = await openScene([say('Done.')]);
  const servers = [
    {name: 'dead', env: [], ...scriptedServer({exit: 3, log: ['no database']})},
    {name: 'mute', env: [], ...scriptedServer({startMs: -1})},
    {name: 'missing', env: [], command: '/nowhere/at/all', args: []},
  ].map(server => ({...server, args: [...server.args]}));
  const work = async (weft: ClientContext, editor: Editor): Promise<void> => {
    const session = await newSession(weft, scene, servers);
    expect(await prompt(weft, session, 'Go.')).toMatchObject({stopReason: 'end_turn'});
    for (const named of [
      "Can't start MCP server dead: ",
      "Can't start MCP server missing: ",
      'Waiting for MCP server mute to start (at most 2 s)',
      "Can't start MCP server mute: it did not start within 2 s",
    ])
      for (const told of [() => editor.stderr, () => textIn(editor.updates, 'agent_message_chunk')])
        await lookUntil(() => told().split(named).length === 2, told);
  };
  await asEditor(scene, work, {MCP_TIMEOUT: '2000'});
});

test('an editor shows that files of an untrusted project are not used', async () => {
  await using scene = await openScene([]);
  writeFiles(scene.place.work, {'.claude/commands/deploy.md': 'Deploy.'});
  await asEditor(scene, async (weft, editor) => {
    await newSession(weft, scene);
    const named = '.claude/commands/deploy.md is not used: you have not trusted this project';
    for (const told of [() => editor.stderr, () => textIn(editor.updates, 'agent_message_chunk')])
      await lookUntil(() => told().split(named).length === 2, told);
  });
});

test('a loaded session shows its tool calls as they were shown live', async () => {
  await using scene = await openScene([
    call('Read', {file_path: 'a.txt'}),
    call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'}),
    call('Write', {file_path: 'w.txt', content: 'w'}),
    call('Edit', {file_path: 'a.txt', old_string: 'three', new_string: 'x'}),
    call('TodoWrite', {todos: [{content: 'One', status: 'pending', activeForm: 'One'}]}),
    call('Bash', {command: 'exit 3'}),
    say('Done.'),
  ]);
  writeFiles(scene.place.work, {'a.txt': 'one\ntwo'});
  await asEditor(scene, async (weft, editor) => {
    const sessionId = await newSession(weft, scene);
    await prompt(weft, sessionId, 'Go.');
    const shown = () =>
      editor.updates.flatMap(update => {
        if (update.sessionUpdate !== 'tool_call') return [];
        const {toolCallId, title, kind, rawInput, locations} = update;
        return [{toolCallId, name: Object(update)['name'], title, kind, rawInput, locations}];
      });
    const ends = () =>
      new Map(
        editor.updates.flatMap(update =>
          (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
          (update.status === 'completed' || update.status === 'failed')
            ? [[update.toolCallId, [update.status, Object(update)['_meta']]] as const]
            : [],
        ),
      );
    const [live, liveEnds] = [shown(), ends()];
    expect(live.map(({title, kind}) => [title, kind])).toEqual([
      ['Read a.txt', 'read'],
      ['Edit a.txt', 'edit'],
      ['Edit w.txt', 'edit'],
      ['Edit a.txt', 'edit'],
      ['Update todos (1)', 'other'],
      ['Run exit 3', 'execute'],
    ]);
    const written = {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'};
    expect(live[1]).toMatchObject({name: 'Edit', rawInput: written});
    expect([...liveEnds.values()].at(-1)).toEqual(['failed', {weft: {outcome: 'error'}}]);
    editor.updates.length = 0;
    await weft.request(methods.agent.session.load, {sessionId, cwd: scene.place.work, mcpServers: []});
    expect(shown()).toEqual(live);
    expect(ends()).toEqual(liveEnds);
    const {work} = scene.place;
    expect(
      editor.updates.flatMap(update =>
        update.sessionUpdate === 'tool_call' && update.kind === 'edit' ? [update.content] : [],
      ),
    ).toEqual([
      [{type: 'diff', path: `${work}/a.txt`, oldText: 'two', newText: 'TWO'}],
      [{type: 'diff', path: `${work}/w.txt`, oldText: null, newText: 'w'}],
      [{type: 'content', content: {type: 'text', text: expect.stringContaining('not found')}}],
    ]);
    expect(editor.updates.filter(update => update.sessionUpdate === 'plan')).toMatchObject([
      {entries: [{content: 'One', status: 'pending'}]},
    ]);
    expect(textIn(editor.updates, 'user_message_chunk')).toBe('Go.');
  });
});

test('an editor can tell an unknown folder, session and command by the error code', async () => {
  await using scene = await openScene([say('Done.')]);
  await asEditor(scene, async weft => {
    const cwd = scene.place.work;
    const sessionId = await newSession(weft, scene);
    await prompt(weft, sessionId, 'Go.');
    await expect(
      weft.request(methods.agent.session.new, {cwd: '/nowhere/at/all', mcpServers: []}),
    ).rejects.toMatchObject({code: -32_602, message: '/nowhere/at/all is not a folder.'});
    await expect(prompt(weft, sessionId, '/nonesuch')).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringMatching(/^Unknown command \/nonesuch\. Available: \/compact, .*\/init\.$/u),
    });
    const gone = '0f3428b0-a18a-4656-b604-f76ddbaabe2a';
    const unknown = {code: -32_002, message: expect.stringContaining(gone)};
    // The library counts this code as a success, because the session is gone.
    expect(await weft.request(methods.agent.session.delete, {sessionId: gone})).toEqual({});
    const loading = weft.request(methods.agent.session.load, {sessionId: gone, cwd, mcpServers: []});
    await expect(loading).rejects.toMatchObject(unknown);
  });
});

test('a diff of a file without a final line ending has none', async () => {
  await using scene = await openScene([
    call('Read', {file_path: 'a.txt'}),
    call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'}),
    call('Edit', {file_path: 'a.txt', old_string: 'one', new_string: 'ONE\n'}),
    call('Write', {file_path: 'w.txt', content: 'w'}),
    say('Done.'),
  ]);
  writeFiles(scene.place.work, {'a.txt': 'one\ntwo'});
  await asEditor(scene, async (weft, editor) => {
    await prompt(weft, await newSession(weft, scene), 'Go.');
    expect(editor.asked.flatMap(({toolCall}) => toolCall.content ?? [])).toMatchObject([
      {oldText: 'one\ntwo', newText: 'one\nTWO'},
      {oldText: 'one\nTWO', newText: 'ONE\n\nTWO'},
      {oldText: null, newText: 'w'},
    ]);
  });
});

test('data that is no image is refused at once', async () => {
  await using scene = await openScene([say('Done.')]);
  await asEditor(scene, async (weft, editor) => {
    const sessionId = await newSession(weft, scene);
    for (const [data, mimeType, problem] of [
      ['not base64!', 'image/png', 'is not valid base64'],
      ['A', 'image/png', 'is not valid base64'],
      ['', 'image/png', 'is not valid base64'],
      ['AAAA', 'image/tiff', 'is not a PNG, JPEG, GIF or WebP image'],
    ] as const)
      await expect(
        weft.request(methods.agent.session.prompt, {
          sessionId,
          prompt: [
            {type: 'text', text: 'Look.'},
            {type: 'image', mimeType, data},
          ],
        }),
      ).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining(`"prompt.1.data" of session/prompt ${problem}`),
      });
    expect(textIn(editor.updates, 'agent_message_chunk')).toBe('');
  });
  expect(scene.server.requests).toEqual([]);
});

test('an editor asks, allows, refuses, changes the mode, and comes back to the conversation', async () => {
  await using scene = await openScene([
    [say('I write.'), call('Write', {file_path: 'a.txt', content: 'one\n'})],
    call('Bash', {command: 'touch b'}),
    call('TodoWrite', {todos: [{content: 'Look', status: 'in_progress', activeForm: 'Looking'}]}),
    say('Done.'),
    call('Write', {file_path: 'c.txt', content: 'unasked\n'}),
    say('Again.'),
  ]);
  let session = '';
  const code = await asEditor(scene, async (weft, editor) => {
    const greeting = await weft.request(methods.agent.initialize, hello);
    expect(greeting).toMatchObject({
      protocolVersion: 1,
      agentInfo: {name: 'weft'},
      agentCapabilities: {loadSession: true, promptCapabilities: {image: true, embeddedContext: true}},
    });
    const opened = await weft.request(methods.agent.session.new, {cwd: scene.place.work, mcpServers: []});
    session = opened.sessionId;
    expect(opened.modes?.availableModes.map(({id}) => id)).toEqual(['default', 'acceptEdits', 'plan']);
    const asking = prompt(weft, session, 'Write it.');
    editor.choice = 'allow_once';
    expect(await asking).toMatchObject({stopReason: 'end_turn'});
    expect(scene.read('a.txt')).toBe('one\n');
    expect(editor.asked.map(({toolCall}) => [toolCall.kind, toolCall.content])).toEqual([
      ['edit', [{type: 'diff', path: expect.stringMatching(/^\/.*\/a\.txt$/u), oldText: null, newText: 'one\n'}]],
      ['execute', []],
    ]);
    expect(textIn(editor.updates, 'agent_message_chunk')).toBe('I write.Done.');
    const states = editor.updates.flatMap(update =>
      update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update' ? [update.status] : [],
    );
    expect(states.filter(state => state === 'completed')).toHaveLength(3);
    const [spent] = editor.updates.filter(({sessionUpdate}) => sessionUpdate === 'usage_update');
    expect(spent).toMatchObject({used: expect.any(Number), size: expect.any(Number), cost: {currency: 'USD'}});
    expect(editor.updates).toContainEqual({
      sessionUpdate: 'plan',
      entries: [{content: 'Look', priority: 'medium', status: 'in_progress'}],
    });
    await weft.request(methods.agent.session.setMode, {sessionId: session, modeId: 'acceptEdits'});
    editor.asked.length = 0;
    await prompt(weft, session, 'And again.');
    expect(editor.asked).toEqual([]);
    expect(scene.read('c.txt')).toBe('unasked\n');
  });
  expect(code).toBe(0);
  await asEditor(scene, async (weft, editor) => {
    await weft.request(methods.agent.initialize, hello);
    await weft.request(methods.agent.session.load, {sessionId: session, cwd: scene.place.work, mcpServers: []});
    expect(textIn(editor.updates, 'user_message_chunk')).toBe('Write it.And again.');
    expect(textIn(editor.updates, 'agent_message_chunk')).toBe('I write.Done.Again.');
    expect(editor.updates.filter(({sessionUpdate}) => sessionUpdate === 'tool_call')).toHaveLength(4);
  });
});

test('what is refused is not done, what is cancelled ends as cancelled, and what does not fit is an error', async () => {
  await using scene = await openScene([call('Write', {file_path: 'a.txt', content: 'x'}), say('I see.'), hang()]);
  await asEditor(scene, async (weft, editor) => {
    const sessionId = await newSession(weft, scene);
    editor.choice = 'reject_once';
    const link = {type: 'resource_link', uri: 'file:///tmp/a%20b.ts', name: 'a b.ts'} as const;
    const asked = {sessionId, prompt: [{type: 'text', text: 'Look at '} as const, link]};
    expect(await weft.request(methods.agent.session.prompt, asked)).toEqual({
      stopReason: 'end_turn',
      usage: {inputTokens: 20, outputTokens: 10, cachedReadTokens: 0, cachedWriteTokens: 0, totalTokens: 30},
    });
    expect(toldPrompt(scene.server.requests[0])).toBe('Look at /tmp/a b.ts');
    expect(() => scene.read('a.txt')).toThrow();
    const refused = {status: 'failed', _meta: {weft: {outcome: 'cancelled', reason: 'declined'}}};
    expect(editor.updates).toContainEqual(expect.objectContaining({sessionUpdate: 'tool_call_update', ...refused}));
    editor.updates.length = 0;
    await weft.request(methods.agent.session.load, {sessionId, cwd: scene.place.work, mcpServers: []});
    expect(editor.updates).toContainEqual(expect.objectContaining({sessionUpdate: 'tool_call', ...refused}));
    const running = prompt(weft, sessionId, 'Go on.');
    await expect(prompt(weft, sessionId, 'Me too.')).rejects.toThrow('A prompt is running');
    await weft.notify(methods.agent.session.cancel, {sessionId});
    expect(await running).toMatchObject({stopReason: 'cancelled'});
    await expect(prompt(weft, '0f3428b0-a18a-4656-b604-f76ddbaabe2a', 'x')).rejects.toThrow('Unknown session');
    await expect(weft.request(methods.agent.session.setMode, {sessionId, modeId: 'yolo'})).rejects.toThrow(
      'Unknown mode "yolo". Use one of default, acceptEdits, plan.',
    );
    await expect(weft.request(methods.agent.session.new, {cwd: '/nowhere/at/all', mcpServers: []})).rejects.toThrow(
      '/nowhere/at/all',
    );
  });
});

test('the end of a sub-agent in the background is told to the agent at once, and no prompt is taken for it', async () => {
  const [slow, hearing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const left = {description: 'slow', prompt: 'SLOW', run_in_background: true};
  const script = [
    call('Agent', left),
    say('I go on.'),
    [say('It has '), until(hearing.promise), say('answered.')],
    say('You are welcome.'),
  ];
  await using scene = await openScene(({body}) => {
    if (JSON.stringify(body.messages[0]).includes('SLOW')) return [until(slow.promise), say('Slowly.')];
    return script[body.messages.filter(({role}) => role === 'assistant').length] ?? hang();
  });
  const code = await asEditor(scene, async (weft, editor) => {
    const session = await newSession(weft, scene);
    const said = () => textIn(editor.updates, 'agent_message_chunk');
    expect(await prompt(weft, session, 'MAIN')).toMatchObject({stopReason: 'end_turn'});
    slow.resolve();
    await lookUntil(
      () => said().includes('It has'),
      () => said(),
    );
    const thanks = prompt(weft, session, 'Thanks.');
    hearing.resolve();
    expect(await thanks).toMatchObject({stopReason: 'end_turn'});
    expect(said()).toBe('I go on.It has answered.You are welcome.');
  });
  expect(code).toBe(0);
});

test('changes of a command that ran unasked are asked about with their diffs, and the kept ones are shown', async ({
  skip,
}) => {
  const command = 'sed -i s/old/new/ a.ts; echo more >b.ts';
  await using scene = await openScene([call('Bash', {command}), say('One.'), call('Bash', {command}), say('Two.')]);
  await skipWithoutOverlay(scene, skip);
  const {work} = scene.place;
  writeFiles(work, {'a.ts': 'old\n'});
  await asEditor(
    scene,
    async (weft, editor) => {
      const session = await newSession(weft, scene);
      editor.choice = 'reject_once';
      await prompt(weft, session, 'Go.');
      const diffs = [
        {type: 'diff', path: `${work}/a.ts`, oldText: 'old\n', newText: 'new\n'},
        {type: 'diff', path: `${work}/b.ts`, oldText: null, newText: 'more\n'},
      ];
      const list = {type: 'content', content: {type: 'text', text: 'changed a.ts\ncreated b.ts'}};
      expect(editor.asked.map(({toolCall}) => [toolCall.kind, toolCall.title, toolCall.content])).toEqual([
        ['execute', `Keep changes of: ${command}`, [list, ...diffs]],
      ]);
      expect([scene.read('a.ts'), existsSync(join(work, 'b.ts'))]).toEqual(['old\n', false]);
      const ends = (): unknown => editor.updates.findLast(update => 'status' in update && update.status !== 'pending');
      expect(ends()).toMatchObject({
        status: 'failed',
        _meta: {weft: {outcome: 'cancelled', reason: 'declined'}},
        content: [{content: {text: expect.stringContaining('[refused and not kept: a.ts, b.ts]')}}],
      });
      editor.choice = 'allow_once';
      await prompt(weft, session, 'Again.');
      expect([scene.read('a.ts'), scene.read('b.ts')]).toEqual(['new\n', 'more\n']);
      const shown = editor.updates.flatMap(update =>
        update.sessionUpdate === 'tool_call_update' && update.status === 'completed' ? [update.content] : [],
      );
      expect(shown.at(-1)?.slice(1)).toEqual(diffs);
    },
    auto.environment,
  );
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringContaining('[refused and not kept: a.ts, b.ts]'),
  ]);
});

test('/compact compacts and says so, and a loaded session shows what was said before', async () => {
  await using scene = await openScene([
    say(`First answer. ${'word '.repeat(1000)}`),
    say('THE SUMMARY'),
    say('Second answer.'),
  ]);
  let session = '';
  await asEditor(scene, async (weft, editor) => {
    session = await newSession(weft, scene);
    await prompt(weft, session, 'First prompt.');
    await prompt(weft, session, '/compact');
    expect(JSON.stringify(editor.updates)).toContain('Compacted the conversation: ');
    await prompt(weft, session, 'Second prompt.');
  });
  expect(JSON.stringify(scene.server.requests[2]?.body.messages)).toContain('THE SUMMARY');
  const moved = join(scene.place.work, 'moved');
  mkdirSync(moved);
  await asEditor(scene, async (weft, editor) => {
    await weft.request(methods.agent.initialize, hello);
    await weft.request(methods.agent.session.load, {sessionId: session, cwd: moved, mcpServers: []});
    expect(textIn(editor.updates, 'user_message_chunk')).toBe('First prompt.Second prompt.');
    const told = textIn(editor.updates, 'agent_message_chunk');
    expect(told).toMatch(/^First answer\. (?:word )+The conversation before this was compacted\.\nTHE SUMMARYSecond/u);
    expect(told).toContain(`This session worked in ${scene.place.work} before. It continues in ${moved}`);
  });
});

test('sessions are listed, closed, copied and deleted', async () => {
  await using scene = await openScene(() => say('Done.'));
  await asEditor(scene, async (weft, editor) => {
    expect(await weft.request(methods.agent.initialize, hello)).toMatchObject({
      agentCapabilities: {sessionCapabilities: {resume: {}, close: {}, list: {}, delete: {}, fork: {}}},
    });
    const cwd = scene.place.work;
    const {sessionId} = await weft.request(methods.agent.session.new, {cwd, mcpServers: []});
    await prompt(weft, sessionId, 'First words.');
    const listed = async () => (await weft.request(methods.agent.session.list, {cwd})).sessions;
    expect(await listed()).toEqual([
      {sessionId, cwd, title: 'First words.', updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u)},
    ]);
    expect((await weft.request(methods.agent.session.list, {cwd: '/nowhere'})).sessions).toEqual([]);
    await weft.request(methods.agent.session.close, {sessionId});
    await expect(prompt(weft, sessionId, 'x')).rejects.toThrow('Unknown session');
    const forked = await weft.request('session/fork', {sessionId, cwd, mcpServers: []});
    const copy = String(Object(forked).sessionId);
    editor.updates.length = 0;
    await prompt(weft, copy, 'In the copy.');
    expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages)).toMatch(/First words\.[^]*In the copy\./u);
    expect((await listed()).map(session => session.sessionId)).toEqual([copy, sessionId]);
    await weft.request(methods.agent.session.delete, {sessionId});
    expect((await listed()).map(session => session.sessionId)).toEqual([copy]);
  });
});

test('the editor chooses the mode, the model and the effort', async () => {
  await using scene = await openScene(() => say('Done.'));
  await asEditor(scene, async (weft, editor) => {
    const {sessionId, configOptions} = await weft.request(methods.agent.session.new, {
      cwd: scene.place.work,
      mcpServers: [],
    });
    const values = (options: typeof configOptions) =>
      Object.fromEntries(
        (options ?? []).map(option => [option.id, 'currentValue' in option ? option.currentValue : '']),
      );
    expect(values(configOptions)).toMatchObject({mode: 'default', model: expect.stringContaining('claude')});
    const set = async (configId: string, value: string) =>
      values((await weft.request(methods.agent.session.setConfigOption, {sessionId, configId, value})).configOptions);
    expect(await set('mode', 'plan')).toMatchObject({mode: 'plan'});
    expect(await set('effort', 'low')).toMatchObject({effort: 'low'});
    await expect(set('effort', 'wild')).rejects.toThrow();
    await expect(set('colour', 'red')).rejects.toThrow('Unknown option "colour". Use mode, model or effort.');
    await prompt(weft, sessionId, 'Go.');
    expect(scene.server.requests.at(-1)?.body).toMatchObject({output_config: {effort: 'low'}});
    expect(await set('model', 'claude-opus-5-5')).toMatchObject({mode: 'plan', model: 'claude-opus-5-5'});
    await prompt(weft, sessionId, 'Go.');
    expect(scene.server.requests.at(-1)?.body).toMatchObject({model: 'claude-opus-5-5'});
    expect(editor.updates.map(({sessionUpdate}) => sessionUpdate)).toContain('config_option_update');
  });
});

test('a cut or refused answer has its own stop reason, and a command that fails is a failed call', async () => {
  await using scene = await openScene([
    call('Bash', {command: 'exit 3'}),
    [say('Cut'), stop('max-tokens')],
    [say(' again'), stop('max-tokens')],
    [stop('refusal')],
    say(''),
    say(''),
  ]);
  await asEditor(scene, async (weft, editor) => {
    const session = await newSession(weft, scene);
    expect(await prompt(weft, session, 'Go.')).toMatchObject({stopReason: 'max_tokens'});
    const ends = editor.updates.flatMap(update =>
      update.sessionUpdate === 'tool_call_update' && update.status !== 'in_progress' ? [update.status] : [],
    );
    expect(ends).toEqual(['failed']);
    expect(await prompt(weft, session, 'And now?')).toMatchObject({stopReason: 'refusal'});
    expect(await prompt(weft, session, 'Then?')).toMatchObject({stopReason: 'end_turn'});
    const said = editor.updates.map(update =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
    );
    expect(said.join('')).toMatch(
      /^Cut\n\nThe answer was cut at the output limit\. Asked the model to go on\.\n\n again\n\nThe answer was cut at the model's output limit again\. [^]* declined to answer\. [^]*The answer was empty\. Asked the model again\.\n\nThe model ended without an answer\. Try again, or use another model\.$/u,
    );
  });
});

test('an approval for the session names what it allows', async () => {
  await using scene = await openScene([call('Write', {file_path: 'a.txt', content: 'x'}), say('Done.')]);
  await asEditor(scene, async (weft, editor) => {
    await prompt(weft, await newSession(weft, scene), 'Write it.');
    expect(editor.asked[0]?.options.map(({name}) => name)).toEqual([
      'Allow',
      'Allow for this session: all edits inside the workspace',
      'Refuse',
    ]);
  });
});

test('a session that another process has open continues in a copy, and the editor says so', async () => {
  await using scene = await openScene([say('One.'), until(new Promise(() => {})), say('Two.'), say('3.'), say('4.')]);
  await scene.run(['--prompt', 'First words.']);
  const id = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout)[0].id;
  scene.start(['--prompt', 'Hold it.', '--resume', id]);
  await scene.server.received(2);
  const load = (weft: ClientContext, sessionId: string) =>
    weft.request(methods.agent.session.load, {sessionId, cwd: scene.place.work, mcpServers: []});
  let copy = '';
  await asEditor(scene, async (weft, editor) => {
    await weft.request(methods.agent.initialize, hello);
    const loaded = await load(weft, id);
    expect(loaded).toMatchObject({_meta: {weft: {savedAs: expect.any(String)}}});
    copy = /"savedAs":"([^"]+)"/u.exec(JSON.stringify(loaded))?.[1] ?? '';
    const said = textIn(editor.updates, 'agent_message_chunk');
    expect(said).toContain('weft continues here in a copy');
    expect(said).toContain(`Open session ${copy}`);
    expect(await prompt(weft, id, 'Go on.')).toMatchObject({stopReason: 'end_turn'});
    expect(JSON.stringify(scene.server.requests[2]?.body.messages)).toContain('First words.');
    expect(await load(weft, id)).toMatchObject({_meta: {weft: {savedAs: copy}}});
    await prompt(weft, id, 'And on.');
    expect(JSON.stringify(scene.server.requests[3]?.body.messages)).toContain('Go on.');
  });
  await asEditor(scene, async weft => {
    await weft.request(methods.agent.initialize, hello);
    expect(await load(weft, copy)).not.toHaveProperty('_meta');
    await prompt(weft, copy, 'Still on.');
    expect(JSON.stringify(scene.server.requests[4]?.body.messages)).toContain('And on.');
  });
});

const greet = (terminal: boolean) => ({...hello, clientCapabilities: {auth: {terminal}}});

test('without a model, an editor that has a terminal is told how its user signs in', async () => {
  await using scene = await openScene([]);
  const noKeys = {ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: ''};
  await asEditor(
    scene,
    async weft => {
      expect(await weft.request(methods.agent.initialize, greet(true))).toMatchObject({
        authMethods: [{type: 'terminal', id: 'terminal', args: ['--login']}],
      });
      await expect(newSession(weft, scene)).rejects.toMatchObject({code: -32_000, message: /^No model is configured/u});
      expect(await weft.request(methods.agent.initialize, greet(false))).toMatchObject({authMethods: []});
    },
    noKeys,
  );
});

test('what the user has not saved is read from the editor, and not overwritten', async () => {
  const edit = call('Edit', {file_path: 'a.txt', old_string: 'unsaved', new_string: 'edited'});
  const saved = Promise.withResolvers<void>();
  await using scene = await openScene([
    call('Read', {files: [{file_path: 'a.txt'}, {file_path: 'b.txt'}]}),
    edit,
    [until(saved.promise), call('Read', {file_path: 'a.txt'})],
    edit,
    say('Done.'),
  ]);
  writeFiles(scene.place.work, {'a.txt': 'saved\r\n', 'b.txt': 'same\r\n'});
  await asEditor(scene, async (weft, editor) => {
    const at = (name: string): string => join(realpathSync(scene.place.work), name);
    editor.texts.set(at('a.txt'), 'unsaved\n').set(at('b.txt'), 'same\n');
    await weft.request(methods.agent.initialize, {...hello, clientCapabilities: {fs: {readTextFile: true}}});
    const {sessionId} = await weft.request(methods.agent.session.new, {cwd: scene.place.work, mcpServers: []});
    const asking = prompt(weft, sessionId, 'Go.');
    await scene.server.received(3);
    writeFiles(scene.place.work, {'a.txt': 'unsaved\n'});
    saved.resolve();
    await asking;
  });
  const [both, refused, again, edited] = scene.server.requests.slice(1).flatMap(request => toldResults(request));
  expect(both).toMatch(/unsaved[^]*these lines are those in the user's editor, which the user has not saved[^]*same/u);
  expect(both).not.toMatch(/same[^]*has not saved/u);
  expect(refused).toContain(
    'a.txt: it has unsaved changes in the editor. Ask the user to save it, then read it again.',
  );
  expect(again).not.toContain('has not saved');
  expect([edited, scene.read('a.txt')]).toEqual([expect.stringContaining('a.txt'), 'edited\n']);
});

test('questions of the model reach the editor with their choices, and the answer the model', async () => {
  const questions = [
    {question: 'Which one?', options: [{label: 'The first', description: 'It is small'}, {label: 'The second'}]},
    {question: 'Sure?', options: [{label: 'Yes'}, {label: 'No'}]},
  ];
  await using scene = await openScene([
    call('AskUserQuestion', {questions}),
    say('Done.'),
    call('AskUserQuestion', {questions}),
    say('Well.'),
  ]);
  await asEditor(scene, async (weft, editor) => {
    await weft.request(methods.agent.initialize, hello);
    const {sessionId} = await weft.request(methods.agent.session.new, {cwd: scene.place.work, mcpServers: []});
    await prompt(weft, sessionId, 'Ask me.');
    expect(editor.asked.map(({toolCall, options}) => [toolCall.title, options.map(({name}) => name)])).toEqual([
      ['Which one?', ['The first: It is small', 'The second', 'No answer']],
      ['Sure?', ['Yes', 'No', 'No answer']],
    ]);
    editor.choice = 'reject_once';
    await prompt(weft, sessionId, 'Ask me again.');
  });
  const told = scene.server.requests.map(({body}) => JSON.stringify(body.messages.at(-1)));
  expect(told[1]).toContain(String.raw`Which one?\n→ The first\nSure?\n→ Yes`);
  expect(told[3]).toContain('The user chose not to answer.');
});
