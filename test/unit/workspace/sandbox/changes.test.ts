import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import type {Change} from '../../../../src/domain/change-set.ts';
import {finishInterruptedApplies} from '../../../../src/workspace/sandbox/changes/journal.ts';
import {keptSets, removeAppliedSet} from '../../../../src/workspace/sandbox/changes/stored-sets.ts';
import {openKept} from '../../../../src/workspace/sandbox/changes/open-changes.ts';
import {never} from '../temporary-folder.ts';
import {applyAll, type HeldPlace, heldPlace, needsOverlay, treeOf} from './overlay-view.ts';

beforeEach(needsOverlay);

const git = 'git init -q -b main; git add -A; git -c user.name=t -c user.email=t@example.com commit -qm first';

/** `created output dist/a` */
const words = (changes: readonly Change[]): readonly string[] =>
  changes.map(change => [change.kind, change.class === 'protected' ? change.why : change.class, change.path].join(' '));

describe('what a command has changed', () => {
  const files = {a: 'a', b: 'b', 'd/x': 'x', 'd/y': 'y', 'e/z': 'z', m: 'm'};
  test.each<[title: string, script: string, found: readonly string[]]>([
    ['nothing', ':', []],
    ['the same bytes written again, and a new time stamp', 'cp a t; cat t >a; rm t; touch b', []],
    ['what is made and removed', 'echo n >n; mkdir f; rm n; rmdir f', []],
    [
      'files',
      'echo n >n; echo m >>a; chmod 755 m; rm b',
      ['changed file a', 'deleted file b', 'mode file m', 'created file n'],
    ],
    ['bytes and mode', 'echo m >>a; chmod 755 a', ['changed file a']],
    ['a link in the place of a file', 'ln -sf b a; ln -s d l', ['link file a', 'link file l']],
    [
      'folders',
      'mkdir -p n/e n/f; echo 1 >n/f/g; chmod 700 e',
      ['mode file e', 'created file n/e', 'created file n/f/g'],
    ],
    ['a folder that goes', 'rm -r d', ['deleted file d/x', 'deleted file d/y']],
    [
      'a folder made anew',
      'rm -r d; mkdir d; echo n >d/n',
      ['created file d/n', 'deleted file d/x', 'deleted file d/y'],
    ],
    [
      'a file that becomes a folder',
      'rm a; mkdir a; echo b >a/b; rm b; mkdir b',
      ['deleted file a', 'created file a/b', 'changed file b'],
    ],
    ['a folder that becomes a file', 'rm -r d; echo d >d', ['created file d', 'deleted file d/x', 'deleted file d/y']],
    [
      'a rename',
      'mv a n; cp -r d f; rm -r d',
      [
        'deleted file a',
        'deleted file d/x',
        'deleted file d/y',
        'created file f/x',
        'created file f/y',
        'created file n',
      ],
    ],
  ])('%s', async (_title, script, found) => {
    using workspace = heldPlace(files);
    const before = workspace.tree();
    const held = await workspace.hold(script);
    expect(words(held.changes)).toEqual(found);
    expect(workspace.tree()).toEqual(before);
    workspace.sh(`cp -a . ../native; cd ../native; ${script}`);
    expect((await applyAll(held)).dropped).toEqual([]);
    expect(workspace.tree()).toEqual(treeOf(join(workspace.folder, '../native')));
  });
});

