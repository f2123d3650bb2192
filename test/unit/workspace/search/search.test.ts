import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {failed, ok} from '../../../../src/base/outcome.ts';
import type {GlobRequest, GrepRequest} from '../../../../src/actions/ports.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {findSearchBinary} from '../../../../src/workspace/search/ripgrep.ts';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

const folder = temporaryFolder();
const root = join(folder.path, 'work');
const files: Readonly<Record<string, string>> = {
  '.gitignore': 'dist/\nnode_modules\n*.log\n!kept.log\n',
  '.hidden/a.ts': 'needle hidden\n',
  '.git/config': 'needle git\n',
  'dist/out.ts': 'needle dist\n',
  'node_modules/lib/index.ts': 'needle lib\n',
  'debug.log': 'needle log\n',
  'kept.log': 'needle kept\n',
  'src/a.ts': 'one\ntwo needle\r\nthree\n',
  'src/b.tsx': 'Needle\n',
  'src/deep/c.ts': 'needle\nneedle\n',
  'src/we:ird.md': 'needle: odd\n',
  'long.txt': `needle ${'x'.repeat(5000)}\n`,
  '../outside/x.conf': 'needle outside\n',
};
for (const [name, content] of Object.entries(files)) {
  mkdirSync(dirname(join(root, name)), {recursive: true});
  writeFileSync(join(root, name), content);
}
const search = makeSearch({roots: [root], home: folder.path, environment: process.env, excluded: () => []});
afterAll(() => folder[Symbol.dispose]());

async function grep(request: Partial<GrepRequest>, signal = never) {
  const defaults: GrepRequest = {
    queries: ['needle'],
    path: '.',
    globs: [],
    mode: 'files',
    letterCase: 'sensitive',
    before: 0,
    after: 0,
    fileType: '',
    span: 'line',
    limit: 100,
  };
  const outcome = await search.grep({...defaults, ...request}, signal);
  return outcome.tag === 'ok' ? outcome.value : faultText(outcome.error);
}

async function glob(request: Partial<GlobRequest>) {
  const outcome = await search.glob({patterns: [], path: '.', limit: 100, maxDepth: 0, ...request}, never);
  return outcome.tag === 'ok' ? outcome.value : faultText(outcome.error);
}

const exact = {count: 0, exact: 'exact'};
const wholly = (...lines: readonly string[]) => ({lines, omitted: exact});

test('files, by path, without what ignore files leave out', async () => {
  expect(await grep({})).toEqual({
    lines: ['.hidden/a.ts', 'kept.log', 'long.txt', 'src/a.ts', 'src/deep/c.ts', 'src/we:ird.md'],
    omitted: exact,
  });
});

test('content, counts, context, several queries, letter case', async () => {
  expect(await grep({mode: 'content', path: 'src', letterCase: 'insensitive'})).toEqual({
    lines: [
      'src/a.ts:2:two needle',
      'src/b.tsx:1:Needle',
      'src/deep/c.ts:1:needle',
      'src/deep/c.ts:2:needle',
      'src/we:ird.md:1:needle: odd',
    ],
    omitted: exact,
  });
  expect(await grep({mode: 'count', path: 'src/deep'})).toEqual({lines: ['src/deep/c.ts:2'], omitted: exact});
  expect(await grep({mode: 'content', before: 1, after: 1, path: 'src/a.ts'})).toEqual({
    lines: ['src/a.ts-1-one', 'src/a.ts:2:two needle', 'src/a.ts-3-three'],
    omitted: exact,
  });
  expect(await grep({mode: 'content', queries: ['^one$', '-three', 'thr(?=ee)'], path: 'src'})).toEqual({
    lines: ['src/a.ts:1:one', 'src/a.ts:3:three'],
    omitted: exact,
  });
});

test('lines before, lines after, a kind of file, a match over several lines', async () => {
  const content = (request: Partial<GrepRequest>) => grep({mode: 'content', path: 'src', ...request});
  const match = 'src/a.ts:2:two needle';
  expect(await content({queries: ['two'], before: 1})).toEqual(wholly('src/a.ts-1-one', match));
  expect(await content({queries: ['two'], after: 1})).toEqual(wholly(match, 'src/a.ts-3-three'));
  expect(await grep({fileType: 'md'})).toEqual(wholly('src/we:ird.md'));
  expect(await grep({fileType: 'ts', globs: ['*.md']})).toEqual(wholly());
  expect(await grep({fileType: 'none'})).toBe('The search failed: unrecognized file type: none');
  const lines = ['src/a.ts:1:one', match, 'src/a.ts:3:three'];
  expect(await content({queries: ['one.*three'], span: 'lines'})).toEqual(wholly(...lines));
  expect(await content({queries: ['one.*three']})).toEqual(wholly());
});

