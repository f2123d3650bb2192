import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openObjects, type ObjectStore} from '../../../../src/workspace/checkpoints/object-store.ts';
import {emptyTable, fileIn, type FolderTable} from '../../../../src/workspace/checkpoints/folder-table.ts';
import {findLeftOut, type ScanContext, scanWorkspace} from '../../../../src/workspace/checkpoints/scan-workspace.ts';
import {encodeRoot, makeTreeReader} from '../../../../src/workspace/checkpoints/tree.ts';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {place, revert} from './checkpoint-place.ts';

const {signal} = new AbortController();
const mega = 1024 * 1024;
const now = Date.now;

type Place = ReturnType<typeof place>;

/** A file of that size that takes no space. */
function sparse(here: Place, path: string, size: number): void {
  here.put(path, '');
  truncateSync(join(here.work, path), size);
}

const scanPlace = (
  here: Place,
  more: Partial<Omit<ScanContext, 'objects'>> = {},
): ScanContext & {readonly objects: ObjectStore} => {
  const environment = {PATH: process.env['PATH'], HOME: join(here.work, '../home')};
  const objects = openObjects(here.folder, environment);
  return {roots: [here.work], excluded: new Set(), environment, objects, ...more};
};

/** The paths below the workspace that a scan keeps, and those that it leaves out. */
async function scanned(here: Place, where = scanPlace(here), table: FolderTable = emptyTable) {
  const {tree, leftOut, table: next} = await scanWorkspace(where, {table, changed: 'unknown', now}, signal);
  const nothing = where.objects.put(encodeRoot({folders: new Map(), leftOut: []}));
  const short = (path: string): string => path.slice(here.work.length + 1);
  const nodes = makeTreeReader(where.objects)
    .differences([nothing], [tree])
    .map(({path, to}) => ({path: short(path), node: to}));
  const kept = nodes.filter(({path}) => path !== '').map(({path}) => path);
  return {kept, leftOut: leftOut.map(short), nodes, tree, table: next};
}

/** What a scan would leave out of these paths; it reads no content. */
const leftOut = async (here: Place, ...paths: readonly string[]): Promise<readonly string[]> => {
  const found = await findLeftOut(
    scanPlace(here),
    {only: paths.map(path => join(here.work, path)), table: emptyTable},
    signal,
  );
  return found.map(path => path.slice(here.work.length + 1));
};

