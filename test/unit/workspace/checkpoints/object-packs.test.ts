import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {treeId, type TreeId} from '../../../../src/domain/checkpoint.ts';
import {openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {pruneCheckpoints} from '../../../../src/workspace/checkpoints/prune-checkpoints.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

const {signal} = new AbortController();

const many = (here: ReturnType<typeof place>, word: string): void => {
  for (let at = 0; at < 40; at += 1) here.put(`d${at % 4}/f${at}`, `${word} ${at}\n`);
};

const stored = (here: ReturnType<typeof place>): readonly string[] =>
  readdirSync(join(here.folder, 'objects'), {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));

const prune = (here: ReturnType<typeof place>, ...trees: readonly TreeId[]) =>
  pruneCheckpoints({folder: here.folder, sessions: [{updatedAt: 0, trees}], now: 0});

describe('many small objects are one file', () => {
  test('that another process reads, and that holds nothing as it is', async () => {
    using here = place();
    many(here, 'first');
    const first = everything(here.work);
    const before = await take(here.open());
    expect(stored(here)).toHaveLength(1);
    expect(stored(here).some(path => readFileSync(path).includes('first'))).toBe(false);
    expect(stored(here).map(path => statSync(path).mode & 0o777)).toEqual([0o600]);
    rmSync(join(here.work, 'd1'), {recursive: true});
    many(here, 'second');
    const {report} = await revert(here.open(), {before, after: 'now'});
    expect(report.conflicts).toEqual([]);
    expect(everything(here.work)).toEqual(first);
  });

  test('two processes at once read what the other has added since', {tags: 'long'}, async () => {
    using here = place();
    const [one, other] = [here.open(), here.open()];
    await take(one);
    many(here, 'first');
    const before = await take(other);
    many(here, 'second');
    await revert(one, {before, after: 'now'});
    expect(here.read('d3/f39')).toBe('first 39\n');
  });

  test(
    'one that is not whole, or no pack at all, is not there; the next checkpoint keeps everything again',
    {tags: 'long'},
    async () => {
      using here = place();
      many(here, 'first');
      const before = await take(here.open());
      const [pack = ''] = stored(here);
      writeFileSync(join(here.folder, 'objects', 'packs', 'other'), 'no pack');
      copyFileSync(pack, join(here.folder, 'objects', 'new-of-a-killed-process'));
      for (const size of [statSync(pack).size - 1, 40, 5, 0]) {
        truncateSync(pack, size);
        expect(openObjects(join(here.folder, 'objects'), {}).get(before)).toBe(undefined);
      }
      // As a store that lost its objects does, this one forgets what it has seen.
      await prune(here);
      const again = await take(here.open());
      many(here, 'second');
      await revert(here.open(), {before: again, after: 'now'});
      expect(here.read('d3/f39')).toBe('first 39\n');
    },
  );

  test(
    'pruning takes out of it what no session needs, and leaves what is needed as it is',
    {tags: 'long'},
    async () => {
      using here = place();
      here.put('stays', 'stays\n'.repeat(100));
      many(here, 'first'.repeat(1000));
      const first = await take(here.open());
      many(here, 'second');
      const second = await take(here.open());
      const size = (): number => stored(here).reduce((sum, path) => sum + statSync(path).size, 0);
      const all = size();
      expect(await prune(here, first, second)).toBe('pruned');
      // Small packs become one, which has one head.
      expect([stored(here).length, all - size() < 50]).toEqual([1, true]);
      expect(await prune(here, second)).toBe('pruned');
      expect(size()).toBeLessThan(all / 5);
      for (const name of readdirSync(here.work)) rmSync(join(here.work, name), {recursive: true});
      await revert(here.open(), {before: second, after: 'now'});
      expect([here.read('d3/f39'), here.read('stays')]).toEqual(['second 39\n', 'stays\n'.repeat(100)]);
      expect(await here.open().preview([{before: first, after: 'now'}], signal)).toMatchObject({tag: 'failed'});
      expect(await prune(here)).toBe('pruned');
      expect(stored(here)).toEqual([]);
    },
  );

  test('loose objects and small packs become one pack that processes at work go on reading', async () => {
    using here = place();
    const readers = [here.open(), here.open()];
    const states: {readonly tree: TreeId; readonly files: Record<string, string>}[] = [];
    for (const word of ['first', 'second', 'third']) {
      many(here, word);
      states.push({tree: await take(readers[0] ?? here.open()), files: everything(here.work)});
      here.put('one', word);
      states.push({tree: await take(readers[1] ?? here.open()), files: everything(here.work)});
    }
    expect(stored(here).length).toBeGreaterThan(5);
    const sessions = [{updatedAt: 0, trees: states.map(({tree}) => tree)}];
    const [loose = ''] = stored(here).filter(path => !path.includes('/packs/'));
    expect(await pruneCheckpoints({folder: here.folder, sessions, now: 0})).toBe('pruned');
    expect(stored(here)).toHaveLength(1);
    await openObjects(join(here.folder, 'objects'), {}).join(async () => {});
    expect([stored(here).length, existsSync(loose)]).toEqual([1, false]);
    for (const [at, {tree, files}] of states.entries()) {
      await revert(readers[at % 2] ?? here.open(), {before: tree, after: 'now'});
      expect(everything(here.work)).toEqual(files);
    }
  });

  test('objects that can be used by another process are joined, and none is deleted', async () => {
    using here = place();
    const trees: TreeId[] = [];
    for (const word of ['first', 'second', 'third']) {
      here.put('one', word);
      trees.push(await take(here.open()));
    }
    const other = spawn('sleep', ['60']);
    try {
      writeFileSync(join(here.folder, 'users', `${String(other.pid)}@${hostname()}`), '');
      expect(await prune(here)).toBe('in-use');
    } finally {
      other.kill();
    }
    expect(stored(here)).toHaveLength(1);
    for (const [at, word] of ['first', 'second', 'third'].entries()) {
      await revert(here.open(), {before: trees[at] ?? treeId(''), after: 'now'});
      expect(here.read('one')).toBe(word);
    }
  });

  test('nothing is joined while another process prunes', async () => {
    using here = place();
    for (const word of ['first', 'second']) {
      here.put('one', word);
      await take(here.open());
    }
    const before = stored(here);
    const users = join(here.folder, 'users');
    rmSync(users, {recursive: true});
    const other = spawn('sleep', ['60']);
    const ended = once(other, 'exit');
    writeFileSync(join(here.folder, 'pruning'), `${String(other.pid)}@${hostname()}`);
    const pruned = prune(here);
    await expect.poll(() => existsSync(users) && readdirSync(users)).toHaveLength(1);
    expect(stored(here)).toEqual(before);
    other.kill();
    await ended;
    expect(await pruned).toBe('in-use');
    expect(stored(here)).toHaveLength(1);
  });
});
