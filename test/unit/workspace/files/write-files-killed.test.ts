import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {takeSnapshot} from '../../../../src/workspace/files/file-snapshot.ts';
import {isTemporaryName} from '../../../../src/workspace/files/folder-handle.ts';
import {writeFiles} from '../../../../src/workspace/files/write-files.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

const source = (name: string): string => new URL(`../../../../src/workspace/files/${name}.ts`, import.meta.url).href;

/** Says that it begins, then writes two files of one letter each over and over. */
const writer = (folder: string): string => `
  const {takeSnapshot} = await import('${source('file-snapshot')}');
  const {writeFiles} = await import('${source('write-files')}');
  process.stdout.write('begins');
  for (let round = 0; ; round += 1) {
    const writes = [];
    for (const name of ['a', 'b']) {
      const path = ${JSON.stringify(folder)} + '/' + name;
      const before = (await takeSnapshot(path)).value;
      const after = Buffer.alloc(2_000_000, 'abcdefgh'[round % 8]);
      writes.push({path, shown: name, before, after, like: before});
    }
    await writeFiles(writes, new AbortController().signal);
  }`;

test(
  'killed at any moment each file is whole; what is left lying about goes with the next edit',
  {tags: 'long', timeout: 60_000},
  async () => {
    using folder = temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    for (const name of ['a', 'b']) writeFileSync(at(name), 'x'.repeat(2_000_000));
    let last: number | undefined;
    for (let run = 0; run < 16; run += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer(folder.path)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await pause(((run * 61) % 97) / 2);
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const name of ['a', 'b']) {
        const text = readFileSync(at(name), 'latin1');
        expect([text.length, text === (text[0] ?? '').repeat(2_000_000)]).toEqual([2_000_000, true]);
      }
      last = child.pid;
      expect(readdirSync(folder.path).filter(name => !isTemporaryName(name))).toEqual(['a', 'b']);
    }
    // Whether one of them was killed while it wrote is chance.
    writeFileSync(at(`.weft-${last}-0123456789ab.tmp`), 'xx');

    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(folder.path)) if (name.startsWith('.weft-')) utimesSync(at(name), longAgo, longAgo);
    const before = await takeSnapshot(at('a'));
    if (before.tag === 'failed') throw new Error(before.error);
    const write = {path: at('a'), shown: 'a', before: before.value, after: Buffer.from('new'), like: before.value};
    expect((await writeFiles([write], never)).tag).toBe('ok');
    expect(readdirSync(folder.path)).toEqual(['a', 'b']);
  },
);
