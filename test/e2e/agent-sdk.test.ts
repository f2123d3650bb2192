import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {
  createSdkMcpServer,
  tool,
  type HookCallback,
  type HookEvent,
  type HookJSONOutput,
  type Options,
  type PermissionResult,
  type SDKMessage,
} from '@anthropic-ai/claude-agent-sdk';
import {describe, expect, test} from 'vitest';
import * as z from 'zod';
import {call, hang, raw, say, sayPieces, until, usage} from '../support/model-script.ts';
import {openScene, toldPrompt, toldResults, toldSystem} from '../support/scene.ts';
import {ask, kinds, readAll, resultIn, sessionOf, toolResults, userMessage} from './support/agent-sdk.ts';

/** The npm package `@anthropic-ai/claude-agent-sdk`, unmodified, drives the built program. */

const touch = (name: string) => call('Bash', {command: `touch ${name}`});
const says =
  (output: HookJSONOutput): HookCallback =>
  async () =>
    output;
const hooksOf = (event: HookEvent, hook: HookCallback, matcher?: string): Options => ({
  hooks: {[event]: [{hooks: [hook], ...(matcher === undefined ? {} : {matcher})}]},
});

test('a prompt in one string, answered', async () => {
  await using scene = await openScene([[say('The answer.'), usage({input: 1000, output: 100})]]);
  const run = await readAll(ask(scene, 'What?', {model: 'claude-sonnet-4-5'}));
  expect([kinds(run), run.thrown]).toEqual([['system/init', 'assistant', 'result/success'], undefined]);
  expect(resultIn(run)).toMatchObject({
    is_error: false,
    result: 'The answer.',
    num_turns: 1,
    total_cost_usd: 0.0045,
    modelUsage: {'claude-sonnet-4-5': {inputTokens: 1000, outputTokens: 100}},
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
    ['deny', {behavior: 'deny', message: 'Not on a Sunday.'}, /^Not on a Sunday\.$/u, false],
  ];
  test.each(cases)('%s', async (_name, answer, told, made) => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const run = await readAll(ask(scene, 'x', {canUseTool: async () => answer}));
    expect(toolResults(run)).toEqual([expect.stringMatching(told)]);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringMatching(told)]);
    expect(existsSync(join(scene.place.work, 'a'))).toBe(made);
    expect(resultIn(run)).toMatchObject({
      subtype: 'success',
      permission_denials: made ? [] : [{tool_name: 'Bash', tool_input: {command: 'touch a'}}],
    });
  });

  test('is given the reason, what would spare the question, and the call', async () => {
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
        decisionReason: '`touch a` changes files',
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

  test('deny and interrupt ends the prompt', async () => {
    await using scene = await openScene([touch('a'), say('never')]);
    const answer: PermissionResult = {behavior: 'deny', message: 'stop', interrupt: true};
    const run = await readAll(ask(scene, 'x', {canUseTool: async () => answer}));
    expect(resultIn(run)).toMatchObject({subtype: 'error_during_execution', terminal_reason: 'aborted_tools'});
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

describe('hooks', () => {
  test('PreToolUse denies', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const hook = says({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'not today',
      },
    });
    const run = await readAll(ask(scene, 'x', hooksOf('PreToolUse', hook, 'Bash')));
    expect(toolResults(run)).toEqual(['PreToolUse:Bash hook error: not today']);
    expect(resultIn(run)).toMatchObject({permission_denials: [{tool_name: 'Bash'}]});
  });

  test('PreToolUse allows, and changes the input', async () => {
    await using scene = await openScene([touch('a'), say('Done.')]);
    const inputs: unknown[] = [];
    const hook: HookCallback = async input => {
      inputs.push(input);
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          updatedInput: {command: 'touch b'},
        },
      };
    };
    await readAll(ask(scene, 'x', hooksOf('PreToolUse', hook)));
    expect(inputs).toMatchObject([
      {hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {command: 'touch a'}, cwd: scene.place.work},
    ]);
    expect(['a', 'b'].map(name => existsSync(join(scene.place.work, name)))).toEqual([false, true]);
  });

  test('one for another tool is not called', async () => {
    await using scene = await openScene([call('Glob', {pattern: '*'}), say('Done.')]);
    let called = 0;
    const hook: HookCallback = async () => {
      called += 1;
      return {};
    };
    await readAll(ask(scene, 'x', hooksOf('PreToolUse', hook, 'Edit|Write')));
    expect(called).toBe(0);
  });

  test('PostToolUse reads the result and tells the model more', async () => {
    await using scene = await openScene([call('Bash', {command: 'echo hi'}), say('Done.')]);
    const seen: unknown[] = [];
    const hook: HookCallback = async input => {
      seen.push(input);
      return {hookSpecificOutput: {hookEventName: 'PostToolUse', additionalContext: 'It was 5 o’clock.'}};
    };
    await readAll(ask(scene, 'x', hooksOf('PostToolUse', hook)));
    expect(seen).toMatchObject([{tool_response: {stdout: 'hi\n', interrupted: false}}]);
    expect(JSON.stringify(scene.server.requests[1]?.body.messages.at(-1))).toContain('It was 5 o’clock.');
  });

  test('PostToolUse puts something else in the place of the result', async () => {
    await using scene = await openScene([call('Bash', {command: 'echo hi'}), say('Done.')]);
    const updatedToolOutput = {stdout: 'redacted', stderr: '', interrupted: false, isImage: false};
    const hook = says({hookSpecificOutput: {hookEventName: 'PostToolUse', updatedToolOutput}});
    await readAll(ask(scene, 'x', hooksOf('PostToolUse', hook)));
    expect(toldResults(scene.server.requests[1])).toEqual(['redacted']);
  });

  test('PostToolUseFailure reads what went wrong and tells the model more', async () => {
    await using scene = await openScene([call('Read', {file_path: 'nowhere'}), say('Done.')]);
    const seen: unknown[] = [];
    const hook: HookCallback = async input => {
      seen.push(input);
      return {hookSpecificOutput: {hookEventName: 'PostToolUseFailure', additionalContext: 'Look elsewhere.'}};
    };
    await readAll(ask(scene, 'x', hooksOf('PostToolUseFailure', hook)));
    expect(seen).toMatchObject([{tool_name: 'Read', error: expect.stringContaining('nowhere'), is_interrupt: false}]);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Look elsewhere.')]);
  });

  test('UserPromptSubmit adds to the prompt', async () => {
    await using scene = await openScene([say('Done.')]);
    const hook = says({
      hookSpecificOutput: {hookEventName: 'UserPromptSubmit', additionalContext: 'The user is in a hurry.'},
    });
    await readAll(ask(scene, 'x', hooksOf('UserPromptSubmit', hook)));
    expect(JSON.stringify(scene.server.requests[0]?.body.messages)).toContain('The user is in a hurry.');
  });

  test('UserPromptSubmit blocks: nothing is sent', async () => {
    await using scene = await openScene([]);
    const hook = says({decision: 'block', reason: 'no prompts today'});
    const run = await readAll(ask(scene, 'x', hooksOf('UserPromptSubmit', hook)));
    expect(scene.server.requests).toEqual([]);
    expect(JSON.stringify(run.messages)).toContain('no prompts today');
  });

  test('Stop sends the model on', async () => {
    await using scene = await openScene([say('One.'), say('Two.')]);
    const active: unknown[] = [];
    const hook: HookCallback = async input => {
      active.push(input.hook_event_name === 'Stop' && input.stop_hook_active);
      return active.length === 1 ? {decision: 'block', reason: 'Count on.'} : {};
    };
    const run = await readAll(ask(scene, 'x', hooksOf('Stop', hook)));
    expect([active, resultIn(run)]).toMatchObject([[false, true], {result: 'Two.'}]);
    expect(toldPrompt(scene.server.requests[1])).toContain('Count on.');
  });

  test('a hook that takes too long lets the call through, or blocks it where it was told to', async () => {
    const matcher = {hooks: [() => new Promise<never>(() => {})], timeout: 0.2};
    await using scene = await openScene([
      call('Glob', {pattern: '*'}),
      say('1'),
      call('Glob', {pattern: '*'}),
      say('2'),
    ]);
    const open = await readAll(ask(scene, 'x', {hooks: {PreToolUse: [matcher]}}));
    expect(toolResults(open)).not.toEqual([expect.stringContaining('hook')]);
    const closed = await readAll(ask(scene, 'x', {hooks: {PreToolUse: [{...matcher, onFailure: 'block'}]}}));
    expect(toolResults(closed)).toEqual([expect.stringContaining('0.2 s')]);
  });
});

