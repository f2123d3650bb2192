// @module-tag long
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say, until} from '../support/model-script.ts';
import {fileComes, openScene, type Scene} from '../support/scene.ts';
import {finish} from '../support/run-weft.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;
const ids = {first: '0f9a1a34-1111-4222-8333-444455556666', second: '0f9a1a35-1111-4222-8333-444455556666'} as const;

/** weft doesn't know the files that such a command changes. */
const anyCommand = (script: string) => call('Bash', {command: `node -e "${script}"`});

const has = (scene: Scene, ...names: readonly string[]): readonly boolean[] =>
  names.map(name => existsSync(join(scene.place.work, name)));

/** Returns the number of checkpoints in all sessions. */
function checkpoints({place}: Scene): number {
  using database = new DatabaseSync(join(place.home, 'weft/weft.db'), {readOnly: true});
  return Number(database.prepare("SELECT count(*) AS count FROM records WHERE kind = 'checkpoint'").get()?.['count']);
}

test.each([
  ['a command that may change any file', anyCommand("fs.writeFileSync('b', '')")],
  ['an edit', call('Write', {file_path: 'b', content: ''})],
])('two wefts in a folder: an undo leaves what %s of the other one changed', async (_, change) => {
  const waiting = "fs.writeFileSync('pid', '1'); while (!fs.existsSync('go')); fs.writeFileSync('a', '')";
  const toldOf = new Map([
    ['First task', [anyCommand(waiting), say('Done.')]],
    ['Second task', [change, say('Done.')]],
  ]);
  await using scene = await openScene(({body}) => {
    const [title = ''] = [...toldOf.keys()].filter(key => JSON.stringify(body.messages).includes(key));
    return toldOf.get(title)?.[body.messages.length > 2 ? 1 : 0] ?? say('?');
  });
  const first = finish(scene.start([...free, '--session-id', ids.first, '--prompt', 'First task']));
  await fileComes(join(scene.place.work, 'pid'));
  await scene.run([...free, '--session-id', ids.second, '--prompt', 'Second task']);
  writeFileSync(join(scene.place.work, 'go'), '');
  await first;
  const preview = await scene.run(['sessions', 'rewind', ids.first]);
  expect(preview.stderr).toContain('  ! b stays as it is: session "Second task" changed it in the meantime\n');
  expect(preview.stderr).not.toContain('- b');
  expect(has(scene, 'a', 'b', 'pid')).toEqual([true, true, true]);
  await scene.run(['sessions', 'rewind', ids.first, '--yes']);
  expect(has(scene, 'a', 'b', 'pid')).toEqual([false, true, false]);
  const other = await scene.run(['sessions', 'rewind', ids.second, '--yes']);
  expect(other.stderr).toContain('1 file: 1 deleted\n  - b\n');
  expect(has(scene, 'b')).toEqual([false]);
});

test('an undo leaves what the user changed while the model was thinking, and names it before', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await openScene([
    anyCommand("fs.writeFileSync('a', 'agent'); fs.appendFileSync('both', 'agent')"),
    [until(gate.promise), anyCommand("fs.writeFileSync('c', 'agent')")],
    say('Done.'),
  ]);
  const put = (name: string, text: string): void => writeFileSync(join(scene.place.work, name), text);
  put('both', 'user\n');
  put('mine', 'before');
  const run = finish(scene.start([...free, '--session-id', ids.first, '--prompt', 'Change it.']));
  await scene.server.received(2);
  await lookUntil(
    () => checkpoints(scene) === 2,
    () => 'the changes of the first command were never kept',
  );
  put('mine', 'after');
  put('new', 'user');
  put('both', 'user\nagent\nuser\n');
  gate.resolve();
  await run;
  const preview = await scene.run(['sessions', 'rewind', ids.first]);
  for (const name of ['mine', 'new'])
    expect(preview.stderr).toContain(`  ! ${name} stays as it is: someone else changed it in the meantime\n`);
  await scene.run(['sessions', 'rewind', ids.first, '--yes']);
  expect(has(scene, 'a', 'c', 'new')).toEqual([false, false, true]);
  expect([scene.read('mine'), scene.read('both')]).toEqual(['after', 'user\nagent\nuser\n']);
});