describe('what is too large', () => {
  test('files to the byte, more of those that are ignored', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('.gitignore', '*.log\nout/\n');
    sparse(here, 'fits', 256 * mega);
    sparse(here, 'large', 256 * mega + 1);
    sparse(here, 'fits.log', mega);
    sparse(here, 'large.log', mega + 1);
    sparse(here, 'out/large', mega + 1);
    sparse(here, 'out/fits', 1);
    sparse(here, 'node_modules/not-ignored', mega + 1);
    expect(await leftOut(here, '')).toEqual(['large', 'large.log', 'out/large']);
    expect(await leftOut(here, 'out')).toEqual(['out/large']);
    expect(await leftOut(here, 'out/fits', 'fits')).toEqual([]);
  });

  test('all ignored files together', async () => {
    using here = place();
    for (let at = 10; at < 74; at += 1) sparse(here, `node_modules/f${String(at)}`, mega);
    expect(await leftOut(here, '')).toEqual([]);
    sparse(here, 'node_modules/last', 1);
    sparse(here, 'own', mega);
    expect(await leftOut(here, '')).toEqual(['node_modules/last']);
  });

  test('a folder that tools fill, outside of repositories; one of another name is kept', {tags: 'long'}, async () => {
    using here = place();
    here.put('own/f0', '');
    for (let at = 1; at <= 2000; at += 1) symlinkSync('f0', join(here.work, `own/f${String(at)}`));
    expect(await leftOut(here, '')).toEqual([]);
    renameSync(join(here.work, 'own'), join(here.work, '.venv'));
    expect(await leftOut(here, '')).toEqual(['.venv']);
    rmSync(join(here.work, '.venv/f0'));
    expect(await leftOut(here, '')).toEqual([]);
  });

  test.each(['without git', 'in a repository'])('the largest files of too much content, %s', async where => {
    using here = place();
    const environment = {PATH: process.env['PATH'], HOME: join(here.work, '../home')};
    const said: string[] = [];
    const open = () =>
      makeCheckpoints({roots: [here.work], folder: here.folder, environment, now, maxNewBytes: 45_000});
    const look = async (checkpoints = open()) => {
      const taken = await checkpoints.take(signal, 'any', text => said.push(text));
      if (taken.tag === 'failed' || taken.value === 'off') throw new Error('not taken');
      return taken.value;
    };
    if (where === 'in a repository') here.git('init', '-q');
    const sizes = {large: 30_000, larger: 35_000, middle: 20_000, small: 10_000};
    for (const [name, size] of Object.entries(sizes)) here.put(name, name.slice(0, 1).repeat(size));
    const before = await look();
    const text =
      "Undo leaves out files over 20.0 kB, because git doesn't hold them and all files together are too large: larger (35.0 kB), large (30.0 kB)";
    expect(said.splice(0)).toEqual([text]);
    // The next process knows the limit from the saved table, and copies no more.
    expect(await look()).toBe(before);
    expect(said.splice(0)).toEqual([text]);
    for (const name of Object.keys(sizes)) here.put(name, 'changed');
    const checkpoints = open();
    const {report} = await revert(checkpoints, {before, after: 'now'});
    expect(report.files.map(({path}) => path.slice(here.work.length + 1))).toEqual(['middle', 'small']);
    expect([here.read('middle').length, here.read('small').length, here.read('large')]).toEqual([
      20_000,
      10_000,
      'changed',
    ]);
    expect(
      readdirSync(join(here.folder, 'objects'), {recursive: true, withFileTypes: true}).every(
        entry => entry.isDirectory() || statSync(join(entry.parentPath, entry.name)).size < 50_000,
      ),
    ).toBe(true);
  });

  test('a question names a file that too much content leaves out', async () => {
    using here = place();
    here.put('large', 'l'.repeat(2000));
    here.put('small', 's');
    const only = ['large', 'small'].map(name => join(here.work, name));
    const table = {...emptyTable, maxFileBytes: 1000};
    expect(await findLeftOut(scanPlace(here), {only, table}, signal)).toEqual([join(here.work, 'large')]);
  });
});

test('what is no file of the workspace is neither kept nor named as left out', async () => {
  using here = place();
  here.put('a', 'a');
  for (const folder of ['.git', '.hg', '.svn', '.jj']) here.put(`sub/${folder}/config`, '');
  here.put('.weft-1-0123456789ab.tmp', 'half');
  here.put('never/inside', '');
  execFileSync('mkfifo', [join(here.work, 'pipe')]);
  symlinkSync('nowhere', join(here.work, 'link'));
  const where = scanPlace(here, {excluded: new Set([join(here.work, 'never')])});
  expect(await scanned(here, where)).toMatchObject({kept: ['a', 'link', 'sub'], leftOut: []});
});

test('a name that is not UTF-8 is left out', async () => {
  using here = place();
  here.put('a', '');
  writeFileSync(Buffer.concat([Buffer.from(`${here.work}/b`), Buffer.from([0xff])]), '');
  expect(await scanned(here)).toMatchObject({kept: ['a'], leftOut: ['b\uFFFD']});
});

test('a workspace folder that is not there, or a file now, counts as empty', async () => {
  using here = place();
  here.put('a', '');
  here.put('file', '');
  const roots = ['a-folder', 'file', 'missing'].map(name => join(here.work, name));
  here.put('a-folder/inside', '');
  const done = await scanned(here, scanPlace(here, {roots}));
  expect(done.nodes.map(({path}) => path)).toEqual(['a-folder', 'a-folder/inside']);
});

