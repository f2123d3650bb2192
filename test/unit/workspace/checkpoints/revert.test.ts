import {lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {carryOutRevert} from '../../../../src/workspace/checkpoints/revert.ts';
import {toCachedFile} from '../../../../src/workspace/checkpoints/stat-cache.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

const text = (lines: string): string => lines.split(' ').join('\n');

describe('changes of one file', () => {
  /** Lines 1 to 9; the agent makes `FIVE` of the fifth, and the user what stands here. Undo leaves what stands behind it, or a conflict. */
  test.each([
    ['the line above', '1 2 3 four FIVE 6 7 8 9', 'conflict'],
    ['the line below', '1 2 3 4 FIVE six 7 8 9', 'conflict'],
    ['the second line above', '1 2 three 4 FIVE 6 7 8 9', '1 2 three 4 5 6 7 8 9'],
    ['the second line below', '1 2 3 4 FIVE 6 seven 8 9', '1 2 3 4 5 6 seven 8 9'],
    ['a line put in directly above', '1 2 3 4 new FIVE 6 7 8 9', 'conflict'],
    ['a line put in directly below', '1 2 3 4 FIVE new 6 7 8 9', 'conflict'],
    ['a line put in one line above', '1 2 3 new 4 FIVE 6 7 8 9', '1 2 3 new 4 5 6 7 8 9'],
    ['the line itself and those around it', '1 2 3 x y z 7 8 9', 'conflict'],
    ['everything from the line on', '1 2 3 4 x', 'conflict'],
    ['the line above deleted', '1 2 3 FIVE 6 7 8 9', 'conflict'],
    ['the line taken back already, and another one changed', '1 2 3 4 5 6 7 8 nine', '1 2 3 4 5 6 7 8 nine'],
  ])('%s', async (_, now, left) => {
    using here = place();
    const checkpoints = here.open();
    here.put('a', text('1 2 3 4 5 6 7 8 9'));
    const before = await take(checkpoints);
    here.put('a', text('1 2 3 4 FIVE 6 7 8 9'));
    const after = await take(checkpoints);
    here.put('a', text(now));
    const {report} = await revert(checkpoints, {before, after});
    const conflict = {path: join(here.work, 'a'), reason: 'it was changed since in the same place'};
    expect(report.conflicts).toEqual(left === 'conflict' ? [conflict] : []);
    expect(here.read('a')).toBe(text(left === 'conflict' ? now : left));
  });

  test('a change of the user that lies across two of the agent', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('a', text('1 2 3 4 5 6 7 8 9'));
    const before = await take(checkpoints);
    here.put('a', text('1 TWO 3 4 5 6 7 EIGHT 9'));
    const after = await take(checkpoints);
    here.put('a', text('1 x 9'));
    expect((await revert(checkpoints, {before, after})).report.conflicts).toHaveLength(1);
    expect(here.read('a')).toBe(text('1 x 9'));
  });
});

describe('a folder that became a link out of the workspace', () => {
  test('after the change: nothing is written, made or deleted through it', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('d/changed', 'before');
    here.put('d/deleted', 'before');
    here.put('d/sub/deep', 'before');
    const before = await take(checkpoints);
    here.put('d/changed', 'after');
    here.put('d/made', 'after');
    here.put('d/sub/deep', 'after');
    rmSync(join(here.work, 'd/deleted'));
    const after = await take(checkpoints);
    const outside = join(here.work, '../outside');
    renameSync(join(here.work, 'd'), outside);
    symlinkSync(outside, join(here.work, 'd'));
    const there = everything(outside);
    const {report} = await revert(checkpoints, {before, after});
    expect([report.files, everything(outside), everything(here.work)]).toEqual([[], there, {d: `link ${outside}`}]);
    const named = report.conflicts.map(({path}) => path.slice(here.work.length + 1));
    expect(named).toEqual(['d/changed', 'd/deleted', 'd/sub/deep']);
  });

  test.each(['d', 'd/sub'])('between plan and step: %s', folder => {
    using here = place();
    const objects = openObjects(here.folder, {});
    here.put('d/sub/changed', 'after');
    here.put('d/sub/made', 'after');
    mkdirSync(join(here.work, 'd/sub/folder'));
    const at = (name: string): string => join(here.work, 'd/sub', name);
    const file = (content: string) => ({kind: 'file', mode: 0o644, hash: objects.put(content)}) as const;
    const link = {kind: 'link', target: '/etc'} as const;
    const empty = {kind: 'folder', mode: 0o755, tree: ''} as const;
    const steps = [
      {path: at('changed'), is: file('after'), wanted: file('before'), effect: 'changed'},
      {path: at('made'), is: file('after'), wanted: undefined, effect: 'deleted'},
      {path: at('folder'), is: empty, wanted: undefined, effect: 'deleted'},
      {path: at('gone'), is: undefined, wanted: file('before'), effect: 'restored'},
      {path: at('link'), is: undefined, wanted: link, effect: 'restored'},
      {path: at('gone-folder'), is: undefined, wanted: empty, effect: 'restored'},
    ] as const;
    const seen = new Map(
      [at('changed'), at('made')].map(path => [path, toCachedFile(lstatSync(path), file('after').hash)]),
    );
    objects.flush();
    const outside = join(here.work, '../outside');
    renameSync(join(here.work, folder), outside);
    symlinkSync(outside, join(here.work, folder));
    const there = everything(outside);
    const refused = carryOutRevert(steps, {objects, seen});
    expect(refused.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
      steps
        .map(({path}) => ({path, reason: 'its folder is a link now'}))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    );
    expect(everything(outside)).toEqual(there);
  });
});

test('a workspace that is a link to another folder now is another workspace', async () => {
  using here = place();
  here.put('a', 'before');
  const before = await take(here.open());
  here.put('a', 'after');
  const after = await take(here.open());
  const outside = join(here.work, '../outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a'), 'after');
  rmSync(here.work, {recursive: true});
  symlinkSync(outside, here.work);
  const {report} = await revert(here.open(), {before, after});
  expect(report.conflicts).toEqual([{path: join(here.work, 'a'), reason: 'it lies outside of the workspace folders'}]);
  expect(here.read('a')).toBe('after');
});
