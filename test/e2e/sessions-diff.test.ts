// @module-tag long
import {
  chmodSync,
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;

/** Every path below a folder with its kind, whether its owner may execute it, and its bytes. */
const listing = (folder: string): readonly string[] =>
  readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .toSorted()
    .flatMap(name => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) return [];
      if (stats.isSymbolicLink()) return [`${name} -> ${readlinkSync(path)}`];
      return [`${name} ${String(stats.mode & 0o100)} ${readFileSync(path, 'base64')}`];
    });

test('what a range of prompts changed is a patch that git applies byte for byte, and rows for programs', async () => {
  await using scene = await openScene([
    call('Bash', {command: "printf 'two\\r\\nend' >text; mkdir new; printf 'a\\0b\\377' >new/binary; chmod +x run"}),
    say('1'),
    call('Bash', {command: "rm gone; ln -s text link; printf 'x' >'odd \"name\"'; printf 'b\\0b' >old.bin"}),
    say('2'),
    call('Write', {file_path: 'last', content: 'three\n'}),
    say('3'),
  ]);
  const {work, home} = scene.place;
  const before = join(home, 'before');
  for (const [name, bytes] of [
    ['text', 'one\n'],
    ['run', '#!/bin/sh\n'],
    ['gone', 'g'],
    ['old.bin', 'a\0b'],
  ] as const)
    writeFileSync(join(work, name), bytes);
  chmodSync(join(work, 'run'), 0o644);
  symlinkSync('gone', join(work, 'stays'));
  cpSync(work, before, {recursive: true, verbatimSymlinks: true});
  await scene.run(['--prompt', 'first', ...free]);
  await scene.run(['--continue', '--prompt', 'second', ...free]);
  const middle = join(home, 'middle');
  cpSync(work, middle, {recursive: true, verbatimSymlinks: true});
  await scene.run(['--continue', '--prompt', 'third', ...free]);

  const apply = async (range: readonly string[], to: string): Promise<readonly string[]> => {
    const {code, stdout} = await scene.run(['sessions', 'diff', ...range]);
    expect(code).toBe(0);
    execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
      cwd: to,
      input: stdout,
      env: {...process.env, GIT_CEILING_DIRECTORIES: home},
    });
    return listing(to);
  };
  expect(await apply(['1..2'], before)).toEqual(listing(middle));
  expect(await apply(['3'], middle)).toEqual(listing(work));
  const all = await scene.run(['sessions', 'diff', '--json']);
  expect(JSON.parse(all.stdout)).toMatchObject({
    files: [
      {path: 'gone', kind: 'deleted', removed: 1},
      {path: 'last', kind: 'created', added: 1, removed: 0},
      {path: 'link', kind: 'created', notes: ['link']},
      {path: 'new/binary', kind: 'created', notes: ['binary file']},
      {path: 'odd "name"', kind: 'created'},
      {path: 'old.bin', kind: 'changed', notes: ['binary file']},
      {path: 'run', kind: 'changed', notes: ['mode 644 → 755']},
      {path: 'text', kind: 'changed'},
    ],
    more: 0,
  });
  const id = (await scene.run(['sessions', 'list'])).stdout.split(' ')[0] ?? '';
  expect((await scene.run(['sessions', 'diff', `${id}:2..3`, '--stat'])).stdout).toBe(
    'gone  +0 −1\nlast  +1 −0\nlink  +1 −0  link\nodd "name"  +1 −0\nold.bin  +0 −0  binary file\n',
  );
  expect(await scene.run(['sessions', 'diff', '3..9'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There are no prompts 3..9. This session has 3'),
  });
});

test('a subfolder belongs to the sessions of the folder around it', async () => {
  await using scene = await openScene([call('Write', {file_path: 'a', content: 'a\n'}), say('1')]);
  await scene.run(['--prompt', 'first', ...free]);
  const {stdout} = await scene.shell('mkdir sub; cd sub; weft sessions diff --stat');
  expect(stdout).toBe('a  +1 −0\n');
  const told = async (args: readonly string[]): Promise<string> => (await scene.run(args)).stderr;
  writeFileSync(join(scene.place.work, 'empty'), '');
  expect([await told(['blame', 'empty']), await told(['blame', 'a:1-'])]).toEqual([
    'weft: empty is empty\n',
    "weft: Can't blame a:1-: a range of lines is 12-20.\n",
  ]);
  expect(await told(['bisect', ''])).toContain('Name a command');
});

test('files whose names are not UTF-8 are named by undo, diff and blame', async () => {
  await using scene = await openScene([
    call('Bash', {command: "printf 'a\\n' >$(printf 'caf\\351.txt'); echo b >b.txt"}),
    say('1'),
  ]);
  await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
  const [{id}] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  expect((await scene.run(['sessions', 'rewind', id])).stderr).toContain('not touched: caf\uFFFD.txt\n');
  expect((await scene.run(['sessions', 'diff'])).stderr).toContain('are not UTF-8: caf\uFFFD.txt\n');
  expect((await scene.shell("weft blame $(printf 'caf\\351.txt')")).stderr).toContain('its name is not UTF-8');
});
