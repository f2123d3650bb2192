import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {maxInstructions} from '../../../src/config/instructions.ts';
import {addToNotes, readNotes, writeNotes} from '../../../src/config/memory-file.ts';
import {mergedNotes} from '../../../src/domain/memory-notes.ts';
import {temporaryFolder} from '../workspace/temporary-folder.ts';

const said = (of: string): readonly string[] => of.split('\n').filter(line => line.trim() !== '');
const asIs = (text: string): string => text;
const withoutSecret = (text: string): string => text.replaceAll('hunter2', '[[secret]]');

test('what several sessions add at once is all there, a line each, in a file that is made for it', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'p-1', 'MEMORY.md');
  expect(readNotes(path, asIs)).toEqual({tag: 'ok', value: {path, text: '', limit: maxInstructions}});
  const notes = Array.from({length: 12}, (_, at) => `note ${at}`);
  const added = await Promise.all(notes.map(note => addToNotes(path, `  ${note}\n more\n`, asIs)));
  expect(added.map(({tag}) => tag)).toEqual(notes.map(() => 'ok'));
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(lines.toSorted()).toEqual(notes.map(note => `- ${note} more`).toSorted());
});

test('an edit keeps what was added since it began, and no secret is written or shown', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'MEMORY.md');
  await writeFile(path, '# Mine\n- the password is hunter2\n- old');
  const before = readNotes(path, withoutSecret);
  if (before.tag === 'failed') throw new Error('not read');
  expect(before.value.text).toBe('# Mine\n- the password is [[secret]]\n- old');
  await addToNotes(path, 'added meanwhile, hunter2', withoutSecret);
  const text = before.value.text.replace('- old', '- new');
  expect(await writeNotes(path, {before: before.value.text, text}, withoutSecret)).toMatchObject({tag: 'ok'});
  expect(await readFile(path, 'utf8')).toBe(
    '# Mine\n- the password is [[secret]]\n- new\n- added meanwhile, [[secret]]\n',
  );
});

test('a note that would not be read any more is refused; a file that is no text is left alone', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'MEMORY.md');
  await writeFile(path, 'x'.repeat(maxInstructions - 5));
  expect(await addToNotes(path, 'one more', asIs)).toMatchObject({
    tag: 'failed',
    error: {message: 'The notes for this project are full (32768 characters). /memory edit makes them shorter.'},
  });
  const binary = Buffer.from([0xff, 0xfe, 0]);
  await writeFile(path, binary);
  expect(await addToNotes(path, 'a note', asIs)).toMatchObject({tag: 'failed'});
  expect(readNotes(path, asIs)).toMatchObject({tag: 'failed'});
  expect(await readFile(path)).toEqual(binary);
});

test('of two edits of the same notes no line is lost that either has written', () => {
  const line = fc.constantFrom('a', 'b', 'c', ' d', '', '- e');
  const text = fc.array(line, {maxLength: 6}).map(lines => lines.join('\n'));
  fc.assert(
    fc.property(text, text, text, (before, current, after) => {
      const merged = mergedNotes(current, {before, after}).split('\n');
      const written = said(current).filter(one => !said(before).includes(one));
      expect(merged).toEqual(expect.arrayContaining([...said(after), ...written]));
      expect(merged.filter(one => one.trim() !== '').length).toBeLessThanOrEqual(said(after).length + written.length);
    }),
  );
});
