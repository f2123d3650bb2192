import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {restrictedEnvironment} from '../../../../src/workspace/exec/shell-environment.ts';
import {needs} from '../../../support/programs.ts';
import {bash, judgeOnDisk, parsedRules} from '../support/judging.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-git-')));
const plain = join(base, 'plain');
const outside = join(base, 'outside');

const quiet = {GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', PATH: process.env['PATH'] ?? ''};
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example', '-c', 'protocol.file.allow=always'];
const git = (directory: string, ...words: readonly string[]): string =>
  execFileSync('git', [...identity, ...words], {
    cwd: directory,
    env: quiet,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

function write(path: string, text: string): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}

beforeAll(() => {
  write(join(outside, 'secret'), 'root:x:0:0');
  write(join(base, 'home/.netrc'), 'machine a');
  write(join(plain, 'a.txt'), 'a\n');
  mkdirSync(join(plain, 'sub'));
  git(plain, 'init', '-q', '-b', 'main');
  git(plain, 'add', 'a.txt');
  git(plain, 'commit', '-qm', 'first');
});

afterAll(() => rmSync(base, {recursive: true, force: true}));

let count = 0;
/** A copy of the plain repository. */
function repository(): string {
  count += 1;
  const root = join(base, 'w', `copy${count}`);
  cpSync(plain, root, {recursive: true});
  return root;
}

const unaborted = new AbortController().signal;

function judgeAt(root: string, allow: readonly string[] = []): (command: string) => Promise<string> {
  const judge = judgeOnDisk(root, join(base, 'home'), {rules: {allow: parsedRules(...allow), ask: [], deny: []}});
  return async command => (await judge.assess(bash(command), 'default', unaborted)).decision;
}

const config = (root: string, text: string): void =>
  writeFileSync(join(root, '.git/config'), `[core]\n\trepositoryformatversion = 0\n${text}`);

describe('settings of a repository', () => {
  test.each([
    '[filter "x"]\n\tclean = ./evil',
    '[filter "x"]\n\tsmudge = ./evil %f',
    '[filter "x"] process = ./evil',
    '[Filter "x"]\n\tCLEAN = "./evil"',
    '[filter.x]\n\tclean = ./evil',
    '[filter "lfs"]\n\tclean = "git-lfs clean -- %f; ./evil"',
    '[diff]\n\texternal = ./evil',
    '[diff "x"]\n\ttextconv = ./evil',
    '[diff "x"]\n\tcommand = ./ev\\\nil',
    '[gpg]\n\tprogram = ./evil',
    '[gpg "ssh"]\n\tprogram = ./evil',
    '[alias]\n\twhatchanged = !./evil',
    '[hook "x"]\n\tcommand = ./evil\n\tevent = post-index-change',
    '[lfs "customtransfer.x"]\n\tpath = ./evil',
    '[lfs]\n\tstandalonetransferagent = x',
    '[include]\n\tpath = ../evil.config',
    '[includeIf "gitdir:**"]\n\tpath = ../evil.config',
    '[include]\n\tpath = ../chain.config',
    '[include]\n\tpath = ~/.netrc',
    '[include]\n\tpath = ../../../outside/secret',
    '[core]\n\tworktree = /',
    '[core]\n\tworktree = ../../../outside',
    '[core]\n\texcludesFile = ../../outside/secret',
    '[core]\n\tattributesFile = /etc/passwd',
    '[mailmap]\n\tfile = ~/.netrc',
    '[blame]\n\tignoreRevsFile = /etc/passwd',
    '[blame]\n\tignoreRevsFile = .env',
    '[diff]\n\torderFile = /etc/passwd',
    '[remote "o"]\n\tpromisor = true\n\turl = https://a.example/b\n[core]\n\tsshCommand = ./evil',
    '[remote "o"]\n\tpromisor = true\n\turl = ext::./evil',
    '[extensions]\n\tpartialClone = o\n[remote "o"]\n\turl = /x\n\tuploadpack = ./evil',
    '[remote "o"]\n\tpromisor = true\n[credential]\n\thelper = !./evil',
  ])('%j asks', async text => {
    const root = repository();
    write(join(root, 'evil.config'), '[filter "x"]\n\tclean = ./evil\n');
    write(join(root, 'chain.config'), '[include]\n\tpath = evil.config\n');
    config(root, text);
    expect(await judgeAt(root)('git status')).toBe('ask');
    expect(await judgeAt(dirname(root))(`git -C ${basename(root)} diff`)).toBe('ask');
    expect(await judgeAt(dirname(root))(`cd ${basename(root)} && git log -p`)).toBe('ask');
    expect(await judgeAt(join(root, 'sub'))('git diff')).toBe('ask');
    expect(await judgeAt(dirname(root))('ls')).toBe('allow');
  });

  test.each([
    '[user]\n\tname = me\n\temail = me@a.example\n\tsigningkey = ABC',
    '[commit]\n\tgpgsign = true\n[gpg]\n\tformat = ssh\n\tprogram = gpg2',
    '[remote "origin"]\n\turl = git@a.example:b/c.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
    '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main',
    '[core]\n\thooksPath = .husky/_\n\tautocrlf = input\n\tignorecase = true',
    '[core]\n\tfsmonitor = true\n\tuntrackedCache = true',
    '[core]\n\tfsmonitor = .git/hooks/query-watchman',
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true',
    '[lfs]\n\trepositoryformatversion = 0\n[lfs "https://a.example/b.git/info/lfs"]\n\taccess = basic',
    '[filter "git-crypt"]\n\tsmudge = \\"git-crypt\\" smudge\n\tclean = \\"git-crypt\\" clean',
    '[merge "x"]\n\tdriver = ./merge %A\n[mergetool "x"]\n\tcmd = x',
    '[alias]\n\tst = status\n\tlg = !git log --graph',
    '[blame]\n\tignoreRevsFile = .git-blame-ignore-revs',
    '[include]\n\tpath = ../team.config',
    '[submodule "x"]\n\tactive = true\n\turl = https://a.example/x',
    '[credential]\n\thelper = store\n[http]\n\tproxy = http://a.example',
    '[core]\n\tsshCommand = ssh -i key',
    '[remote "o"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\turl = https://a.example/b',
    '[pull]\n\trebase = true ; a comment\n[gitflow "branch"]\n\tmaster = main',
  ])('%j does not ask', async text => {
    const root = repository();
    write(join(root, 'team.config'), '[alias]\n\tst = status\n');
    config(root, text);
    for (const command of [
      'git status',
      'git diff',
      'git log -p -3',
      'cd sub && git status -sb',
      'git -C sub diff --stat',
    ])
      expect([command, await judgeAt(root)(command)]).toEqual([command, 'allow']);
  });
});

describe('where a repository lies', () => {
  test.each<[string, (root: string) => void]>([
    ['a file that leads outside', root => replaceGit(root, `gitdir: ${plain}/.git`)],
    ['a file that leads outside, relative', root => replaceGit(root, 'gitdir: ../../plain/.git\n')],
    [
      'a file that leads to a repository with a filter',
      root => {
        cpSync(join(root, '.git'), join(root, 'store'), {recursive: true});
        write(join(root, 'store/config'), '[filter "x"]\n\tclean = ./evil');
        replaceGit(root, 'gitdir: store');
      },
    ],
    [
      'a link that leads outside',
      root => {
        rmSync(join(root, '.git'), {recursive: true});
        symlinkSync(join(plain, '.git'), join(root, '.git'));
      },
    ],
    ['a common folder outside', root => write(join(root, '.git/commondir'), `${plain}/.git`)],
    [
      'a common folder with a filter',
      root => {
        write(join(root, '.git/commondir'), '../common');
        write(join(root, 'common/config'), '[filter "x"]\n\tclean = ./evil');
      },
    ],
    ['settings of a worktree', root => write(join(root, '.git/config.worktree'), '[filter "x"]\n\tclean = ./evil')],
    ['objects from outside', root => write(join(root, '.git/objects/info/alternates'), `${plain}/.git/objects\n`)],
    [
      'objects from outside, relative',
      root => write(join(root, '.git/objects/info/alternates'), '../../../../plain/.git/objects'),
    ],
    ['a linked packed-refs', root => symlinkSync(join(outside, 'secret'), join(root, '.git/packed-refs'))],
    ['a linked shallow file', root => symlinkSync(join(outside, 'secret'), join(root, '.git/shallow'))],
    [
      'linked excludes',
      root => {
        rmSync(join(root, '.git/info'), {recursive: true, force: true});
        symlinkSync(outside, join(root, '.git/info'));
      },
    ],
    [
      'a linked configuration',
      root => {
        rmSync(join(root, '.git/config'));
        symlinkSync(join(outside, 'secret'), join(root, '.git/config'));
      },
    ],
    [
      'a configuration that is a pipe',
      root => {
        rmSync(join(root, '.git/config'));
        execFileSync('mkfifo', [join(root, '.git/config')]);
      },
    ],
  ])('%s asks', async (_, prepare) => {
    const root = repository();
    prepare(root);
    expect(await judgeAt(root)('git status')).toBe('ask');
  });

  test('worktrees and submodules that git made do not ask, wherever they lie; those with programs do', async context => {
    // What git itself runs for submodules.
    needs('sed')(context);
    const root = repository();
    const tree = join(base, 'tree');
    git(root, 'worktree', 'add', '-q', tree, '-b', 'other');
    expect(await judgeAt(tree)('git status')).toBe('allow');
    git(root, 'submodule', 'add', '-q', plain, 'deps/lib');
    git(root, 'commit', '-qam', 'submodule');
    const at = judgeAt(root);
    expect([await at('git status'), await at('git -C deps/lib log'), await at('git submodule status')]).toEqual([
      'allow',
      'allow',
      'allow',
    ]);
    expect(await judgeAt(join(root, 'deps/lib'))('git diff')).toBe('allow');
    git(root, 'config', '-f', '.git/modules/deps/lib/config', 'filter.x.clean', './evil');
    expect([await at('git status'), await at('git diff'), await judgeAt(join(root, 'deps/lib'))('git diff')]).toEqual([
      'ask',
      'ask',
      'ask',
    ]);
    git(root, 'config', '-f', '.git/modules/deps/lib/config', '--unset', 'filter.x.clean');
    expect(await at('git status')).toBe('allow');
    git(root, 'update-index', '--index-version', '4');
    expect(await at('git status')).toBe('allow');
    // Without a word of it in .gitmodules.
    cpSync(plain, join(root, 'vendor/dep'), {recursive: true});
    const commit = git(plain, 'rev-parse', 'HEAD').trim();
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${commit},vendor/dep`);
    expect(await at('git status')).toBe('allow');
    config(join(root, 'vendor/dep'), '[diff]\n\texternal = ./evil');
    expect(await at('git status')).toBe('ask');
    expect(await at('ls')).toBe('allow');
  });
});

test('beside what rules allow, hooks and file monitors ask; by themselves they are switched off', async () => {
  const root = repository();
  write(join(root, 'evil'), `#!/bin/sh\ntouch ${join(root, 'ran')}\n`);
  chmodSync(join(root, 'evil'), 0o755);
  cpSync(join(root, 'evil'), join(root, '.git/hooks/post-index-change'));
  const at = judgeAt(root, ['Bash(make:*)']);
  expect([await at('git status'), await at('make'), await at('git status && make')]).toEqual(['allow', 'allow', 'ask']);
  rmSync(join(root, '.git/hooks/post-index-change'));
  expect(await at('git status && make')).toBe('allow');
  config(root, `[core]\n\tfsmonitor = ./evil`);
  expect([await at('git status'), await at('git status && make'), await at('git -C sub status && make')]).toEqual([
    'allow',
    'ask',
    'ask',
  ]);
  cpSync(join(root, 'evil'), join(root, '.git/hooks/post-index-change'));
  execFileSync('git', ['status'], {cwd: root, env: restrictedEnvironment(quiet, [root])});
  expect(existsSync(join(root, 'ran'))).toBe(false);
  execFileSync('git', ['status'], {cwd: root, env: quiet});
  expect(existsSync(join(root, 'ran'))).toBe(true);
});

function replaceGit(root: string, text: string): void {
  rmSync(join(root, '.git'), {recursive: true});
  writeFileSync(join(root, '.git'), text);
}
