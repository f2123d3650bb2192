import {chmod, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {addNote, withNote} from '../../../src/workspace/add-note.ts';
import {temporaryFolder} from './temporary-folder.ts';

describe('a note in a text', () => {
  test.each<readonly [what: string, before: string, after: string]>([
    ['an empty text', '', '## Notes\n\n- use pnpm\n'],
    ['a text without notes', '# Project\n\nRules.\n', '# Project\n\nRules.\n\n## Notes\n\n- use pnpm\n'],
    ['a text without an end of line', 'Rules.', 'Rules.\n\n## Notes\n\n- use pnpm\n'],
    ['notes at the end', '## Notes\n\n- one\n', '## Notes\n\n- one\n- use pnpm\n'],
    ['notes in the middle', '## Notes\n\n- one\n\n## Other\nx\n', '## Notes\n\n- one\n- use pnpm\n\n## Other\nx\n'],
    ['a heading with nothing under it', '## notes\n', '## notes\n\n- use pnpm\n'],
    ['prose under the heading', '## Notes\n\nProse.\n', '## Notes\n\nProse.\n\n- use pnpm\n'],
    ['a deeper heading below', '## Notes\n### A\n- one\n', '## Notes\n### A\n- one\n- use pnpm\n'],
    ['Windows line ends', '# P\r\n\r\n## Notes\r\n- one\r\n', '# P\r\n\r\n## Notes\r\n- one\r\n- use pnpm\r\n'],
  ])('%s', (_, before, after) => {
    expect(withNote(before, 'use pnpm')).toBe(after);
  });
});

describe('the file of notes', () => {
  test('AGENTS.md is made, and grows', async () => {
    using folder = temporaryFolder();
    expect(await addNote('one', folder.path)).toEqual({tag: 'ok', value: 'AGENTS.md'});
    expect(await addNote('two', folder.path)).toEqual({tag: 'ok', value: 'AGENTS.md'});
    expect(await readFile(join(folder.path, 'AGENTS.md'), 'utf8')).toBe('## Notes\n\n- one\n- two\n');
    expect(await readdir(folder.path)).toEqual(['AGENTS.md']);
  });

  test('where only CLAUDE.md is read, that is the file; permissions stay', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'CLAUDE.md');
    await writeFile(file, 'Rules.\n');
    await chmod(file, 0o640);
    expect(await addNote('one', folder.path)).toEqual({tag: 'ok', value: 'CLAUDE.md'});
    expect(await readFile(file, 'utf8')).toBe('Rules.\n\n## Notes\n\n- one\n');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  test('a link inside the workspace is followed, one that leads out is not', async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    await mkdir(join(folder.path, 'docs'));
    await writeFile(join(folder.path, 'docs/rules.md'), '');
    await symlink('docs/rules.md', join(folder.path, 'AGENTS.md'));
    expect(await addNote('one', folder.path)).toEqual({tag: 'ok', value: 'AGENTS.md'});
    expect(await readFile(join(folder.path, 'docs/rules.md'), 'utf8')).toBe('## Notes\n\n- one\n');
    using other = temporaryFolder();
    await writeFile(join(elsewhere.path, 'profile'), 'x');
    await symlink(join(elsewhere.path, 'profile'), join(other.path, 'AGENTS.md'));
    expect(await addNote('one', other.path)).toMatchObject({
      error: {message: expect.stringMatching(/^The note was not kept: AGENTS.md leads out of the workspace/u)},
    });
    expect(await readFile(join(elsewhere.path, 'profile'), 'utf8')).toBe('x');
  });

  test('what is no text, or no file, is left alone', async () => {
    using folder = temporaryFolder();
    await mkdir(join(folder.path, 'AGENTS.md'));
    expect(await addNote('one', folder.path)).toMatchObject({tag: 'failed', error: {kind: 'needs-user'}});
    using other = temporaryFolder();
    await writeFile(join(other.path, 'AGENTS.md'), Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    expect(await addNote('one', other.path)).toMatchObject({
      error: {message: 'The note was not kept: AGENTS.md is not UTF-8 text'},
    });
  });
});