describe('what kind of file it is', () => {
  const files = {
    '.gitignore': 'dist/\nnode_modules/\n*.log\nkept.log\n.env\n*.key\n.gitignore\n',
    'kept.log': 'k',
    'src/a': 'a',
  };
  test.each<[title: string, script: string, found: readonly string[]]>([
    [
      'ignored files and folders',
      'mkdir -p dist/e; echo 1 >dist/a; echo 1 >src/x.log',
      ['output dist/a', 'output dist/e', 'output src/x.log'],
    ],
    ['what git follows though it is ignored', 'echo 1 >kept.log', ['file kept.log']],
    [
      'installed packages, and caches in them',
      'mkdir -p node_modules/p node_modules/.cache; echo 1 >node_modules/p/i.js; echo 1 >node_modules/.cache/c',
      ['output node_modules/.cache/c', 'file node_modules/p/i.js'],
    ],
    ['an ignore file of its own', "echo '*' >src/.gitignore; echo 1 >src/b", ['file src/.gitignore', 'file src/b']],
    [
      'names that git would take for something else',
      "mkdir dist; echo 1 >':x'; echo 1 >dist/:y; echo 1 >'*'",
      ['file *', 'file :x', 'output dist/:y'],
    ],
    [
      'protected names',
      'mkdir .vscode; echo 1 >.vscode/tasks.json; echo 1 >.envrc',
      ['name .envrc', 'name .vscode/tasks.json'],
    ],
    [
      'repositories',
      'git init -q sub; git init -q --bare dist/bare; find sub dist -type f -name "*.sample" -delete',
      [],
    ],
    ['devices', 'mkfifo dist', ['device dist']],
    [
      'files that run with the rights of others',
      'cp src/a s; chmod 4755 s; cp src/a g; chmod 2755 g',
      ['setuid g', 'setuid s'],
    ],
    [
      'links that stay inside',
      'ln -s ../src/a src/in; ln -s nothing l; ln -s src d; ln -s o/a/b/c o',
      ['file d', 'file l', 'file o', 'file src/in'],
    ],
    [
      'links that leave the workspace',
      'ln -s / a; ln -s ../x b; ln -s src/../../x c; ln -s b d; ln -s "$PWD/src" e',
      ['leads-out a', 'leads-out b', 'leads-out c', 'leads-out d', 'file e'],
    ],
    [
      'a link that goes up after a name, in whose place a link can be put',
      'mkdir -p dist/a/b; ln -s a/b/../../../x dist/l; ln -s "$PWD/dist/a/../.." m',
      ['output dist/a/b', 'leads-out dist/l', 'leads-out m'],
    ],
    [
      'ignore rules that are ignored where nothing else is',
      'mkdir dist; echo "*" | tee src/.gitignore >dist/.gitignore; echo "*" >local.log',
      ['output dist/.gitignore', 'output local.log', 'file src/.gitignore'],
    ],
    [
      'secrets, which are ignored but are no output',
      'mkdir dist; echo 1 | tee server.key src/.env >dist/tokens.json; cp server.key dist/.env; cp server.key dist/a.log',
      ['output dist/.env', 'output dist/a.log', 'output dist/tokens.json', 'file server.key', 'file src/.env'],
    ],
    [
      'a link through links',
      'mkdir -p p/q/r; ln -s p/q/r s; ln -s s/../../../x t',
      ['file p/q/r', 'file s', 'leads-out t'],
    ],
  ])('%s', async (title, script, found) => {
    using workspace = heldPlace(files);
    workspace.sh(git.replace('add -A', 'add -f kept.log src .gitignore'));
    const {changes} = await workspace.hold(script);
    const classes = words(changes).map(text => text.replace(/^\w+ /u, ''));
    if (title === 'repositories')
      expect(new Set(classes.map(text => text.split(' ')[0]))).toEqual(new Set(['repository']));
    else expect(classes).toEqual(found);
  });

  test('known folders of builds and caches count as ignored without a repository', async () => {
    using workspace = heldPlace({'dist/old': '1'});
    const script =
      'echo 1 >dist/a; mkdir __pycache__ vendor .venv src; for f in __pycache__ vendor .venv src; do echo 1 >$f/a; done';
    expect(words((await workspace.hold(script)).changes)).toEqual([
      'created file .venv/a',
      'created output __pycache__/a',
      'created output dist/a',
      'created file src/a',
      'created file vendor/a',
    ]);
  });
});

