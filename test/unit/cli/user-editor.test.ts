import {chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {userEditor} from '../../../src/cli/user-editor.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-editor-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

/** An editor that is a shell script; `$1` is its own argument, `$2` the file. */
function script(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o700);
  return path;
}
const edit = (env: Record<string, string>) =>
  userEditor(env).edit({text: 'a draft', name: 'prompt.md', form: 'prose'}, new AbortController().signal);

describe("the user's editor", () => {
  test('gets its arguments and a file of its own, and what it leaves comes back', async () => {
    const seen = join(folder, 'seen');
    const editor = script(
      'append',
      `printf '%s %s' "$1" "$2" > ${seen}; ls -ld "$(dirname "$2")" >> ${seen}; echo more >> "$2"`,
    );
    expect(await edit({EDITOR: `${editor} -w`})).toEqual(ok('a draft\nmore'));
    const [, file = ''] = /^-w (\S+prompt\.md)drwx------/u.exec(readFileSync(seen, 'utf8')) ?? [];
    expect(existsSync(dirname(file))).toBe(false);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  test('VISUAL comes before EDITOR', async () => {
    expect(await edit({VISUAL: 'true', EDITOR: 'false'})).toEqual(ok('a draft'));
  });

  test('that fails changes nothing', async () => {
    expect(await edit({EDITOR: 'false'})).toEqual(failed('false exited with code 1. The text is unchanged.'));
  });

  test('that is not there says so', async () => {
    expect(await edit({EDITOR: 'no-such-editor-here'})).toEqual(
      failed('no-such-editor-here was not found. The text is unchanged.'),
    );
  });

  test('none is set', async () => {
    expect(await edit({EDITOR: ' '})).toEqual(
      failed('No editor is set. Set EDITOR, for example EDITOR=vim or EDITOR="code -w", and restart weft.'),
    );
  });
});
