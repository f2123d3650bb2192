import {mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {CodebaseRequest} from '../../../../src/actions/ports.ts';
import {ok} from '../../../../src/base/outcome.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import type {SearchEnd} from '../../../../src/workspace/search/ripgrep.ts';
import {type CodeFolder, searchCode} from '../../../../src/workspace/search/search-code.ts';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

/** A workspace with these files, and a search in it. */
function workspace(files: Readonly<Record<string, string>>, excluded: readonly string[] = []) {
  const folder = temporaryFolder();
  const root = join(folder.path, 'work');
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(root, name)), {recursive: true});
    writeFileSync(join(root, name), content);
  };
  mkdirSync(root);
  for (const [name, content] of Object.entries(files)) write(name, content);
  const port = makeSearch({roots: [root], home: folder.path, environment: process.env, excluded: () => excluded});
  return {
    root,
    write,
    async search(request: Partial<CodebaseRequest>, signal = never) {
      const found = await port.codebase(
        {query: 'retry the request', path: '.', filters: [], limit: 10, ...request},
        signal,
      );
      return found.tag === 'ok' ? found.value : faultText(found.error);
    },
    async paths(request: Partial<CodebaseRequest>) {
      const found = await this.search(request);
      return typeof found === 'string' ? found : found.places.map(({path}) => path);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const oddLetters = fc.oneof(
  fc.integer({min: 0, max: 0x10ffff}).map(code => String.fromCodePoint(code)),
  fc.constantFrom('a', 'B', '_', '-', '(', '\\', '*', '\n', '\0', 'é', '定'),
);

const client = [
  'import {sleep} from "./sleep.js";',
  '',
  'export async function sendWithRetries(request) {',
  '  for (let attempt = 0; attempt < 3; attempt += 1) {',
  '    const answer = await send(request);',
  '    if (answer.ok) return answer;',
  '    await sleep(100 * 2 ** attempt);',
  '  }',
  '}',
  '',
].join('\n');

test('path filters keep only the files whose path contains one of them', async () => {
  const files = ['src/api/client.js', 'src/ui/client.js', 'lib/client.js'];
  using work = workspace(Object.fromEntries(files.map(file => [file, client])));
  expect(await work.paths({filters: ['nowhere', 'api/']})).toEqual(['src/api/client.js']);
});

test('the best file comes first, with the passage, what it stands in and its most telling lines', async () => {
  using work = workspace({
    'src/client.js': client,
    'src/sleep.js': 'export const sleep = ms => new Promise(go => setTimeout(go, ms));\n',
    'src/server.js': 'export function answer(request) {\n  return {ok: true};\n}\n',
    'test/client.test.js': 'test("a request is retried", () => retried(request, retries));\n'.repeat(5),
  });
  expect(await work.search({query: 'Where are requests retried?', limit: 2})).toEqual({
    places: [
      {
        path: 'src/client.js',
        from: 3,
        to: 5,
        within: 'sendWithRetries',
        lines: [
          {line: 3, text: 'export async function sendWithRetries(request) {'},
          {line: 5, text: 'const answer = await send(request);'},
        ],
      },
      expect.objectContaining({path: 'test/client.test.js', from: 1, to: 5}),
    ],
    terms: ['request', 'retr'],
    files: 3,
    searched: 'whole',
  });
});

test('tests come before code where the query asks for them', async () => {
  using work = workspace({
    'src/retry.js': 'export function retry(request) {}\n',
    'test/retry.test.js': 'test("retry", () => retry(request));\n',
  });
  expect(await work.paths({query: 'retry request'})).toEqual(['src/retry.js', 'test/retry.test.js']);
  expect(await work.paths({query: 'test of retry'})).toEqual(['test/retry.test.js', 'src/retry.js']);
});

test('every search sees the files as they are', async () => {
  using work = workspace({'a.js': 'retry(request)\n'});
  expect(await work.paths({})).toEqual(['a.js']);
  work.write('b.js', 'function retryRequest() {}\n');
  expect(await work.paths({})).toEqual(['b.js', 'a.js']);
  rmSync(join(work.root, 'a.js'));
  work.write('b.js', 'function other() {}\n');
  expect(await work.paths({})).toEqual([]);
});

test('what ignore files leave out, binary files and large ones are not found', async () => {
  const words = 'retry(request)\n';
  using work = workspace({
    '.gitignore': 'dist/\n*.log\n',
    '.ignore': 'secret\n',
    'dist/a.js': words,
    'b.log': words,
    'secret/c.js': words,
    'deep/.gitignore': 'd.js\n',
    'deep/d.js': words,
    'deep/e.js': words,
    'binary.js': `\0\0${words}`,
    'large.js': words.repeat(80_000),
    '.git/f.js': words,
  });
  expect(await work.paths({})).toEqual(['deep/e.js']);
  expect(await work.paths({path: 'dist'})).toEqual(['dist/a.js']);
});

test('what the rules deny is not found, and neither counted nor searched when it is named', async () => {
  using work = workspace({'.env': 'retry=request\n', 'private/a.js': 'retry(request)\n', 'b.js': 'retry(request)\n'}, [
    '.env',
    'private',
  ]);
  expect(await work.search({})).toEqual(
    expect.objectContaining({places: [expect.objectContaining({path: 'b.js'})], files: 1}),
  );
  expect(await work.search({path: 'private'})).toBe("Can't search private: the user's rules exclude it.");
  expect(await work.search({path: 'private/a.js'})).toBe("Can't search private/a.js: the user's rules exclude it.");
});

test('links are not followed, be it in circles or out of the workspace', async () => {
  using work = workspace({'src/a.js': 'retry(request)\n', '../outside/b.js': 'retry(request)\n'});
  symlinkSync('..', join(work.root, 'src/circle'));
  symlinkSync(join(work.root, '../outside'), join(work.root, 'out'));
  symlinkSync(join(work.root, '../outside/b.js'), join(work.root, 'b.js'));
  expect(await work.paths({})).toEqual(['src/a.js']);
});

test('a path limits the search: a folder, a file, one with odd letters', async () => {
  using work = workspace({
    'a/x.js': 'retry(request)\n',
    'b/y.js': 'retry(request)\n',
    'b/we:ird\nname.js': 'retry(request)\n',
    'b/ü (1).js': 'retry(request)\n',
  });
  expect(await work.paths({path: 'a'})).toEqual(['a/x.js']);
  expect(await work.paths({path: 'b/y.js'})).toEqual(['b/y.js']);
  expect(await work.paths({path: 'b/ü (1).js'})).toEqual(['b/ü (1).js']);
  expect(await work.paths({path: 'c'})).toMatch(/^c: /u);
});

test('a search that is interrupted ends', async () => {
  using work = workspace({'a.js': 'retry(request)\n'});
  expect(await work.search({}, AbortSignal.abort())).toBe('The search was stopped.');
  const stop = new AbortController();
  const ended = work.search({}, stop.signal);
  stop.abort();
  expect(await ended).toBe('The search was stopped.');
});

test('a query without words is refused; any other is searched, whatever it holds', {tags: 'long'}, async () => {
  using work = workspace({'a.js': 'retry(request)\n'});
  expect(await work.search({query: '?! --'})).toBe('The query has no words to search for.');
  await fc.assert(
    fc.asyncProperty(fc.string({unit: oddLetters, maxLength: 30}), async query => {
      const found = await work.search({query: `${query} retry`});
      expect(typeof found === 'string' ? found : found.searched).toBe('whole');
    }),
    {numRuns: 15},
  );
});

test('lines without an end, and files that say one word all over, are searched like others', async () => {
  using work = workspace({
    'long.js': `retry ${'request('.repeat(20_000)}\n`,
    'many.js': 'retry(request) {\n'.repeat(8_000),
  });
  expect(await work.search({})).toEqual(expect.objectContaining({files: 2, searched: 'whole'}));
});

/** A folder in which ripgrep prints these lines and ends so, and where every file that `present` names holds `retry(request)`. */
function foundIn(lines: readonly string[], end: SearchEnd, present: readonly string[], denied: readonly string[] = []) {
  const read: string[] = [];
  const folder: CodeFolder = {
    async find(_, begin) {
      // A run that has to be begun anew counts nothing twice.
      begin()('lost.js\0retry');
      const take = begin();
      for (const line of lines) take(line);
      return ok(end);
    },
    isShown: path => !denied.includes(path),
    size: () => 15,
    async lines(path) {
      read.push(path);
      return present.includes(path) ? ['retry(request)'] : undefined;
    },
  };
  return {folder, read};
}

const printed = [
  'a.js\0retry',
  'request',
  '',
  'b.js\0Retry',
  '',
  'c.js\0retry',
  '',
  '',
  '3 matches',
  '9 files searched',
];
const request = {query: 'retry request', path: '.', filters: [], limit: 10};

test('what could not be searched whole says so; what is gone by now, or denied, is not told', async () => {
  const {folder, read} = foundIn(printed, {kind: 'too-slow'}, ['a.js', 'c.js'], ['c.js']);
  const place = {path: 'a.js', from: 1, to: 1, within: '', lines: [{line: 1, text: 'retry(request)'}]};
  expect(await searchCode(request, folder, never)).toEqual(
    ok({places: [place], terms: ['retry', 'request'], files: 2, searched: 'cut'}),
  );
  expect(read).toEqual(['a.js', 'b.js']);
});

test('an interrupt between two files ends the search before the next is read', async () => {
  const stop = new AbortController();
  const {folder, read} = foundIn(printed, {kind: 'finished', errorText: ''}, ['a.js', 'b.js', 'c.js']);
  const stopping: CodeFolder = {
    ...folder,
    async lines(path) {
      stop.abort();
      return folder.lines(path);
    },
  };
  const found = await searchCode(request, stopping, stop.signal);
  expect([found.tag === 'failed' ? faultText(found.error) : found, read]).toEqual([
    'The search was stopped.',
    ['a.js'],
  ]);
});