describe('a repository in an ignored folder', () => {
  test('is ignored with it; one beside it has rules of its own', async () => {
    using here = place();
    here.git('init', '-q');
    here.put('.gitignore', 'out/\n');
    for (const folder of ['out', 'nested']) {
      mkdirSync(join(here.work, folder));
      execFileSync('git', ['init', '-q'], {cwd: join(here.work, folder)});
      here.put(`${folder}/.gitignore`, '*.log\n');
      sparse(here, `${folder}/large.log`, mega + 1);
      sparse(here, `${folder}/large`, mega + 1);
    }
    expect(await leftOut(here, '')).toEqual(['nested/large.log', 'out/large', 'out/large.log']);
  });
});

/** A place whose files cannot be read. */
const placeOf = (here: Place, code: string): ReturnType<typeof scanPlace> => {
  const where = scanPlace(here);
  const putFile = (): string => {
    throw Object.assign(new Error('refused'), {code});
  };
  return {...where, objects: {...where.objects, putFile}};
};

describe('a file that cannot be read', () => {
  test.each(['EACCES', 'EPERM', 'EIO', 'EBUSY'])('%s: is left out', async code => {
    using here = place();
    here.put('a', 'a');
    expect(await scanned(here, placeOf(here, code))).toMatchObject({kept: [], leftOut: ['a']});
  });

  test.each(['ENOENT', 'ENOTDIR', 'ELOOP'])('%s: it is gone', async code => {
    using here = place();
    here.put('a', 'a');
    expect(await scanned(here, placeOf(here, code))).toMatchObject({kept: [], leftOut: []});
  });

  test('for another reason: the checkpoint fails', async () => {
    using here = place();
    here.put('a', 'a');
    await expect(scanned(here, placeOf(here, 'ENOSPC'))).rejects.toThrow('refused');
  });

  test('but looks as in the last checkpoint: has the content of then', async () => {
    using here = place();
    here.put('a', 'a');
    here.put('changed', 'b');
    const first = await scanned(here);
    chmodSync(join(here.work, 'a'), 0o200);
    here.put('changed', 'longer');
    const {nodes, leftOut: out} = await scanned(here, placeOf(here, 'EACCES'), first.table);
    const hash = fileIn(first.table, join(here.work, 'a'))?.hash;
    expect(nodes.find(({path}) => path === 'a')?.node).toEqual({kind: 'file', mode: 0o200, hash});
    expect(out).toEqual(['changed']);
  });
});

test('a scan that is aborted fails, and a look for what is left out answers what it has', async () => {
  using here = place();
  sparse(here, 'large', 256 * mega + 1);
  const known = {table: emptyTable, changed: 'unknown', now} as const;
  const aborted = AbortSignal.abort(new Error('stopped'));
  await expect(scanWorkspace(scanPlace(here), known, aborted)).rejects.toThrow('stopped');
  const only = [join(here.work, 'large')];
  expect(await findLeftOut(scanPlace(here), {only, table: emptyTable}, aborted)).toEqual([]);
});

test(
  'what has come, gone or changed since the last scan makes another tree, and nothing else does',
  {tags: 'long'},
  async () => {
    using here = place();
    here.put('d/a', 'a');
    here.put('d/b', 'b');
    const where = scanPlace(here);
    const first = await scanned(here, where);
    expect((await scanned(here, where, first.table)).tree).toBe(first.tree);
    rmSync(join(here.work, 'd/b'));
    const second = await scanned(here, where, first.table);
    expect(second.kept).toEqual(['d', 'd/a']);
    here.put('d/a', 'changed');
    const third = await scanned(here, where, second.table);
    expect(third.tree).not.toBe(second.tree);
    chmodSync(join(here.work, 'd/a'), 0o600);
    const fourth = await scanned(here, where, third.table);
    expect(fourth.tree).not.toBe(third.tree);
    chmodSync(join(here.work, 'd'), 0o700);
    expect((await scanned(here, where, fourth.table)).tree).not.toBe(fourth.tree);
  },
);
