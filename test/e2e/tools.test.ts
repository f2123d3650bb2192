// @module-tag long
import {mkdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {call, callRaw, say, type Answer} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {openScene, scriptedKey, toldResults, type Scene} from '../support/scene.ts';

const file = 'sum.js';
const wrong = 'export const sum = (a, b) => a - b;\n';
const right = 'export const sum = (a, b) => a + b;\n';

const edit = call('Edit', {file_path: file, old_string: 'a - b', new_string: 'a + b'});
const check = call('Bash', {command: 'node check.mjs'});
const repair: readonly Answer[] = [[say('I read.'), call('Read', {file_path: file})], edit, check, say('Repaired.')];

async function openRepair(): Promise<Scene> {
  const scene = await openScene(repair);
  writeFileSync(join(scene.place.work, file), wrong);
  writeFileSync(
    join(scene.place.work, 'check.mjs'),
    `import {sum} from './sum.js';\nconsole.log('sum is', sum(1, 2));\n`,
  );
  return scene;
}

describe('read, edit, run', () => {
  const permitted: readonly (readonly [title: string, flags: readonly string[]])[] = [
    ['bypassPermissions', ['--permission-mode', 'bypassPermissions']],
    ['acceptEdits and one command', ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash(node:*)']],
    ['rules', ['--allowed-tools', 'Edit', 'Bash']],
    ['rules with a comma, the other spelling', ['--allowedTools=Edit(sum.js),Bash(node:*)']],
  ];
  test.concurrent.each(permitted)('permitted by %s', async (_title, flags) => {
    await using scene = await openRepair();
    const finished = await scene.run(['--prompt', 'Repair it.', ...flags]);
    expect(finished).toEqual({code: 0, signal: null, stdout: 'Repaired.\n', stderr: ''});
    expect(scene.read(file)).toBe(right);
    const told = scene.server.requests.slice(1).map(toldResults);
    expect(told[0]?.[0]).toContain('a - b');
    expect(told[2]?.[0]).toMatch(/^sum is 3\n\[exit code 0 after \d+\.\d s in /u);
  });

  const refused: readonly (readonly [title: string, flags: readonly string[], code: number])[] = [
    ['default: nobody can be asked', [], 3],
    ['dontAsk', ['--permission-mode', 'dontAsk'], 3],
    ['plan', ['--permission-mode', 'plan'], 0],
    [
      'a rule that forbids is stronger than the mode',
      ['--permission-mode', 'bypassPermissions', '--disallowed-tools', 'Edit', 'Bash'],
      0,
    ],
  ];
  test.concurrent.each(refused)('refused by %s', async (_title, flags, code) => {
    await using scene = await openRepair();
    expect(await scene.run(['--prompt', 'Repair it.', ...flags])).toMatchObject({code, stdout: 'Repaired.\n'});
    expect(scene.read(file)).toBe(wrong);
    const told = scene.server.requests.slice(1).map(toldResults);
    expect(told.map(([text]) => /Not permitted/u.test(text ?? ''))).toEqual([false, true, true]);
  });
});

test('a rule for one command permits no other behind it', {tags: 'smoke'}, async () => {
  await using scene = await openScene([call('Bash', {command: 'node --version; touch made'}), say('done')]);
  expect((await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash(node:*)'])).code).toBe(3);
  expect(() => scene.read('made')).toThrow('ENOENT');
});

test('a rule whose parenthesis is not closed permits nothing: it is refused', async () => {
  await using scene = await openScene([call('Bash', {command: 'touch made'}), say('done')]);
  expect((await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash(git'])).code).toBe(2);
  expect(() => scene.read('made')).toThrow('ENOENT');
});

test('what other agents ask for in fields of their own is done', async () => {
  const grep = {pattern: 'sum', output_mode: 'content', type: 'js', '-A': '1'};
  await using scene = await openScene([
    [
      call('Grep', grep),
      call('Grep', {...grep, offset: 2, '-n': false}),
      call('Grep', {...grep, offset: 9}),
      call('Bash', {command: 'cat sum.js; ls', workdir: 'src', explanation: 'look'}),
      call('Bash', {command: 'ls', cwd: 'absent'}),
      call('Bash', {command: 'ls'}),
      call('Bash', {command: 'touch made', cwd: '..'}),
    ],
    say('Done.'),
  ]);
  mkdirSync(join(scene.place.work, 'src'));
  writeFileSync(join(scene.place.work, 'src', file), `${right}last\n`);
  const finished = await scene.run(['--prompt', 'x', '--allowed-tools', 'Bash(touch:*)']);
  expect(finished).toMatchObject({code: 3, stdout: 'Done.\n'});
  const match = `src/sum.js:1:${right.trimEnd()}`;
  const line = 'src/sum.js-2-last';
  expect(toldResults(scene.server.requests[1])).toEqual([
    `${match}\n${line}`,
    'The search found only 2 lines, so offset 2 leaves none.',
    'The search found only 2 lines, so offset 9 leaves none.',
    expect.stringMatching(/^export .*\nlast\nsum\.js\n\[exit code 0 /su),
    expect.stringMatching(/absent: No such file or directory\n\[exit code 1 /u),
    expect.stringMatching(/^src\n\[exit code 0 /u),
    expect.stringMatching(/^Not permitted: .* Leaves the workspace/u),
  ]);
});

test('a command that fails is an error for the model and for clients, and one that finds nothing is not', async () => {
  const commands = ['exit 3', 'grep nothing sum.js', 'ls absent', 'ls absent || true'];
  await using scene = await openScene([commands.map(command => call('Bash', {command})), say('Done.')]);
  writeFileSync(join(scene.place.work, file), right);
  const flags = ['--output-format', 'stream-json', '--permission-mode', 'bypassPermissions'];
  const {stdout} = await scene.run(['--prompt', 'x', '--verbose', ...flags]);
  const toClient = [...stdout.matchAll(/"is_error":(true|false),"outcome":"(\w+)"/gu)].map(([, ...end]) => end);
  expect(toClient).toEqual([
    ['true', 'error'],
    ['false', 'success'],
    ['true', 'error'],
    ['false', 'success'],
  ]);
  const toModel = JSON.stringify(scene.server.requests[1]?.body.messages.at(-1)?.content);
  expect(toModel.match(/exit code \d[^}]*\}\](?:,"is_error":true)?/gu)?.map(text => text.includes('is_error'))).toEqual(
    [true, false, true, false],
  );
});

test('acceptEdits permits no edit of a file that is not read unasked, and says so', async () => {
  await using scene = await openScene([
    [
      call('Write', {file_path: '.env', content: 'A=1\n'}),
      call('ApplyPatch', {patch: '*** Begin Patch\n*** Add File: id_rsa\n+x\n*** End Patch'}),
      call('Write', {file_path: '.env.example', content: 'A=\n'}),
    ],
    say('done'),
  ]);
  const {code} = await scene.run(['--prompt', 'x', '--permission-mode', 'acceptEdits']);
  expect([code, scene.read('.env.example')]).toEqual([3, 'A=\n']);
  for (const path of ['.env', 'id_rsa']) expect(() => scene.read(path)).toThrow('ENOENT');
  const told = toldResults(scene.server.requests[1]);
  expect(told.slice(0, 2)).toEqual([
    expect.stringContaining('Changes files that may hold secrets: .env'),
    expect.stringContaining('Changes files that may hold secrets: id_rsa'),
  ]);
});

test('a path that is too long is called that', async () => {
  await using scene = await openScene([
    [call('Read', {file_path: 'a/'.repeat(2100)}), call('Write', {file_path: 'b'.repeat(300), content: ''})],
    say('done'),
  ]);
  expect((await scene.run(['--prompt', 'x'])).code).toBe(0);
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/ is too long: it is 4200 characters long/u),
    expect.stringMatching(/ is too long: a name in it has 300 bytes/u),
  ]);
});

test('acceptEdits permits no edit outside the workspace', async () => {
  await using scene = await openScene([call('Write', {file_path: '../beside.txt', content: 'x'}), say('done')]);
  const {code} = await scene.run(['--prompt', 'x', '--permission-mode', 'acceptEdits']);
  expect(code).toBe(3);
  expect(() => scene.read('../beside.txt')).toThrow('ENOENT');
});

const read = (path: string): Answer => call('Read', {file_path: path});

test('--add-dir makes a folder part of the workspace', async () => {
  await using scene = await openScene(({body}) =>
    body.messages.length === 1 ? read(join(scene.place.home, 'note.txt')) : say('done'),
  );
  writeFileSync(join(scene.place.home, 'note.txt'), 'kept in mind');
  expect((await scene.run(['--prompt', 'x'])).code).toBe(3);
  expect((await scene.run(['--prompt', 'x', '--add-dir', scene.place.home])).code).toBe(0);
  expect(toldResults(scene.server.requests.at(-1))).toEqual([expect.stringContaining('kept in mind')]);
});

test("the provider's key is in no command's environment", async () => {
  await using scene = await openScene([call('Bash', {command: 'env; cat /proc/$$/environ'}), say('done')]);
  const environment = {OPENAI_API_KEY: 'sk-other-987', MY_TOKEN: 'token-555', HARMLESS: 'harmless-value'};
  await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions'], {environment});
  const [told = ''] = toldResults(scene.server.requests[1]);
  expect(told).toContain('harmless-value');
  for (const secret of [scriptedKey, 'sk-other-987', 'token-555']) expect(told).not.toContain(secret);
});

test('a command cannot wait for somebody: no terminal, no pager, stdin at its end', {tags: 'smoke'}, async () => {
  const command = 'read -r line; echo "read: $?"; cat; echo "pager: $PAGER $GIT_PAGER"; tty';
  await using scene = await openScene([call('Bash', {command}), say('done')]);
  await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions'], {
    stdin: {text: 'not for the command\n'},
  });
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/^read: 1\npager: cat cat\nnot a tty\n\[exit code 1 after/u),
  ]);
});

describe('fields of a call', () => {
  test('that another agent calls otherwise are honoured: nothing is answered from the workspace for /etc', async () => {
    await using scene = await openScene([call('Glob', {pattern: 'hosts', search_dir: '/etc'}), say('done')]);
    writeFileSync(join(scene.place.work, 'hosts'), '');
    expect((await scene.run(['--prompt', 'x'])).code).toBe(3);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('/etc')]);
  });

  test('that weft does not have are refused before anything starts', async () => {
    const remote = {description: 'a', prompt: 'b', execution_mode: {remote: {environment_id: 'e'}}};
    await using scene = await openScene([call('Agent', remote), say('done')]);
    await scene.run(['--prompt', 'x']);
    expect(scene.server.requests.map(toldResults)).toEqual([
      [],
      [
        expect.stringMatching(
          /^The input of Agent is invalid: execution_mode: Invalid option: expected one of "local"\|"remote"/u,
        ),
      ],
    ]);
  });

  test('have the names of the schema for a hook, whatever the model called them', async () => {
    await using scene = await openScene([call('Bash', {cmd: 'touch made'}), say('done')]);
    const command = `grep -q '"command":"touch made"'`;
    const hooks = {PreToolUse: [{matcher: 'Bash', hooks: [{type: 'command', command}]}]};
    await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--settings', JSON.stringify({hooks})]);
    expect(scene.read('made')).toBe('');
  });
});

