// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Options, PermissionResult, Query} from '@anthropic-ai/claude-agent-sdk';
import {describe, expect, test} from 'vitest';
import {call, hang, raw, say, sayPieces, until, usage} from '../support/model-script.ts';
import {openScene, pointedAt, toldPrompt, toldResults, toldSystem} from '../support/scene.ts';
import {ask, kinds, readAll, resultIn, sessionOf, toolResults, userMessage} from './support/agent-sdk.ts';

import {skipWithoutOverlay, writeFiles} from './support/overlay.ts';

/** The npm package `@anthropic-ai/claude-agent-sdk`, unmodified, drives the built program. */

const touch = (name: string) => call('Bash', {command: `touch ${name}`});

test('a prompt in one string, answered', {tags: 'smoke'}, async () => {
  await using scene = await openScene([[say('The answer.'), usage({input: 1000, output: 100})]]);
  const run = await readAll(ask(scene, 'What?', {model: 'claude-sonnet-4-6'}));
  expect([kinds(run), run.thrown]).toEqual([['system/init', 'assistant', 'result/success'], undefined]);
  expect(resultIn(run)).toMatchObject({
    is_error: false,
    result: 'The answer.',
    num_turns: 1,
    total_cost_usd: 0.0045,
    modelUsage: {'claude-sonnet-4-6': {inputTokens: 1000, outputTokens: 100}},
    permission_denials: [],
    terminal_reason: 'completed',
  });
  expect(toldPrompt(scene.server.requests[0])).toBe('What?');
  // Without the option the client sends an empty system prompt.
  expect(toldSystem(scene.server.requests[0])).toBe('');
});

