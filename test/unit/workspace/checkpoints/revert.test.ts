import {chmodSync, linkSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {applyRevert} from '../../../../src/workspace/checkpoints/revert.ts';
import {toCachedFile} from '../../../../src/workspace/checkpoints/folder-table.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

const bytes = (content: string): Uint8Array => Buffer.from(content, 'latin1');
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
    ['the line taken back, and the next one deleted', '1 2 3 4 5 7 8 9', 'conflict'],
    ['the line above deleted', '1 2 3 FIVE 6 7 8 9', 'conflict'],
    ['the line taken back already, and another one changed', '1 2 3 4 5 6 7 8 nine', '1 2 3 4 5 6 7 8 nine'],
  ])('%s', {tags: 'long'}, async (_, now, left) => {
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

  test('a change of the user that lies across two of the agent', {tags: 'long'}, async () => {
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

describe('what was done since', () => {
  test('each path is named with what undo did to it', {tags: 'long'}, async () => {
    using here = place();
    const checkpoints = here.open();
    for (const name of ['changed', 'deleted', 'merged']) here.put(name, text('1 2 3 4 5'));
    const before = await take(checkpoints);
    for (const name of ['changed', 'made', 'merged']) here.put(name, text('ONE 2 3 4 5'));
    rmSync(join(here.work, 'deleted'));
    const after = await take(checkpoints);
    here.put('merged', text('ONE 2 3 4 five'));
    const {report} = await revert(checkpoints, {before, after});
    const effects = report.files.map(({path, effect}) => [path.slice(here.work.length + 1), effect]);
    expect(Object.fromEntries(effects)).toEqual({
      changed: 'changed',
      deleted: 'restored',
      made: 'deleted',
      merged: 'merged',
    });
    expect([here.read('merged'), here.read('changed')]).toEqual([text('1 2 3 4 five'), text('1 2 3 4 5')]);
  });

  test('a file of which only one of two changes can be taken back stays, and is named once', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('a', text('1 2 3 4 5 6 7 8 9'));
    const first = await take(checkpoints);
    here.put('a', text('ONE 2 3 4 5 6 7 8 9'));
    const second = await take(checkpoints);
    here.put('a', text('ONE 2 3 4 5 6 7 8 NINE'));
    const third = await take(checkpoints);
    here.put('a', text('mine 2 3 4 5 6 7 8 NINE'));
    const {report} = await revert(checkpoints, {before: second, after: third}, {before: first, after: second});
    expect([report.files, report.conflicts.map(({path}) => path), here.read('a')]).toEqual([
      [],
      [join(here.work, 'a')],
      text('mine 2 3 4 5 6 7 8 NINE'),
    ]);
  });

  test('a file that was made anew where the agent deleted one stays, and so does one that the user deleted', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('anew', 'before');
    here.put('gone', 'before');
    const before = await take(checkpoints);
    rmSync(join(here.work, 'anew'));
    here.put('gone', 'after');
    const after = await take(checkpoints);
    here.put('anew', 'new');
    rmSync(join(here.work, 'gone'));
    const {report} = await revert(checkpoints, {before, after});
    expect(report.conflicts).toEqual([
      {path: join(here.work, 'anew'), reason: 'it was created again since'},
      {path: join(here.work, 'gone'), reason: 'it has been deleted since'},
    ]);
    expect(everything(here.work)).toMatchObject({anew: `file 644 ${Buffer.from('new').toString('base64')}`});
  });

  test('a folder that the agent made goes, although it has other permissions now', async () => {
    using here = place();
    const checkpoints = here.open();
    here.put('a', '');
    const before = await take(checkpoints);
    mkdirSync(join(here.work, 'd'));
    const after = await take(checkpoints);
    chmodSync(join(here.work, 'd'), 0o700);
    const {report} = await revert(checkpoints, {before, after});
    expect([report.conflicts, everything(here.work)]).toEqual([[], {a: 'file 644 '}]);
  });

  test('a binary file that has other permissions now gets its content back, and one with other bytes is left', async () => {
    using here = place();
    const checkpoints = here.open();
    for (const name of ['mode', 'bytes']) here.put(name, bytes('\0\n2\n3\n4'));
    const before = await take(checkpoints);
    for (const name of ['mode', 'bytes']) here.put(name, bytes('\0\n2\n3\nfour'));
    const after = await take(checkpoints);
    here.put('mode', bytes('\0\n2\n3\nfour'), 0o755);
    here.put('bytes', bytes('\0one\n2\n3\nfour'));
    const {report} = await revert(checkpoints, {before, after});
    const conflict = {path: join(here.work, 'bytes'), reason: 'it was changed since in the same place'};
    expect(report.conflicts).toEqual([conflict]);
    expect([everything(here.work)['mode'], here.read('bytes')]).toEqual([
      `file 755 ${Buffer.from('\0\n2\n3\n4', 'latin1').toString('base64')}`,
      '\0one\n2\n3\nfour',
    ]);
  });

  test('what the user committed since, as the agent left it, is taken back all the same', async () => {
    using here = place();
    here.git('init', '-q');
    const checkpoints = here.open();
    here.put('changed', bytes('\0 before'));
    const before = await take(checkpoints);
    here.put('changed', bytes('\0 after'));
    here.put('made', 'after');
    const after = await take(checkpoints);
    here.git('add', '.');
    here.git('commit', '-qm', 'mine');
    const {report} = await revert(here.open(), {before, after});
    expect([report.conflicts, everything(here.work)]).toEqual([
      [],
      {changed: `file 644 ${Buffer.from('\0 before').toString('base64')}`},
    ]);
  });

  test('what changes between plan and step is neither overwritten nor deleted', () => {
    using here = place();
    const objects = openObjects(here.folder, {});
    const file = (content: string) => ({kind: 'file', mode: 0o644, hash: objects.put(content)}) as const;
    const names = ['changed', 'deleted', 'unseen', 'made', 'folder', 'link', 'lost'];
    const paths = names.map(name => join(here.work, name));
    const [changed = '', deleted = '', unseen = '', made = '', folder = '', link = '', lost = ''] = paths;
    for (const name of ['changed', 'deleted', 'unseen']) here.put(name, 'after');
    const seen = new Map(
      [changed, deleted, lost].map(path => [path, toCachedFile(lstatSync(changed), file('after').hash)]),
    );
    seen.set(deleted, toCachedFile(lstatSync(deleted), file('after').hash));
    objects.flush();
    for (const name of ['changed', 'deleted', 'made', 'folder', 'link']) here.put(name, 'of the user');
    const now = everything(here.work);
    const steps = [
      {path: changed, is: file('after'), wanted: file('before'), effect: 'changed'},
      {path: deleted, is: file('after'), wanted: undefined, effect: 'deleted'},
      {path: unseen, is: file('after'), wanted: file('before'), effect: 'changed'},
      {path: made, is: undefined, wanted: file('before'), effect: 'restored'},
      {path: folder, is: {kind: 'folder', mode: 0o755, tree: ''}, wanted: undefined, effect: 'deleted'},
      {path: link, is: {kind: 'link', target: 'a'}, wanted: undefined, effect: 'deleted'},
      {path: lost, is: file('after'), wanted: undefined, effect: 'deleted'},
    ] as const;
    const refused = applyRevert({steps, names: new Map()}, {objects, seen: path => seen.get(path)});
    const byPath = refused.toSorted((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path));
    expect(byPath).toEqual(paths.map(path => ({path, reason: 'it changed during the revert'})));
    expect(everything(here.work)).toEqual(now);
  });
});

describe('a folder that became a link out of the workspace', () => {
  test('after the change: nothing is written, made or deleted through it', {tags: 'long'}, async () => {
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
    const refused = applyRevert({steps, names: new Map()}, {objects, seen: path => seen.get(path)});
    expect(refused.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
      steps
        .map(({path}) => ({path, reason: 'its folder is now a link'}))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    );
    expect(everything(outside)).toEqual(there);
  });
});

test('permissions that someone else has changed since stay, and are named', async () => {
  using here = place();
  here.put('a', 'same', 0o644);
  const before = await take(here.open());
  here.put('a', 'same', 0o755);
  const after = await take(here.open());
  here.put('a', 'same', 0o600);
  const {report} = await revert(here.open(), {before, after});
  expect(report.conflicts).toEqual([{path: join(here.work, 'a'), reason: 'its permissions were changed since'}]);
  expect(lstatSync(join(here.work, 'a')).mode & 0o777).toBe(0o600);
});

test('a workspace that is a link to another folder now is another workspace', {tags: 'long'}, async () => {
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
  expect(report.conflicts).toEqual([
    {path: join(here.work, 'a'), reason: 'its workspace folder was renamed or removed since'},
  ]);
  expect(here.read('a')).toBe('after');
});

const inodes = (here: ReturnType<typeof place>, ...names: readonly string[]): readonly number[] =>
  names.map(name => lstatSync(join(here.work, name)).ino);

describe('a file with two names', () => {
  /** A change of `a`, a hard link of `b` and of `../outside`, and the number of names that its revert changes without a step. */
  test.each([
    ['written in place', (work: string) => writeFileSync(join(work, 'a'), 'after, and longer'), 1],
    [
      'shortened in place, without permission to write',
      (work: string) => {
        writeFileSync(join(work, 'a'), '');
        chmodSync(join(work, 'a'), 0o444);
      },
      1,
    ],
    [
      'replaced',
      (work: string) => {
        writeFileSync(join(work, 'new'), 'after');
        renameSync(join(work, 'new'), join(work, 'a'));
      },
      0,
    ],
    ['deleted', (work: string) => rmSync(join(work, 'a')), 0],
  ])('is one file again: %s', async (_, change, otherNames) => {
    using here = place();
    here.put('a', 'before');
    linkSync(join(here.work, 'a'), join(here.work, 'b'));
    linkSync(join(here.work, 'a'), join(here.work, '../outside'));
    const tree = everything(here.work);
    const [inode] = inodes(here, 'a');
    const before = await take(here.open());
    change(here.work);
    const after = await take(here.open());
    const {report} = await revert(here.open(), {before, after});
    expect(report.conflicts).toEqual([]);
    expect(report.files.map(file => file.otherNames ?? 0)).toEqual(report.files.map(() => otherNames));
    expect(everything(here.work)).toEqual(tree);
    expect(inodes(here, 'a', 'b', '../outside')).toEqual([inode, inode, inode]);
  });

  test('both deleted, they are one file again', async () => {
    using here = place();
    here.put('a', 'before');
    linkSync(join(here.work, 'a'), join(here.work, 'b'));
    const before = await take(here.open());
    rmSync(join(here.work, 'a'));
    rmSync(join(here.work, 'b'));
    const after = await take(here.open());
    await revert(here.open(), {before, after});
    const [a, b] = inodes(here, 'a', 'b');
    expect([here.read('a'), here.read('b'), a === b]).toEqual(['before', 'before', true]);
  });

  test('two files that became one are two again; a later copy of the user stays', async () => {
    using here = place();
    here.put('a', 'one');
    here.put('b', 'two');
    const before = await take(here.open());
    rmSync(join(here.work, 'b'));
    linkSync(join(here.work, 'a'), join(here.work, 'b'));
    const after = await take(here.open());
    linkSync(join(here.work, 'b'), join(here.work, '../copy'));
    await revert(here.open(), {before, after});
    expect([here.read('a'), here.read('b'), here.read('../copy')]).toEqual(['one', 'two', 'one']);
  });
});
