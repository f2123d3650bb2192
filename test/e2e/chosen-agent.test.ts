// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults, toldSystem, type Scene} from '../support/scene.ts';
import {ask, readAll} from './support/agent-sdk.ts';

/** `--agent NAME` and `--agents JSON`. */

function agentFile({place}: Scene, name: string, ...lines: readonly string[]): void {
  const path = join(place.home, '.claude', 'agents', `${name}.md`);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, ['---', `name: ${name}`, ...lines].join('\n'));
}

const toolsOf = (scene: Scene, at = 0) => scene.server.requests[at]?.body.tools?.map(({name}) => name);

test('weft acts as an agent: with its prompt, its tools, its model, its hooks and a mode that is narrower', async () => {
  await using scene = await openScene([call('Bash', {command: 'touch a'}), call('Edit', {}), say('Done.')]);
  agentFile(
    scene,
    'reviewer',
    'description: Reviews code',
    'tools: Read, Grep, Bash(git:*)',
    'model: opus',
    'permissionMode: plan',
    'hooks:',
    '  PreToolUse:',
    '    - matcher: Bash',
    '      hooks: [{type: command, command: "touch guarded"}]',
    '---',
    'You review.',
  );
  writeFileSync(join(scene.place.work, 'AGENTS.md'), 'Tabs, not spaces.');
  const run = await scene.run(['-p', 'x', '--agent', 'reviewer']);
  expect([run.code, run.stdout]).toEqual([0, 'Done.\n']);
  const system = toldSystem(scene.server.requests[0]);
  expect(system).toMatch(/^You review\.\n\n<instructions /u);
  expect([system.includes('Tabs, not spaces.'), system.includes('You are weft')]).toEqual([true, false]);
  expect(toolsOf(scene)).toEqual(['Bash', 'Read', 'Grep']);
  expect(scene.server.requests[0]?.body['model']).toBe('claude-opus-5-5');
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Plan mode')]);
  expect(toldResults(scene.server.requests[2])).toEqual([expect.stringContaining('No tool named "Edit" here')]);
  expect(['a', 'guarded'].map(name => existsSync(join(scene.place.work, name)))).toEqual([false, true]);
});

test('what the user says on the command line goes first, and no agent widens a mode', {tags: 'smoke'}, async () => {
  await using scene = await openScene([call('Bash', {command: 'touch a'}), say('Done.')]);
  agentFile(scene, 'wild', 'description: Acts', 'model: haiku', 'permissionMode: bypassPermissions', '---', 'Act.');
  await scene.run(['-p', 'x', '--agent', 'wild', '--model', 'claude-sonnet-4-6', '--tools', 'Bash']);
  expect([scene.server.requests[0]?.body['model'], toolsOf(scene)]).toEqual(['claude-sonnet-4-6', ['Bash']]);
  expect(existsSync(join(scene.place.work, 'a'))).toBe(false);
});

test('an agent that is not there exits with 2 and a suggestion; nothing is sent', async () => {
  await using scene = await openScene([]);
  agentFile(scene, 'reviewer', 'description: Reviews code', '---', 'You review.');
  const near = await scene.run(['-p', 'x', '--agent', 'reviewr']);
  expect([near.code, near.stderr]).toEqual([2, 'weft: Unknown agent "reviewr". Did you mean reviewer?\n']);
  const broken = await scene.run(['-p', 'x', '--agents', '{"a": {"description": "A"}}']);
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('--agents: "a.prompt" is invalid')]);
  const noJson = await scene.run(['-p', 'x', '--agents', '{']);
  expect([noJson.code, noJson.stderr]).toEqual([2, expect.stringContaining('--agents is not JSON')]);
  expect(scene.server.requests).toEqual([]);
});

test('agents are defined on the command line and by a program; they come before files', async () => {
  await using scene = await openScene([say('1'), say('2')]);
  agentFile(scene, 'reviewer', 'description: Reviews code', '---', 'You review.');
  const defined = {reviewer: {description: 'Of the program', prompt: 'Look twice.', tools: ['Read']}};
  await scene.run(['-p', 'x', '--agent', 'reviewer', '--agents', JSON.stringify(defined)]);
  const told = await readAll(ask(scene, 'x', {agent: 'reviewer', agents: defined}));
  expect(told.messages[0]).toMatchObject({
    agents: ['general', 'explore', 'plan', 'review', 'reviewer'],
    tools: ['Read'],
  });
  expect(scene.server.requests.map(request => toldSystem(request).split('\n')[0])).toEqual([
    'Look twice.',
    'Look twice.',
  ]);
});

test('the turns, the effort, the skills and the servers of an agent count; what does not is said', async () => {
  await using scene = await openScene([
    call('ToolSearch', {query: 'adds'}),
    call('mcp__other__add', {}),
    call('mcp__own__add', {}),
    call('Bash', {command: 'true'}),
  ]);
  const server = scriptedServer({tools: [{name: 'add', description: 'Adds', does: 'text:added'}]});
  const skill = join(scene.place.home, '.claude', 'skills', 'pdf', 'SKILL.md');
  mkdirSync(dirname(skill), {recursive: true});
  writeFileSync(skill, '---\nname: pdf\ndescription: Reads PDF files\n---\nRead with care.');
  agentFile(
    scene,
    'adder',
    'description: Adds',
    'maxTurns: 4',
    'effort: low',
    'skills: [pdf, none]',
    `mcpServers: [{own: ${JSON.stringify(server)}}]`,
    'memory: user',
    '---',
    'You add.',
  );
  const config = JSON.stringify({mcpServers: {other: server}});
  const flags = ['--agent', 'adder', '--mcp-config', config, '--allowed-tools', 'mcp__own,mcp__other'];
  const run = await scene.run(['-p', 'x', ...flags, '--model', 'claude-opus-4-6']);
  expect([run.code, run.stderr.split('\n').filter(line => line.includes(' adder'))]).toEqual([
    4,
    [
      'weft: Ignored fields of the agent adder: memory.',
      'weft: The agent adder needs a skill: Unknown skill "none". Available: pdf.',
    ],
  ]);
  expect(toldSystem(scene.server.requests[0])).toMatch(
    /^You add\.\n\n<skill name="pdf" folder=".*">\nRead with care\.\n<\/skill>$/u,
  );
  expect(scene.server.requests[0]?.body['output_config']).toEqual({effort: 'low'});
  expect(scene.server.requests.slice(2).map(request => toldResults(request).at(-1))).toEqual([
    expect.stringContaining('mcp__other__add'),
    'added',
  ]);
  expect(scene.server.requests.length).toBe(4);
});
