import {symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {isSecretFile, secretFilesIn} from '../../../../src/safety/secrets/secret-files.ts';
import {watchSecretFiles} from '../../../../src/workspace/files/secret-files.ts';
import {temporaryFolder} from '../temporary-folder.ts';
import {putFile} from '../../../support/put-file.ts';

test('finds files by their names near and far, and tells each once until it changes', () => {
  using folder = temporaryFolder();
  const put = (path: string, text: string): void => putFile(join(folder.path, path), text);
  put('.env', 'A=1');
  put('.env.example', 'A=');
  put('readme.md', 'text');
  put('packages/api/.env.local', 'B=2');
  put('node_modules/x/.env', 'C=3');
  put('a/b/c/d/e/f/.env', 'D=4');
  put('elsewhere/id_rsa', 'key');
  symlinkSync('nothing', join(folder.path, '.npmrc'));
  const watch = watchSecretFiles({roots: [folder.path], isSecretFile});
  const named = (files: readonly {readonly path: string; readonly text: string}[]) =>
    files.map(({path, text}) => `${path.slice(folder.path.length + 1)} ${text}`).toSorted();
  expect(named(watch.inRoots())).toEqual(['.env A=1']);
  expect(named(watch.everywhere([]))).toEqual(['elsewhere/id_rsa key', 'packages/api/.env.local B=2']);
  expect(named(watch.everywhere([]))).toEqual([]);
  put('.env', 'A=11');
  expect(
    named(
      watch.everywhere([
        join(folder.path, 'a/b/c/d/e/f/.env'),
        join(folder.path, 'readme.md'),
        join(folder.path, 'no/.env'),
      ]),
    ),
  ).toEqual(['.env A=11', 'a/b/c/d/e/f/.env D=4']);
});

test.each([
  ['cat .env && head -3 "packages/api/.env.production" | grep x', ['.env', 'packages/api/.env.production']],
  ['git show HEAD:config/secrets.yml', ['config/secrets.yml']],
  ['openssl rsa -in=certs/server.pem', ['certs/server.pem']],
  ['ls environment .environment env.ts .env.example', []],
])('names of such files in %j', (text, paths) => {
  expect(secretFilesIn(text)).toEqual(paths);
});