describe('applying', () => {
  test('what changed outside meanwhile stays as it is', async () => {
    using workspace = heldPlace({a: 'a', b: 'b', 'd/x': 'x'});
    const held = await workspace.hold(
      'echo n >a; echo n >b; echo n >n; rm -r d',
      'echo mine >a; echo mine >n; echo mine >d/y',
    );
    expect((await applyAll(held)).dropped.map(({change, why}) => `${why} ${change.path}`)).toEqual([
      'conflict a',
      'conflict d/y',
      'conflict n',
    ]);
    expect(workspace.tree()).toEqual({
      a: '644 mine\n',
      b: '644 n\n',
      d: '755 folder',
      'd/y': '644 mine\n',
      n: '644 mine\n',
    });
  });

  test('what somebody else deleted or moved meanwhile does not come back', async () => {
    using workspace = heldPlace({a: 'a', b: 'b', 'd/x': 'x', 'd/y': 'y', 'e/z': 'z'});
    workspace.sh(git);
    const held = await workspace.hold('echo n | tee a b d/x d/y e/z e/n >n', 'rm a; mv b mine; mv d f');
    expect((await applyAll(held)).dropped.map(({change, why}) => `${why} ${change.path}`)).toEqual([
      'conflict a',
      'conflict b',
      'conflict d/x',
      'conflict d/y',
    ]);
    const {a, b, 'd/x': x, 'e/z': z, n, mine} = workspace.tree();
    expect([a, b, x, z, n, mine]).toEqual([undefined, undefined, undefined, '644 n\n', '644 n\n', '644 b']);
  });

  test('all or nothing leaves everything as it is', async () => {
    using workspace = heldPlace({a: 'a', b: 'b', 'd/x': 'x'});
    const held = await workspace.hold('echo n >a; echo n >b; rm -r d; mkdir -p f/g; echo 1 >f/h; chmod 700 .');
    workspace.sh('echo mine >b');
    const before = workspace.tree();
    const paths = held.changes.map(({path}) => path);
    const {applied, dropped} = await held.apply(paths, 'all-or-nothing', never);
    expect([applied, dropped.map(({change}) => change.path)]).toEqual([[], ['b']]);
    expect(workspace.tree()).toEqual(before);
  });

  test('a file with links elsewhere is replaced, and its other name keeps the old bytes and mode', async () => {
    using workspace = heldPlace({a: 'a', b: 'b', 'd/a': 'x'});
    workspace.sh('mkdir ../other; ln a ../other/a; ln b ../other/b; ln d/a d/b');
    const held = await workspace.hold('echo n >>a; chmod 755 b; rm d/a; echo y >d/b');
    expect((await applyAll(held)).dropped).toEqual([]);
    expect(workspace.tree()).toEqual({a: '644 an\n', b: '755 b', d: '755 folder', 'd/b': '644 y\n'});
    expect(treeOf(join(workspace.folder, '../other'))).toEqual({a: '644 a', b: '644 b'});
  });

  describe('a link takes the place of a folder', () => {
    const files = {a: 'a', b: 'b', 'd/x': 'x', 'e/y': 'y', 'e/z/w': 'w'};
    const script = 'echo n >a; rm b; rm -r e; mkdir f; echo 1 >f/1; echo n >d/n; echo x >>d/x; chmod 700 d';
    const swap = 'mkdir ../out; mv d ../moved; ln -s ../out d';

    test('nothing is written through it', async () => {
      using workspace = heldPlace(files);
      const held = await workspace.hold(script);
      workspace.sh(swap);
      const {dropped} = await applyAll(held);
      expect(dropped.map(({change, why}) => `${why} ${change.path}`)).toEqual([
        'conflict d',
        'conflict d/n',
        'conflict d/x',
      ]);
      expect(workspace.tree()).toEqual({a: '644 n\n', d: '-> ../out', f: '755 folder', 'f/1': '644 1\n'});
      expect(['out', 'moved'].map(name => treeOf(join(workspace.folder, '..', name)))).toEqual([{}, {x: '644 x'}]);
    });

    test('all or nothing takes back what was applied before it was met', async () => {
      using workspace = heldPlace(files);
      const held = await workspace.hold(script);
      workspace.sh(swap);
      const before = workspace.tree();
      const paths = held.changes.map(({path}) => path).filter(path => path !== 'd/x' && path !== 'd');
      const {applied, dropped} = await held.apply(paths, 'all-or-nothing', never);
      expect([applied, dropped.map(({change}) => change.path)]).toEqual([[], ['d/n']]);
      expect(workspace.tree()).toEqual(before);
    });
  });

  test('names need not be UTF-8', async () => {
    using workspace = heldPlace({'d/x': 'x'});
    const held = await workspace.hold(
      `n=$(printf 'a\\377'); mkdir $n; echo 1 >$n/é; echo 2 >$n/$n; rm d/x; ln -s $n l`,
    );
    expect(words(held.changes)).toEqual([
      'created file a\\xff/a\\xff',
      'created file a\\xff/é',
      'deleted file d/x',
      'link file l',
    ]);
    expect((await applyAll(held)).dropped).toEqual([]);
    workspace.sh(`n=$(printf 'a\\377'); [ "$(cat $n/é l/$n | tr -d '\\n')" = 12 ]`);
  });

  test('files and folders without rights', async () => {
    using workspace = heldPlace({a: 'a', b: 'b', 'd/x': 'x', 'e/y': 'y'});
    workspace.sh('chmod 555 d e');
    const script =
      'chmod 0 a; echo n >n; chmod 0 n; mkdir f f/g; echo 1 >f/g/1; chmod 0 f/g/1; chmod 555 f/g; chmod 500 f; chmod u+w d; echo 2 >d/z; rm d/x; chmod u-w d';
    workspace.sh(`cp -a . ../native; cd ../native; ${script}`);
    const held = await workspace.hold(script);
    expect(words(held.changes)).toEqual([
      'mode file a',
      'deleted file d/x',
      'created file d/z',
      'created file f/g/1',
      'created file n',
    ]);
    expect((await applyAll(held)).dropped).toEqual([]);
    const [found, native] = [workspace.folder, join(workspace.folder, '../native')].map(folder =>
      execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P %m\\n'], {cwd: folder, encoding: 'utf8'})
        .split('\n')
        .toSorted(),
    );
    expect(found).toEqual(native);
  });

  test('time stamps stay, so that a second build finds nothing to do', async () => {
    using workspace = heldPlace({a: 'a', 'd/x': 'x'});
    const held = await workspace.hold(
      'touch -d 2001-02-03 a; echo n >>d/x; touch -d 2001-02-04 d/x; mkdir -p o/p; echo 1 >o/p/1; touch -d 2001-02-05 o/p/1 o/p o',
    );
    await applyAll(held);
    const days = ['d/x', 'o', 'o/p', 'o/p/1'].map(path => statSync(join(workspace.folder, path)).mtime.getDate());
    expect(days).toEqual([4, 5, 5, 5]);
  });

  test('what is not wanted is left out, with the folders that only it needs', async () => {
    using workspace = heldPlace({a: 'a', 'd/x': 'x', 'd/y': 'y'});
    const held = await workspace.hold('echo n >a; rm -r d; mkdir -p f g; echo 1 >f/1; echo 1 >g/1');
    const {applied, dropped} = await held.apply(['d/x', 'g/1', 'unknown'], 'each', never);
    expect([words(applied), dropped]).toEqual([['deleted file d/x', 'created file g/1'], []]);
    expect(workspace.tree()).toEqual({a: '644 a', d: '755 folder', 'd/y': '644 y', g: '755 folder', 'g/1': '644 1\n'});
    expect(words((await held.apply(['d/y', 'd/x'], 'each', never)).applied)).toEqual(['deleted file d/y']);
    expect(Object.keys(workspace.tree())).toEqual(['a', 'g', 'g/1']);
  });
});

