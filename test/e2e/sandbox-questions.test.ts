// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, toldResults} from '../support/scene.ts';
import {skipWithoutOverlay} from './support/overlay.ts';
import {answerTo, isType, prompt, startRpc} from './support/rpc-client.ts';

beforeEach(needs('bwrap'));

const environment = {WEFT_SANDBOX: ''};

test.for(['auto', 'native'])(
  '`permissions check` says what a session does, and why (--sandbox %s)',
  async (sandbox, {skip}) => {
    const commands = ['node -p 1', 'touch new', 'echo x > new', 'rm kept', 'git commit -m x', 'cp kept b', 'ls'];
    await using scene = await openScene([commands.map(command => call('Bash', {command})), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    writeFileSync(join(scene.place.work, 'kept'), 'x');
    const lines = commands.map(command => JSON.stringify(command)).join('\n');
    const check = ['permissions', 'check', '--json', '--sandbox', sandbox];
    const checked = await scene.run(check, {environment, stdin: {text: lines}});
    const said = checked.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const run = await scene.run(['--prompt', 'Go.', '--sandbox', sandbox, '--output-format', 'json'], {environment});
    const denials: readonly {tool_input: {command: string}; changes?: unknown}[] = JSON.parse(
      run.stdout,
    ).permission_denials;
    const asked = denials.flatMap(({changes, tool_input: {command}}) => (changes === undefined ? [command] : []));
    expect(said.filter(({verdict}) => verdict === 'ask').map(({command}) => command)).toEqual(asked);
    expect(said[1]).toMatchObject(
      sandbox === 'auto'
        ? {verdict: 'allow', reasons: ['Runs in the sandbox without asking; weft asks about its changes']}
        : {verdict: 'ask', reasons: ['Changes files (touch new)']},
    );
  },
);

const turnedOn = {enabled: true, autoAllowBashIfSandboxed: true};

test.for<[setting: unknown, asked: string]>([
  ['none', 'asked'],
  ['auto', 'asked'],
  [{enabled: true}, 'asked'],
  [{...turnedOn, excludedCommands: ['node']}, 'asked'],
  [turnedOn, 'not asked'],
  [{...turnedOn, allowUnsandboxedCommands: false}, 'not asked'],
])('a program that drives weft with the setting %j is %s before a command', async ([setting, wanted], {skip}) => {
  await using scene = await openScene([call('Bash', {command: 'node -p 40+2'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  // What the user has set for himself does not speak for the program.
  putFile(join(scene.place.home, 'weft', 'settings.json'), JSON.stringify({sandbox: turnedOn}));
  const given = setting === 'none' ? [] : ['--settings', JSON.stringify({sandbox: setting})];
  const client = startRpc(scene, ['--permission-prompt-tool', 'stdio', ...given], environment);
  client.send(prompt('Go.'));
  const first = await client.next(message => isType('control_request')(message) || isType('result')(message));
  expect(first['type']).toBe(wanted === 'asked' ? 'control_request' : 'result');
  if (wanted === 'asked')
    client.send(answerTo(first['request_id'], {behavior: 'allow', updatedInput: {command: 'node -p 40+2'}}));
  const {stdout} = await client.finish();
  expect(stdout).toContain('42');
});

test('a program that allows nothing outside is not asked to let a command out, and what it allows stays inside', async ({
  skip,
}) => {
  const inside = 'echo "in: $WEFT_INSIDE"; rm kept; curl -s http://127.0.0.1:9';
  await using scene = await openScene([
    call('Bash', {
      command: `node -e 'fetch("http://127.0.0.1:9").catch(e => { console.error(e.cause); process.exit(1); })'`,
    }),
    call('Bash', {command: inside}),
    say('Done.'),
  ]);
  await skipWithoutOverlay(scene, skip);
  writeFileSync(join(scene.place.work, 'kept'), 'x');
  const settings = JSON.stringify({sandbox: {...turnedOn, allowUnsandboxedCommands: false}});
  const client = startRpc(scene, ['--permission-prompt-tool', 'stdio', '--settings', settings], environment);
  client.send(prompt('Go.'));
  const asked: unknown[] = [];
  for (;;) {
    const next = await client.next(message => isType('control_request')(message) || isType('result')(message));
    if (next['type'] === 'result') break;
    asked.push(next['request']);
    client.send(answerTo(next['request_id'], {behavior: 'allow', updatedInput: {command: inside}}));
  }
  expect(asked.map(each => JSON.stringify(each).includes('Run it again outside'))).not.toContain(true);
  const {stdout} = await client.finish();
  expect([asked.length > 0, stdout.includes('in: bwrap')]).toEqual([true, true]);
});

test(
  'a program that refuses changes without a reason is not quoted, since the command has run',
  {tags: 'smoke'},
  async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'touch made'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const settings = ['--settings', JSON.stringify({sandbox: turnedOn})];
    const client = startRpc(scene, ['--permission-prompt-tool', 'stdio', ...settings], environment);
    client.send(prompt('Go.'));
    const asked = await client.next(isType('control_request'));
    client.send(answerTo(asked['request_id'], {behavior: 'deny'}));
    await client.finish();
    expect(toldResults(scene.server.requests[1])).toEqual([
      expect.stringMatching(/^\[refused and not kept: made\]$/mu),
    ]);
  },
);
