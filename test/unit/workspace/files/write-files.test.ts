import {spawnSync} from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {takeSnapshot, type FileSnapshot} from '../../../../src/workspace/files/file-snapshot.ts';
import {writeFiles, type FileWrite} from '../../../../src/workspace/files/write-files.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

async function snapshot(path: string): Promise<FileSnapshot> {
  const taken = await takeSnapshot(path);
  if (taken.tag === 'failed') throw new Error(taken.error);
  return taken.value;
}

async function writesOf(folder: string): Promise<readonly FileWrite[]> {
  const write = async (shown: string): Promise<FileWrite> => {
    const path = join(folder, shown);
    const before = await snapshot(path);
    return {path, shown, before, after: Buffer.from(`new ${shown}`), like: before};
  };
  return [await write('a'), await write('made/deep/b'), await write('c')];
}

test('all are written', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  expect(await writeFiles(await writesOf(folder.path), never)).toEqual({tag: 'ok', value: undefined});
  const written = ['a', 'made/deep/b', 'c'].map(name => readFileSync(join(folder.path, name), 'utf8'));
  expect(written).toEqual(['new a', 'new made/deep/b', 'new c']);
});

test('when a later one changed meanwhile the earlier ones are put back: content, new files and new folders', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  writeFileSync(join(folder.path, 'c'), 'old c');
  const writes = await writesOf(folder.path);
  writeFileSync(join(folder.path, 'c'), 'by somebody else');
  expect(await writeFiles(writes, never)).toEqual({
    tag: 'failed',
    error: {kind: 'rejected', message: 'c changed during the edit; read it again.'},
  });
  expect(readdirSync(folder.path)).toEqual(['a', 'c']);
  expect(readFileSync(join(folder.path, 'a'), 'utf8')).toBe('old a');
  expect(readFileSync(join(folder.path, 'c'), 'utf8')).toBe('by somebody else');
});

test('an abort before the first takes its place leaves nothing behind', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  expect((await writeFiles(await writesOf(folder.path), AbortSignal.abort())).tag).toBe('failed');
  expect(readdirSync(folder.path)).toEqual(['a']);
});

test('when the last one cannot take its place the others are put back', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  const writes = await writesOf(folder.path);
  mkdirSync(join(folder.path, 'c', 'full'), {recursive: true});
  expect(await writeFiles(writes, never)).toMatchObject({
    tag: 'failed',
    error: {message: expect.stringMatching(/^c changed during/u)},
  });
  expect(readdirSync(folder.path)).toEqual(['a', 'c']);
  expect(readFileSync(join(folder.path, 'a'), 'utf8')).toBe('old a');
});

test('when one cannot be written nothing is, and the reason is told', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  const [first] = await writesOf(folder.path);
  if (first === undefined) throw new Error('no write');
  const absent: FileSnapshot = {kind: 'absent'};
  const impossible = {path: '/proc/new', shown: '/proc/new', before: absent, after: Buffer.from('x'), like: absent};
  expect(await writeFiles([first, impossible], never)).toEqual({
    tag: 'failed',
    error: {kind: 'rejected', message: expect.stringMatching(/^Can't write \/proc\/new: .*\.$/u)},
  });
  expect([readdirSync(folder.path), readFileSync(join(folder.path, 'a'), 'utf8')]).toEqual([['a'], 'old a']);
});

test('of one that fails when its content is written already nothing is left: no file, no folder, nothing open', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  const [a, b] = await writesOf(folder.path);
  if (a?.before.kind !== 'present' || b === undefined) throw new Error('not there');
  /** Its permissions are none that a file can have. */
  const like: FileSnapshot = {...a.before, mode: -1};
  for (const failing of [
    {...a, like},
    {...b, like},
  ]) {
    expect(await writeFiles([failing], never)).toEqual({
      tag: 'failed',
      error: {
        kind: 'rejected',
        message: expect.stringMatching(new RegExp(`^Can't write ${failing.shown}: .*\\.$`, 'u')),
      },
    });
    expect(await writeFiles([b, failing], never)).toMatchObject({tag: 'failed'});
    expect([readdirSync(folder.path), readFileSync(join(folder.path, 'a'), 'utf8')]).toEqual([['a'], 'old a']);
  }
  if (process.platform === 'linux') expect(openBelow(folder.path)).toEqual([]);
});