test('changes are shown line by line as far as they can be', async () => {
  using workspace = heldPlace({a: 'one\n', b: 'b', m: 'm'});
  const held = await workspace.hold(
    "echo two >>a; rm b; printf 'a\\0b' >binary; head -c 2000000 /dev/zero | tr '\\0' x >large; ln -s a l; chmod 755 m; mkdir e",
  );
  const diffs = await held.diffs(
    held.changes.map(({path}) => path),
    never,
  );
  expect(diffs.map(({path, added, removed, hunks, notes}) => [path, added, removed, hunks.length, ...notes])).toEqual([
    ['a', 1, 0, 1],
    ['b', 0, 1, 1],
    ['binary', 0, 0, 0, 'it is not text'],
    ['e', 0, 0, 0, 'it is an empty folder'],
    ['l', 1, 0, 1, 'it is a symbolic link'],
    ['large', 0, 0, 0, 'it is too large to show'],
    ['m', 0, 0, 0, 'its permissions changed from 644 to 755'],
  ]);
});

describe('changes that are kept', () => {
  const script = 'echo n >a; rm b; mkdir -p f/g; ln -s a l; chmod 755 d/x; rm -r e; echo 1 >e';
  const files = {a: 'a', b: 'b', 'd/x': 'x', 'e/y': 'y'};

  test('are applied later as they were, and are gone then', async () => {
    using workspace = heldPlace(files);
    const {folder} = workspace.settings;
    const id = await (await workspace.hold(script)).keep(never);
    if (id.tag === 'failed') throw new Error(id.error);
    const kept = openKept(id.value, folder);
    if (kept.tag === 'failed') throw new Error(kept.error);
    const {held, roots} = kept.value;
    expect(roots).toEqual(workspace.settings.roots);
    workspace.sh(`cp -a . ../native; cd ../native; ${script}`);
    const paths = held.changes.map(({path}) => path);
    expect((await held.apply(paths, 'all-or-nothing', never)).dropped).toEqual([]);
    expect(workspace.tree()).toEqual(treeOf(join(workspace.folder, '../native')));
    await removeAppliedSet(id.value, folder);
    expect(keptSets(folder)).toEqual([]);
    expect(openKept(id.value, folder)).toEqual({
      tag: 'failed',
      error: `the changes ${id.value} were already applied`,
    });
    expect(openKept('../kept', folder)).toMatchObject({
      tag: 'failed',
      error: expect.stringContaining('there are no kept changes with the ID ../kept'),
    });
  });

  test('are not applied if a file changed since', async () => {
    using workspace = heldPlace(files);
    const id = await (await workspace.hold(script)).keep(never);
    workspace.sh('echo mine >b');
    const before = workspace.tree();
    const kept = id.tag === 'ok' ? openKept(id.value, workspace.settings.folder) : id;
    if (kept.tag === 'failed') throw new Error(kept.error);
    const {held} = kept.value;
    const paths = held.changes.map(({path}) => path);
    const {applied, dropped} = await held.apply(paths, 'all-or-nothing', never);
    expect([applied, dropped.map(({change, why}) => [change.path, why])]).toEqual([[], [['b', 'conflict']]]);
    expect(workspace.tree()).toEqual(before);
  });
});

