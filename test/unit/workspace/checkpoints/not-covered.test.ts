import {mkdirSync, symlinkSync, truncateSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {unknownContent, type ResolvedCommand} from '../../../../src/domain/risk.ts';
import {emptyTable} from '../../../../src/workspace/checkpoints/folder-table.ts';
import {findUncoveredFiles} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {place} from './checkpoint-place.ts';

const {signal} = new AbortController();

/** A repository with files of all sizes. */
function prepared() {
  const here = place();
  here.git('init', '-q');
  here.put('.gitignore', 'node_modules/\n*.log\ndist/\n');
  for (let at = 0; at <= 2000; at += 1) here.put(`node_modules/m/f${at}`, '');
  here.put('src/a.ts', 'a\n');
  here.put('big.log', Buffer.alloc(1024 * 1024 + 1));
  here.put('small.log', 'small');
  here.put('dist/bundle.js', Buffer.alloc(3_100_000));
  here.put('dist/small.js', '');
  here.put('not-ignored.txt', Buffer.alloc(3_100_000, 7));
  here.put('data/data.bin', '');
  truncateSync(join(here.work, 'data/data.bin'), 1.2e9);
  here.git('add', 'src', '.gitignore');
  here.git('commit', '-qm', 'all');
  return here;
}

test('what undo does not cover of what a command or an edit names, and nothing of what it does not name', async () => {
  using here = prepared();
  symlinkSync(here.work, join(here.folder, '..', 'link'));
  mkdirSync(join(here.work, 'empty'));
  const environment = {PATH: process.env['PATH'], HOME: here.folder};
  const ground = {roots: [here.work], excluded: new Set<string>(), environment, limitMs: 60_000, table: emptyTable};
  const found = async (...commands: readonly (readonly [string, ...string[]])[]): Promise<readonly string[]> => {
    const simple = commands.map((argv): ResolvedCommand => ({
      argv,
      directory: join(here.folder, '..', 'link'),
      overwrites: [],
      content: unknownContent,
    }));
    return findUncoveredFiles({paths: [], commands: simple, isNamed: false}, ground, signal);
  };
  const modules = 'node_modules (more than 2000 files)';
  expect(await found(['rm', '-rf', 'src'], ['rm', 'not-ignored.txt', 'small.log', 'none'], ['git', 'reset'])).toEqual(
    [],
  );
  expect(await found(['git', 'clean', '-fd'], ['rm', '-rf', 'empty', '.git'])).toEqual([]);
  expect(await found(['rm', '-rf', 'node_modules'])).toEqual([modules]);
  expect(await found(['rm', '-r', 'node_modules/m'])).toEqual([modules]);
  expect(await found(['rm', '-rf', 'dist'])).toEqual(['dist/bundle.js (3.1 MB)']);
  expect(await found(['rm', 'data/data.bin'])).toEqual(['data/data.bin (1.2 GB)']);
  expect(await found(['rm', '-f', '*.log'], ['shred', join(here.work, 'data/data.bin')])).toEqual([
    'big.log (1.0 MB)',
    'data/data.bin (1.2 GB)',
  ]);
  const all = ['big.log (1.0 MB)', 'data/data.bin (1.2 GB)', 'dist/bundle.js (3.1 MB)', '1 more'];
  expect(await found(['git', 'clean', '-fdx'])).toEqual(all);
  expect(await found(['find', '.', '-delete'])).toEqual(all);
  const edited = ['node_modules/m/f1', 'src/a.ts', 'new.txt'].map(path => join(here.work, path));
  expect(await findUncoveredFiles({paths: edited, commands: [], isNamed: false}, ground, signal)).toEqual([modules]);
  expect(await findUncoveredFiles({paths: edited.slice(1), commands: [], isNamed: false}, ground, signal)).toEqual([]);
  // Named files are stored whether git ignores them or not.
  const named = [...edited, ...['big.log', 'data/data.bin', 'none'].map(path => join(here.work, path))];
  expect(await findUncoveredFiles({paths: named, commands: [], isNamed: true}, ground, signal)).toEqual([
    'data/data.bin (1.2 GB)',
  ]);
  const many = Array.from({length: 5000}, (_, at) => join(here.work, `src/f${String(at)}`));
  expect(
    await findUncoveredFiles({paths: [...many, join(here.work, 'data')], commands: [], isNamed: false}, ground, signal),
  ).toEqual(['data/data.bin (1.2 GB)']);
});
