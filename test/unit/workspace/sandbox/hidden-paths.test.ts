import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {failed, ok} from '../../../../src/base/outcome.ts';
import {deniedFiles} from '../../../../src/workspace/sandbox/hidden-paths.ts';
import {temporaryFolder} from '../temporary-folder.ts';

const files = ['.env', 'a/.env', 'a/.hidden/.env', 'a/.hidden/key.pem', 'a/[b]/key.pem', 'a/key.pem', 'b/key.txt'];

test.each([
  ['./**/.env', ['.env', 'a/.env', 'a/.hidden/.env']],
  ['./a/**/*.pem', ['a/.hidden/key.pem', 'a/[b]/key.pem', 'a/key.pem']],
  ['./*/key.???', ['a/key.pem', 'b/key.txt', 'link/key.pem']],
  [String.raw`./a/\[b\]/*`, ['a/[b]/key.pem']],
  ['./a', ['a']],
  ['./**/a', ['a']],
  ['./**', ['.']],
  ['./link/key.pem', ['link/key.pem']],
  ['./link', []],
  ['./a/key.pem/x', []],
  ['./missing/*', []],
])('%s', (glob, expected) => {
  using folder = temporaryFolder();
  const found = deniedFiles([glob, `${folder.path}${glob.slice(1)}`], [madeIn(folder.path), join(folder.path, 'none')]);
  const paths = expected.map(path => join(folder.path, path));
  expect(found.tag === 'ok' ? ok(found.value.toSorted()) : found).toEqual(ok(paths));
});

test('more than 500 files are too many to be hidden one by one', () => {
  using folder = temporaryFolder();
  for (let count = 0; count < 501; count += 1) writeFileSync(join(folder.path, `${count}.pem`), '');
  expect(deniedFiles(['./*.pem'], [folder.path])).toEqual(failed('deny rules name more than 500 files (./*.pem)'));
});

function madeIn(folder: string): string {
  for (const path of files) {
    mkdirSync(join(folder, dirname(path)), {recursive: true});
    writeFileSync(join(folder, path), '');
  }
  symlinkSync('a', join(folder, 'link'));
  return folder;
}