describe('canUseTool', () => {
  const cases: readonly (readonly [string, PermissionResult, RegExp, boolean])[] = [
    ['allow', {behavior: 'allow', updatedInput: {command: 'touch a'}}, /^\[exit code 0/u, true],
    ['allow without an input', {behavior: 'allow'}, /^\[exit code 0/u, true],
    ['allow with an empty input', {behavior: 'allow', updatedInput: {}}, /^\[exit code 0/u, true],
    ['deny', {behavior: 'deny', message: 'Not on a Sunday.'}, /^Not on a Sunday\.$/u, false],
  ];
  test.each(cases)('%s', async (_name, answer, told, made) => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const run = await readAll(ask(scene, 'x', {canUseTool: async () => answer}));
    expect(toolResults(run)).toEqual([expect.stringMatching(told)]);
    const ends = run.messages.flatMap(message => (message.type === 'user' ? [message.message.content].flat() : []));
    expect(ends).toMatchObject([
      made ? {outcome: 'success'} : {is_error: true, outcome: 'cancelled', reason: 'denied'},
    ]);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringMatching(told)]);
    expect(existsSync(join(scene.place.work, 'a'))).toBe(made);
    expect(resultIn(run)).toMatchObject({
      subtype: 'success',
      permission_denials: made ? [] : [{tool_name: 'Bash', tool_input: {command: 'touch a'}}],
    });
  });

  test('is given the reason, what would spare the question, and the call', {tags: 'smoke'}, async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const asked: unknown[] = [];
    await readAll(
      ask(scene, 'x', {
        canUseTool: async (name, input, {suggestions, decisionReason, toolUseID}) => {
          asked.push({name, input, suggestions, decisionReason, toolUseID});
          return {behavior: 'deny', message: 'no'};
        },
      }),
    );
    expect(asked).toEqual([
      {
        name: 'Bash',
        input: {command: 'touch a'},
        suggestions: [
          {
            type: 'addRules',
            rules: [{toolName: 'Bash', ruleContent: 'touch a'}],
            behavior: 'allow',
            destination: 'localSettings',
          },
        ],
        decisionReason: 'Changes files (touch a)',
        toolUseID: 'toolu_1_0',
      },
    ]);
  });

  test('another input runs in the place of the first', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const answer: PermissionResult = {behavior: 'allow', updatedInput: {command: 'touch b'}};
    await readAll(ask(scene, 'x', {canUseTool: async () => answer}));
    expect(['a', 'b'].map(name => existsSync(join(scene.place.work, name)))).toEqual([false, true]);
  });

  test('rules that come back are kept: the like is not asked again', async () => {
    await using scene = await openScene([touch('a'), touch('a'), say('Done.')]);
    let asked = 0;
    await readAll(
      ask(scene, 'x', {
        canUseTool: async (_name, input, {suggestions}) => {
          asked += 1;
          return {behavior: 'allow', updatedInput: input, updatedPermissions: suggestions ?? []};
        },
      }),
    );
    expect(asked).toBe(1);
  });

  test('a folder that comes back may be read without a question', async () => {
    await using scene = await openScene([
      call('Read', {file_path: '../o/a'}),
      call('Read', {file_path: '../o/b'}),
      say(''),
    ]);
    writeFiles(scene.place.work, {'../o/a': 'A', '../o/b': 'B'});
    const asked: unknown[] = [];
    const run = await readAll(
      ask(scene, 'x', {
        canUseTool: async (_name, input) => {
          asked.push(input);
          const directories = [join(scene.place.work, '../o')];
          const updatedPermissions = [{type: 'addDirectories', directories, destination: 'session'} as const];
          return {behavior: 'allow', updatedInput: input, updatedPermissions};
        },
      }),
    );
    expect([asked, toolResults(run)]).toEqual([[{file_path: '../o/a'}], ['1\tA', '1\tB']]);
  });

  test('deny and interrupt ends the prompt', async () => {
    await using scene = await openScene([touch('a'), say('never')]);
    const answer: PermissionResult = {behavior: 'deny', message: 'stop', interrupt: true};
    const run = await readAll(ask(scene, 'x', {canUseTool: async () => answer}));
    expect(resultIn(run)).toMatchObject({subtype: 'error_during_execution', terminal_reason: 'aborted_tools'});
    expect(toolResults(run)).toEqual(['stop']);
    expect(scene.server.requests).toHaveLength(1);
  });

  test('a callback that throws is a no', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const run = await readAll(ask(scene, 'x', {canUseTool: () => Promise.reject(new Error('no idea'))}));
    expect(toolResults(run)).toEqual([expect.stringContaining('no idea')]);
    expect(existsSync(join(scene.place.work, 'a'))).toBe(false);
  });

  test('a refusal of its own is not told again as a denial without a question', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const run = await readAll(ask(scene, 'x', {canUseTool: async () => ({behavior: 'deny', message: 'no'})}));
    expect(kinds(run)).toEqual(['system/init', 'assistant', 'user', 'assistant', 'result/success']);
  });

  const places = [
    ['userSettings', undefined],
    ['projectSettings', '.weft/settings.json'],
    ['localSettings', '.weft/settings.local.json'],
    ['session', undefined],
  ] as const;
  test.each(places)('a rule for %s reaches no further than that', async (destination, inFolder) => {
    await using scene = await openScene([touch('a'), touch('a'), say('Done.')]);
    const rules = [{toolName: 'Bash', ruleContent: 'touch a'}];
    let asked = 0;
    await readAll(
      ask(scene, 'x', {
        canUseTool: async () => {
          asked += 1;
          return {behavior: 'allow', updatedPermissions: [{type: 'addRules', rules, behavior: 'allow', destination}]};
        },
      }),
    );
    const files = [join(scene.place.home, 'weft', 'settings.json')];
    for (const name of ['settings.json', 'settings.local.json']) files.push(join(scene.place.work, '.weft', name));
    const [user] = files;
    const wanted = destination === 'userSettings' ? user : inFolder && join(scene.place.work, inFolder);
    expect([asked, files.filter(file => existsSync(file))]).toEqual([1, wanted === undefined ? [] : [wanted]]);
  });

  test('what it forbids is not run again, not even unasked', async () => {
    await using scene = await openScene([touch('a'), touch('b'), say('Done.')]);
    const rules = [{toolName: 'Bash', ruleContent: 'touch b'}];
    const allow: PermissionResult = {
      behavior: 'allow',
      updatedPermissions: [{type: 'addRules', rules, behavior: 'deny', destination: 'session'}],
    };
    const run = await readAll(ask(scene, 'x', {canUseTool: async () => allow}));
    expect(['a', 'b'].map(name => existsSync(join(scene.place.work, name)))).toEqual([true, false]);
    expect(kinds(run).filter(kind => kind === 'system/permission_denied')).toHaveLength(1);
  });

  const foreign = JSON.stringify({permissions: {allow: ['Bash(rm:*)']}});
  test.each([
    ['in a folder that had none', undefined],
    ['in a folder with settings of somebody else', foreign],
  ])('a rule kept %s: asked once in two runs', async (_folder, settings) => {
    await using scene = await openScene([
      touch('a'),
      say('1'),
      touch('a'),
      say('2'),
      call('Bash', {command: 'rm a'}),
      say('3'),
    ]);
    mkdirSync(join(scene.place.work, '.weft'));
    if (settings !== undefined) writeFileSync(join(scene.place.work, '.weft', 'settings.json'), settings);
    let asked = 0;
    const keeping: Options = {
      canUseTool: async (_name, input, {suggestions}) => {
        asked += 1;
        return {behavior: 'allow', updatedInput: input, updatedPermissions: suggestions ?? []};
      },
    };
    await readAll(ask(scene, 'one', keeping));
    await readAll(ask(scene, 'two', keeping));
    expect(asked).toBe(1);
    // What somebody else put there is never let through by it.
    const third = await readAll(ask(scene, 'three', {permissionPrompts: 'none'}));
    expect([kinds(third).includes('system/permission_denied'), existsSync(join(scene.place.work, 'a'))]).toEqual([
      true,
      true,
    ]);
  });

  test('answers the questions of the agent', async () => {
    const questions = [
      {question: 'Which?', header: 'Pick', options: [{label: 'Red'}, {label: 'Blue'}]},
      {question: 'What else?', header: 'More', options: [{label: 'One'}, {label: 'Two'}], multiSelect: true},
    ];
    await using scene = await openScene([call('AskUserQuestion', {questions}), say('Done.')]);
    const answers = {'Which?': 'Blue', 'What else?': 'One, Two'};
    const run = await readAll(
      ask(scene, 'x', {
        canUseTool: async (_name, input) => ({behavior: 'allow', updatedInput: {...input, answers}}),
      }),
    );
    expect(toolResults(run)).toEqual(['Which?\n→ Blue\nWhat else?\n→ One; Two']);
  });

  test('tells the agent why its questions get no answer', async () => {
    const questions = [{question: 'Which?', header: 'Pick', options: [{label: 'Red'}, {label: 'Blue'}]}];
    await using scene = await openScene([call('AskUserQuestion', {questions}), say('Done.')]);
    const run = await readAll(
      ask(scene, 'x', {canUseTool: async () => ({behavior: 'deny', message: 'Ask me on Monday.'})}),
    );
    expect(toolResults(run)).toEqual([expect.stringContaining('Ask me on Monday.')]);
  });

  test('without it, what would be asked is denied and the run goes on', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const run = await readAll(ask(scene, 'x'));
    expect(kinds(run)).toEqual([
      'system/init',
      'assistant',
      'system/permission_denied',
      'user',
      'assistant',
      'result/success',
    ]);
    expect(resultIn(run)).toMatchObject({permission_denials: [{tool_name: 'Bash'}]});
    expect(run.thrown).toBeUndefined();
  });
});

