import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {chmod, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {type InstructionFile, maxInstructions} from '../../../../src/config/instructions.ts';
import {isSecretFile} from '../../../../src/safety/secrets/secret-files.ts';
import {
  addInstructionNote,
  readInstructionFile,
  insertNote,
} from '../../../../src/workspace/files/instruction-files.ts';
import {temporaryFolder} from '../temporary-folder.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-instructions-')));
afterAll(() => rmSync(base, {recursive: true, force: true}));

let trees = 0;

/** A home with files (`-> target` makes a link) and what is read of `folder/AGENTS.md` with the workspace `home/repo/one`. */
function read(folder: string, files: Readonly<Record<string, string>>, workspace = 'repo/one'): InstructionFile {
  trees += 1;
  const home = join(base, String(trees));
  mkdirSync(join(home, 'repo/one'), {recursive: true});
  mkdirSync(join(home, 'config'), {recursive: true});
  for (const [path, text] of Object.entries(files)) {
    const file = join(home, path);
    mkdirSync(dirname(file), {recursive: true});
    if (text.startsWith('-> ')) symlinkSync(text.slice(3).replace('HOME', home), file);
    else writeFileSync(file, text);
  }
  const places = {
    workspace: join(home, workspace),
    config: join(home, 'config'),
    claude: join(home, '.claude'),
    memory: join(home, 'memory'),
    isSecretFile,
  };
  const found = readInstructionFile(join(home, folder), 'AGENTS.md', places);
  if (found.kind === 'none') return found;
  return found.kind === 'text'
    ? {...found, real: found.real.replace(home, 'HOME')}
    : {...found, why: found.why.replace(home, 'HOME')};
}

const text = (real: string, said: string): InstructionFile => ({
  kind: 'text',
  real: `HOME/${real}`,
  text: said,
  bytes: Buffer.byteLength(said),
});
const skipped = (why: string): InstructionFile => ({kind: 'skipped', why});

describe('readInstructionFile', () => {
  const cases: readonly (readonly [
    what: string,
    folder: string,
    files: Readonly<Record<string, string>>,
    found: InstructionFile,
  ])[] = [
    ['a plain file', 'repo/one', {'repo/one/AGENTS.md': 'a'}, text('repo/one/AGENTS.md', 'a')],
    ['none', 'repo/one', {}, {kind: 'none'}],
    ['a link that leads nowhere', 'repo/one', {'repo/one/AGENTS.md': '-> gone'}, {kind: 'none'}],
    [
      'a link inside the workspace',
      'repo/one',
      {'repo/one/AGENTS.md': '-> docs/agents.md', 'repo/one/docs/agents.md': 'a'},
      text('repo/one/docs/agents.md', 'a'),
    ],
    [
      'a link inside the folder above it was found in',
      'repo',
      {'repo/AGENTS.md': '-> docs/agents.md', 'repo/docs/agents.md': 'a'},
      text('repo/docs/agents.md', 'a'),
    ],
    [
      'a link of a folder above into the workspace',
      'repo',
      {'repo/AGENTS.md': '-> one/agents.txt', 'repo/one/agents.txt': 'a'},
      text('repo/one/agents.txt', 'a'),
    ],
    [
      'a link to the instructions of a folder above',
      'repo/one',
      {'repo/one/AGENTS.md': '-> ../CLAUDE.md', 'repo/CLAUDE.md': 'a'},
      text('repo/CLAUDE.md', 'a'),
    ],
    [
      'a link out of the workspace',
      'repo/one',
      {'repo/one/AGENTS.md': '-> ../two.md', 'repo/two.md': 'a'},
      skipped('it is a link to HOME/repo/two.md, outside the workspace'),
    ],
    [
      'a link by way of a link of a folder',
      'repo/one',
      {'repo/one/AGENTS.md': '-> out/private/notes.md', 'repo/one/out': '-> HOME', 'private/notes.md': 'a'},
      skipped('it is a link to HOME/private/notes.md, outside the workspace'),
    ],
    [
      "the user's own link",
      'config',
      {'config/AGENTS.md': '-> ../dotfiles/agents.md', 'dotfiles/agents.md': 'a'},
      text('dotfiles/agents.md', 'a'),
    ],
    [
      "the user's own link to secrets",
      'config',
      {'config/AGENTS.md': '-> ../.netrc', '.netrc': 'machine x'},
      skipped('it is a link to HOME/.netrc, which may hold secrets'),
    ],
    [
      'a link to a file that is made to hold secrets',
      'repo/one',
      {'repo/one/AGENTS.md': '-> .env', 'repo/one/.env': 'A=b'},
      skipped('it is a link to HOME/repo/one/.env, which may hold secrets'),
    ],
    [
      "a link to git's own files",
      'repo/one',
      {'repo/one/AGENTS.md': '-> .git/config', 'repo/one/.git/config': 'a'},
      skipped('it is a link to HOME/repo/one/.git/config, which may hold secrets'),
    ],
    ['a folder', 'repo/one', {'repo/one/AGENTS.md/file': 'a'}, skipped('it is not a regular file')],
    ['no text', 'repo/one', {'repo/one/AGENTS.md': 'a\0b'}, skipped('it is not text')],
    [
      'a device',
      'repo/one',
      {'repo/one/AGENTS.md': '-> /dev/zero'},
      skipped('it is a link to /dev/zero, outside the workspace'),
    ],
    [
      "the user's own link to a device",
      'config',
      {'config/AGENTS.md': '-> /dev/zero'},
      skipped('it is not a regular file'),
    ],
  ];
  test.each(cases)('%s', (_what, folder, files, found) => {
    expect(read(folder, files)).toEqual(found);
  });

  test('a config folder inside the workspace may come from elsewhere: its links count as those of the workspace', () => {
    expect(read('config', {'config/AGENTS.md': '-> /etc/passwd'}, '.')).toEqual(
      skipped('it is a link to /etc/passwd, outside the workspace'),
    );
  });

  test.skipIf(process.platform !== 'linux')(
    'what the system makes up as it is read, such as /proc/self/environ',
    () => {
      const workspace = '/proc/self';
      const places = {
        workspace,
        config: join(base, 'config'),
        claude: join(base, '.claude'),
        memory: join(base, 'memory'),
        isSecretFile,
      };
      expect(read('repo/one', {'repo/one/AGENTS.md': '-> /proc/self/environ'})).toMatchObject({kind: 'skipped'});
      expect(readInstructionFile('/proc/self', 'environ', places)).toMatchObject({kind: 'text', text: '', bytes: 0});
      expect(read('config', {'config/AGENTS.md': '-> /proc/self/environ'})).toMatchObject({
        kind: 'text',
        text: '',
        bytes: 0,
      });
    },
  );

  test('a FIFO does not make it wait', () => {
    const folder = join(base, 'fifo');
    mkdirSync(folder);
    execFileSync('mkfifo', [join(folder, 'AGENTS.md')]);
    const places = {
      workspace: folder,
      config: join(base, 'config'),
      claude: join(base, '.claude'),
      memory: join(base, 'memory'),
      isSecretFile,
    };
    expect(readInstructionFile(folder, 'AGENTS.md', places)).toEqual(skipped('it is not a regular file'));
  });

  test('of a large file the beginning is read; one of 6 GB without text costs nothing', () => {
    const folder = join(base, 'large');
    mkdirSync(folder);
    const file = join(folder, 'AGENTS.md');
    const places = {
      workspace: folder,
      config: join(base, 'config'),
      claude: join(base, '.claude'),
      memory: join(base, 'memory'),
      isSecretFile,
    };
    writeFileSync(file, '\u4e16'.repeat(100_000));
    const found = readInstructionFile(folder, 'AGENTS.md', places);
    if (found.kind !== 'text') throw new Error(found.kind);
    expect(found.bytes).toBe(300_000);
    expect(found.text).toMatch(/^\u4e16+$/u);
    expect(found.text.length).toBeGreaterThan(maxInstructions);
    expect(found.text.length).toBeLessThan(maxInstructions + 100);
    truncateSync(file, 0);
    truncateSync(file, 6e9);
    expect(readInstructionFile(folder, 'AGENTS.md', places)).toEqual(skipped('it is not text'));
  });
});

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
    expect(insertNote(before, 'use pnpm')).toBe(after);
  });
});