/** Kills its process (SIGKILL) right before the n-th change of the disk. */
const killingSource = `
import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';

const [, count, view, place, module] = process.argv;
let left = Number(count);
const changing =
  'renameSync linkSync unlinkSync rmdirSync mkdirSync symlinkSync chmodSync fchmodSync writeSync writeFileSync utimesSync rmSync';
for (const name of changing.split(' ')) {
  const original = fs[name];
  fs[name] = (...args) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return original(...args);
  };
}
syncBuiltinESMExports();
`;

/** Applies the changes of a view until it is killed. */
const applyUntilSource = `${killingSource}
const {openHeldChanges} = await import(module);
const reviver = (_key, value) =>
  typeof value === 'string' && /^\\d+n$/u.test(value) ? BigInt(value.slice(0, -1)) : value;
const {signal} = new AbortController();
const held = await openHeldChanges(
  JSON.parse(view, reviver),
  {...JSON.parse(place), isProtected: () => false, isSecret: () => false, environment: process.env},
  signal,
);
if (held.tag === 'failed') throw new Error(held.error);
const {dropped} = await held.value.apply(
  held.value.changes.map(({path}) => path),
  'each',
  signal,
);
process.stdout.write(JSON.stringify(dropped));
`;

/** Completes what was interrupted until it is killed, too. */
const finishUntilSource = `${killingSource}
const {finishInterruptedApplies} = await import(module);
await finishInterruptedApplies(JSON.parse(place), new AbortController().signal);
`;