test('blocks that weft has no word for pass through, are kept, and go back as they came', async () => {
  const search = {type: 'server_tool_use', id: 'srv_1', name: 'web_search'};
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{type: 'web_search_result', url: 'u'}],
  };
  const query = {type: 'input_json_delta', partial_json: '{"query":"a"}'};
  await using scene = await openScene([
    [raw({...search, input: {}}, query), raw(found), raw({type: 'poem', lines: [1]}), call('Glob', {pattern: '*'})],
    say('Done.'),
    say('Again.'),
  ]);
  const run = await readAll(ask(scene, 'x', {includePartialMessages: true}));
  const whole = [{...search, input: {query: 'a'}}, found, {type: 'poem', lines: [1]}];
  const told = run.messages.flatMap(message => (message.type === 'assistant' ? message.message.content : []));
  expect(told.slice(0, 3)).toEqual(whole);
  expect(run.messages).toContainEqual(
    expect.objectContaining({event: {type: 'content_block_delta', index: 0, delta: query}}),
  );
  await readAll(ask(scene, 'y', {resume: sessionOf(run)}));
  for (const request of scene.server.requests.slice(1)) {
    expect(request.body.messages[1]?.content).toEqual([...whole, expect.objectContaining({type: 'tool_use'})]);
  }
});

