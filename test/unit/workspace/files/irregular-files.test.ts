import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {readRegularFile} from '../../../../src/workspace/files/regular-files.ts';
import {gitBranch} from '../../../../src/workspace/files/git-branch.ts';
import {ignoredPaths} from '../../../../src/workspace/checkpoints/git-query.ts';
import {makeFinder} from '../../../../src/workspace/search/make-finder.ts';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {readGitIndex} from '../../../../src/workspace/checkpoints/tracked-files.ts';
import {watchSecretFiles} from '../../../../src/workspace/files/secret-files.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

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

test.each([
  '.git/HEAD',
  '.git/config',
  '.git/index',
  '.git/info/exclude',
  '.git/commondir',
  '.gitignore',
  'below/.gitignore',
  '.env',
])('nothing waits for a pipe that stands at %s', async name => {
  using folder = temporaryFolder();
  execFileSync('git', ['init', '-q', '-b', 'trunk', folder.path]);
  writeFileSync(join(folder.path, 'tracked'), '');
  execFileSync('git', ['add', 'tracked'], {cwd: folder.path});
  for (const one of ['.git/info', 'below']) mkdirSync(join(folder.path, one), {recursive: true});
  execFileSync('rm', ['-f', join(folder.path, name)]);
  pipe(join(folder.path, name));
  expect(gitBranch(folder.path)).toBe(name === '.git/HEAD' ? '' : 'trunk');
  const ignored = await ignoredPaths(folder.path, {environment: process.env, signal: never});
  expect(ignored === undefined).toBe(name !== '.env');
  const index = await readGitIndex(folder.path, {environment: process.env, signal: never});
  expect(index === undefined).toBe(name !== '.env');
  expect(watchSecretFiles({roots: [folder.path], isSecretFile: file => file !== 'tracked'}).everywhere([])).toEqual([]);
});

const ignoreFiles = [
  '.ignore',
  '.rgignore',
  '.gitignore',
  '.git/info/exclude',
  'below/.gitignore',
  'below/deeper/.ignore',
];

test.each(ignoreFiles.flatMap(name => (['pipe', 'device'] as const).map(kind => ({name, kind}))))(
  'searches and listings go on where a $kind stands at $name',
  {tags: 'long'},
  async ({name, kind}) => {
    using folder = temporaryFolder();
    const at = (path: string): string => join(folder.path, path);
    for (const one of ['.git/info', 'below/deeper']) mkdirSync(at(one), {recursive: true});
    writeFileSync(at('a.txt'), 'needle\n');
    writeFileSync(at('below/deeper/b.txt'), 'needle\n');
    if (kind === 'pipe') pipe(at(name));
    else symlinkSync('/dev/zero', at(name));
    const options = {roots: [folder.path], home: '/nowhere', environment: process.env, excluded: () => []};
    const search = makeSearch(options);
    const finder = makeFinder(options);
    const request = {path: '.', limit: 10} as const;
    const found = Promise.withResolvers<readonly string[]>();
    const [grepped, globbed] = await Promise.all([
      search.grep(
        {
          ...request,
          queries: ['needle'],
          globs: [],
          mode: 'files',
          letterCase: 'sensitive',
          before: 0,
          after: 0,
          fileType: '',
          span: 'line',
        },
        never,
      ),
      search.glob({...request, patterns: ['**/*.txt'], maxDepth: 0}, never),
      finder.find('txt', ({paths, state}) => state === 'complete' && found.resolve(paths), never),
    ]);
    expect(grepped).toMatchObject({tag: 'ok', value: {lines: ['a.txt', 'below/deeper/b.txt']}});
    expect(globbed).toMatchObject({tag: 'ok', value: {paths: ['a.txt', 'below/deeper/b.txt']}});
    expect((await found.promise).toSorted()).toEqual(['a.txt', 'below/deeper/b.txt']);
    finder.close();
  },
);
