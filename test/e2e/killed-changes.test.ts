// @module-tag long
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, hang, say, type Answer} from '../support/model-script.ts';
import {processesWith} from '../support/processes.ts';
import {finish} from '../support/run-weft.ts';
import {fileComes, openScene, processGone, type Scene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;
const id = '0f9a1a34-1111-4222-8333-444455556666';
const body = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

/** Returns the author of each line: `person`, `unknown`, or the agent's prompt. */
async function authors(scene: Scene, file: string): Promise<readonly string[]> {
  const lines: readonly {readonly by: string; readonly prompt?: string}[] = JSON.parse(
    (await scene.run(['blame', file, '--json'])).stdout,
  );
  return lines.map(({by, prompt}) => (by === 'agent' ? String(prompt) : by));
}

/** Runs a prompt and kills weft once a command of it has written `pid`. Waits for the end of that command, and for the watchdog. */
async function killDuring(scene: Scene, args: readonly string[] = []): Promise<void> {
  const child = scene.start([...free, ...args, '--session-id', id, '--prompt', 'change it']);
  const finished = finish(child);
  const pid = Number(await fileComes(join(scene.place.home, 'pid')));
  child.kill('SIGKILL');
  await finished;
  await processGone(pid);
  await lookUntil(
    () => !processesWith('weft-process-watchdog').some(({words}) => words.includes(scene.place.home)),
    () => 'the watchdog goes on',
  );
  rmSync(join(scene.place.home, 'pid'));
}

/** A command that does `before`, and then waits to be killed. */
const waits = (before: string, home = '$TMPDIR'): Answer =>
  call('Bash', {command: `${before}; echo $$ >${home}/pid; exec sleep 1000`});

const edit = call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'});

const path = (scene: Scene, name: string): string => join(scene.place.work, name);
const rewind = (scene: Scene) => scene.run(['sessions', 'rewind', id, '--yes']);

test.each([
  ['before the command wrote', ':', body],
  ['after the command wrote another line', "sed -i 's/two/TWO/' a.txt", body.replace('two', 'TWO')],
])('killed %s: what a person changed since is neither taken back nor the agent’s', async (_, before, left) => {
  await using scene = await openScene([waits(before), say('Resumed.')]);
  writeFileSync(path(scene, 'a.txt'), body);
  writeFileSync(path(scene, 'other.txt'), body);
  await killDuring(scene);
  expect(scene.read('a.txt')).toBe(left);
  appendFileSync(path(scene, 'a.txt'), 'mine\n');
  appendFileSync(path(scene, 'other.txt'), 'mine\n');
  writeFileSync(path(scene, 'new.txt'), 'mine\n');
  expect((await scene.run(['--resume', id, '--prompt', 'go on'])).stdout).toBe('Resumed.\n');
  for (const name of ['a.txt', 'other.txt', 'new.txt']) expect((await authors(scene, name)).at(-1)).toBe('unknown');
  const done = await scene.run(['sessions', 'rewind', id, '--to', '1', '--yes']);
  for (const name of ['a.txt', 'other.txt', 'new.txt'])
    expect(done.stderr).toContain(`! ${name} stays as it is: weft was killed, and someone may have changed it since\n`);
  expect([scene.read('a.txt'), scene.read('other.txt'), scene.read('new.txt')]).toEqual([
    `${left}mine\n`,
    `${body}mine\n`,
    'mine\n',
  ]);
});

test('killed during a command: what nobody changed since goes back, and is the agent’s', async () => {
  await using scene = await openScene([
    waits("sed -i 's/two/TWO/' a.txt; mkdir made; echo new >made/new.txt; rm gone.txt"),
    call('Write', {file_path: 'later.txt', content: 'later\n'}),
    say('Resumed.'),
  ]);
  writeFileSync(path(scene, 'a.txt'), body);
  writeFileSync(path(scene, 'gone.txt'), body);
  await killDuring(scene);
  expect(await authors(scene, 'a.txt:1-3')).toEqual(['person', 'change it', 'person']);
  expect(await authors(scene, 'made/new.txt')).toEqual(['change it']);
  await scene.run([...free, '--resume', id, '--prompt', 'go on']);
  const diff = await scene.run(['sessions', 'diff', '1', '--session', id, '--stat']);
  expect(diff.stdout.match(/\S+\.txt/gu)).toEqual(['a.txt', 'gone.txt', 'made/new.txt']);
  expect((await scene.run(['sessions', 'rewind', id, '--to', '1', '--yes'])).stderr).not.toContain('stays as it is');
  expect([scene.read('a.txt'), scene.read('gone.txt')]).toEqual([body, body]);
  expect(['made', 'later.txt'].map(name => existsSync(path(scene, name)))).toEqual([false, false]);
});

/** Kills weft while a hook runs after an edit: the file is written, and its state is not stored yet. */
function addHook(scene: Scene): void {
  mkdirSync(path(scene, '.weft'), {recursive: true});
  mkdirSync(join(scene.place.home, 'weft'), {recursive: true});
  writeFileSync(
    join(scene.place.home, 'weft/settings.json'),
    JSON.stringify({
      hooks: {
        PostToolUse: [
          {matcher: 'Edit', hooks: [{type: 'command', command: 'echo $$ >"$TMPDIR/pid"; exec sleep 1000'}]},
        ],
      },
    }),
  );
}

test('killed after an edit: a person’s change of other lines stays, and the edit goes back', async () => {
  await using scene = await openScene([call('Read', {file_path: 'a.txt'}), edit, say('Resumed.')]);
  addHook(scene);
  writeFileSync(path(scene, 'a.txt'), body);
  await killDuring(scene);
  expect(scene.read('a.txt')).toBe(body.replace('two', 'TWO'));
  appendFileSync(path(scene, 'a.txt'), 'mine\n');
  await scene.run(['--resume', id, '--prompt', 'go on']);
  expect(await authors(scene, 'a.txt')).toEqual(['person', 'change it', ...Array.from({length: 6}, () => 'person')]);
  const done = await scene.run(['sessions', 'rewind', id, '--to', '1', '--yes']);
  expect(done.stderr).not.toContain('stays as it is');
  expect(scene.read('a.txt')).toBe(`${body}mine\n`);
});

test('killed after an edit: a person’s change of the same line is a conflict', async () => {
  await using scene = await openScene([call('Read', {file_path: 'a.txt'}), edit, say('Resumed.')]);
  addHook(scene);
  writeFileSync(path(scene, 'a.txt'), body);
  await killDuring(scene);
  writeFileSync(path(scene, 'a.txt'), body.replace('two', 'mine'));
  expect((await authors(scene, 'a.txt'))[1]).toBe('unknown');
  const done = await rewind(scene);
  expect(done.stderr).toContain('! a.txt stays as it is: weft was killed, and someone may have changed it since\n');
  expect(scene.read('a.txt')).toBe(body.replace('two', 'mine'));
});

test('killed at any moment of an edit, an undo keeps exactly what a person wrote since', async () => {
  const runs = 16;
  await using scene = await openScene(({body: {messages}}) =>
    messages.length > 2 ? say('Done.') : call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'}),
  );
  const seen = new Set<string>();
  for (let run = 0; run < runs; run += 1) {
    const session = `00000000-0000-4000-8000-${String(run).padStart(12, '0')}`;
    writeFileSync(path(scene, 'a.txt'), body);
    const child = scene.start([...free, '--session-id', session, '--prompt', 'change it']);
    const finished = finish(child);
    const asked = scene.server.requests.length;
    await scene.server.received(asked + 1);
    if (run % 2 === 0) await pause(run * 5);
    else
      await lookUntil(
        () => scene.read('a.txt') !== body,
        () => 'nothing was written',
      );
    child.kill('SIGKILL');
    await finished;
    const left = readFileSync(path(scene, 'a.txt'), 'utf8');
    seen.add(left);
    writeFileSync(path(scene, 'a.txt'), `${left}mine\n`);
    const last = await authors(scene, 'a.txt');
    expect(last.at(-1)).not.toBe('change it');
    const done = await scene.run(['sessions', 'rewind', session, '--yes']);
    // Between two stored states, the process has forgotten its notes: then the file stays, and is named.
    const isNamed = done.stderr.includes('! a.txt stays as it is: weft was killed');
    expect({run, now: scene.read('a.txt')}).toEqual({run, now: isNamed ? `${left}mine\n` : `${body}mine\n`});
  }
  expect(seen.size).toBe(2);
});

test('killed after a move and a deletion: both go back although someone made a file beside them', async () => {
  await using scene = await openScene([waits('mv a.txt moved.txt; mv src lib; rm gone.txt'), say('Done.')]);
  mkdirSync(path(scene, 'src'));
  for (const name of ['a.txt', 'src/b.txt', 'gone.txt']) writeFileSync(path(scene, name), body);
  await killDuring(scene);
  writeFileSync(path(scene, 'mine.txt'), 'mine\n');
  await rewind(scene);
  expect(['a.txt', 'src/b.txt', 'gone.txt', 'mine.txt'].map(name => scene.read(name))).toEqual([
    body,
    body,
    body,
    'mine\n',
  ]);
  expect(['moved.txt', 'lib'].filter(name => existsSync(path(scene, name)))).toEqual([]);
});

test('killed beside a command in the background: what a person changed since stays', async () => {
  const command = "sed -i 's/two/TWO/' a.txt; echo $$ >$TMPDIR/pid; exec sleep 1000";
  await using scene = await openScene(({body: {messages}}) => {
    if (JSON.stringify(messages).includes('go on')) return say('Resumed.');
    return messages.length > 2 ? hang() : call('Bash', {command, wait_until_completion: false});
  });
  writeFileSync(path(scene, 'a.txt'), body);
  writeFileSync(path(scene, 'other.txt'), body);
  await killDuring(scene);
  appendFileSync(path(scene, 'other.txt'), 'mine\n');
  await scene.run(['--resume', id, '--prompt', 'go on']);
  expect((await authors(scene, 'other.txt')).at(-1)).not.toBe('change it');
  expect((await authors(scene, 'a.txt'))[1]).toBe('change it');
  const done = await scene.run(['sessions', 'rewind', id, '--to', '1', '--yes']);
  expect([scene.read('a.txt'), scene.read('other.txt')]).toEqual([body, `${body}mine\n`]);
  expect(done.stderr).toContain('! other.txt stays as it is');
});

test('killed during an edit of a sub-agent: a person’s change stays, also in a session without that agent', async () => {
  await using scene = await openScene(({body: {messages}}) => {
    const told = JSON.stringify(messages);
    if (told.includes('"look around"')) return say('Nothing.');
    if (!told.includes('sub-agent task')) return call('Agent', {description: 'sub', prompt: 'sub-agent task'});
    return told.includes('"tool_use"') && !told.includes('"Agent"') ? say('Done.') : edit;
  });
  addHook(scene);
  writeFileSync(path(scene, 'a.txt'), body);
  await killDuring(scene);
  appendFileSync(path(scene, 'a.txt'), 'mine\n');
  await scene.run(['--prompt', 'look around']);
  expect((await authors(scene, 'a.txt')).slice(-1)).toEqual(['person']);
  expect((await authors(scene, 'a.txt'))[1]).toBe('change it');
  await rewind(scene);
  expect(scene.read('a.txt')).toBe(`${body}mine\n`);
});

test('killed beside another weft in the folder: what the other one wrote since stays', async () => {
  await using scene = await openScene(({body: {messages}}) => {
    const told = JSON.stringify(messages);
    if (told.includes('tool_result')) return say('Done.');
    return told.includes('change it')
      ? waits("sed -i 's/two/TWO/' a.txt")
      : call('Bash', {command: "sed -i 's/seven/SEVEN/' a.txt && sed -i 's/six/SIX/' b.txt"});
  });
  writeFileSync(path(scene, 'a.txt'), body);
  writeFileSync(path(scene, 'b.txt'), body);
  await killDuring(scene);
  await scene.run([...free, '--prompt', 'other work']);
  expect((await authors(scene, 'a.txt')).slice(1, 2)).toEqual(['change it']);
  expect((await authors(scene, 'a.txt')).at(-1)).toBe('other work');
  expect((await authors(scene, 'b.txt'))[5]).toBe('other work');
  await rewind(scene);
  expect([scene.read('a.txt'), scene.read('b.txt')]).toEqual([
    body.replace('seven', 'SEVEN'),
    body.replace('six', 'SIX'),
  ]);
});

test('killed with the machine: without signs of life nothing goes back silently', async () => {
  await using scene = await openScene([waits("sed -i 's/two/TWO/' a.txt"), say('Resumed.')]);
  writeFileSync(path(scene, 'a.txt'), body);
  await killDuring(scene);
  const users = join(scene.place.home, 'weft/checkpoints/users');
  for (const name of readdirSync(users)) {
    writeFileSync(join(users, name), '12\n["half');
    utimesSync(join(users, name), 1, 1);
  }
  const done = await rewind(scene);
  expect(done.stderr).toContain('! a.txt stays as it is: weft was killed, and someone may have changed it since\n');
  expect(scene.read('a.txt')).toBe(body.replace('two', 'TWO'));
});
