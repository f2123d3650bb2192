import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {makeJudge, type Judge} from '../../../src/safety/judge.ts';
import {listFolder} from '../../../src/workspace/files/list-folder.ts';
import {makePaths} from '../../../src/workspace/files/resolve-path.ts';
import {readCorpus} from './support/corpus.ts';
import {bash} from './support/judging.ts';

const base = mkdtempSync(join(tmpdir(), 'weft-judge-'));
const outside = join(base, 'outside');
const plain = join(base, 'plain');
const trapped = join(base, 'trapped');

beforeAll(() => {
  write(join(outside, 'secret'), 'x');
  for (const root of [plain, trapped]) {
    for (const name of ['a', 'b', 'list', 'package.json', 'README.md', 'src/a.ts', 'src/b.ts', 'lib/c.py']) {
      write(join(root, name), 'foo\n');
    }
    write(join(root, '.env'), 'KEY=1\n');
    write(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(join(root, 'real/deep'), {recursive: true});
  }
  symlinkSync('real/deep', join(plain, 'alias'));
  symlinkSync('real/deep', join(trapped, 'alias'));
  symlinkSync('../outside', join(trapped, 'link'));
  symlinkSync('../outside/secret', join(trapped, 'seclink.txt'));
  symlinkSync('../../outside/secret', join(trapped, 'src/evil.ts'));
  write(join(trapped, 'credentials.json'), '{}');
  for (const name of ['HEAD', 'config', 'objects/x', 'refs/x', 'hooks/x']) write(join(trapped, 'bare', name), '');
  write(join(trapped, 'sub/rust-toolchain.toml'), '');
});

afterAll(() => {
  rmSync(base, {recursive: true, force: true});
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}

function judgeOf(root: string): Judge {
  const paths = makePaths({roots: [root], home: join(base, 'home')});
  return makeJudge({
    rules: {allow: [], ask: [], deny: []},
    roots: [root],
    home: join(base, 'home'),
    resolve: path => paths.resolve(path),
    list: listFolder,
    directory: () => root,
  });
}

const decision = async (judge: Judge, command: string): Promise<string> =>
  (await judge.assess(bash(command), 'default', new AbortController().signal)).decision;

describe('what a command would come upon on the disk', () => {
  test.each(readCorpus('on-disk'))('$command asks where that is a trap', async ({command}) => {
    expect(await decision(judgeOf(trapped), command)).toBe('ask');
  });

  test.each([
    'cat *',
    'cat src/*.ts',
    'cat package*.json',
    'head -3 src/*',
    'ls | xargs cat',
    "find . -name '*.ts' -exec cat {} \\;",
    "find . -name '*.ts' | xargs head -5",
    'for f in src/*.ts; do cat $f; done',
    'diff -r src lib',
    'cd src && git status',
    'cd src; ls; cd ..; ls',
    'cd lib && cargo --version',
  ])('%s goes through where there is none', async command => {
    expect(await decision(judgeOf(plain), command)).toBe('allow');
  });

  test('of what agents send at most one in fifty is asked about', async () => {
    const judge = judgeOf(plain);
    const asked: string[] = [];
    const cases = readCorpus('everyday').map(({command}) => command.replaceAll(/(?<![\w.])\/w(?=[/ ";]|$)/gu, plain));
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as they would come
    for (const command of cases) if ((await decision(judge, command)) !== 'allow') asked.push(command);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(cases.length / 50);
  });
});
