import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  emptyTable,
  fileIn,
  type FolderTable,
  loadTable,
  saveTable,
} from '../../../../src/workspace/checkpoints/folder-table.ts';
import {openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {scanWorkspace} from '../../../../src/workspace/checkpoints/scan-workspace.ts';
import {readGitIndex} from '../../../../src/workspace/checkpoints/tracked-files.ts';
import {encodeRoot, makeTreeReader} from '../../../../src/workspace/checkpoints/tree.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {place} from './checkpoint-place.ts';

const {signal} = new AbortController();

type Place = ReturnType<typeof place>;

/** A scanner of a place. `age`: milliseconds that have passed since the last change, by the scanner's clock. */
function scannerOf(here: Place, name: string, age = 10_000) {
  const environment = {PATH: process.env['PATH'], HOME: join(here.work, '../home')};
  const objects = openObjects(join(here.folder, name), environment);
  const read: string[] = [];
  const putFile = (path: string): string => {
    read.push(path.slice(here.work.length + 1));
    return objects.putFile(path);
  };
  const reader = makeTreeReader(objects);
  const context = {roots: [here.work], excluded: new Set<string>(), objects: {...objects, putFile}, environment};
  return async (table: FolderTable) => {
    const done = await scanWorkspace(context, {table, changed: 'unknown', now: () => Date.now() + age}, signal);
    const nothing = objects.put(encodeRoot({folders: new Map(), leftOut: []}));
    const nodes = reader.differences([nothing], [done.tree]).map(({path, to}) => ({
      path: path.slice(here.work.length + 1),
      node:
        to?.kind === 'file'
          ? [to.mode.toString(8), objects.get(to.hash)?.toString()]
          : to?.kind === 'folder'
            ? to.mode.toString(8)
            : to,
    }));
    return {...done, nodes, read: read.splice(0).toSorted()};
  };
}

/** The table, written and read again. */
function reloaded(here: Place, table: FolderTable): FolderTable {
  const file = join(here.folder, '..', 'table');
  saveTable(file, table);
  return loadTable(file);
}

const names = ['a', 'b.log', 'A', 'new\nline', '.gitignore', 'node_modules', 'é', '.git'] as const;
const path = fc
  .array(fc.constantFrom(...names), {minLength: 1, maxLength: 3})
  .map(parts => parts.join('/'))
  .filter(each => !each.startsWith('.git/') && each !== '.git');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('write' as const),
      path,
      text: fc.constantFrom('', 'one', 'two', '*.log\n', 'a\n!a/b.log\n'),
    }),
  },
  fc.record({does: fc.constant('append' as const), path}),
  fc.record({does: fc.constant('remove' as const), path}),
  fc.record({does: fc.constant('mkdir' as const), path}),
  fc.record({does: fc.constant('link' as const), path, to: fc.constantFrom('a', 'nowhere')}),
  fc.record({does: fc.constant('mode' as const), path, mode: fc.constantFrom(0o600, 0o644, 0o755, 0o700)}),
  fc.record({does: fc.constant('move' as const), path, to: path}),
  fc.record({does: fc.constant('large' as const), path}),
  fc.record({does: fc.constant('backdate' as const), path}),
  fc.record({
    does: fc.constant('git' as const),
    words: fc.constantFrom(
      ['add', '-A'],
      ['add', '-f', '.'],
      ['commit', '-qm', 'x', '--allow-empty'],
      ['rm', '-rq', '--cached', '.'],
      ['config', 'core.excludesFile', 'a'],
      ['update-index', '--index-version', '4'],
      ['stash', '-q', '-u'],
      ['init', '-q', 'node_modules'],
    ),
  }),
  fc.record({does: fc.constant('exclude' as const), text: fc.constantFrom('', 'a\n', 'b.log\n')}),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function carryOut(here: Place, done: Step): void {
  const at = join(here.work, 'path' in done ? done.path : '');
  try {
    switch (done.does) {
      case 'write':
        return here.put(done.path, done.text);
      case 'append':
        return appendFileSync(at, '+');
      case 'remove':
        return rmSync(at, {recursive: true});
      case 'mkdir':
        mkdirSync(at, {recursive: true});
        return;
      case 'link':
        return symlinkSync(done.to, at);
      case 'mode':
        return chmodSync(at, lstatSync(at).isDirectory() ? 0o700 : done.mode);
      case 'move':
        return renameSync(at, join(here.work, done.to));
      case 'large':
        here.put(done.path, 'large');
        return truncateSync(at, 1024 * 1024 + 1);
      case 'backdate':
        return utimesSync(at, 1000, 1000);
      case 'exclude':
        return here.put('.git/info/exclude', done.text);
      default:
        here.git(...done.words);
    }
  } catch {
    // A step that doesn't apply here changes nothing.
  }
}

