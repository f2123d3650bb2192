import {chmodSync, statSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import type {FileEdit} from '../../../../src/domain/file-edit.ts';
import {messageOf, replace, workspace, write} from './file-space.ts';

describe('a file without write permission is refused, whoever asks', () => {
  test.each<[string, FileEdit]>([
    ['Edit', replace('file', ['a', 'b'])],
    ['MultiEdit', replace('file', ['a', 'b'], ['x', 'y'])],
    ['Write', write('file', 'new')],
    ['delete', {kind: 'delete', path: 'file'}],
    ['rename', {kind: 'rename', path: 'file', to: 'other'}],
  ])('%s', async (_, edit) => {
    using space = workspace({file: 'a x\n'});
    await space.read('file');
    chmodSync(space.path('file'), 0o444);
    expect(messageOf(await space.edit(edit))).toBe('file: it is write-protected (mode 0444); change its mode first.');
    expect([space.text('file'), statSync(space.path('file')).mode & 0o777]).toEqual(['a x\n', 0o444]);
  });

  test.each([0o644, 0o600, 0o755, 0o664])('mode %o is kept', async mode => {
    using space = workspace({file: 'a x\n'});
    chmodSync(space.path('file'), mode);
    expect((await space.edit(replace('file', ['a', 'b']))).tag).toBe('ok');
    expect(statSync(space.path('file')).mode & 0o777).toBe(mode);
  });
});

describe('which of several edits failed', () => {
  test('is said with its number, each of them', async () => {
    using space = workspace({file: 'one\ntwo\nthree\n'});
    const pairs: [string, string][] = [
      ['one', '1'],
      ['two', '2'],
      ['seven', '7'],
      ['three', '3'],
      ['nine nine', '9'],
    ];
    const message = messageOf(await space.edit(replace('file', ...pairs)));
    expect(message.match(/file: edit \d of \d: the old text was not found/gu)).toEqual([
      'file: edit 3 of 5: the old text was not found',
      'file: edit 5 of 5: the old text was not found',
    ]);
    expect(space.text('file')).toBe('one\ntwo\nthree\n');
  });
});

/** Numbered lines, both ends included. */
const lines = (from: number, to: number, change = (at: number) => `line ${at}`) =>
  Array.from({length: to - from + 1}, (_, at) => `${change(from + at)}\n`).join('');

describe('an edit of a file that changed is told what is there now', () => {
  test('around its target, although nothing there is as it was', async () => {
    using space = workspace({file: lines(1, 200)});
    await space.read('file');
    space.put('file', `${lines(1, 3, at => `new ${at}`)}${lines(1, 99)}entirely different\n${lines(101, 200)}`);
    expect(messageOf(await space.edit(replace('file', ['line 100\n', 'x\n'])))).toMatch(
      /^file: it changed since it was read, and [^]*\nThe file now has there:\n98\tline 95\n[^]*103\tentirely different\n104\tline 101\n/u,
    );
  });

  test('all of a short one, and the next try succeeds', async () => {
    using space = workspace({file: 'alpha\nbeta\n'});
    await space.read('file');
    space.put('file', 'something\nelse\n');
    const message = messageOf(await space.edit(replace('file', ['beta', 'x'])));
    expect(message).toContain('The file now has there:\n1\tsomething\n2\telse');
    expect((await space.edit(replace('file', ['something\nelse', 'x']))).tag).toBe('ok');
  });
});
