// @module-tag long
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {
  createSdkMcpServer,
  tool,
  type HookCallback,
  type HookEvent,
  type HookJSONOutput,
  type Options,
  type SyncHookJSONOutput,
} from '@anthropic-ai/claude-agent-sdk';
import {describe, expect, test} from 'vitest';
import * as z from 'zod';
import {call, say} from '../support/model-script.ts';
import {openScene, toldPrompt, toldResults} from '../support/scene.ts';
import {ask, readAll, resultIn, toolResults} from './support/agent-sdk.ts';

const touch = (name: string) => call('Bash', {command: `touch ${name}`});
const says =
  (output: HookJSONOutput): HookCallback =>
  async () =>
    output;
/** Keeps what it is told, and tells the model something. */
function telling(hookSpecificOutput: NonNullable<SyncHookJSONOutput['hookSpecificOutput']>): {
  readonly seen: readonly unknown[];
  readonly hook: HookCallback;
} {
  const seen: unknown[] = [];
  const hook: HookCallback = async input => {
    seen.push(input);
    return {hookSpecificOutput};
  };
  return {seen, hook};
}
const hooksOf = (event: HookEvent, hook: HookCallback, matcher?: string): Options => ({
  hooks: {[event]: [{hooks: [hook], ...(matcher === undefined ? {} : {matcher})}]},
});

describe('hooks', () => {
  test('PreToolUse denies', {tags: 'smoke'}, async () => {
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

  test('PostToolUse reads the result and tells the model more', {tags: 'smoke'}, async () => {
    await using scene = await openScene([call('Bash', {command: 'echo hi'}), say('Done.')]);
    const {seen, hook} = telling({hookEventName: 'PostToolUse', additionalContext: 'It was 5 o’clock.'});
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
    const {seen, hook} = telling({hookEventName: 'PostToolUseFailure', additionalContext: 'Look elsewhere.'});
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
    expect(run.messages.filter(({type}) => type === 'user')).toMatchObject([
      {message: {content: [{type: 'text', text: 'Stop hook feedback:\nCount on.'}]}, isSynthetic: true},
    ]);
  });

  test('SessionEnd finds nobody to ask after a string prompt, which is no failure', async () => {
    await using scene = await openScene([say('Done.')]);
    const run = await readAll(ask(scene, 'x', hooksOf('SessionEnd', says({}))));
    expect(run.messages.map(message => ('subtype' in message ? message.subtype : message.type))).toEqual([
      'init',
      'assistant',
      'success',
    ]);
  });

  test.each([
    ['takes too long', () => new Promise<never>(() => {}), '0.2 s'],
    ['throws', async () => await Promise.reject(new Error('the guard broke')), 'the guard broke'],
  ] as const)('a hook that %s blocks the call unless its failure should continue', async (_, hook, why) => {
    const matcher = {hooks: [hook], timeout: 0.2};
    const bypass = {permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true} as const;
    await using scene = await openScene([touch('a'), say('1'), touch('b'), say('2')]);
    const closed = await readAll(ask(scene, 'x', {hooks: {PreToolUse: [matcher]}, ...bypass}));
    expect(toolResults(closed)).toEqual([expect.stringContaining(why)]);
    await readAll(ask(scene, 'x', {hooks: {PreToolUse: [{...matcher, onFailure: 'continue'}]}, ...bypass}));
    expect(['a', 'b'].map(name => existsSync(join(scene.place.work, name)))).toEqual([false, true]);
  });
});

test('a tool answers approvals: it changes the input, and refuses', async () => {
  await using scene = await openScene([touch('a'), touch('b'), say('Done.')]);
  const asked: unknown[] = [];
  const gate = createSdkMcpServer({
    name: 'gate',
    tools: [
      tool('ask', 'Asks.', {tool_name: z.string(), input: z.any(), tool_use_id: z.string()}, async request => {
        asked.push([request.tool_name, request.input]);
        const answer =
          asked.length === 1
            ? {behavior: 'allow', updatedInput: {command: 'touch c'}}
            : {behavior: 'deny', message: 'Not that one.'};
        return {content: [{type: 'text', text: JSON.stringify(answer)}]};
      }),
    ],
  });
  const options = {mcpServers: {gate}, permissionPromptToolName: 'mcp__gate__ask'};
  const run = await readAll(ask(scene, 'x', options));
  expect(asked).toEqual([
    ['Bash', {command: 'touch a'}],
    ['Bash', {command: 'touch b'}],
  ]);
  expect(toolResults(run)).toEqual([expect.stringContaining('exit code 0'), 'Not that one.']);
  expect(['a', 'b', 'c'].map(name => existsSync(join(scene.place.work, name)))).toEqual([false, false, true]);
  expect(resultIn(run)).toMatchObject({permission_denials: [{tool_name: 'Bash'}]});
});

test('hooks of several events in one session, by settings and by the program, are one mechanism', async () => {
  await using scene = await openScene([touch('a'), say('Done.')]);
  const seen: string[] = [];
  const hook: HookCallback = async ({hook_event_name: event}) => {
    seen.push(event);
    return event === 'PermissionRequest'
      ? {hookSpecificOutput: {hookEventName: event, decision: {behavior: 'allow'}}}
      : {};
  };
  const events = [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PermissionRequest',
    'PostToolUse',
    'Stop',
  ] as const;
  const settings = {hooks: {PreToolUse: [{hooks: [{type: 'command', command: 'cat > seen.json'}]}]}};
  const run = await readAll(
    ask(scene, 'x', {
      hooks: Object.fromEntries(events.map(event => [event, [{hooks: [hook]}]])),
      settings: JSON.stringify(settings),
      includeHookEvents: true,
    }),
  );
  expect(seen).toEqual(events);
  expect(existsSync(join(scene.place.work, 'a'))).toBe(true);
  expect(JSON.parse(scene.read('seen.json'))).toMatchObject({hook_event_name: 'PreToolUse', tool_name: 'Bash'});
  const told = run.messages.filter(message => message.type === 'system' && message.subtype === 'hook_response');
  expect(told.length).toBe(events.length + 1);
});