test('a replaced file is private until its permissions are set', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'a'), 'old a');
  const [a] = await writesOf(folder.path);
  if (a?.before.kind !== 'present') throw new Error('not there');
  const modes: number[] = [];
  const like: FileSnapshot = {
    ...a.before,
    get mode() {
      for (const name of readdirSync(folder.path))
        if (name !== 'a') modes.push(statSync(join(folder.path, name)).mode & 0o777);
      return 0o644;
    },
  };
  expect((await writeFiles([{...a, like}], never)).tag).toBe('ok');
  expect([modes, statSync(join(folder.path, 'a')).mode & 0o777]).toEqual([[0o600], 0o644]);
});

test('a file that cannot be put back is named, with what became of it', async () => {
  using folder = temporaryFolder();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder.path, name), `old ${name}`);
  /** Its old permissions are none that a file can have. */
  const lost = async (shown: string, after: Buffer | undefined): Promise<FileWrite> => {
    const path = join(folder.path, shown);
    const before = await snapshot(path);
    if (before.kind !== 'present') throw new Error('not there');
    return {path, shown, before: {...before, mode: -1}, after, like: before};
  };
  const c = await lost('c', undefined);
  const writes = [await lost('a', Buffer.from('new a')), await lost('b', undefined), c];
  writeFileSync(c.path, 'by somebody else');
  const written = await writeFiles(writes, never);
  const why = '(?:(?! b | a ).)+';
  expect(written).toEqual({
    tag: 'failed',
    error: {
      kind: 'rejected',
      message: expect.stringMatching(
        new RegExp(
          `^c changed during the edit; read it again\\. b stays removed: ${why} a keeps its new content: ${why}$`,
          'u',
        ),
      ),
    },
  });
  expect(readFileSync(c.path, 'utf8')).toBe('by somebody else');
});

test('a new file has the permissions that new files have, and a replaced one keeps its own', async () => {
  using folder = temporaryFolder();
  const modes = {a: 0o600, c: 0o755};
  for (const [name, mode] of Object.entries(modes)) {
    writeFileSync(join(folder.path, name), '');
    chmodSync(join(folder.path, name), mode);
  }
  const umask = process.umask(0o022);
  try {
    expect((await writeFiles(await writesOf(folder.path), never)).tag).toBe('ok');
  } finally {
    process.umask(umask);
  }
  const modeOf = (name: string): number => statSync(join(folder.path, name)).mode & 0o777;
  expect(['a', 'c', 'made/deep/b'].map(modeOf)).toEqual([0o600, 0o755, 0o644]);
});

test.skipIf(process.platform !== 'linux')(
  'no folder stays open behind an edit, whether it was made or not',
  async () => {
    using folder = temporaryFolder();
    expect((await writeFiles(await writesOf(folder.path), never)).tag).toBe('ok');
    expect((await writeFiles(await writesOf(folder.path), AbortSignal.abort())).tag).toBe('failed');
    expect(openBelow(folder.path)).toEqual([]);
  },
);

/** The paths of a folder that this process has open. */
const openBelow = (folder: string): readonly string[] =>
  readdirSync('/proc/self/fd')
    .map(name => linkOf(`/proc/self/fd/${name}`))
    .filter(path => path.startsWith(folder));

/** Empty for a descriptor that is closed already. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('what a killed process left is removed, what may still be written is not', async () => {
  using folder = temporaryFolder();
  const {pid: dead} = spawnSync(process.execPath, ['--version']);
  const names = {
    forgotten: `.weft-${dead}-0123456789ab.tmp`,
    fresh: `.weft-${dead}-ffffffffffff.tmp`,
    running: `.weft-${process.ppid}-0123456789ab.tmp`,
    foreign: `.weft-${dead}-notes.tmp`,
  };
  for (const name of Object.values(names)) writeFileSync(join(folder.path, name), 'half');
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of [names.forgotten, names.running, names.foreign]) {
    utimesSync(join(folder.path, name), longAgo, longAgo);
  }
  writeFileSync(join(folder.path, 'a'), 'old a');
  expect((await writeFiles(await writesOf(folder.path), never)).tag).toBe('ok');
  const left = Object.entries(names).filter(([, name]) => readdirSync(folder.path).includes(name));
  expect(left.map(([kind]) => kind)).toEqual(['fresh', 'running', 'foreign']);
});
