import {hash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {needs} from '../../../support/programs.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

/** Contents that are kept, trees left out. */
const keptContents = (here: ReturnType<typeof place>, ...contents: readonly string[]): readonly string[] =>
  contents.filter(
    content => openObjects(join(here.folder, 'objects'), {}).get(hash('sha256', content, 'hex')) !== undefined,
  );

type Prepare = (here: ReturnType<typeof place>) => void;
const attributes =
  (text: string): Prepare =>
  here =>
    here.put('.gitattributes', text);
const nothing: Prepare = () => {};

describe('what git holds unchanged is not stored again, and comes back to the byte', () => {
  test.each<[name: string, before: Prepare, after: Prepare, stored: readonly string[]]>([
    ['a repository', nothing, nothing, []],
    ['an index of version 4', nothing, here => here.git('update-index', '--index-version', '4'), []],
    ['attributes that convert some', attributes('* text=auto\n'), nothing, ['crlf\r\n']],
    ['attributes that convert nothing', attributes('*.txt diff=text-like -merge\n'), nothing, []],
    ['line ends that git converts', attributes('*.txt text eol=crlf\n'), nothing, ['crlf\r\n']],
    ['a setting that converts line ends', here => here.git('config', 'core.autocrlf', 'input'), nothing, ['crlf\r\n']],
    ['a setting that came later', nothing, here => here.git('config', 'core.autocrlf', 'true'), []],
    [
      'a filter',
      here => {
        attributes('plain.txt filter=upper\n')(here);
        here.git('config', 'filter.upper.clean', 'tr a-z A-Z');
        here.git('config', 'filter.upper.smudge', 'tr A-Z a-z');
      },
      nothing,
      ['plain\n'],
    ],
    [
      'attributes that are gone',
      attributes('*.txt text eol=crlf\n'),
      ({work}) => rmSync(join(work, '.gitattributes')),
      ['crlf\r\n'],
    ],
    [
      'files that git was told not to look at',
      nothing,
      here => {
        here.git('update-index', '--assume-unchanged', 'plain.txt');
        here.put('plain.txt', 'other\n');
      },
      ['other\n'],
    ],
    [
      'a split index',
      nothing,
      here => here.git('update-index', '--split-index'),
      ['plain\n', 'crlf\r\n', 'run\n', 'own\n'],
    ],
    ['a file touched since', nothing, ({work}) => utimesSync(join(work, 'plain.txt'), new Date(), new Date()), []],
    ['a file changed since, of the same length', nothing, here => here.put('plain.txt', 'PLAIN\n'), ['PLAIN\n']],
    [
      'another branch',
      nothing,
      here => {
        here.git('checkout', '-qb', 'other');
        here.git('commit', '-qm', 'x', '--allow-empty');
      },
      [],
    ],
  ])('%s', async (_, before, after, stored) => {
    using here = place();
    here.git('init', '-q');
    before(here);
    here.put('plain.txt', 'plain\n');
    here.put('crlf.txt', 'crlf\r\n');
    here.put('src/run.sh', 'run\n', 0o755);
    here.put('src/own.txt', 'own\n', 0o600);
    here.put('src/deep/binary', new Uint8Array([0, 255, 13, 10, 0]));
    const old = new Date(Date.now() - 60_000);
    for (const path of ['plain.txt', 'crlf.txt', 'src/run.sh', 'src/own.txt'])
      utimesSync(join(here.work, path), old, old);
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    after(here);
    const first = everything(here.work);

    const tree = await take(here.open());
    expect(keptContents(here, 'plain\n', 'crlf\r\n', 'run\n', 'own\n', 'other\n', 'PLAIN\n')).toEqual(stored);
    // Another process: what git's index says may be other things by then.
    rmSync(join(here.work, 'src'), {recursive: true});
    here.put('plain.txt', 'by the agent\n', 0o755);
    rmSync(join(here.work, 'crlf.txt'));
    here.git('add', '-A');
    here.git('commit', '-qm', 'by the agent');
    const checkpoints = here.open();
    const change = {before: tree, after: await take(checkpoints)};
    const reverted = await revert(checkpoints, change);
    expect(reverted.report.conflicts).toEqual([]);
    expect(everything(here.work)).toEqual(first);
    await revert(here.open(), reverted.change);
    expect(Object.keys(everything(here.work)).filter(path => !path.startsWith('.git'))).toEqual(['plain.txt']);
  });

  test('a workspace that is a folder of a repository, and a worktree', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('above/work/a.txt', 'in a folder\n');
    utimesSync(join(here.work, 'above/work/a.txt'), 1, 1);
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    const tree = join(here.folder, '..', 'tree');
    here.git('worktree', 'add', '-q', tree);
    for (const root of [join(here.work, 'above/work'), tree]) {
      const file = readdirSync(root, {recursive: true, encoding: 'utf8'}).find(path => path.endsWith('a.txt')) ?? '';
      utimesSync(join(root, file), 1, 1);
      const environment = {PATH: process.env['PATH'], HOME: here.work};
      const checkpoints = makeCheckpoints({roots: [root], folder: here.folder, environment, now: () => Date.now()});
      const before = await take(checkpoints);
      expect(keptContents(here, 'in a folder\n')).toEqual([]);
      rmSync(join(root, file));
      await revert(checkpoints, {before, after: 'now'});
      expect(readFileSync(join(root, file), 'utf8')).toBe('in a folder\n');
      rmSync(join(here.folder, 'objects'), {recursive: true, force: true});
    }
  });

  test('what git does not hold any more is named and left as it is', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('a.txt', 'a\n');
    here.put('b.txt', 'b\n');
    for (const path of ['a.txt', 'b.txt']) utimesSync(join(here.work, path), 1, 1);
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    const checkpoints = here.open();
    const before = await take(checkpoints);
    here.put('a.txt', 'changed\n');
    rmSync(join(here.work, '.git'), {recursive: true});
    const {report} = await revert(checkpoints, {before, after: 'now'});
    expect(report.conflicts).toEqual([{path: join(here.work, 'a.txt'), reason: 'its saved content is gone'}]);
    expect([here.read('a.txt'), here.read('b.txt')]).toEqual(['changed\n', 'b\n']);
  });

  test('variables that name another repository, and objects that are to be read in the place of others', async () => {
    using here = place();
    const other = join(here.folder, '..', 'other');
    here.git('init', '-q', other);
    here.git('init', '-q');
    here.put('a.txt', 'a\n');
    utimesSync(join(here.work, 'a.txt'), 1, 1);
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    here.put('b.txt', 'b\n');
    const blob = (name: string): string => here.git('hash-object', '-w', name).trim();
    here.git('replace', blob('a.txt'), blob('b.txt'));
    const git = {GIT_DIR: join(other, '.git'), GIT_INDEX_FILE: join(other, '.git/index'), GIT_WORK_TREE: other};
    const checkpoints = here.open({...git, GIT_OBJECT_DIRECTORY: join(other, '.git/objects'), GIT_TRACE: '1'});
    const before = await take(checkpoints);
    expect(keptContents(here, 'a\n', 'b\n')).toEqual(['b\n']);
    here.put('a.txt', 'changed\n');
    await revert(checkpoints, {before, after: 'now'});
    expect(here.read('a.txt')).toBe('a\n');
  });

  test('nothing of the repository runs', async () => {
    using here = place();
    const ran = join(here.folder, '..', 'ran');
    here.git('init', '-q');
    here.put('a.txt', 'a\n');
    here.put('evil', `#!/bin/sh\ntouch ${ran}\ncat\n`, 0o755);
    utimesSync(join(here.work, 'a.txt'), 1, 1);
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    const evil = join(here.work, 'evil');
    for (const name of [
      'core.fsmonitor',
      'filter.x.clean',
      'filter.x.smudge',
      'core.pager',
      'diff.external',
      'core.sshCommand',
    ])
      here.git('config', name, evil);
    here.git('config', 'core.hooksPath', here.work);
    here.put('post-index-change', `#!/bin/sh\ntouch ${ran}\n`, 0o755);
    here.put('.gitattributes', '*.txt filter=x\n');
    here.put('bin/git', `#!/bin/sh\ntouch ${ran}\n`, 0o755);
    const checkpoints = here.open({PATH: `${join(here.work, 'bin')}:${process.env['PATH'] ?? ''}`});
    const before = await take(checkpoints);
    here.put('a.txt', 'b\n');
    await revert(checkpoints, {before, after: 'now'});
    expect([here.read('a.txt'), existsSync(ran)]).toEqual(['a\n', false]);
  });

  test('sparse checkouts, with and without folders in the index', async () => {
    using here = place();
    here.git('init', '-q');
    for (const path of ['in/a.txt', 'in/deep/b.txt', 'out/c.txt', 'top.txt']) {
      here.put(path, `${path}\n`);
      utimesSync(join(here.work, path), 1, 1);
    }
    here.git('add', '.');
    here.git('commit', '-qm', 'all');
    for (const kind of ['--no-sparse-index', '--sparse-index']) {
      here.git('sparse-checkout', 'set', '--cone', kind, 'in');
      const first = everything(here.work);
      expect(Object.keys(first)).not.toContain('out');
      const checkpoints = here.open();
      const before = await take(checkpoints);
      here.git('sparse-checkout', 'disable');
      here.put('in/a.txt', 'changed\n');
      here.put('out/c.txt', 'changed\n');
      const all = everything(here.work);
      const {change, report} = await revert(checkpoints, {before, after: 'now'});
      expect([report.conflicts, everything(here.work)]).toEqual([[], first]);
      await revert(here.open(), change);
      expect(everything(here.work)).toEqual(all);
      here.git('checkout', '-q', '--', '.');
    }
  });

  test('submodules: their files come back, what is theirs in git stays', async context => {
    // `git submodule` is a shell script.
    needs('sed')(context);
    using here = place();
    const source = join(here.folder, '..', 'source');
    here.git('init', '-q', source);
    writeFileSync(join(source, 'lib.txt'), 'lib\n');
    here.git('-C', source, 'add', '.');
    here.git('-C', source, 'commit', '-qm', 'lib');
    here.git('init', '-q');
    here.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'dep');
    here.git('commit', '-qm', 'all');
    utimesSync(join(here.work, 'dep/lib.txt'), 1, 1);
    here.git('-C', 'dep', 'update-index', '-q', '--refresh');
    const first = everything(here.work);
    const checkpoints = here.open();
    const before = await take(checkpoints);
    expect(keptContents(here, 'lib\n')).toEqual([]);
    here.put('dep/lib.txt', 'changed\n');
    here.put('dep/new.txt', 'new\n');
    rmSync(join(here.work, '.gitmodules'));
    const changed = everything(here.work);
    const {change, report} = await revert(checkpoints, {before, after: 'now'});
    expect([report.conflicts, everything(here.work)]).toEqual([[], first]);
    await revert(here.open(), change);
    expect(everything(here.work)).toEqual(changed);
  });
});