test.each(['a repository', 'a folder'] as const)(
  'a scan with a table, of this process or saved, gives what a scan without one gives: %s',
  {tags: 'long'},
  async kind => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({steps: fc.array(step, {minLength: 1, maxLength: 5}), saved: fc.boolean()}), {
          minLength: 2,
          maxLength: 5,
        }),
        async rounds => {
          using here = place();
          if (kind === 'a repository') {
            here.git('init', '-q');
            here.put('a/a', 'one');
            here.put('a/b.log', 'one');
            here.git('add', '.');
            here.git('commit', '-qm', 'x');
          }
          const [scan, plain] = [scannerOf(here, 'kept', 0), scannerOf(here, 'plain', 0)];
          let table = emptyTable;
          for (const {steps, saved} of rounds) {
            for (const one of steps) carryOut(here, one);
            const scanned = await scan(saved ? reloaded(here, table) : table);
            const expected = await plain(emptyTable);
            expect([scanned.nodes, scanned.leftOut.toSorted()]).toEqual([expected.nodes, expected.leftOut.toSorted()]);
            ({table} = scanned);
          }
        },
      ),
      {numRuns: randomInputs(kind === 'a folder' ? 40 : 10)},
    );
  },
);

describe('a scan with a table', () => {
  test('reads only what has changed, in another process too, and lists no folder that looks the same', async () => {
    using here = place();
    for (let at = 0; at < 20; at += 1) here.put(`d${String(at % 4)}/f${String(at)}`, `text ${String(at)}`);
    symlinkSync('d0', join(here.work, 'link'));
    const scan = scannerOf(here, 'kept');
    const first = await scan(emptyTable);
    expect(first.read.length).toBe(20);
    here.put('d1/f1', 'changed');
    here.put('d2/new', 'new');
    chmodSync(join(here.work, 'd3/f3'), 0o600);
    const second = await scan(reloaded(here, first.table));
    expect(second.read).toEqual(['d1/f1', 'd2/new', 'd3/f3']);
    // The workspace itself has other folders in it.
    expect(second.changedFolders).toBe(4);
    const third = await scan(reloaded(here, second.table));
    expect([third.read, third.changedFolders, third.tree]).toEqual([[], 0, second.tree]);
  });

  test('knows the stats of a file at the time of the scan', async () => {
    using here = place();
    here.put('d/a', 'a');
    const {table} = await scannerOf(here, 'kept')(emptyTable);
    const {size, mtimeMs, ctimeMs, ino} = lstatSync(join(here.work, 'd/a'));
    const hash = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
    const file = {size, mtime: mtimeMs, ctime: ctimeMs, inode: ino, hash};
    expect(fileIn(reloaded(here, table), join(here.work, 'd/a'))).toEqual(file);
    expect(['d', 'd/b', 'e/a', ''].map(name => fileIn(table, join(here.work, name)))).toEqual(Array(4).fill(undefined));
  });

  test('reads again what was changed within the tick of a clock, even if it looks the same', async () => {
    using here = place();
    here.put('a', 'one');
    const scan = scannerOf(here, 'kept', 0);
    const first = await scan(emptyTable);
    // The same size, and times that a coarse clock would not tell apart from those of the first scan.
    const again = await scan(first.table);
    expect([first.read, again.read]).toEqual([['a'], ['a']]);
  });

  test('after git has dropped a blob, the content comes from the file', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('a', 'only in the index');
    utimesSync(join(here.work, 'a'), 1, 1);
    here.git('add', 'a');
    const scan = scannerOf(here, 'kept');
    const first = await scan(emptyTable);
    expect(first.read).toEqual([]);
    here.git('rm', '-q', '--cached', 'a');
    here.git('gc', '-q', '--prune=now');
    const later = await scan(reloaded(here, first.table));
    expect([later.read, later.nodes.at(-1)]).toEqual([['a'], {path: 'a', node: ['644', 'only in the index']}]);
  });

  test('keeps what git said about ignored paths until that may differ', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('.gitignore', 'out/\n');
    here.put('out/large', '');
    truncateSync(join(here.work, 'out/large'), 1024 * 1024 + 1);
    here.put('own', 'own');
    here.git('add', '.');
    const scan = scannerOf(here, 'kept');
    const first = await scan(emptyTable);
    expect(first.leftOut).toEqual([join(here.work, 'out/large')]);
    const index = readFileSync(join(here.work, '.git/index'));
    here.put('own', 'changed');
    const second = await scan(first.table);
    expect([second.leftOut, second.read]).toEqual([first.leftOut, ['own']]);
    here.git('add', '-f', 'out/large');
    expect(readFileSync(join(here.work, '.git/index')).equals(index)).toBe(false);
    expect((await scan(second.table)).leftOut).toEqual([]);
    here.git('rm', '-q', '--cached', 'out/large');
    expect((await scan(second.table)).leftOut).toEqual(first.leftOut);
    here.put('.gitignore', 'other/\n');
    expect((await scan(second.table)).leftOut).toEqual([]);
  });
});