test('an answer of a schema', async () => {
  const schema = {type: 'object', properties: {n: {type: 'number'}}, required: ['n'], additionalProperties: false};
  await using scene = await openScene([call('StructuredOutput', {n: 'three'}), call('StructuredOutput', {n: 3})]);
  const run = await readAll(ask(scene, 'x', {outputFormat: {type: 'json_schema', schema}}));
  expect(resultIn(run)).toMatchObject({subtype: 'success', result: '{"n":3}', structured_output: {n: 3}});
});

test('an answer in words where a schema was asked for: weft asks again, and says so', async () => {
  const schema = {type: 'object', properties: {n: {type: 'number'}}, required: ['n']};
  await using scene = await openScene([say('Three.'), call('StructuredOutput', {n: 3})]);
  const run = await readAll(ask(scene, 'x', {outputFormat: {type: 'json_schema', schema}}));
  expect(run.messages.find(({type}) => type === 'user')).toMatchObject({
    message: {content: [{type: 'text', text: expect.stringContaining('Call the tool StructuredOutput')}]},
    isSynthetic: true,
  });
  expect(resultIn(run)).toMatchObject({structured_output: {n: 3}});
});

test('an answer that never fits the schema', async () => {
  const schema = {type: 'object', properties: {n: {type: 'number'}}, required: ['n']};
  await using scene = await openScene(() => call('StructuredOutput', {n: 'three'}));
  const run = await readAll(ask(scene, 'x', {outputFormat: {type: 'json_schema', schema}}));
  expect(resultIn(run)).toMatchObject({subtype: 'error_max_structured_output_retries', is_error: true});
  expect(run.thrown).toContain('error result');
});

