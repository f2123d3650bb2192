import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {CheckpointsPort, SessionCheckpoints, TreeId} from '../../../../src/domain/checkpoint.ts';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {isPruningDue, pruneCheckpoints} from '../../../../src/workspace/checkpoints/prune-checkpoints.ts';

const {signal} = new AbortController();
const day = 24 * 60 * 60 * 1000;
const hour = 60 * 60 * 1000;
const now = 1000 * day;

function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-prune-')));
  const work = join(base, 'work');
  const folder = join(base, 'kept');
  mkdirSync(join(work, 'sub'), {recursive: true});
  writeFileSync(join(work, 'same.txt'), 'same\n');
  const open = (): CheckpointsPort =>
    makeCheckpoints({roots: [work], folder, environment: {PATH: process.env['PATH']}, now: () => Date.now()});
  return {
    folder,
    open,
    /** A checkpoint in which `sub/file` has this content. */
    async take(content: string): Promise<TreeId> {
      writeFileSync(join(work, 'sub/file'), content);
      const taken = await open().take(signal);
      if (taken.tag === 'failed' || taken.value === 'off') throw new Error('not taken');
      return taken.value;
    },
    /** What going from `from` to `to` and back comes to: the content of the file, or why not. */
    async at(tree: TreeId, last: TreeId): Promise<string> {
      const reverted = await open().revert([{before: tree, after: last}], signal);
      if (reverted.tag === 'failed') return 'lost';
      const content = readFileSync(join(work, 'sub/file'), 'utf8');
      writeFileSync(join(work, 'sub/file'), 'last\n');
      return content;
    },
    bytes: (): number =>
      readdirSync(join(folder, 'objects'), {recursive: true, encoding: 'utf8'})
        .map(name => statSync(join(folder, 'objects', name)))
        .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0),
    [Symbol.dispose]: () => rmSync(base, {recursive: true, force: true}),
  };
}

const session = (ageDays: number, ...trees: readonly TreeId[]): SessionCheckpoints => ({
  updatedAt: now - ageDays * day,
  trees,
});

describe('pruning', () => {
  test('keeps what young sessions need, whoever else needed it too, and nothing else', {tags: 'long'}, async () => {
    using here = place();
    const [deleted, old, young] = [await here.take('deleted\n'), await here.take('old\n'), await here.take('young\n')];
    const last = await here.take('last\n');
    const sessions = [session(0, last), session(29, young), session(31, old, young)];
    expect(await pruneCheckpoints({folder: here.folder, sessions, now})).toBe('pruned');
    expect([await here.at(young, last), await here.at(old, last), await here.at(deleted, last)]).toEqual([
      'young\n',
      'lost',
      'lost',
    ]);
  });

  test(
    'the oldest go where all together are too large; the newest stays, however large or old',
    {tags: 'long'},
    async () => {
      using here = place();
      const first = await here.take(`1${'x'.repeat(50_000)}`);
      const second = await here.take(`2${'x'.repeat(50_000)}`);
      const last = await here.take('last\n');
      const sessions = [session(90, last), session(2, second), session(3, first)];
      expect(await pruneCheckpoints({folder: here.folder, sessions, now, maxBytes: 70_000})).toBe('pruned');
      expect(here.bytes()).toBeLessThan(60_000);
      expect([await here.at(second, last), await here.at(first, last)]).toEqual([`2${'x'.repeat(50_000)}`, 'lost']);
    },
  );

  test(
    'what was pruned is kept again by the next checkpoint, although it looks as it was seen',
    {tags: 'long'},
    async () => {
      using here = place();
      await here.take('last\n');
      expect(await pruneCheckpoints({folder: here.folder, sessions: [], now})).toBe('pruned');
      expect(here.bytes()).toBe(0);
      const last = await here.take('last\n');
      const changed = await here.take('changed\n');
      expect(await here.at(last, changed)).toBe('last\n');
    },
  );

  test(
    'does nothing while another process works with them; a dead one does not count, nor does its lock',
    {tags: 'long'},
    async () => {
      using here = place();
      const old = await here.take('old\n');
      const last = await here.take('last\n');
      const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: 'ignore'});
      await once(other, 'spawn');
      writeFileSync(join(here.folder, 'users', `${other.pid}@${hostname()}`), '');
      const sessions = [session(0, last)];
      expect(await pruneCheckpoints({folder: here.folder, sessions, now})).toBe('in-use');
      expect(await here.at(old, last)).toBe('old\n');
      other.kill('SIGKILL');
      await once(other, 'exit');
      writeFileSync(join(here.folder, 'pruning'), `${spawnSync(process.execPath, ['--version']).pid}@${hostname()}`);
      expect(await pruneCheckpoints({folder: here.folder, sessions, now})).toBe('pruned');
      expect(await here.at(old, last)).toBe('lost');
      expect(readdirSync(here.folder)).not.toContain('pruning');
    },
  );

  test('is tried again an hour after another process was using the checkpoints', async () => {
    using here = place();
    await here.take('x\n');
    writeFileSync(join(here.folder, 'users', `${process.ppid}@${hostname()}`), '');
    expect(await pruneCheckpoints({folder: here.folder, sessions: [], now})).toBe('in-use');
    expect([isPruningDue(here.folder, now + hour), isPruningDue(here.folder, now + hour + 1000)]).toEqual([
      false,
      true,
    ]);
  });

  test('is due once a day', async () => {
    using here = place();
    expect(isPruningDue(here.folder, now)).toBe(false);
    await here.take('x\n');
    expect(isPruningDue(here.folder, now)).toBe(true);
    await pruneCheckpoints({folder: here.folder, sessions: [], now});
    expect([isPruningDue(here.folder, now + day), isPruningDue(here.folder, now + day + 1000)]).toEqual([false, true]);
  });
});
