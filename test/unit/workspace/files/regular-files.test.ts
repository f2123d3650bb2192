import {createHash} from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {openPathHandle} from '../../../../src/workspace/files/folder-handle.ts';
import {fingerprintFiles, openExactPath, readRegularFile} from '../../../../src/workspace/files/regular-files.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'weft-fingerprints-')));
afterAll(() => rmSync(folder, {recursive: true}));
const at = (name: string): string => join(folder, name);
writeFileSync(at('empty'), '');
writeFileSync(at('long'), 'x'.repeat(300_000));
mkdirSync(at('folder'));
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('what is in files, in their order, and of what is none that it is none', async () => {
  const paths = ['long', 'gone', 'empty', 'folder', 'empty/below'].map(at);
  expect(await fingerprintFiles(paths, new AbortController().signal)).toEqual([
    {path: at('long'), kind: 'file', sha256: sha256('x'.repeat(300_000))},
    {path: at('gone'), kind: 'absent'},
    {path: at('empty'), kind: 'file', sha256: sha256('')},
    {path: at('folder'), kind: 'unreadable'},
    {path: at('empty/below'), kind: 'unreadable'},
  ]);
});

test('after an abort nothing more is read', async () => {
  const begun = new AbortController();
  const prints = fingerprintFiles([at('long'), at('empty')], begun.signal);
  begun.abort();
  expect(await prints).toEqual([
    {path: at('long'), kind: 'unreadable'},
    {path: at('empty'), kind: 'unreadable'},
  ]);
});

test('what is to be held in its place is not reached through a link, whichever part of its path that is', () => {
  mkdirSync(at('real/deep'), {recursive: true});
  writeFileSync(at('real/deep/file'), 'x');
  symlinkSync('real', at('way'));
  symlinkSync('file', at('real/deep/link'));
  closeSync(openExactPath(at('real/deep/file')));
  using held = openPathHandle(at('real/deep'), 'folder');
  expect(readdirSync(held.self).toSorted()).toEqual(['file', 'link']);
  for (const path of ['way/deep/file', 'real/deep/link']) {
    expect(() => openExactPath(at(path))).toThrow(/something else has replaced|ELOOP/u);
    expect(readRegularFile(at(path), 10, 'refused')).toBeUndefined();
    expect(readRegularFile(at(path), 10)?.toString()).toBe('x');
  }
  for (const path of ['way', 'way/deep'])
    expect(() => openPathHandle(at(path), 'folder')).toThrow(/has replaced|ENOTDIR/u);
  expect(() => openPathHandle(at('way/deep/file'), 'file')).toThrow(/has replaced/u);
});
