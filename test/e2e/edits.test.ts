// @module-tag long
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';

const edit = (old_string: string, new_string: string) => call('Edit', {file_path: 'a.txt', old_string, new_string});

const accept = ['--prompt', 'Go.', '--permission-mode', 'acceptEdits'];

describe('edits', () => {
  test(
    'two edits of one file in one message apply in order, the second to what the first left',
    {tags: 'smoke'},
    async () => {
      await using scene = await openScene([[edit('one', 'two'), edit('two', 'three')], say('Done.')]);
      writeFileSync(join(scene.place.work, 'a.txt'), 'one\r\n');
      expect(await scene.run(accept)).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
      expect(scene.read('a.txt')).toBe('three\r\n');
    },
  );

  test('a patch changes, makes, renames and deletes files', async () => {
    const patch = [
      '*** Begin Patch',
      '*** Update File: a.txt',
      '*** Move to: sub/b.txt',
      '@@',
      '-one',
      '+two',
      '*** Add File: c.json',
      '+{}',
      '*** Delete File: d.txt',
      '*** End Patch',
    ].join('\n');
    await using scene = await openScene([call('ApplyPatch', {patch}), say('Done.')]);
    writeFileSync(join(scene.place.work, 'a.txt'), 'one\n');
    writeFileSync(join(scene.place.work, 'd.txt'), 'gone\n');
    expect(await scene.run(accept)).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
    expect([scene.read('sub/b.txt'), scene.read('c.json')]).toEqual(['two\n', '{}\n']);
    expect(['a.txt', 'd.txt'].map(name => existsSync(join(scene.place.work, name)))).toEqual([false, false]);
    expect(toldResults(scene.server.requests[1])).toEqual([
      'Renamed a.txt → sub/b.txt (+1 -1)\nCreated c.json (+1 -0)\nDeleted d.txt (+0 -1)',
    ]);
  });

  test('a rename is judged by both of its names', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n*** Move to: .git/hooks/pre-commit\n*** End Patch';
    await using scene = await openScene([call('ApplyPatch', {patch}), say('Done.')]);
    writeFileSync(join(scene.place.work, 'a.txt'), 'one\n');
    await scene.run(accept);
    expect(toldResults(scene.server.requests[1])[0]).toMatch(/Not permitted/u);
    expect(scene.read('a.txt')).toBe('one\n');
  });

  test('what breaks a file is told, what cannot be read of a patch too', async () => {
    await using scene = await openScene([
      call('Edit', {file_path: 'a.json', old_string: '1', new_string: '1,'}),
      call('ApplyPatch', {patch: '*** Begin Patch\n*** Update File: a.json\n-1'}),
      say('Done.'),
    ]);
    writeFileSync(join(scene.place.work, 'a.json'), '{"a": 1}');
    await scene.run(accept);
    expect(toldResults(scene.server.requests[1])[0]).toMatch(
      /^Changed a\.json \(\+1 -1\)\n\[before the edit it was valid JSON, now it is not: /u,
    );
    expect(toldResults(scene.server.requests[2])[0]).toContain('the "*** End Patch" line is missing');
  });
});
