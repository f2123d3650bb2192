import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {limitOutputs, makeOutputFolder} from '../../../../src/workspace/exec/output-folder.ts';
import {temporaryFolder} from '../temporary-folder.ts';

const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('nothing is made before the first file; then a private folder of an unforeseeable name, for each process its own', () => {
  using space = temporaryFolder();
  const parent = join(space.path, 'a', 'outputs');
  const outputs = makeOutputFolder({parent});
  expect({folders: outputs.folders(), parent: existsSync(parent)}).toEqual({folders: [], parent: false});
  const files = [outputs.newFile(), outputs.newFile()];
  const folder = dirname(files[0] ?? '');
  expect(files).toEqual([join(folder, 'command-1.txt'), join(folder, 'command-2.txt')]);
  expect(outputs.folders()).toEqual([parent]);
  expect(basename(folder)).toMatch(/^run-\w{6}$/u);
  expect([dirname(folder), modeOf(parent), modeOf(folder)]).toEqual([parent, 0o700, 0o700]);
  writeFileSync(files[0] ?? '', 'x');
  const other = makeOutputFolder({parent});
  const othersFile = other.newFile();
  expect(readdirSync(parent).toSorted()).toEqual([folder, dirname(othersFile)].map(path => basename(path)).toSorted());
});

test('the folder is named without links, and made anew when it was tidied away', () => {
  using space = temporaryFolder();
  mkdirSync(join(space.path, 'real'));
  symlinkSync('real', join(space.path, 'link'));
  const outputs = makeOutputFolder({parent: join(space.path, 'link', 'outputs')});
  const first = outputs.newFile();
  expect(dirname(dirname(first))).toBe(join(space.path, 'real', 'outputs'));
  rmSync(dirname(first), {recursive: true});
  const second = outputs.newFile();
  expect(existsSync(dirname(second))).toBe(true);
  expect(outputs.folders()).toEqual([join(space.path, 'real', 'outputs')]);
});

test('a parent that others may enter is closed to them; one that is no folder, or a link, is refused', () => {
  using space = temporaryFolder();
  const open = join(space.path, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  makeOutputFolder({parent: open}).newFile();
  expect(modeOf(open)).toBe(0o700);
  const link = join(space.path, 'link');
  symlinkSync(open, link);
  expect(() => makeOutputFolder({parent: link}).newFile()).toThrow(`${link} is not a folder`);
  writeFileSync(join(space.path, 'file'), '');
  expect(() => makeOutputFolder({parent: join(space.path, 'file')}).newFile()).toThrow('EEXIST');
});

test('a parent of another user is refused', () => {
  using space = temporaryFolder();
  let foreign = '/';
  if (process.getuid?.() === 0) {
    foreign = join(space.path, 'foreign');
    mkdirSync(foreign);
    chownSync(foreign, 12_345, 12_345);
  }
  expect(() => makeOutputFolder({parent: foreign}).newFile()).toThrow(`${foreign} belongs to another user`);
});

test('what was left behind more than seven days ago is deleted with the first file', () => {
  using space = temporaryFolder();
  for (const [name, days] of [
    ['run-old', 8],
    ['run-new', 6],
  ] as const) {
    mkdirSync(join(space.path, name));
    writeFileSync(join(space.path, name, 'command-1.txt'), 'x');
    utimesSync(join(space.path, name), daysAgo(days), daysAgo(days));
  }
  const outputs = makeOutputFolder({parent: space.path});
  expect(readdirSync(space.path)).toEqual(['run-new', 'run-old']);
  const own = basename(dirname(outputs.newFile()));
  expect(readdirSync(space.path).toSorted()).toEqual([own, 'run-new'].toSorted());
});

test('the oldest files beyond 1 GiB are deleted, except those of the last day', () => {
  using space = temporaryFolder();
  const made = (name: string, days: number, mebibytes: number): void => {
    const path = join(space.path, 'run-1', name);
    writeFileSync(path, '');
    truncateSync(path, mebibytes * 1024 ** 2);
    utimesSync(path, daysAgo(days), daysAgo(days));
  };
  mkdirSync(join(space.path, 'run-1'));
  made('today', 0.5, 900);
  made('yesterday', 1.5, 100);
  made('earlier', 3, 25);
  made('earliest', 4, 1);
  limitOutputs(space.path);
  expect(readdirSync(join(space.path, 'run-1')).toSorted()).toEqual(['today', 'yesterday']);
  made('also today', 0.9, 200);
  limitOutputs(space.path);
  expect(readdirSync(join(space.path, 'run-1')).toSorted()).toEqual(['also today', 'today']);
  limitOutputs(join(space.path, 'nothing'));
});