test('long lines are cut', async () => {
  const report = await grep({mode: 'content', path: 'long.txt'});
  expect(typeof report === 'string' ? 0 : report.lines[0]?.length).toBeLessThan(600);
});

test('the limit ends the search', async () => {
  expect(await grep({limit: 2})).toEqual({lines: ['.hidden/a.ts', 'kept.log'], omitted: {count: 1, exact: 'at-least'}});
});

test.each<[string, Partial<GrepRequest>, readonly string[]]>([
  ['by ending', {globs: ['*.ts']}, ['.hidden/a.ts', 'src/a.ts', 'src/deep/c.ts']],
  ['alternatives', {globs: ['*.{tsx,md}'], letterCase: 'insensitive'}, ['src/b.tsx', 'src/we:ird.md']],
  [
    'what is ignored stays ignored',
    {globs: ['**/*']},
    ['.hidden/a.ts', 'kept.log', 'long.txt', 'src/a.ts', 'src/deep/c.ts', 'src/we:ird.md'],
  ],
  ['with folders', {globs: ['src/**/*.ts']}, ['src/a.ts', 'src/deep/c.ts']],
  ['from the root', {globs: ['./src/*.ts']}, ['src/a.ts']],
  ['absolute', {globs: [`${root}/src/*.ts`]}, ['src/a.ts']],
  ['relative to the folder searched', {path: 'src', globs: ['deep/*.ts']}, ['src/deep/c.ts']],
  ['leaving out', {globs: ['*.ts', '!deep']}, ['.hidden/a.ts', 'src/a.ts']],
  ['a file that is named is searched', {path: 'dist/out.ts', globs: ['*.md']}, ['dist/out.ts']],
  ['an ignored folder that is named is searched', {path: 'node_modules/lib'}, ['node_modules/lib/index.ts']],
])('globs: %s', async (_name, request, lines) => {
  expect(await grep(request)).toEqual({lines, omitted: exact});
});

test('outside the workspace paths are absolute', async () => {
  const outside = join(folder.path, 'outside');
  expect(await grep({path: '../outside', globs: ['*.conf']})).toEqual({
    lines: [join(outside, 'x.conf')],
    omitted: exact,
  });
});

test('faults', async () => {
  expect(await grep({queries: ['(']})).toMatch(/^The search failed: regex .*unclosed group/su);
  expect(await grep({queries: ['a\\nb']})).toMatch(/^The search failed: the literal/u);
  expect(await grep({path: 'sr'})).toBe('sr: there is no such file. Did you mean src?');
  expect(await grep({}, AbortSignal.abort())).toBe('The search was stopped.');
  expect(await glob({patterns: ['*'], path: 'long.txt'})).toBe('long.txt is a file; name a folder to search.');
});

const none = (): never => {
  throw new Error('not there');
};