test('a tool of an MCP server inside the client', async () => {
  const calc = createSdkMcpServer({
    name: 'calc',
    version: '1.0.0',
    tools: [
      tool('add', 'Adds.', {a: z.number(), b: z.number()}, async ({a, b}) => ({
        content: [{type: 'text', text: `${a + b}`}],
      })),
    ],
  });
  await using scene = await openScene([call('mcp__calc__add', {a: 2, b: 3}), say('Five.')]);
  const run = await readAll(ask(scene, 'x', {mcpServers: {calc}, allowedTools: ['mcp__calc__add']}));
  expect(toolResults(run)).toEqual(['5']);
  expect(run.messages[0]).toMatchObject({
    mcp_servers: [{name: 'calc', status: 'connected', source: 'sdk'}],
    tools: expect.arrayContaining(['mcp__calc__add']),
  });
  expect(scene.server.requests[0]?.body.tools?.map(({name}) => name)).toContain('mcp__calc__add');
});

/** A server with one tool, which says its name. */
const server = (name: string) =>
  createSdkMcpServer({
    name,
    tools: [tool('say', 'Says.', {}, async () => ({content: [{type: 'text', text: name}]}))],
  });

test('servers come, go and are begun again while it runs', async () => {
  await using scene = await openScene([say('1'), call('mcp__b__say', {}), say('2')]);
  const changed = Promise.withResolvers<void>();
  async function* prompts() {
    yield userMessage('first');
    await changed.promise;
    yield userMessage('second');
  }
  const a = server('a');
  const running = ask(scene, prompts(), {mcpServers: {a}, allowedTools: ['mcp__b__say']});
  const states = async () => (await running.mcpServerStatus()).map(({name, status}) => `${name} ${status}`);
  const seen: unknown[] = [];
  const messages: SDKMessage[] = [];
  for await (const message of running) {
    messages.push(message);
    if (message.type !== 'result' || seen.length > 0) continue;
    seen.push(await running.setMcpServers({a, b: server('b')}), await states());
    await running.toggleMcpServer('a', false);
    seen.push(await states());
    await running.toggleMcpServer('a', true);
    await running.reconnectMcpServer('b');
    seen.push(await states());
    await expect(running.reconnectMcpServer('c')).rejects.toThrow('There is no MCP server');
    changed.resolve();
  }
  expect(seen).toEqual([
    {added: ['b'], removed: [], errors: {}},
    ['a connected', 'b connected'],
    ['a disabled', 'b connected'],
    ['a connected', 'b connected'],
  ]);
  expect(toolResults({messages, thrown: undefined})).toEqual(['b']);
});

