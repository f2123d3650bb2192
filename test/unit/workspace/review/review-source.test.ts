import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {faultText} from '../../../../src/domain/fault.ts';
import {makeReviewSource} from '../../../../src/workspace/review/review-source.ts';
import {temporaryFolder} from '../temporary-folder.ts';

/** A repository with a commit on `main` and one on the branch that is checked out, `work`. */
function repository() {
  const folder = temporaryFolder();
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false', ...words], {
      cwd: folder.path,
      encoding: 'utf8',
      env: {...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null'},
    });
  const write = (path: string, text: string | Uint8Array): void => writeFileSync(join(folder.path, path), text);
  git('init', '--quiet', '--initial-branch=main');
  write('a.ts', 'one\ntwo\nthree\n');
  write('.gitignore', '*.log\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  git('checkout', '--quiet', '-b', 'work');
  write('a.ts', 'one\n2\nthree\n');
  git('commit', '--quiet', '-am', 'two');
  const read = async (range: string, at = '') => {
    const changes = makeReviewSource({directory: folder.path, environment: process.env});
    const done = await changes.read({repository: at, range}, new AbortController().signal);
    return done.tag === 'ok'
      ? {
          title: done.value.title,
          files: done.value.files.map(({path, hunks, notes}) => [
            path,
            hunks.flatMap(({lines}) =>
              lines.filter(({kind}) => kind !== 'context').map(({kind, text}) => `${kind} ${text}`),
            ),
            notes,
          ]),
        }
      : faultText(done.error);
  };
  return {folder, git, write, read, [Symbol.dispose]: () => folder[Symbol.dispose]()};
}

test('the working tree, with files that git does not know yet; links and bytes are named and not read', async () => {
  using repo = repository();
  repo.write('a.ts', 'one\n2\n3\n');
  repo.write('new.ts', 'x\ny\n');
  repo.write('noise.log', 'x\n');
  repo.write('p.bin', Uint8Array.of(0, 1, 2));
  symlinkSync('/etc/hostname', join(repo.folder.path, 'link'));
  expect(await repo.read('')).toEqual({
    title: 'working tree',
    files: [
      ['a.ts', ['removed three', 'added 3'], []],
      ['link', [], ['a link, or too large to show']],
      ['new.ts', ['added x', 'added y'], []],
      ['p.bin', [], ['binary file']],
    ],
  });
});

test('what has been done since a branch, and what lies between two commits', {tags: 'long'}, async () => {
  using repo = repository();
  repo.write('a.ts', 'one\n2\n3\n');
  const since = ['a.ts', ['removed two', 'removed three', 'added 2', 'added 3'], []];
  expect(await repo.read('main')).toEqual({title: 'changes since main', files: [since]});
  expect(await repo.read('main..work')).toEqual({
    title: 'main..work',
    files: [['a.ts', ['removed two', 'added 2'], []]],
  });
  expect(await repo.read('work...main')).toEqual({title: 'work...main', files: []});
});

test(
  'a folder below the top has the same review; a name that is no commit, an option among them, is refused',
  {tags: 'long'},
  async () => {
    using repo = repository();
    mkdirSync(join(repo.folder.path, 'sub'));
    expect(await repo.read('main', 'sub')).toMatchObject({title: 'changes since main'});
    expect([await repo.read('nowhere'), await repo.read('--output=x'), await repo.read('main..gone')]).toEqual([
      'There is no branch or commit "nowhere" here.',
      'There is no branch or commit "--output=x" here.',
      'There is no branch or commit "gone" here.',
    ]);
    expect(existsSync(join(repo.folder.path, 'x'))).toBe(false);
  },
);

test('before the first commit everything is new; outside of a repository there is nothing', async () => {
  using folder = temporaryFolder();
  const changes = makeReviewSource({directory: folder.path, environment: process.env});
  const never = new AbortController().signal;
  const none = await changes.read({repository: '', range: ''}, never);
  expect(none.tag === 'failed' && faultText(none.error)).toBe(
    'This folder is not in a git repository, so there is nothing to review.',
  );
  execFileSync('git', ['init', '--quiet'], {cwd: folder.path});
  writeFileSync(join(folder.path, 'a.ts'), 'x\n');
  const first = await changes.read({repository: '', range: ''}, never);
  expect(first.tag === 'ok' && first.value.files.map(({path}) => path)).toEqual(['a.ts']);
});

// After `-c` a name would end at its first `=`.
test.each(['evil', 'ev=il'])(
  'programs that the settings of the repository name do not run: filter %s',
  async filter => {
    using repo = repository();
    const marker = join(repo.folder.path, 'ran.log');
    const program = `touch ${marker}; cat`;
    repo.git('config', `filter.${filter}.clean`, program);
    repo.git('config', `filter.${filter}.required`, 'true');
    repo.git('config', 'diff.evil.textconv', program);
    repo.git('config', 'diff.external', program);
    repo.git('config', 'core.fsmonitor', program);
    repo.write('.gitattributes', `*.ts filter=${filter} diff=evil\n`);
    repo.write('a.ts', 'one\n2\n3\n');
    expect(await repo.read('')).toMatchObject({
      files: [
        ['.gitattributes', expect.anything(), []],
        ['a.ts', ['removed three', 'added 3'], []],
      ],
    });
    expect(existsSync(marker)).toBe(false);
  },
);

test('a repository whose settings name a folder elsewhere as its files shows none of them', async () => {
  using repo = repository();
  using outside = temporaryFolder();
  writeFileSync(join(outside.path, 'a.ts'), 'a key\n');
  repo.git('config', 'core.worktree', outside.path);
  expect(await repo.read('')).toBe('This folder is not in a git repository, so there is nothing to review.');
});
