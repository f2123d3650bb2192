import {readingOf} from '../../../../src/safety/commands/effects.ts';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {emptyImpactReport, type ImpactReport} from '../../../../src/actions/ports.ts';
import {makeImpact} from '../../../../src/workspace/impact/make-impact.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';
import {unknownContent} from '../../../../src/domain/risk.ts';
import {needs} from '../../../support/programs.ts';
import {putFile} from '../../../support/put-file.ts';

/** A repository with a clean, a changed, a staged, an untracked and an ignored file in two folders. */
function openPlace() {
  const folder = temporaryFolder();
  const work = join(folder.path, 'work');
  const home = join(folder.path, 'home');
  const put = (path: string, text: string): void => putFile(join(work, path), text);
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      cwd: work,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // Two commits of one second are one object, those of two seconds are two.
      env: {
        ...process.env,
        HOME: home,
        GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
        GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
      },
    });
  mkdirSync(home);
  put('src/clean.ts', 'clean\n');
  put('src/changed.ts', 'before\n');
  put('src/staged.ts', 'before\n');
  put('src/deep/one.ts', 'one\n');
  put('src/deep/two.ts', 'two\n');
  put('out.txt', 'x'.repeat(2100));
  put('.gitignore', 'ignored\n*.log\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  put('src/changed.ts', 'after\n');
  put('src/staged.ts', 'after\n');
  git('add', 'src/staged.ts');
  put('src/new.ts', 'new\n');
  put('new/a.txt', 'a\n');
  put('new/b.txt', 'b\n');
  put('ignored/cache.bin', 'c\n');
  put('src/run.log', 'l\n');
  // A git hook that starts weft hands on the repository that it runs in.
  const environment = {...process.env, HOME: home, GIT_DIR: join(home, 'other.git')};
  const impact = makeImpact({roots: [work], home, environment, canQueryGit: () => true, readCommand: readingOf});
  const find = (
    argv: readonly [string, ...string[]],
    more: {readonly directory?: string; readonly overwrites?: readonly string[]} = {},
  ): Promise<ImpactReport> =>
    impact.find(
      [{argv, directory: join(work, more.directory ?? ''), overwrites: more.overwrites ?? [], content: unknownContent}],
      never,
    );
  return {work, home, put, git, find, impact, [Symbol.dispose]: () => folder[Symbol.dispose]()};
}

/** The differences of a report as text. */
const shown = ({summary, diffs}: ImpactReport) => ({
  summary,
  diffs: diffs.map(({path, added, removed, hunks}) => ({
    path,
    added,
    removed,
    lines: hunks.flatMap(({lines}) =>
      lines.map(({kind, text}) => `${{context: ' ', added: '+', removed: '-'}[kind]}${text}`),
    ),
  })),
});

