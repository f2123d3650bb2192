import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {readRegularFile} from '../../../src/workspace/files/read-regular-file.ts';
import {checkedOut} from '../../../src/workspace/checked-out.ts';
import {ignoredPaths} from '../../../src/workspace/checkpoints/ignored-paths.ts';
import {watchSecretFiles} from '../../../src/workspace/secret-files.ts';
import {never, temporaryFolder} from './temporary-folder.ts';

const pipe = (path: string): void => void execFileSync('mkfifo', [path]);

test('only regular files of bounded size are read', () => {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  writeFileSync(at('text'), 'text');
  symlinkSync('text', at('link'));
  writeFileSync(at('sparse'), '');
  truncateSync(at('sparse'), 6_000_000_000);
  pipe(at('pipe'));
  symlinkSync('pipe', at('to-pipe'));
  symlinkSync('/dev/zero', at('device'));
  const found = ['text', 'link', 'sparse', 'pipe', 'to-pipe', 'device', '.', 'missing'].map(name =>
    readRegularFile(at(name), 1000)?.toString(),
  );
  expect(found).toEqual(['text', 'text', ...Array.from({length: 6}, () => undefined)]);
});

test.each(['.git/HEAD', '.git/config', '.git/index', '.git/info/exclude', '.gitignore', '.env'])(
  'nothing waits for a pipe that stands at %s',
  async name => {
    using folder = temporaryFolder();
    execFileSync('git', ['init', '-q', '-b', 'trunk', folder.path]);
    mkdirSync(join(folder.path, '.git/info'), {recursive: true});
    execFileSync('rm', ['-f', join(folder.path, name)]);
    pipe(join(folder.path, name));
    const begun = performance.now();
    expect(checkedOut(folder.path)).toBe(name === '.git/HEAD' ? '' : 'trunk');
    const ignored = await ignoredPaths(folder.path, {environment: process.env, signal: never});
    expect(ignored === undefined).toBe(name !== '.env');
    expect(watchSecretFiles({roots: [folder.path], isSecretFile: () => true}).all([])).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(5000);
  },
);