describe('bounds', () => {
  test('maxTurns', async () => {
    await using scene = await openScene(() => call('Glob', {pattern: '*'}));
    const run = await readAll(ask(scene, 'x', {maxTurns: 2}));
    expect(resultIn(run)).toMatchObject({
      subtype: 'error_max_turns',
      errors: ['Reached maximum number of turns (2)'],
      terminal_reason: 'max_turns',
    });
    expect(scene.server.requests).toHaveLength(2);
  });

  test('maxBudgetUsd', async () => {
    await using scene = await openScene(() => [call('Glob', {pattern: '*'}), usage({input: 100_000, output: 10})]);
    const run = await readAll(ask(scene, 'x', {maxBudgetUsd: 0.01, model: 'claude-sonnet-4-6'}));
    expect(resultIn(run)).toMatchObject({subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted'});
    expect(scene.server.requests).toHaveLength(1);
  });
});

test('partial messages', async () => {
  await using scene = await openScene([sayPieces('one ', 'two')]);
  const {messages} = await readAll(ask(scene, 'x', {includePartialMessages: true}));
  const events = messages.flatMap(message => (message.type === 'stream_event' ? [message.event] : []));
  // Pieces that arrive together may come as one.
  const [deltas, rest] = [events.filter(({type}) => type === 'content_block_delta'), events];
  expect(rest.filter(event => !deltas.includes(event)).map(({type}) => type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(
    deltas
      .map(event =>
        event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '?',
      )
      .join(''),
  ).toBe('one two');
});

describe('ending', () => {
  test('abort: the process is gone soon', {tags: 'smoke'}, async () => {
    await using scene = await openScene([hang()]);
    const abortController = new AbortController();
    const running = readAll(ask(scene, 'x', {abortController}));
    await scene.server.received(1);
    abortController.abort();
    expect((await running).thrown).toMatch(/abort/iu);
    await scene.server.disconnected();
  });

  test('an interrupt during a permission question counts as a denial', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch a'}, {id: 'asked'})]);
    const running: Query = ask(scene, 'x', {
      canUseTool: async (_name, _input, {signal}) => {
        await running.interrupt();
        return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))));
      },
    });
    const run = await readAll(running);
    expect(resultIn(run)).toMatchObject({
      terminal_reason: 'aborted_tools',
      permission_denials: [{tool_name: 'Bash', tool_use_id: 'asked', tool_input: {command: 'touch a'}}],
    });
  });

  test('an interrupt ends the prompt, the next one runs', async () => {
    const spoken = Promise.withResolvers<void>();
    await using scene = await openScene([[say('Half of'), until(new Promise(() => {}))], say('Second.')]);
    async function* prompts() {
      yield userMessage('first');
      await spoken.promise;
      yield userMessage('second');
    }
    const messages = ask(scene, prompts(), {includePartialMessages: true});
    const results: unknown[] = [];
    const sessions = new Set<string>();
    let interrupted = false;
    for await (const message of messages) {
      if (!interrupted && message.type === 'stream_event' && message.event.type === 'content_block_delta') {
        interrupted = true;
        expect(await messages.interrupt()).toEqual({still_queued: []});
        spoken.resolve();
      }
      sessions.add(message.session_id ?? '');
      if (message.type === 'result') results.push(message);
    }
    expect(results).toMatchObject([
      {subtype: 'error_during_execution', terminal_reason: 'aborted_streaming'},
      {subtype: 'success', result: 'Second.'},
    ]);
    expect(sessions.size).toBe(1);
  });
});

test('a client that turned the sandbox on is asked once, about what the command changed; another input is a no', async ({
  skip,
}) => {
  const command = 'sed -i s/old/new/ a.ts';
  const edits = ['c1', 'c2', 'c3'].map(id => call('Bash', {command}, {id}));
  await using scene = await openScene([...edits, say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  writeFiles(scene.place.work, {'a.ts': 'old\n'});
  const asked: unknown[] = [];
  const answers: PermissionResult[] = [
    {behavior: 'deny', message: 'Not that file.'},
    {behavior: 'allow', updatedInput: {command: 'true'}},
    {behavior: 'allow', updatedInput: {command}},
  ];
  const run = await readAll(
    ask(scene, 'x', {
      sandbox: {enabled: true, autoAllowBashIfSandboxed: true},
      env: scene.place.environment({...pointedAt(scene.server), WEFT_SANDBOX: ''}),
      canUseTool: async (name, input, {toolUseID, title}) => {
        asked.push([name, input, toolUseID, title, scene.read('a.ts')]);
        return answers[asked.length - 1] ?? {behavior: 'deny', message: 'too often'};
      },
    }),
  );
  const title = `Keep changes of: ${command}`;
  expect(asked).toEqual(['c1', 'c2', 'c3'].map(id => ['Bash', {command}, id, title, 'old\n']));
  expect(toolResults(run)).toEqual([
    expect.stringContaining('[refused and not kept: a.ts; they said: Not that file.]'),
    expect.stringContaining("they said: the command has already run, so its input can't be changed]"),
    expect.stringContaining('[it changed a.ts (+1 -1)]'),
  ]);
  expect(scene.read('a.ts')).toBe('new\n');
  const ends = run.messages.flatMap(message =>
    message.type === 'user' && Array.isArray(message.message.content)
      ? message.message.content.map(block => (block.type === 'tool_result' ? block.is_error : undefined))
      : [],
  );
  expect(ends).toEqual([true, true, false]);
  const changes = [{path: 'a.ts', kind: 'changed'}];
  expect(resultIn(run)).toMatchObject({
    subtype: 'success',
    permission_denials: ['c1', 'c2'].map(id => ({tool_name: 'Bash', tool_use_id: id, tool_input: {command}, changes})),
  });
});