const cases: readonly (readonly [command: string, summary: string, paths?: readonly string[], directory?: string])[] = [
  ['rm -rf src', 'deletes 7 files (1 untracked, 2 with uncommitted changes, 1 ignored by git)'],
  ['rm -rf . ..', ''],
  ['rm -rf ../work/', 'deletes 75 files (8 untracked, 2 with uncommitted changes, the git history among them)'],
  [
    'rm -r new ignored',
    'deletes 3 files (2 untracked, 1 ignored by git)',
    ['ignored/cache.bin', 'new/a.txt', 'new/b.txt'],
  ],
  ['rm src/clean.ts', 'deletes 1 file', ['src/clean.ts']],
  [
    'rm -f src/*.ts',
    'deletes 4 files (1 untracked, 2 with uncommitted changes)',
    ['src/changed.ts', 'src/clean.ts', 'src/new.ts', 'src/staged.ts'],
  ],
  ['rm *.ts', 'deletes 2 files', ['src/deep/one.ts', 'src/deep/two.ts'], 'src/deep'],
  ['rm src', ''],
  ['rm -rf nothing-there', ''],
  ['rm -rf empty', 'deletes 1 empty folder', ['empty']],
  ['rm -- -odd', 'deletes 1 file (1 untracked)', ['-odd']],
  ['rm link-to-src', 'deletes 1 file (1 untracked)', ['link-to-src']],
  ['rm -rf link-to-src', 'deletes 1 file (1 untracked)', ['link-to-src']],
  ['rm -rf link-to-src/', 'deletes 7 files (1 untracked, 2 with uncommitted changes, 1 ignored by git)'],
  ['rm -rf link-to-s*/', 'deletes 7 files (1 untracked, 2 with uncommitted changes, 1 ignored by git)'],
  ['rm link-to-src/', ''],
  ['rm -rf ~/kept', 'deletes 2 files'],
  ['/bin/rm out.txt', 'deletes 1 file', ['out.txt']],
  ['rmdir empty src', 'deletes 1 empty folder', ['empty']],
  ['unlink out.txt', 'deletes 1 file', ['out.txt']],
  ['shred out.txt', 'overwrites out.txt (2.1 kB)', ['out.txt']],
  ['shred -u out.txt', 'deletes 1 file', ['out.txt']],
  ['mv src/clean.ts out.txt', 'overwrites out.txt (2.1 kB)', ['out.txt']],
  ['mv src/clean.ts elsewhere.ts', ''],
  ['mv -n src/clean.ts out.txt', ''],
  ['mv -t src/deep src/one.ts', ''],
  ['mv --targ=new src/deep/one.ts', ''],
  ['/bin/cp --target-d copy src/deep/one.ts', 'overwrites one.ts (1 line)', ['copy/one.ts']],
  ['rm --rec new', 'deletes 2 files (2 untracked)', ['new/a.txt', 'new/b.txt']],
  ['git reset --har', 'discards uncommitted changes in 2 files'],
  ['cp src/deep/one.ts new/a.txt', 'overwrites a.txt (1 line)', ['new/a.txt']],
  ['cp -r src/deep/. copy', 'overwrites one.ts (1 line)', ['copy/one.ts']],
  ['cp -r src/deep copied-into', 'overwrites two.ts (1 line)', ['copied-into/deep/two.ts']],
  ['truncate -s 0 out.txt missing.txt', 'truncates out.txt (2.1 kB)', ['out.txt']],
  ['tee out.txt src/clean.ts', 'overwrites 2 files', ['out.txt', 'src/clean.ts']],
  ['tee -a out.txt', ''],
  ['dd if=/dev/zero of=out.txt bs=1', 'overwrites out.txt (2.1 kB)', ['out.txt']],
  ['sed -i s/a/b/ src/clean.ts', 'changes clean.ts (1 line)', ['src/clean.ts']],
  ['find src -name *.ts -delete', 'deletes 6 files (1 untracked, 2 with uncommitted changes)'],
  ['find src -name deep -exec rm -rf {} ;', 'deletes 2 files', ['src/deep/one.ts', 'src/deep/two.ts']],
  ['find src -name *.log -exec rm {} +', 'deletes 1 file (1 ignored by git)', ['src/run.log']],
  ['find src -type f -exec touch {} ;', ''],
  ['rsync -a --delete src/deep/ copy', 'deletes 1 file (1 untracked)', ['copy/extra.ts']],
  ['rsync -a --delete src/deep/ host:copy', ''],
  ['git clean -fd', 'deletes 8 untracked files'],
  ['git clean -fdx', 'deletes 10 untracked and ignored files'],
  ['git clean -fdX', 'deletes 2 ignored files', ['ignored/cache.bin', 'src/run.log']],
  ['git clean -n', ''],
  ['git clean -f src', 'deletes 1 untracked file', ['src/new.ts']],
  ['git reset --hard', 'discards uncommitted changes in 2 files', ['src/changed.ts', 'src/staged.ts']],
  ['git reset --hard HEAD~1', 'discards uncommitted changes in 2 files; takes 1 commit off the branch'],
  ['git reset src', ''],
  ['git checkout -- .', 'discards uncommitted changes in 1 file', ['src/changed.ts']],
  ['git checkout src/changed.ts', 'discards uncommitted changes in 1 file', ['src/changed.ts']],
  ['git checkout HEAD -- src', 'discards uncommitted changes in 2 files'],
  ['git checkout feature-x', ''],
  ['git checkout -f main', 'discards uncommitted changes in 2 files'],
  ['git -C src restore changed.ts', 'discards uncommitted changes in 1 file', ['src/changed.ts']],
  ['git restore --staged .', ''],
  ['git restore --source=HEAD --staged --worktree .', 'discards uncommitted changes in 2 files'],
  ['git switch --discard-changes main', 'discards uncommitted changes in 2 files'],
  ['git stash drop', 'drops 1 stash', ['stash@{0}: On main: later']],
  ['git stash drop stash@{1}', 'drops 1 stash', ['stash@{1}: On main: sooner']],
  ['git stash clear', 'drops 2 stashes'],
  ['git branch -D feature-x', 'deletes branch feature-x (3 commits not merged)', []],
  ['git branch -D merged', 'deletes branch merged', []],
  ['git branch -D nowhere', ''],
  ['git tag -d v1', 'deletes tag v1', []],
  ['git rm -rf src/deep', 'deletes 2 files', ['src/deep/one.ts', 'src/deep/two.ts']],
  ['git status', ''],
  ['ls -la', ''],
];

