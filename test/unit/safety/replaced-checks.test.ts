import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {makeJudge} from '../../../src/safety/judge.ts';
import {diskOptions} from './support/judging.ts';

const judge = makeJudge(diskOptions('/w', '/home/me'));

test.each([
  ['./npm test', 'program'],
  ['/tmp/fake/npm test', 'program'],
  ['timeout 5 ../npx vitest run', 'program'],
  ['tools/make test', 'program'],
  ['"$PWD/npm" test', 'program'],
  ['bash ./npm test', 'program'],
  ['sh -c "./npm test"', 'program'],
  ['npm -v test', 'options'],
  ['bash -nv test.sh', 'options'],
  ['ruby -c a_spec.rb', 'options'],
  ['php -l ATest.php', 'options'],
  ['npx --version', 'options'],
  ['npm --help test', 'options'],
  ['bash -n test.sh', 'options'],
  ['sh -n ./run-tests.sh', 'options'],
  ['node --check a.test.mjs', 'options'],
])('%s does not run what it names: %s', async (command, hiding) => {
  expect([await judge.checksIn(command, '/w'), await judge.hidingIn(command)]).toEqual([[], hiding]);
});

test.each([
  './gradlew test',
  '/w/android/gradlew test',
  'bin/rspec',
  'vendor/bin/phpunit',
  '.tox/py312/bin/pytest',
  '~/.cargo/bin/cargo test',
  '/opt/homebrew/bin/npm test',
  '"$(npm bin)"/jest',
  'node_modules/.bin/tsc --noEmit',
  './node_modules/typescript/bin/tsc --noEmit',
])('%s is the program of that name', async command => {
  const found = (await judge.checksIn(command, '/w')).map(({zero}) => zero);
  expect([found, await judge.hidingIn(command)]).toEqual([['passed'], 'passed']);
});

test.each([
  ['node -r ./x.cjs --test', 'options'],
  ['node --require=./x.cjs --test', 'options'],
  ['node --import ./x.mjs --test', 'options'],
  ['node --import data:text/javascript,x --test', 'options'],
  ['bun test --preload ./x.ts', 'options'],
  ['make CC=./fake test', 'options'],
  ['node --import tsx --test', 'passed'],
  ['node -r dotenv/config --test', 'passed'],
  ['node --env-file=.env --test', 'passed'],
  ['mocha -r ./test/setup.js', 'passed'],
  ['pytest -p no:cacheprovider', 'passed'],
  ['make -C src CC=gcc-12 test', 'passed'],
])('%s may load code before the check: %s', async (command, zero) => {
  expect((await judge.checksIn(command, '/w')).map(each => each.zero)).toEqual([zero]);
});

test('a check of the settings may load code first', async () => {
  const named = [{name: 'unit', command: 'node -r ./x.cjs --test'}] as const;
  const [check] = await makeJudge({...diskOptions('/w', '/home/me'), checks: named}).checksIn(named[0].command, '/w');
  expect([check?.name, check?.zero]).toEqual(['unit', 'passed']);
});

test.each([
  ['node --test --test-name-pattern=zzz', 'by-name'],
  ['node --test --test-skip-pattern .', 'by-name'],
  ['node --test --test-only', 'by-name'],
  ['node --test-name-pattern=zzz --test a.test.mjs', 'by-name'],
  ['npm test -- --test-name-pattern zzz', 'by-name'],
  ['npm test -- -t zzz', 'by-name'],
  ['yarn test -t zzz', 'by-name'],
  ['npx vitest run -t zzz', 'by-name'],
  ['go test -run zzz ./...', 'by-name'],
  ['python3 -m pytest -k zzz', 'by-name'],
  ['npm test', 'all'],
  ['npx vitest run a.test.ts', 'all'],
  ['tox -e py311', 'all'],
  ['pnpm --filter web test', 'all'],
  ['npx tsc -t es2022', 'all'],
  ['make -k test', 'all'],
])('%s runs tests %s', async (command, selection) => {
  expect((await judge.checksIn(command, '/w')).map(each => each.selection)).toEqual([selection]);
});

test('a file of the shell that replaces a program leaves no check', async () => {
  const root = mkdtempSync(join(tmpdir(), 'weft-sourced-'));
  const files = {
    npm: 'npm() { true; }',
    path: 'export PATH=$PWD/fake:$PATH',
    own: 'export PATH=$PWD/tools:$PATH',
    end: 'exit 0',
    fine: 'export DATABASE_URL=x\nNODE_ENV=test',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  for (const [folder, name] of [
    ['fake', 'npm'],
    ['tools', 'deploy'],
  ] as const) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, name), '');
  }
  const own = makeJudge(diskOptions(root, '/home/me'));
  const seen = async (command: string) => [
    (await own.checksIn(command, root)).map(({zero}) => zero),
    await own.hidingIn(command),
  ];
  expect(await seen('. ./npm && npm test')).toEqual([[], 'changed']);
  expect(await seen('bash -c ". ./npm; npm test"')).toEqual([[], 'changed']);
  expect(await seen('source path; npm test')).toEqual([[], 'changed']);
  expect(await seen('eval "$(cat npm)"; npm test')).toEqual([[], 'changed']);
  expect(await seen('. ./end; npm test')).toEqual([[], 'changed']);
  expect(await seen('. ./own && npm test')).toEqual([['changed'], 'passed']);
  expect(await seen('. ./fine && npm test')).toEqual([['changed'], 'passed']);
  expect(await seen('. ./none && npm test')).toEqual([['changed'], 'passed']);
});
