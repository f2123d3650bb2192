import {type FileEdit, emptyUserChanges} from '../../../../src/domain/file-edit.ts';
import {startResultCheck, makeSearch} from '../../../../src/workspace/search/search.ts';
import {mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {workspace, messageOf, replace, write} from './file-space.ts';
import {never} from '../temporary-folder.ts';

/** What a process beside weft does between one of its steps and the next: the folder becomes a link to one outside. */
function swap(space: ReturnType<typeof workspace>): void {
  rmSync(space.path('sub'), {recursive: true});
  symlinkSync(space.outside, space.path('sub'));
}

function judged(space: ReturnType<typeof workspace>, ...paths: string[]) {
  return paths.map(written => ({written, ...space.port.resolve(written)}));
}

test.each<[string, FileEdit, string]>([
  ['a new file', write('sub/new', 'x'), 'sub/new'],
  ['new folders', write('sub/deep/er/new', 'x'), 'sub/deep/er/new'],
  ['a change', replace('sub/secret', ['outside', 'inside']), 'sub/secret'],
  ['a file that goes', {kind: 'delete', path: 'sub/secret'}, 'sub/secret'],
])('%s is written where it was judged to be, or nowhere', async (_, edit, path) => {
  using space = workspace({'sub/secret': 'inside the workspace, outside nothing'});
  writeFileSync(join(space.outside, 'secret'), 'outside');
  const request = {edits: [edit], userChanges: emptyUserChanges};
  const port = space.port.limitedTo(judged(space, path));

  const before = await port.plan(request, never);
  expect(before.tag).toBe('ok');
  swap(space);
  const applied = await port.apply(request, before.tag === 'ok' ? before.value : [], never);
  expect(messageOf(applied)).toMatch(/has replaced/u);
  expect(messageOf(await port.plan(request, never))).not.toContain(space.outside);
  expect(readdirSync(space.outside)).toEqual(['secret']);
});

test('a renamed file does not go through a link that came meanwhile', async () => {
  using space = workspace({'a.txt': 'x'});
  const request = {edits: [{kind: 'rename', path: 'a.txt', to: 'sub/b.txt'} as const], userChanges: emptyUserChanges};
  const port = space.port.limitedTo(judged(space, 'a.txt', 'sub/b.txt'));
  const plan = await port.plan(request, never);
  swap(space);
  expect((await port.apply(request, plan.tag === 'ok' ? plan.value : [], never)).tag).toBe('failed');
  expect([readdirSync(space.outside), space.text('a.txt')]).toEqual([[], 'x']);
});

test('what was a link when it was judged is still followed, to where it led then', async () => {
  using space = workspace({'sub/a.txt': 'inside'});
  symlinkSync('sub', space.path('alias'));
  const port = space.port.limitedTo(judged(space, 'alias/a.txt'));
  expect(await port.read({path: 'alias/a.txt', offset: 1, limit: 10}, never)).toMatchObject({
    value: {lines: ['inside']},
  });
  rmSync(space.path('alias'));
  symlinkSync(space.outside, space.path('alias'));
  expect(await port.read({path: 'alias/a.txt', offset: 1, limit: 10}, never)).toMatchObject({
    value: {lines: ['inside']},
  });
});

test('nothing is read through a link that came after the judgement: files, folders, names that come near', async () => {
  using space = workspace({'sub/secret': 'inside', 'own.txt': 'own'});
  writeFileSync(join(space.outside, 'secret'), 'outside');
  const port = space.port.limitedTo(judged(space, 'sub/secret', 'sub', 'sub/secre', 'own.txt'));
  swap(space);
  rmSync(space.path('own.txt'));
  symlinkSync(join(space.outside, 'secret'), space.path('own.txt'));
  const told = [];
  for (const path of ['sub/secret', 'sub', 'sub/secre', 'own.txt']) {
    told.push(messageOf(await port.read({path, offset: 1, limit: 10}, never)));
  }
  expect(told).toEqual([
    expect.stringMatching(/^sub\/secret cannot be read: a symbolic link has replaced/u),
    expect.stringMatching(/^sub cannot be read: a symbolic link has replaced/u),
    'sub/secre: there is no such file.',
    expect.stringMatching(/^own\.txt cannot be read: a symbolic link has replaced/u),
  ]);
});

test('what a search finds through a link that came meanwhile is not shown', async () => {
  using space = workspace({'sub/secret': 'needle inside\n', 'a.txt': 'needle here\n'});
  writeFileSync(join(space.outside, 'secret'), 'needle outside\n');
  writeFileSync(join(space.outside, 'other'), 'needle outside\n');
  const search = makeSearch({roots: [space.root], home: '/', environment: process.env, excluded: () => []});
  const places = [{written: 'sub', path: space.path('sub'), place: 'inside-workspace'} as const];
  const grep = {
    queries: ['needle'],
    globs: [],
    letterCase: 'sensitive',
    before: 0,
    after: 0,
    fileType: '',
    span: 'line',
    limit: 100,
  } as const;
  swap(space);
  const port = search.limitedTo(places);
  expect(await port.grep({...grep, path: 'sub', mode: 'content'}, never)).toMatchObject({value: {lines: []}});
  expect(await port.grep({...grep, path: 'sub', mode: 'files'}, never)).toMatchObject({value: {lines: []}});
  expect(await port.grep({...grep, path: '.', mode: 'content'}, never)).toMatchObject({
    value: {lines: ['a.txt:1:needle here']},
  });
  const glob = {patterns: ['*'], path: 'sub', maxDepth: 0, limit: 100};
  expect(await port.glob(glob, never)).toMatchObject({value: {paths: []}});
});

test('a search knows from the times of folders when what it found needs a second look', async () => {
  using space = workspace({'sub/a.txt': 'one\ntwo\n'});
  const file = space.path('sub/a.txt');
  // As if the folder changed while the search runs.
  const soon = new Date(Date.now() + 60_000);
  utimesSync(space.path('sub'), soon, soon);
  const later = startResultCheck([space.root]);
  expect(later.isTrusted(file)).toBe(false);
  expect(await later.lines(file)).toEqual(['one', 'two', '']);
  mkdirSync(space.path('other'));
  renameSync(space.path('sub'), space.path('moved'));
  symlinkSync(space.outside, space.path('sub'));
  writeFileSync(join(space.outside, 'a.txt'), 'outside');
  expect([await later.lines(file), await later.isFile(file)]).toEqual([undefined, false]);
});