test('a server inside the client asks the person something', async () => {
  const asks = createSdkMcpServer({
    name: 'asks',
    tools: [
      tool('name', 'Asks for a name.', {}, async () => {
        const requestedSchema = {type: 'object', properties: {name: {type: 'string'}}} as const;
        const given = await asks.instance.server.elicitInput({message: 'Your name?', requestedSchema});
        return {content: [{type: 'text', text: JSON.stringify(given)}]};
      }),
    ],
  });
  await using scene = await openScene([call('mcp__asks__name', {}), say('Done.')]);
  const run = await readAll(
    ask(scene, 'x', {
      mcpServers: {asks},
      allowedTools: ['mcp__asks__name'],
      onElicitation: async ({message}) => ({action: 'accept', content: {name: `Bo (${message})`}}),
    }),
  );
  expect(toolResults(run)).toEqual(['{"action":"accept","content":{"name":"Bo (Your name?)"}}']);
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
    const run = await readAll(ask(scene, 'x', {maxBudgetUsd: 0.01, model: 'claude-sonnet-4-5'}));
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
  test('abort: the process is gone soon', async () => {
    await using scene = await openScene([hang()]);
    const abortController = new AbortController();
    const running = readAll(ask(scene, 'x', {abortController}));
    await scene.server.received(1);
    abortController.abort();
    expect((await running).thrown).toMatch(/abort/iu);
    await scene.server.disconnected();
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