describe('what the model does wrong is told to it, and the run goes on', () => {
  const cases: readonly (readonly [title: string, answer: Answer, told: RegExp])[] = [
    ['a tool that does not exist', call('Brush', {command: 'ls'}), /Brush/u],
    // Nothing is sent anywhere for it.
    ['an address that is none', call('WebFetch', {url: 'nowhere', prompt: 'x'}), /WebFetch/u],
    ['input that does not fit', call('Bash', {comand: 'ls'}), /command/u],
    ['input that is no JSON', callRaw('Bash', '{"command": "l'), /arguments were cut after 14 characters/u],
    ['input that is no object', callRaw('Bash', '["ls"]'), /input of Bash is invalid/u],
    ['a file that is not there', call('Read', {file_path: 'nowhere.txt'}), /nowhere\.txt/u],
    [
      'a text that is not in the file',
      call('Edit', {file_path: file, old_string: 'zzz', new_string: 'y'}),
      /zzz|not found|does not/u,
    ],
  ];
  const requests: ReceivedRequest[] = [];
  beforeAll(async () => {
    // One run in which the model does all of it, one after the other.
    await using scene = await openScene([...cases.map(([, answer]) => answer), say('I see.')]);
    writeFileSync(join(scene.place.work, file), wrong);
    const finished = await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
    expect(finished).toEqual({code: 0, signal: null, stdout: 'I see.\n', stderr: ''});
    requests.push(...scene.server.requests.slice(1));
  });
  test.each(cases.map(([title, , told], at) => [title, told, at] as const))('%s', (_title, told, at) => {
    expect(toldResults(requests[at])).toEqual([expect.stringMatching(told)]);
    expect(JSON.stringify(requests[at]?.body.messages.at(-1))).toContain('"is_error":true');
  });
});