describe('the file of notes', () => {
  test('AGENTS.md is made, and grows', async () => {
    using folder = temporaryFolder();
    expect(await addInstructionNote('one', folder.path)).toEqual({tag: 'ok', value: 'AGENTS.md'});
    expect(await addInstructionNote('two', folder.path)).toEqual({tag: 'ok', value: 'AGENTS.md'});
    expect(await readFile(join(folder.path, 'AGENTS.md'), 'utf8')).toBe('## Notes\n\n- one\n- two\n');
    expect(await readdir(folder.path)).toEqual(['AGENTS.md']);
  });

  test('where only CLAUDE.md is read, that is the file; permissions stay', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'CLAUDE.md');
    await writeFile(file, 'Rules.\n');
    await chmod(file, 0o640);
    expect(await addInstructionNote('one', folder.path)).toEqual({tag: 'ok', value: 'CLAUDE.md'});
    expect(await readFile(file, 'utf8')).toBe('Rules.\n\n## Notes\n\n- one\n');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  test('a link inside the workspace is followed, one that leads out is not', async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    await mkdir(join(folder.path, 'docs'));
    await writeFile(join(folder.path, 'docs/rules.md'), '');
    await symlink('docs/rules.md', join(folder.path, 'AGENTS.md'));
    expect(await addInstructionNote('one', folder.path)).toEqual({tag: 'ok', value: 'AGENTS.md'});
    expect(await readFile(join(folder.path, 'docs/rules.md'), 'utf8')).toBe('## Notes\n\n- one\n');
    using other = temporaryFolder();
    await writeFile(join(elsewhere.path, 'profile'), 'x');
    await symlink(join(elsewhere.path, 'profile'), join(other.path, 'AGENTS.md'));
    expect(await addInstructionNote('one', other.path)).toMatchObject({
      error: {
        message: expect.stringMatching(/^Couldn't add the note: AGENTS.md is a link that leads out of the workspace/u),
      },
    });
    expect(await readFile(join(elsewhere.path, 'profile'), 'utf8')).toBe('x');
  });

  test('what is no text, or no file, is left alone', async () => {
    using folder = temporaryFolder();
    await mkdir(join(folder.path, 'AGENTS.md'));
    expect(await addInstructionNote('one', folder.path)).toMatchObject({tag: 'failed', error: {kind: 'needs-user'}});
    using other = temporaryFolder();
    await writeFile(join(other.path, 'AGENTS.md'), Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    expect(await addInstructionNote('one', other.path)).toMatchObject({
      error: {message: "Couldn't add the note: AGENTS.md is not UTF-8 text"},
    });
  });
});