test('ripgrep: that of the package, else that on PATH, else the user has to install one', () => {
  expect([
    findSearchBinary(
      id => `/m/${id}`,
      () => '/usr/bin/rg',
    ),
    findSearchBinary(none, name => `/usr/bin/${name}`),
    findSearchBinary(none, () => undefined),
  ]).toEqual([
    ok({path: `/m/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`, origin: 'package'}),
    ok({path: '/usr/bin/rg', origin: 'PATH'}),
    failed({
      kind: 'needs-user',
      message: 'The search program ripgrep (rg) is neither installed with weft nor on PATH.',
      fix: expect.stringMatching(/^Install ripgrep \("apt install ripgrep"/u),
    }),
  ]);
});

test('an abort ends the search', async () => {
  const stop = new AbortController();
  const searching = grep({path: '/', queries: ['no such text anywhere here']}, stop.signal);
  await new Promise(resolve => setImmediate(resolve));
  stop.abort();
  expect(await searching).toBe('The search was stopped.');
});

test.each<[string, Partial<GlobRequest>, readonly string[]]>([
  ['a name at any depth', {patterns: ['*.ts']}, ['.hidden/a.ts', 'src/a.ts', 'src/deep/c.ts']],
  [
    'everything that is not ignored',
    {patterns: ['**/*']},
    ['.gitignore', '.hidden/a.ts', 'kept.log', 'long.txt', 'src/a.ts', 'src/b.tsx', 'src/deep/c.ts', 'src/we:ird.md'],
  ],
  ['a folder', {patterns: ['src/*.ts']}, ['src/a.ts']],
  ['below a folder', {patterns: ['src/**/*.{ts,tsx}']}, ['src/a.ts', 'src/b.tsx', 'src/deep/c.ts']],
  ['two patterns, no path twice', {patterns: ['src/**/*.ts', '*.ts']}, ['.hidden/a.ts', 'src/a.ts', 'src/deep/c.ts']],
  ['at the top only', {patterns: ['./*.txt', '/*.log']}, ['kept.log', 'long.txt']],
  ['a leading slash means the folder searched', {patterns: ['/src/*.ts']}, ['src/a.ts']],
  ['absolute', {patterns: [`${root}/src/**/*.ts`]}, ['src/a.ts', 'src/deep/c.ts']],
  ['outside', {patterns: ['../outside/*']}, [join(folder.path, 'outside/x.conf')]],
  ['at home', {patterns: ['~/outside/*.conf']}, [join(folder.path, 'outside/x.conf')]],
  ['relative to a path', {patterns: ['deep/*'], path: 'src'}, ['src/deep/c.ts']],
  ['depth', {patterns: ['*.ts'], maxDepth: 2}, ['.hidden/a.ts', 'src/a.ts']],
  ['depth below a folder', {patterns: ['src/**/*.ts'], maxDepth: 2}, ['src/a.ts']],
  ['leaving out', {patterns: ['*.ts', '!deep', '!.hidden']}, ['src/a.ts']],
  ['an ignored folder that is named', {patterns: ['node_modules/lib/*.ts']}, ['node_modules/lib/index.ts']],
  ['no such folder', {patterns: ['nowhere/*.ts']}, []],
])('glob: %s', async (_name, request, paths) => {
  expect(await glob(request)).toEqual({paths, omitted: 0});
});

test('links are not followed; a pattern that names one starts where it leads', {tags: 'long'}, async () => {
  using space = temporaryFolder();
  const outside = join(space.path, 'outside');
  const work = join(space.path, 'work');
  mkdirSync(join(work, 'a/b'), {recursive: true});
  mkdirSync(outside);
  writeFileSync(join(outside, 'x.conf'), 'needle\n');
  writeFileSync(join(work, 'own.conf'), 'needle\n');
  symlinkSync(outside, join(work, 'link'));
  symlinkSync(join(outside, 'x.conf'), join(work, 'link.conf'));
  symlinkSync(work, join(work, 'a/b/up'));
  const port = makeSearch({roots: [work], home: space.path, environment: process.env, excluded: () => []});
  const find = async (pattern: string, path = '.') => {
    const found = await port.glob({patterns: [pattern], path, limit: 100, maxDepth: 0}, never);
    return found.tag === 'ok' ? found.value.paths : faultText(found.error);
  };
  expect(await find('**/*.conf')).toEqual(['own.conf']);
  expect(await find('l*/*')).toEqual([]);
  expect(await find('link/*')).toEqual([join(outside, 'x.conf')]);
  expect(await find('*', 'link')).toEqual([join(outside, 'x.conf')]);
  expect(await find('*/../../outside/*')).toEqual([]);
  expect(await find('{../outside,a}/*')).toEqual([]);
  // Joined as text, as paths are everywhere: the dots go back from the name of the link, not from where it leads.
  expect(await find('../../../*.conf', 'a/b/up')).toEqual(['own.conf']);
  expect(await find('../outside/*', 'link')).toEqual([]);
  const inFiles = await port.grep(
    {
      queries: ['needle'],
      path: '.',
      globs: [],
      mode: 'files',
      letterCase: 'sensitive',
      before: 0,
      after: 0,
      fileType: '',
      span: 'line',
      limit: 9,
    },
    never,
  );
  expect(inFiles).toMatchObject({tag: 'ok', value: {lines: ['own.conf']}});
});

test('patterns beyond the bounds are faults', async () => {
  const long = '{a}'.repeat(10_000);
  const words = 'A glob pattern is 30000 characters long; at most 1000 are allowed.';
  expect(await glob({patterns: [long]})).toBe(words);
  expect(await grep({globs: [long]})).toBe(words);
  const many = Array.from({length: 51}, () => '*');
  expect(await glob({patterns: many})).toBe('51 patterns are too many for one search; use at most 50.');
  expect(await grep({globs: many})).toBe('51 patterns are too many for one search; use at most 50.');
  const deep = await grep({path: 'a/'.repeat(8000)});
  expect(deep).toContain('is 16000 characters long; at most 4096 are possible.');
  expect(await glob({patterns: [`${'a/'.repeat(400)}*`], path: 'a/'.repeat(8000)})).toBe(deep);
});

test('glob: what the limit leaves out is counted', async () => {
  expect(await glob({patterns: ['*.ts'], limit: 1})).toEqual({paths: ['.hidden/a.ts'], omitted: 2});
});