describe('what a command would hit', () => {
  beforeEach(needs('find'));

  test('is found without doing it', {tags: 'long', timeout: 120_000}, async () => {
    using place = openPlace();
    const {work, git, put} = place;
    mkdirSync(join(work, 'empty'));
    put('-odd', 'odd\n');
    symlinkSync('src', join(work, 'link-to-src'));
    put('../home/kept/a', 'a');
    put('../home/kept/b', 'b');
    put('copy/one.ts', 'one!');
    put('copy/extra.ts', 'extra');
    put('copied-into/deep/two.ts', 'two!');
    // Two stashes and branches of which one is merged, made in a second working tree so that this one stays as it is.
    git('worktree', 'add', '-q', '../other', '-b', 'feature-x');
    const other = (...words: readonly string[]): string => git('-C', join(work, '..', 'other'), ...words);
    for (const name of ['1', '2', '3']) other('commit', '-q', '--allow-empty', '-m', name);
    git('branch', 'merged', 'main');
    git('tag', 'v1');
    for (const name of ['sooner', 'later']) {
      const commit = git('stash', 'create', name).trim();
      git('stash', 'store', '-m', `On main: ${name}`, commit);
    }
    put('.git/info/exclude', 'link-to-nothing\n');
    // `git reset HEAD~1` needs a second commit.
    const tree = git('rev-parse', 'HEAD^{tree}').trim();
    const second = git('commit-tree', '-p', 'HEAD', '-m', 'second', tree).trim();
    git('update-ref', 'refs/heads/main', second);

    const listing = (): string =>
      `${readdirSync(work, {recursive: true})
        .map(String)
        .toSorted((a, b) => a.localeCompare(b))
        .join('\n')}${git('status', '--porcelain')}${git('stash', 'list')}${git('branch')}`;
    const before = listing();
    const found: unknown[] = [];
    for (const [command, , paths, directory] of cases) {
      const [program = '', ...words] = command.split(' ');
      const report = await place.find([program, ...words], directory === undefined ? {} : {directory});
      found.push([command, report.summary, ...(paths === undefined ? [] : [report.paths])]);
    }
    expect(found).toEqual(
      cases.map(([command, summary, paths]) => [command, summary, ...(paths === undefined ? [] : [paths])]),
    );
    expect(listing()).toBe(before);
  });

  test('a file inside a folder that is deleted, too, counts once, whatever is beside the folder', async () => {
    using place = openPlace();
    place.put('new.md', 'x\n');
    expect((await place.find(['rm', '-rf', 'new', 'new.md', 'new/a.txt'])).summary).toBe(
      'deletes 3 files (3 untracked)',
    );
  });

  test('redirections overwrite what exists and holds something; several commands are told together', async () => {
    using place = openPlace();
    expect(await place.find(['echo', 'x'], {overwrites: ['out.txt', 'new.txt', '/dev/null']})).toEqual({
      summary: 'overwrites out.txt (2.1 kB)',
      paths: ['out.txt'],
      more: 0,
      diffs: [],
    });
    const all = await place.impact.find(
      [
        {argv: ['rm', 'out.txt'], directory: place.work, overwrites: [], content: unknownContent},
        {argv: ['cat', 'a'], directory: join(place.work, 'src'), overwrites: ['clean.ts'], content: unknownContent},
      ],
      never,
    );
    expect(all).toEqual({
      summary: 'deletes 1 file; overwrites clean.ts (1 line)',
      paths: ['out.txt', 'src/clean.ts'],
      more: 0,
      diffs: [],
    });
  });

  test('many are counted, few are named', async () => {
    using place = openPlace();
    for (let at = 0; at < 130; at += 1) place.put(`many/${String(at).padStart(3, '0')}.txt`, 'x');
    const report = await place.find(['rm', '-rf', 'many']);
    expect({...report, paths: report.paths.length}).toEqual({
      summary: 'deletes 130 files (130 untracked)',
      paths: 20,
      more: 110,
      diffs: [],
    });
  });

  test('outside of repositories, with a hostile repository, with an aborted signal', async () => {
    using place = openPlace();
    const {work, git} = place;
    for (const setting of ['core.fsmonitor', 'core.pager', 'diff.external', 'core.editor'])
      git('config', setting, `touch ${join(work, 'run')}`);
    writeFileSync(join(work, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${join(work, 'run')}\n`, {mode: 0o755});
    for (const command of [
      'git reset --hard',
      'git clean -fdx',
      'git checkout -f main',
      'git stash clear',
      'rm -rf src',
    ]) {
      const [program = '', ...words] = command.split(' ');
      await place.find([program, ...words]);
    }
    expect(existsSync(join(work, 'run'))).toBe(false);
    expect(readFileSync(join(work, 'src/changed.ts'), 'utf8')).toBe('after\n');
    rmSync(join(work, '.git'), {recursive: true});
    expect((await place.find(['rm', '-rf', 'src'])).summary).toBe('deletes 7 files');
    expect(await place.find(['git', 'reset', '--hard'])).toEqual(emptyImpactReport);
    expect(
      await place.impact.find(
        [{argv: ['rm', '-rf', 'src'], directory: work, overwrites: [], content: unknownContent}],
        AbortSignal.abort(),
      ),
    ).toEqual(emptyImpactReport);
  });

  test('words that are not known hit nothing that is known', async () => {
    using place = openPlace();
    expect(await place.find(['rm', '-rf', ''])).toEqual(emptyImpactReport);
    expect(await place.find(['find', '-delete'])).not.toEqual(emptyImpactReport);
    expect(await place.find(['find'])).toEqual(emptyImpactReport);
    expect(await place.find([''])).toEqual(emptyImpactReport);
  });

  test('where the new content is known, what would change is shown', async () => {
    using place = openPlace();
    place.put('old.js', 'one\ntwo\nthree\n');
    place.put('new.js', 'one\n2\nthree\n');
    const {impact, work} = place;
    const changed = {
      summary: 'overwrites old.js (3 lines)',
      diffs: [{path: 'old.js', added: 1, removed: 1, lines: [' one', '-two', '+2', ' three']}],
    };
    expect(shown(await place.find(['cp', 'new.js', 'old.js']))).toEqual(changed);
    expect(shown(await place.find(['mv', 'new.js', 'old.js']))).toEqual(changed);
    const content = {kind: 'text', text: 'one\n2\nthree\n'} as const;
    const written = await impact.find([{argv: ['cat'], directory: work, overwrites: ['old.js'], content}], never);
    expect(shown(written)).toEqual(changed);
    // Of what is not known, or is no text, only how much is lost.
    expect(shown(await place.find(['npm', 'test'], {overwrites: ['old.js']}))).toEqual({...changed, diffs: []});
    writeFileSync(join(work, 'image.bin'), Buffer.from([0, 1, 2]));
    expect(shown(await place.find(['cp', 'image.bin', 'old.js']))).toEqual({...changed, diffs: []});
    expect(shown(await place.find(['cp', 'new.js', 'image.bin']))).toEqual({
      summary: 'overwrites image.bin (3 bytes)',
      diffs: [],
    });
  });
});
