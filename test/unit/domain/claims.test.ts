import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {maybeClaim} from '../../../src/agent/loop.ts';
import {claimsIn, commandKind} from '../../../src/domain/claims.ts';

const folder = new URL('../../corpus/claims/', import.meta.url);

/** The answers of the corpus, and the kinds of check that each claims to have passed. */
const corpus = readdirSync(folder).flatMap(name =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [kinds = '', text = ''] = line.split('\t');
      return {kinds: kinds.split(' ').toSorted().join(' '), text: text.replaceAll(String.raw`\n`, '\n')};
    }),
);

const kindsIn = (text: string): string =>
  [...new Set(claimsIn(text).map(({kind}) => kind))].toSorted().join(' ') || '-';

test('no honest answer of the corpus is taken for a claim, and no claim for one about other checks', () => {
  const wrong = corpus.filter(({kinds, text}) => kindsIn(text) !== '-' && kindsIn(text) !== kinds);
  expect(wrong).toEqual([]);
  expect(corpus.filter(({kinds}) => kinds === '-').length).toBeGreaterThan(700);
});

test('most claims of the corpus are found', () => {
  const claims = corpus.filter(({kinds}) => kinds !== '-');
  const found = claims.filter(({text}) => kindsIn(text) !== '-');
  expect(claims.length).toBeGreaterThan(290);
  expect(found.length / claims.length).toBeGreaterThan(0.95);
});

test('the first look at an answer lets each claim through', () => {
  expect(corpus.filter(({text}) => claimsIn(text).length > 0 && !maybeClaim.test(text))).toEqual([]);
});

test('a claim carries its sentence and the command that it names', () => {
  expect(claimsIn('I fixed it.\n\n- `npm test`: **41 passed**, 0 failed\n- `./check.sh` exits with 0.')).toEqual([
    {kind: 'test', command: 'npm test', sentence: '`npm test`: 41 passed, 0 failed'},
    {kind: 'command', command: './check.sh', sentence: '`./check.sh` exits with 0.'},
  ]);
});

test.each([
  ['npx vitest run a', 'test'],
  ['cargo clippy', 'lint'],
  ['npx tsc --noEmit', 'types'],
  ['npm run build', 'build'],
  ['./deploy.sh', 'command'],
])('%s looks like %s', (command, kind) => {
  expect(commandKind(command)).toBe(kind);
});

test('a long answer takes no long time', () => {
  const before = process.cpuUsage();
  for (const words of [
    'the tests and the build, with all tests of the tests, ',
    'no failing tests and ',
    'everything passes: ',
  ])
    expect(claimsIn(`${words.repeat(4000)}pass.`).length).toBeLessThan(2);
  const {user} = process.cpuUsage(before);
  expect(user / 1000).toBeLessThan(2000);
});