test.each(['anthropic', 'openai'] as const)('results keep the order of the calls: %s', async dialect => {
  const calls = [
    call('Read', {file_path: 'a.txt'}, {id: 'id_a'}),
    call('Bash', {command: 'sleep 0.2; echo second'}, {id: 'id_b'}),
    call('Read', {file_path: 'c.txt'}, {id: 'id_c'}),
    call('Nothing', {}, {id: 'id_d'}),
    call('Glob', {pattern: '*.txt'}, {id: 'id_e'}),
  ];
  await using scene = await openScene([calls, say('done')], dialect);
  for (const name of ['a', 'c']) writeFileSync(join(scene.place.work, `${name}.txt`), `text of ${name}\n`);
  const {code} = await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
  const sent = JSON.stringify(scene.server.requests[1]?.body.messages);
  const ids = [...sent.matchAll(/"(?:tool_use_id|tool_call_id)":"(id_.)"/gu)].map(([, id]) => id);
  expect([code, ids]).toEqual([0, ['id_a', 'id_b', 'id_c', 'id_d', 'id_e']]);
  expect(sent).toMatch(/text of a.*second.*text of c.*Nothing.*a\.txt.*c\.txt/su);
});

test('twenty megabytes of output are bounded for the model and whole in a file', async () => {
  const bytes = 20_000_000;
  const command = `echo first; head -c ${bytes} /dev/zero | tr '\\0' 'x' | fold -w 100; echo; echo last`;
  await using scene = await openScene([call('Bash', {command}), say('done')]);
  const {code} = await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
  const [told = ''] = toldResults(scene.server.requests[1]);
  expect(code).toBe(0);
  expect(told.length).toBeLessThan(31_000);
  expect(told).toMatch(/^first\nx+\n[^]*\[… \d+ bytes left out[^]*\nlast\n/u);
  const whole = /the whole output is in (\S+)\]/u.exec(told)?.[1] ?? 'no file is named';
  expect(statSync(whole).size).toBe(6 + bytes + bytes / 100 + 5);
});

test('an image is sent as an image', {tags: 'smoke'}, async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await using scene = await openScene([call('Read', {file_path: 'dot.png'}), say('A dot.')]);
  writeFileSync(join(scene.place.work, 'dot.png'), Buffer.from(png, 'base64'));
  expect((await scene.run(['--prompt', 'x'])).stdout).toBe('A dot.\n');
  expect(JSON.stringify(scene.server.requests[1]?.body.messages.at(-1))).toContain(
    `{"type":"base64","media_type":"image/png","data":"${png}"}`,
  );
});
