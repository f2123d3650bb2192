import {hash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {objectFileName, openObjects} from '../../../../src/workspace/checkpoints/object-store.ts';
import {place} from './checkpoint-place.ts';

const mega = 1024 * 1024;
const nothing = new Set<string>();
const pause = async (): Promise<void> => {};

/** The files of a store; those in a pack are one. */
const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, {recursive: true, withFileTypes: true})
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .toSorted()
    : [];

const fileOf = (name: string): string => `${objectFileName(name).slice(0, 2)}/${objectFileName(name).slice(2)}`;

describe('a file that is too large for memory', () => {
  test('is copied once, for this user alone, and comes back', () => {
    using here = place();
    const content = Buffer.alloc(17 * mega, 'large ');
    here.put('large', content);
    here.put('twin', content);
    const objects = openObjects(here.folder, {});
    const name = objects.putFile(join(here.work, 'large'));
    expect(name).toBe(hash('sha256', content));
    expect(filesIn(here.folder)).toEqual([fileOf(name)]);
    expect(statSync(join(here.folder, fileOf(name))).mode & 0o777).toBe(0o600);
    expect(objects.putFile(join(here.work, 'twin'))).toBe(name);
    expect(openObjects(here.folder, {}).putFile(join(here.work, 'twin'))).toBe(name);
    expect(filesIn(here.folder)).toEqual([fileOf(name)]);
    expect(objects.sizeOf(name)).toBe(content.length);
    const back = join(here.work, 'back');
    expect(openObjects(here.folder, {}).copyTo(name, back)).toBe(true);
    expect(readFileSync(back).equals(content)).toBe(true);
    expect(() => objects.copyTo(name, back)).toThrow(/EEXIST/u);
  });
});

test('objects lie in memory until they are written, but never many megabytes of them', {tags: 'long'}, () => {
  using here = place();
  const objects = openObjects(here.folder, {});
  const names = [1, 2, 3].map(fill => objects.put(Buffer.alloc(10 * mega, fill)));
  expect(filesIn(here.folder)).toEqual([]);
  names.push(objects.put(Buffer.alloc(10 * mega, 4)));
  expect(filesIn(here.folder)).toEqual(names.map(fileOf).toSorted());
});

test.each([
  [8, 8],
  [9, 1],
])('of %d small objects come %d files', (count, files) => {
  using here = place();
  const objects = openObjects(here.folder, {});
  const names = Array.from({length: count}, (_, at) => objects.put(`content ${String(at)}`));
  objects.flush();
  expect(filesIn(here.folder)).toHaveLength(files);
  objects.flush();
  expect(filesIn(here.folder)).toHaveLength(files);
  const other = openObjects(here.folder, {});
  expect(names.map(name => other.get(name)?.toString())).toEqual(names.map((_, at) => `content ${String(at)}`));
  expect(names.map(name => other.sizeOf(name))).toEqual(names.map(() => 9));
  expect(names.map((_, at) => other.put(`content ${String(at)}`))).toEqual(names);
  other.flush();
  expect(filesIn(here.folder)).toHaveLength(files);
});

test('what is damaged or missing is never given out', () => {
  using here = place();
  const objects = openObjects(here.folder, {});
  const name = objects.put('content');
  objects.flush();
  writeFileSync(join(here.folder, fileOf(name)), 'CONTENT');
  const other = openObjects(here.folder, {});
  const target = join(here.work, 'target');
  const absent = hash('sha256', 'absent');
  expect([name, absent].map(each => other.get(each))).toEqual([undefined, undefined]);
  expect([name, absent].map(each => other.copyTo(each, target))).toEqual([false, false]);
  expect(existsSync(target)).toBe(false);
  expect(other.sizeOf(absent)).toBe(0);
});

test('what a killed process left goes after a day', () => {
  using here = place();
  mkdirSync(here.folder);
  const hour = 60 * 60 * 1000;
  const ages = {'new-old': 25, 'new-young': 23, 'other-old': 25};
  for (const [name, hours] of Object.entries(ages)) {
    const when = new Date(Date.now() - hours * hour);
    writeFileSync(join(here.folder, name), 'half');
    utimesSync(join(here.folder, name), when, when);
  }
  const objects = openObjects(here.folder, {});
  const name = objects.put('content');
  objects.flush();
  expect(filesIn(here.folder)).toEqual([fileOf(name), 'new-young', 'other-old'].toSorted());
});

test('a sweep removes objects alone, and keeps those that are named', async () => {
  using here = place();
  const objects = openObjects(here.folder, {});
  const [stays = ''] = ['stays', 'goes'].map(content => objects.put(content));
  objects.flush();
  for (const name of ['new-unfinished', 'repositories.json']) writeFileSync(join(here.folder, name), '{}');
  await openObjects(here.folder, {}).sweep(new Set([objectFileName(stays)]), pause);
  expect(filesIn(here.folder)).toEqual([fileOf(stays), 'new-unfinished', 'repositories.json'].toSorted());
  await openObjects(here.folder, {}).sweep(nothing, pause);
  expect(filesIn(here.folder)).toEqual(['new-unfinished', 'repositories.json']);
});
