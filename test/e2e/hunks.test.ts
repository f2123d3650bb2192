// @module-tag long
import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, pointedAt, toldResults, type Scene} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

/** A terminal whose editor is a shell script that gets the file as its first argument. */
function open({place, server}: Scene, editor: string): Promise<ShellTerminal> {
  const path = join(place.home, 'editor');
  writeFileSync(path, `#!/bin/sh\n${editor}\n`);
  chmodSync(path, 0o755);
  return openTerminal(place, {...pointedAt(server), EDITOR: path});
}

const count = 40;
const lines = Array.from({length: count}, (_, at) => `caf\u00e9 ${at}`);
const changed = (...at: readonly number[]): string =>
  `\uFEFF${lines.map((line, place) => (at.includes(place) ? `${line}!` : line)).join('\r\n')}`;
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const edits = [2, 20, 37].map(at => ({old_string: `caf\u00e9 ${at}\n`, new_string: `caf\u00e9 ${at}!\n`}));

describe('an edit is accepted in part', () => {
  test('only the ticked hunks are written, to the byte; then a text from the editor; the model is told of both', async () => {
    await using scene = await openScene([
      call('Read', {file_path: 'a.txt'}),
      call('MultiEdit', {file_path: 'a.txt', edits}),
      call('ApplyPatch', {
        patch: [
          '*** Begin Patch',
          '*** Update File: b.txt',
          '*** Move to: c.txt',
          '@@',
          '-b',
          '+B',
          '*** Add File: new.txt',
          '+made',
          '*** End Patch',
        ].join('\n'),
      }),
      say('Done.'),
    ]);
    const file = join(scene.place.work, 'a.txt');
    writeFileSync(file, utf16(changed()));
    writeFileSync(join(scene.place.work, 'b.txt'), 'b\n');
    await using terminal = await open(scene, `printf 'by hand\\n' >> "$1"`);
    await terminal.type('weft Change them.');
    await terminal.press('Enter');

    await terminal.onScreen(/╭ Make this edit to a\.txt\? {2}\+3 -3[^]*Pick hunks h/u);
    await terminal.type('h');
    await terminal.onScreen(/Write 3 of 3 hunks\?/u);
    await terminal.press('Enter', 'Down');
    await terminal.onScreen(/❯ \[x\] a\.txt:21/u);
    await terminal.press('Space');
    await terminal.onScreen(/Write 2 of 3 hunks\?[^]*❯ \[ \] a\.txt:21 {2}\+1 -1/u);
    expect(readFileSync(file)).toEqual(utf16(changed()));
    await terminal.type('y');

    await terminal.onScreen(/╭ Make these edits to b\.txt → c\.txt, new\.txt/u);
    expect(readFileSync(file)).toEqual(utf16(changed(2, 37)));
    await terminal.type('h');
    await terminal.onScreen(/\[x\] Rename b\.txt → c\.txt/u);
    await terminal.press('Space', 'Down', 'Down', 'C-e');
    await terminal.onScreen(/Approval needed/u);
    await terminal.press('Tab');
    await terminal.onScreen(/╭ Make these edits to b\.txt, new\.txt\? {2}\+3 -1[^]*by hand/u);
    expect(existsSync(join(scene.place.work, 'new.txt'))).toBe(false);
    await terminal.type('y');
    await terminal.until(/Done\./u);
    expect(['b.txt', 'new.txt'].map(name => scene.read(name))).toEqual(['B\n', 'made\nby hand\n']);
    expect(existsSync(join(scene.place.work, 'c.txt'))).toBe(false);
    expect([toldResults(scene.server.requests[2])[0], toldResults(scene.server.requests[3])[0]]).toEqual([
      expect.stringMatching(
        /^Changed a\.txt \(\+2 -2\)\n[^]*\[edited by the user before it was written: a\.txt, this change was dropped:\n@@ -18 \+18 @@\n[^]*\n-café 20\n\+café 20!\n/u,
      ),
      expect.stringMatching(
        /^Changed b\.txt \(\+1 -1\)\nCreated new\.txt \(\+2 -0\)\n[^]*the file was not renamed to c\.txt\][^]*new\.txt, from the proposed text to what is in the file now:\n[^]*\n\+by hand\n/u,
      ),
    ]);
  });
});
