import {hash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, rmSync, utimesSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {objectPlace} from '../../../../src/workspace/checkpoints/object-store.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

/** Contents that are kept, trees left out. */
const keptContents = (here: ReturnType<typeof place>, ...contents: readonly string[]): readonly string[] =>
  contents.filter(content => existsSync(objectPlace(join(here.folder, 'objects'), hash('sha256', content, 'hex'))));

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
    expect(report.conflicts).toEqual([{path: join(here.work, 'a.txt'), reason: 'its content is not kept any more'}]);
    expect([here.read('a.txt'), here.read('b.txt')]).toEqual(['changed\n', 'b\n']);
  });
});