describe('the file of a table', () => {
  test('damaged in any byte, cut, or not a table: there is none', async () => {
    using here = place();
    here.put('d/a', 'a');
    here.put('d/b', 'b');
    const {table} = await scannerOf(here, 'kept')(emptyTable);
    const file = join(here.folder, '..', 'table');
    saveTable(file, table);
    const bytes = readFileSync(file);
    expect([...loadTable(file).folders.keys()]).toEqual([...table.folders.keys()]);
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      writeFileSync(file, damaged);
      expect(loadTable(file).folders.size).toBe(0);
      writeFileSync(file, bytes.subarray(0, at));
      expect(loadTable(file).folders.size).toBe(0);
    }
    rmSync(file);
    expect(loadTable(file).folders.size).toBe(0);
    mkdirSync(file);
    saveTable(file, table);
    expect(readdirSync(join(file, '..')).filter(name => name.startsWith('table'))).toEqual(['table']);
    expect(existsSync(file)).toBe(true);
  });
});

test.each(['2', '3', '4'])('an index of version %s: each file and folder, and nothing else', async version => {
  using here = place();
  here.git('init', '-q');
  const files = ['a', 'a.b', 'a-b/c', 'a/é', 'a/b/c', 'a/b.c', 'ab', `deep/${'n'.repeat(200)}/x`, 'z/.gitattributes'];
  const tracked = files.filter(each => each !== 'a');
  for (const each of tracked) here.put(each, each);
  here.git('add', '.');
  if (version === '3') here.git('update-index', '--skip-worktree', 'ab');
  here.git('update-index', '--index-version', version);
  const index = await readGitIndex(here.work, {environment: {PATH: process.env['PATH']}, signal});
  const at = (each: string): string => join(here.work, each);
  const sizes = tracked.map(each => index?.file(at(each))?.size);
  expect(sizes).toEqual(tracked.map(each => Buffer.byteLength(each)));
  for (const each of [...tracked].toReversed()) expect(index?.file(at(each))?.size).toBe(Buffer.byteLength(each));
  const folders = ['a', 'a-b', 'a/b', 'deep', `deep/${'n'.repeat(200)}`, 'z'];
  expect([...folders, ...tracked].map(each => index?.tracks(at(each)))).toEqual(
    [...folders, ...tracked].map(() => true),
  );
  const none = ['', 'b', 'a/b/', 'a/b/d', 'zz', 'dee', 'deep/n', 'a-', '0'];
  expect(none.map(each => [index?.file(at(each)), index?.tracks(at(each))])).toEqual(
    none.map(() => [undefined, false]),
  );
  expect(index?.tracks(here.folder)).toBe(false);
  expect([...(index?.attributes ?? [])]).toEqual([at('z/.gitattributes')]);
});
