import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {FolderEntry} from '../../../src/domain/disk.ts';
import {listFolder} from '../../../src/workspace/files/list-folder.ts';
import {bash, judgeOnDisk, type OwnJudge} from './support/judging.ts';

const base = mkdtempSync(join(tmpdir(), 'weft-names-'));
const at = (root: string): string => join(base, root);

function write(path: string, text = 'foo\n'): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}

function link(path: string, to: string): void {
  mkdirSync(dirname(path), {recursive: true});
  symlinkSync(to, path);
}

beforeAll(() => {
  write(at('outside/secret.ts'));
  for (const root of ['plain', 'dashed', 'linked', 'packages']) {
    for (const name of ['a.txt', 'b.txt', 'src/a.ts', 'src/b.ts', 'lib/a.ts', 'test/a.ts'])
      write(at(`${root}/${name}`));
    write(at(`${root}/.git/HEAD`), 'ref: refs/heads/main\n');
    write(at(`${root}/.git/config`), '');
  }
  write(at('dashed/-R'));
  write(at('dashed/told/--files0-from=.l'));
  write(at('dashed/cut/x --files0-from=.l'));
  write(at('dashed/sub/a'));
  link(at('linked/lib/.hidden'), '../../outside');
  link(at('linked/node_modules/x/evil.ts'), '../../../outside/secret.ts');
  link(at('linked/.git/evil.md'), '../../outside/secret.ts');
  link(at('linked/way/on'), '../far');
  link(at('linked/far/out'), '../../outside');
  link(at('linked/near/notes.txt'), '../keys/.env');
  write(at('linked/keys/.env'), 'KEY=1\n');
  write(at('linked/.ssh/config.txt'));
  link(at('linked/login'), '.ssh');
  link(at('packages/node_modules/.bin/tool'), '../tool/index.js');
  write(at('packages/node_modules/tool/index.js'));
});

afterAll(() => {
  rmSync(base, {recursive: true, force: true});
});

const judgeOf = (root: string, list: (folder: string) => readonly FolderEntry[] = listFolder): OwnJudge =>
  judgeOnDisk(at(root), at('home'), {list, read: () => ({kind: 'missing'})});

const decision = async (judge: OwnJudge, command: string): Promise<string> =>
  (await judge.assess(bash(command), 'default', new AbortController().signal)).decision;

const commands = (text: string): readonly string[] => text.split('\n').flatMap(line => line.trim() || []);

const veryMany = Array.from({length: 250_000}, (_, number): FolderEntry => ({name: `f${number}`, kind: 'file'}));

describe('names that begin with a dash', () => {
  test.each(
    commands(String.raw`
      grep X *
      wc *
      du *
      echo *
      file *
      for f in *; do wc "$f"; done
      for f in *; do grep X $f; done
      wc ?R
      wc [-x]*
      wc [!a-z]*
      wc [[:punct:]]*
      wc **
      wc -*
      timeout 5 wc *
      ls | xargs wc
      ls | sort | xargs wc
      wc $(ls)
      ls | while read -r f; do wc "$f"; done
      ls told | xargs wc
      ls cut | xargs wc
      ls tol* | xargs wc
      git ls-files -o | xargs wc
      rg --files | xargs wc
      cd sub && git diff --name-only | xargs wc
      (cd told && ls) | xargs wc
      cd told && grep X *
      printf '%s\n' * | xargs wc
      find * -name a
      git log *
      xargs -- wc *
    `),
  )('%s asks', async command => {
    expect(await decision(judgeOf('dashed'), command)).toBe('ask');
  });

  test.each(
    commands(String.raw`
      wc ./*
      grep X ./*
      for f in ./*; do wc "$f"; done
      wc -- *
      grep X -- *
      ls -- *
      ls | xargs wc --
      wc *.txt
      wc [a-b]*
      wc src/* a.txt
      cd src && wc *
      cd src; ls | xargs wc
      find . -maxdepth 1 | xargs wc
      find . -name '*.txt' -exec wc {} +
      ls src/*.ts | xargs wc
    `),
  )('%s does not ask', async command => {
    expect(await decision(judgeOf('dashed'), command)).toBe('allow');
  });

  test.each(
    commands(String.raw`
      file *
      sort *.txt
      sed -n p *.txt
      grep -rn foo --include=*.ts .
      wc $(ls)
    `),
  )('%s does not ask where there are none', async command => {
    expect(await decision(judgeOf('plain'), command)).toBe('allow');
  });
});

describe('links out of the workspace', () => {
  test.each(
    commands(String.raw`
      diff -rN src lib
      diff -rq src lib
      diff src lib
      diff -r src way
      diff -r src near
      find . -name '*.ts' -exec cat {} \;
      find . -name '*.ts' | xargs cat
      find node_modules -iname '*.TS' | xargs cat
      find node_modules -name 'ev\il.ts' | xargs cat
      find . ! \( -name '*.md' \) | xargs cat
      find .git -name '*.md' | xargs cat
      find . -exec grep -q -type f {} \; -exec wc {} \;
      find . -type f -name '*.zz' -exec cat {} \; -o -type l -exec wc {} +
      find -L . -name '*.ts' | xargs cat
      find . | xargs grep x
      find near -name '*.txt' | xargs cat
      ls -RL
      ls -L lib -A
      ls -LR way
      cat node_modules/*/*.ts
      cat login/*
      cat lo*/*
      ls login/* | xargs cat
      find login/ -name '*.txt' | xargs cat
      diff -r src login
      cat n*/*.txt
      ls .git/* | xargs cat
    `),
  )('%s asks', async command => {
    expect(await decision(judgeOf('linked'), command)).toBe('ask');
  });

  test.each(
    commands(String.raw`
      diff -rq src test
      diff -r src test
      diff -r --no-dereference src lib
      find . -type f -name '*.ts' | xargs cat
      find src -name '*.ts' | xargs cat
      find . -type f | xargs grep -l x
      grep -r X .
      ls -R
      ls -lL src
      ls | xargs wc
      rg --files | xargs cat
      grep -rl foo . --include='*.ts' | xargs cat
    `),
  )('%s does not ask', async command => {
    expect(await decision(judgeOf('linked'), command)).toBe('allow');
  });

  test.each(['find . -name "*.js" | xargs cat', 'find . | xargs wc', 'git ls-files | xargs wc', 'ls -RL'])(
    '%s does not ask where links stay inside',
    async command => {
      expect(await decision(judgeOf('packages'), command)).toBe('allow');
    },
  );

  test.each(['find . | xargs wc', 'git ls-files | xargs wc', 'wc *', 'diff -r . src', 'ls -RL', 'ls -RL ?*'])(
    '%s asks where there is more than weft looks at',
    async command => {
      const judge = judgeOf('plain', folder => (folder === at('plain') ? veryMany : []));
      expect(await decision(judge, command)).toBe('ask');
    },
  );

  test('links in a search that follows none are not looked at', async () => {
    const listed: string[] = [];
    const judge = judgeOf('plain', folder => {
      listed.push(folder);
      return listFolder(folder);
    });
    expect(await decision(judge, 'grep -rn X . && ls -R && find . -name "*.ts" && rg X')).toBe('allow');
    expect(listed).toEqual([]);
  });
});
