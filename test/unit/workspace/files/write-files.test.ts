import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
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
    error: {kind: 'rejected', message: 'c changed while it was being edited; read it again.'},
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
