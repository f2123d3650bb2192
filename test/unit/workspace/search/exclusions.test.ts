import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import type {GrepRequest} from '../../../../src/actions/ports.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

const folder = temporaryFolder();
const root = join(folder.path, 'work');
const added = join(folder.path, 'added');
const home = join(folder.path, 'home');
const names = [
  '.env',
  'a.txt',
  'sub/.env',
  'sub/.env.local',
  'sub/secrets/deep/key',
  'sub/secrets.txt',
  'we[ird/key',
  'ignored/b.txt',
  '../added/.env',
  '../added/sub/a.txt',
  '../home/.ssh/id',
  '../home/notes',
];
for (const name of names) {
  mkdirSync(dirname(join(root, name)), {recursive: true});
  writeFileSync(join(root, name), 'needle\n');
}
writeFileSync(join(root, '.gitignore'), 'ignored\n');
symlinkSync('home', join(folder.path, 'home-link'));
symlinkSync('../added', join(root, 'link'));
afterAll(() => folder[Symbol.dispose]());

const all = ['.env', 'a.txt', 'sub/.env', 'sub/.env.local', 'sub/secrets/deep/key', 'sub/secrets.txt', 'we[ird/key'];
const without = (...left: readonly string[]): readonly string[] => all.filter(name => !left.includes(name));

function searches(excluded: readonly string[], homeFolder = home) {
  const port = makeSearch({roots: [root, added], home: homeFolder, environment: process.env, excluded: () => excluded});
  return {
    grep: async (request: Partial<GrepRequest> = {}) => {
      const outcome = await port.grep(
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
          limit: 100,
          ...request,
        },
        never,
      );
      return outcome.tag === 'ok' ? outcome.value.lines : faultText(outcome.error);
    },
    glob: async (pattern = '**/*', path = '.') => {
      const outcome = await port.glob({patterns: [pattern], path, limit: 100, maxDepth: 0}, never);
      return outcome.tag === 'ok'
        ? outcome.value.paths.filter(name => name !== '.gitignore')
        : faultText(outcome.error);
    },
  };
}

describe('what is left out is shown by neither search, and nothing ignored comes back', () => {
  test.each<[string, readonly string[]]>([
    ['.env', without('.env', 'sub/.env')],
    ['/.env', all],
    ['./.env', without('.env')],
    ['**/.env', without('.env', 'sub/.env')],
    ['.env{,.local}', without('.env', 'sub/.env', 'sub/.env.local')],
    ['.env*', without('.env', 'sub/.env', 'sub/.env.local')],
    ['sub/.env', without('sub/.env')],
    ['secrets', without('sub/secrets/deep/key')],
    ['secrets/', without('sub/secrets/deep/key')],
    ['sub/secrets/**', without('sub/secrets/deep/key')],
    ['sub/s*', without('sub/secrets/deep/key', 'sub/secrets.txt')],
    ['we\\[ird', without('we[ird/key')],
    ['we[[]ird/*', without('we[ird/key')],
    [join(root, 'sub'), ['.env', 'a.txt', 'we[ird/key']],
    [`${root}/sub/.e*`, without('sub/.env', 'sub/.env.local')],
    ['*/**', ['.env', 'a.txt']],
    ['./**', []],
    ['!a.txt', all],
    ['nothing-like-it', all],
  ])('%s', async (glob, left) => {
    const {grep, glob: find} = searches([glob]);
    expect(await grep()).toEqual(left);
    expect(await find()).toEqual(left);
  });
});

test('a file that is named, and a search that starts inside, are refused; so are globs that name it', async () => {
  const {grep, glob} = searches(['./.env', 'secrets']);
  expect(await grep({path: '.env', mode: 'content'})).toBe("Can't search .env: the user's rules exclude it.");
  expect(await grep({path: 'sub/secrets/deep'})).toBe("Can't search sub/secrets/deep: the user's rules exclude it.");
  expect(await grep({globs: ['.env'], mode: 'content'})).toEqual(['sub/.env:1:needle']);
  expect(await grep({globs: ['!!.env'], mode: 'count', path: './sub/..'})).toEqual(
    without('.env', 'sub/secrets/deep/key').map(name => `${name}:1`),
  );
  expect(await glob('sub/secrets/**')).toEqual([]);
  expect(await searches(['/**']).glob()).toBe("Can't search .: the user's rules exclude it.");
  expect(await glob('.env')).toEqual(['sub/.env']);
});

test('what is left out counts neither as a line nor as one too many', async () => {
  const {grep} = searches(['sub']);
  expect(await grep({limit: 3, mode: 'content', before: 2, after: 2})).toEqual([
    '.env:1:needle',
    '--',
    'a.txt:1:needle',
  ]);
});

test('other roots and places outside: relative globs hold from each root, absolute ones and names everywhere', async () => {
  const {grep, glob} = searches(['./.env', '~/.ssh/**']);
  expect(await grep({path: '../added'})).toEqual([join(added, 'sub/a.txt')]);
  expect(await glob('**/*', '../added')).toEqual([join(added, 'sub/a.txt')]);
  expect(await grep({path: home})).toEqual([join(home, 'notes')]);
  expect(await glob('~/**/*')).toEqual([join(home, 'notes')]);
  expect(await searches(['id']).grep({path: home})).toEqual([join(home, 'notes')]);
  const linked = searches(['~/.ssh'], join(folder.path, 'home-link'));
  expect(await linked.glob('~/**/*')).toEqual([join(home, 'notes')]);
  expect(await linked.glob('~/.ssh/*')).toEqual([]);
});

test('a glob that cannot be read stops every search', async () => {
  const {grep, glob} = searches(['{a,b}'.repeat(7)]);
  const words = /^Can't search: an exclusion rule is invalid\. The glob pattern .*Fix the rule/u;
  expect(await grep()).toMatch(words);
  expect(await glob()).toMatch(words);
});
