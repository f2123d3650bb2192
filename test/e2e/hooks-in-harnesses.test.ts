// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';

/** The user's hooks and a harness of the user's: a program that speaks ACP, and asks before it runs a tool or does not. */
const agent = fileURLToPath(new URL('support/acp-agent.mjs', import.meta.url));

interface UserHook {
  readonly event: string;
  readonly matcher: string;
  readonly command: string;
}

async function open(prompt: string, ...hooks: readonly UserHook[]): Promise<Scene> {
  const scene = await openScene([call('Agent', {description: 'x', prompt, harness: 'own'}), say('So be it.')]);
  const folder = join(scene.place.home, 'weft');
  mkdirSync(folder, {recursive: true});
  const settings = {
    harnesses: {own: {command: process.execPath, args: [agent]}},
    hooks: Object.fromEntries(
      hooks.map(({event, matcher, command}) => [event, [{matcher, hooks: [{type: 'command', command}]}]]),
    ),
  };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
  return scene;
}

const run = (scene: Scene) =>
  scene.run(['--prompt', 'MAIN', '--output-format', 'json', '--permission-mode', 'bypassPermissions']);
const told = ({server}: Scene) => toldResults(server.requests[1])[0]?.split('\n\n[agent')[0];
const guard = (matcher: string, command: string) => ({event: 'PreToolUse', matcher, command});
const answer = (more: object) =>
  guard('Bash', `echo '${JSON.stringify({hookSpecificOutput: {hookEventName: 'PreToolUse', ...more}})}'`);
const diff = (path: string, oldText: string | null, newText: string) => ({type: 'diff', path, oldText, newText});
const editing = (...content: readonly object[]) => ({kind: 'edit', title: 'x', content});

test('a hook that runs before a call denies what a harness asks for, also in a mode that asks nothing', async () => {
  await using scene = await open('RUN it', guard('Bash', 'cat > seen.json; echo not today >&2; exit 2'));
  const {stdout} = await run(scene);
  expect([told(scene), existsSync(join(scene.place.work, 'made.txt'))]).toEqual(['I was not allowed to.', false]);
  expect(JSON.parse(scene.read('seen.json'))).toMatchObject({
    tool_name: 'Bash',
    tool_input: {command: 'touch made.txt'},
  });
  expect(JSON.parse(stdout).permission_denials).toMatchObject([{tool_input: {command: 'touch made.txt'}}]);
});

test('a hook that asks, and one that wants another input, deny what a harness asks for if nobody can be asked', async () => {
  for (const hook of [answer({permissionDecision: 'ask'}), answer({updatedInput: {command: 'true'}})]) {
    await using scene = await open('RUN it', hook);
    await run(scene);
    expect(told(scene)).toBe('I was not allowed to.');
  }
  await using same = await open('RUN it', answer({updatedInput: {command: 'touch made.txt'}}));
  await run(same);
  expect(told(same)).toBe('Made it.');
});

test('a hook reads each file that a harness wants to change, with the text', async () => {
  const content = [diff('a.txt', null, 'new\n'), diff('/b.txt', 'old', 'other')];
  const hook = guard('Edit|Write', 'cat >> seen.jsonl; echo >> seen.jsonl; ! grep -q b.txt seen.jsonl || exit 2');
  await using scene = await open(`ASK ${JSON.stringify(editing(...content))}`, hook);
  await run(scene);
  expect(told(scene)).toBe('It may not.');
  const seen = scene
    .read('seen.jsonl')
    .split('\n')
    .filter(line => line !== '');
  expect(seen.map(line => JSON.parse(line)).map(({tool_name: name, tool_input: input}) => [name, input])).toEqual([
    ['Write', {file_path: join(scene.place.work, 'a.txt'), content: 'new\n'}],
    ['Edit', {file_path: '/b.txt', old_string: 'old', new_string: 'other'}],
  ]);
});

test('a hook stops a harness that runs a tool without asking', async () => {
  const did = {kind: 'execute', rawInput: {command: 'touch x'}};
  await using scene = await open(`DID ${JSON.stringify(did)} STAY`, guard('Bash', 'echo not today >&2; exit 2'));
  await run(scene);
  expect(told(scene)).toMatch(/A PreToolUse hook refuses execute, which own ran without asking: .*not today/su);
});

test('a hook that runs after a call reads its result, and the harness reads the hook', async () => {
  const after = {event: 'PostToolUse', matcher: 'Bash', command: 'cat > seen.json; echo Mend the rest >&2; exit 2'};
  await using scene = await open('RUN it', after);
  await run(scene);
  expect(JSON.parse(scene.read('seen.json'))).toMatchObject({
    tool_name: 'Bash',
    tool_input: {command: 'touch made.txt'},
    tool_response: {stdout: 'touched', stderr: '', interrupted: false},
  });
  expect(told(scene)).toBe('Made it.\n\nPrompt 2 of acp-session.');
});

test.each(['PreToolUse', 'PostToolUse'])('a %s hook that stops the prompt stops a harness, too', async event => {
  const command = `echo '{"continue":false,"stopReason":"enough"}'`;
  await using scene = await open('RUN it', {event, matcher: 'Bash', command});
  await run(scene);
  expect(told(scene)).toMatch(/A hook stopped it: enough/u);
});