const moduleOf = (name: string): string => join(import.meta.dirname, '../../../../src/workspace/sandbox/changes', name);

describe('kill -9 while changes are applied', () => {
  const files = {a: 'a', b: 'b', 'd/x': 'x', 'd/y': 'y', 'e/z': 'z', g: 'g'};
  const script =
    'echo n >a; chmod 755 b; rm -r d; mkdir d; echo n >d/n; mkdir -p f/g f/h; echo 1 >f/g/1; ln -s a l; rm g; mkdir g; echo 2 >g/2; chmod 700 e';
  /** Returns whether it was killed. */
  const applyUntil = (count: number, workspace: HeldPlace): boolean => {
    const view = JSON.stringify(workspace.view(script), (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    const {signal, stderr} = spawnSync(process.execPath, [
      '--input-type=module',
      '--eval',
      applyUntilSource,
      String(count),
      view,
      JSON.stringify(workspace.settings),
      moduleOf('open-changes.ts'),
    ]);
    if (signal === null && stderr.length > 0) throw new Error(stderr.toString());
    return signal !== null;
  };

  test('leaves each file old or new, and the next start completes it', {tags: 'long'}, async () => {
    let moments = 0;
    for (let count = 1; ; count += 1) {
      using workspace = heldPlace(files);
      const before = workspace.tree();
      workspace.sh(`cp -a . ../native; cd ../native; ${script}`);
      const after = treeOf(join(workspace.folder, '../native'));
      const isKilled = applyUntil(count, workspace);
      const between = workspace.tree();
      for (const [path, state] of Object.entries(between)) {
        if (path.includes('.weft-') || state.endsWith(' folder')) continue;
        expect([before[path], after[path]], `${path} at moment ${count}`).toContain(state);
      }
      await finishInterruptedApplies(workspace.settings, never);
      const now = workspace.tree();
      if (isKilled && JSON.stringify(now) === JSON.stringify(before)) moments += 1;
      else expect(now, `moment ${count}`).toEqual(after);
      const journals = join(workspace.settings.folder, 'applying');
      expect(existsSync(journals) ? readdirSync(journals) : []).toEqual([]);
      if (!isKilled) break;
      expect(count).toBeLessThan(200);
    }
    // Only before the journal was complete nothing is applied.
    expect(moments).toBeLessThan(6);
  });

  test('a second time leaves nothing in the workspace', {tags: 'long'}, async () => {
    for (let count = 1; ; count += 2) {
      using workspace = heldPlace(files);
      const before = workspace.tree();
      workspace.sh(`cp -a . ../native; cd ../native; ${script}`);
      const after = treeOf(join(workspace.folder, '../native'));
      if (!applyUntil(count, workspace)) break;
      const settings = JSON.stringify(workspace.settings);
      const args = ['--input-type=module', '--eval', finishUntilSource, '5', '', settings, moduleOf('journal.ts')];
      spawnSync(process.execPath, args);
      await finishInterruptedApplies(workspace.settings, never);
      expect([before, after], `moment ${count}`).toContainEqual(workspace.tree());
    }
  });
});
