import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {emptyUserChanges, type FileEdit} from '../../../../src/domain/file-edit.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {never} from '../temporary-folder.ts';
import {messageOf, replace, replaceEvery, workspace, write} from './file-space.ts';
import {processorClock} from '../../../support/processor-clock.ts';

describe('edit', () => {
  test('a replacement with its diff; special characters of replacements are plain text', async () => {
    using space = workspace({file: 'one\ntwo\nthree\n'});
    const outcome = await space.edit(replace('file', ['two', "$& $1 $' two"]));
    expect(space.text('file')).toBe("one\n$& $1 $' two\nthree\n");
    expect(outcome).toMatchObject({
      tag: 'ok',
      value: [
        {
          path: 'file',
          added: 1,
          removed: 1,
          hunks: [
            {
              oldStart: 1,
              newStart: 1,
              lines: [
                {kind: 'context', text: 'one'},
                {kind: 'removed', text: 'two'},
                {kind: 'added', text: "$& $1 $' two"},
                {kind: 'context', text: 'three'},
              ],
            },
          ],
        },
      ],
    });
  });

  test.each<[string, string | Buffer, FileEdit, string | Buffer]>([
    ['CRLF stays CRLF', 'a\r\nb\r\nc\r\n', replace('file', ['a\nb', 'a\nx\ny']), 'a\r\nx\r\ny\r\nc\r\n'],
    [
      'mixed ends outside the change stay',
      'a\nb\r\nc\nd\r\n',
      replace('file', ['a\nb\nc\nd', 'a\nb\nX\nd']),
      'a\nb\r\nX\nd\r\n',
    ],
    ['a byte order mark stays', '\ufeffa\n', replace('file', ['a', 'b']), '\ufeffb\n'],
    [
      'UTF-16 stays',
      Buffer.from('\ufeffaä\n', 'utf16le'),
      replace('file', ['ä', 'ö']),
      Buffer.from('\ufeffaö\n', 'utf16le'),
    ],
    [
      'other bytes stay',
      Buffer.from('a\u00e9b\n', 'latin1'),
      replace('file', ['b', 'c']),
      Buffer.from('a\u00e9c\n', 'latin1'),
    ],
    ['several in order', 'a b', replace('file', ['a', 'b1'], ['b1 b', 'c']), 'c'],
    ['every occurrence', 'aXaXa', replaceEvery('file', 'a', 'aa'), 'aaXaaXaa'],
    ['removing', 'a\nb\nc\n', replace('file', ['b\n', '']), 'a\nc\n'],
    ['an empty file is filled', '', replace('file', ['', 'new']), 'new'],
  ])('%s', async (_name, before, edit, after) => {
    using space = workspace({file: before});
    expect((await space.edit(edit)).tag).toBe('ok');
    expect(space.bytes('file').equals(Buffer.from(after))).toBe(true);
  });

  test.each<[string, string | Buffer, FileEdit, string]>([
    [
      'several matches',
      'a\nb\na\n',
      replace('file', ['a', 'c']),
      'file: the old text occurs 2 times (lines 1, 3); add surrounding lines to make it unique, or replace every occurrence.',
    ],
    [
      'overlapping matches',
      'aaa',
      replace('file', ['aa', 'b']),
      'file: the old text occurs 2 times (line 1); add surrounding lines to make it unique, or replace every occurrence.',
    ],
    [
      'nothing changes',
      'a',
      replace('file', ['a', 'a']),
      'file: the old and the new text are the same; nothing would change.',
    ],
    [
      'made already',
      'the new text',
      replace('file', ['the old text', 'the new text']),
      'file: the old text is not in the file, but the new text is: the change seems to be already made.',
    ],
    [
      'not found, nearest',
      'first\nsecond line\nthird line\n',
      replace('file', ['second line\nother', 'x y']),
      'file: the old text was not found; the nearest is at line 2. Old text (-) and file (+) differ there:\n' +
        '  2\tsecond line\n- 3\tother\n+ 3\tthird line\n  (from column 1: t in the file, o in the old text)',
    ],
    [
      'not found, alike',
      'const value = total(items);\n',
      replace('file', ['const value = total(item);', 'x']),
      'file: the old text was not found; the nearest is at line 1. Old text (-) and file (+) differ there:\n' +
        '- 1\tconst value = total(item);\n+ 1\tconst value = total(items);\n' +
        '  (from column 25: s in the file, ) in the old text)',
    ],
    [
      'several matches apart from indentation',
      '\tif (a) {\n\t\tb();\n\t}\n\t\tif (a) {\n\t\t\tb();\n\t\t}\n',
      replace('file', ['if (a) {\n  b();\n}', 'x']),
      'file: the old text occurs 2 times apart from indentation (lines 1, 4); add surrounding lines to make it unique, or ' +
        'replace every occurrence.',
    ],
    [
      'every occurrence is an exact one',
      '\ta();\n\tb();\n',
      replaceEvery('file', 'a();\nb();', 'c();'),
      'file: replacing every occurrence needs the exact text; the old text occurs once apart from indentation (line 1): copy ' +
        'it exactly.',
    ],
    [
      'binary',
      Buffer.from([97, 0, 98]),
      replace('file', ['a', 'c']),
      'file: it is a binary file; text can only be replaced in text files.',
    ],
    [
      'not found at all',
      'first\n',
      replace('file', ['nowhere', 'x']),
      'file: the old text was not found, not even one line of it; read the file again.',
    ],
    ['missing file', 'x', replace('fil', ['a', 'b']), 'fil: there is no such file. Did you mean file?'],
    [
      'creating what exists',
      'x',
      replace('file', ['', 'b']),
      'file: it exists already and is not empty; an empty old text, or Add File in a patch, only creates a file.',
    ],
    ['unread overwrite', 'x', write('file', 'y'), 'file: it exists but was not read; read it before overwriting it.'],
    ['a folder', 'x', write('sub', 'y'), 'sub: it is a folder.'],
    ['below a file', 'x', write('file/y', 'y'), 'file/y: a part of its path is a file, not a folder.'],
    [
      'half a character',
      'x',
      replace('file', ['x', '\ud800']),
      'file: the new text contains half a surrogate pair, which no text file can store.',
    ],
    [
      'a character that the encoding lacks',
      Buffer.from('a\u00e9b', 'latin1'),
      replace('file', ['b', '\u4f60']),
      "file: it is Latin-1 (Windows-1252), which can't encode a character of the new text; leave that character out.",
    ],
    ...[
      ['Big5', 'BIG5', 'c163c5e9a4a4a4e5b4fab8d50a'],
      ['EUC-KR', 'EUC-KR', 'bec8b3e7c7cfbcbcbfe420bcbcb0e80a'],
      ['KOI8-R', 'KOI8-R', 'f0d2c9d7c5d420cdc9d20ad0d2c9cdc5d20a'],
    ].map(([name = '', code = '', hex = '']): [string, Buffer, FileEdit, string] => [
      `${name}, which is only read`,
      Buffer.from(hex, 'hex'),
      replace('file', ['\n', ' end\n']),
      `file: it is ${name}, which weft reads but does not write. Convert it first (iconv -f ${code} -t UTF-8), or change it with a command.`,
    ]),
    [
      'other text in unknown bytes',
      Buffer.from('a \u00ff\u00fe b', 'latin1'),
      replace('file', ['b', 'ä']),
      'file: its encoding is not known; only ASCII text can be replaced in it.',
    ],
  ])('refused: %s', async (_name, before, edit, message) => {
    using space = workspace({file: before});
    expect(messageOf(await space.edit(edit))).toBe(message);
    expect(space.bytes('file').equals(Buffer.from(before))).toBe(true);
  });

  test('all or nothing, and every trouble is told', async () => {
    using space = workspace({a: 'a', b: 'b'});
    expect(
      messageOf(
        await space.edit(replace('a', ['a', 'x'], ['q', 'r']), replace('b', ['z', 'y']), replace('b', ['b', 'c'])),
      ),
    ).toBe(
      'Nothing was changed:\n- a: edit 2 of 2: the old text was not found, not even one line of it; read the file again.\n' +
        '- b: the old text was not found, not even one line of it; read the file again.',
    );
    expect([space.text('a'), space.text('b')]).toEqual(['a', 'b']);
  });

  test('when one of several files changed since the plan was shown, none is written, and no trace stays', async () => {
    using space = workspace({a: 'a', b: 'b'});
    const edits = [replace('a', ['a', 'x']), write('new/deep/file', 'y'), replace('b', ['b', 'y'])];
    const plan = await space.port.plan({edits, userChanges: emptyUserChanges}, never);
    if (plan.tag === 'failed') throw new Error(faultText(plan.error));
    writeFileSync(space.path('b'), 'other');
    expect(messageOf(await space.port.apply({edits, userChanges: emptyUserChanges}, plan.value, never))).toContain(
      'b: ',
    );
    expect({a: space.text('a'), b: space.text('b'), names: readdirSync(space.root)}).toEqual({
      a: 'a',
      b: 'other',
      names: ['a', 'b', 'sub'],
    });
  });

  test('of a very large change the first lines are shown and all are counted; it is written only to the file that was judged', async () => {
    const lines = 150_000;
    const before = 'one of many lines\n'.repeat(lines);
    using space = workspace({a: before});
    const request = {edits: [replaceEvery('a', 'one', 'two')], userChanges: emptyUserChanges};
    const plan = await space.port.plan(request, never);
    if (plan.tag === 'failed') throw new Error(faultText(plan.error));
    const [shown] = plan.value;
    expect(shown).toMatchObject({
      added: lines,
      removed: lines,
      notes: [expect.stringMatching(/^too many lines change/u)],
    });
    expect(shown?.hunks.map(hunk => hunk.lines.length)).toEqual([40_000]);
    writeFileSync(space.path('a'), `${before}one more\n`);
    expect(messageOf(await space.port.apply(request, plan.value, never))).toMatch(
      /^a changed since the edit was shown; nothing was written\. Read it again\./u,
    );
    writeFileSync(space.path('a'), before);
    const dropped = {...request, userChanges: {kind: 'hunks', dropped: [{path: 'a', hunk: 0}]}} as const;
    expect(await space.port.plan(dropped, never)).toEqual({tag: 'ok', value: []});
    expect((await space.port.apply(request, plan.value, never)).tag).toBe('ok');
    expect(space.text('a')).toBe('two of many lines\n'.repeat(lines));
  });

  test('what changed since it was read, or since it was shown, is refused', async () => {
    using space = workspace({a: 'one two'});
    await space.read('a');
    writeFileSync(space.path('a'), 'one two three');
    expect(messageOf(await space.edit(write('a', '1')))).toBe('a: it changed since it was read; read it again.');
    expect(messageOf(await space.edit({kind: 'delete', path: 'a'}))).toBe(
      'a: it changed since it was read; read it again.',
    );
    expect(messageOf(await space.edit(replace('a', ['one two 3', '1'])))).toBe(
      'a: it changed since it was read, and the old text was not found; the nearest is at line 1. ' +
        'Old text (-) and file (+) differ there:\n- 1\tone two 3\n+ 1\tone two three\n' +
        '  (from column 9: t in the file, 3 in the old text)\nThe file now has there:\n1\tone two three',
    );
    const edits = [replace('a', ['one', '1'])];
    const plan = await space.port.plan({edits, userChanges: emptyUserChanges}, never);
    if (plan.tag === 'failed') throw new Error(faultText(plan.error));
    const other = [replace('a', ['one', 'other'])];
    expect(messageOf(await space.port.apply({edits: other, userChanges: emptyUserChanges}, plan.value, never))).toBe(
      'a changed since the edit was shown; nothing was written. Read it again.',
    );
    expect((await space.port.apply({edits, userChanges: emptyUserChanges}, plan.value, never)).tag).toBe('ok');
    expect((await space.edit(replace('a', ['two', '2']))).tag).toBe('ok');
    expect(space.text('a')).toBe('1 2 three');
  });

  test.each<[string, (text: string) => string, string]>([
    ['in its place', text => text.replace('line 8\n', 'mine\n'), '5\tline 5\n6\tline 6\n7\tline 7\n8\tmine\n9\tline 9'],
    ['and moved', text => `top\n${text.replace('line 8\n', 'mine\n')}`, '8\tline 7\n9\tmine\n10\tline 9'],
  ])('what somebody changed while the edit was looked over is quoted: %s', async (_name, change, quoted) => {
    const before = Array.from({length: 12}, (_, at) => `line ${at + 1}\n`).join('');
    using space = workspace({a: before});
    const request = {edits: [replace('a', ['line 8\n', 'LINE 8\n'])], userChanges: emptyUserChanges};
    const plan = await space.port.plan(request, never);
    if (plan.tag === 'failed') throw new Error(faultText(plan.error));
    space.put('a', change(before));
    const message = messageOf(await space.port.apply(request, plan.value, never));
    expect(message).toContain('\na has there now:\n');
    expect(message).toContain(quoted);
    expect(space.text('a')).toBe(change(before));
  });

  test("weft's own folders are for reading only", async () => {
    using space = workspace();
    const path = space.outputs.newFile();
    writeFileSync(path, 'a');
    symlinkSync(path, space.path('link'));
    expect(space.port.resolve(path)).toEqual({path, place: 'inside-workspace'});
    expect((await space.read(path)).tag).toBe('ok');
    for (const shown of [path, 'link']) {
      expect(messageOf(await space.edit(replace(shown, ['a', 'b'])))).toBe(
        `${path}: it is in the folder where weft keeps command output, which is read-only.`,
      );
    }
    expect(readFileSync(path, 'utf8')).toBe('a');
  });

  test('an abort writes nothing', async () => {
    using space = workspace({a: 'a'});
    const edits = [replace('a', ['a', 'b'])];
    const plan = await space.port.plan({edits, userChanges: emptyUserChanges}, never);
    if (plan.tag === 'failed') throw new Error(faultText(plan.error));
    expect((await space.port.apply({edits, userChanges: emptyUserChanges}, plan.value, AbortSignal.abort())).tag).toBe(
      'failed',
    );
    expect(space.text('a')).toBe('a');
  });

  test('writing creates folders; overwriting keeps line ends, mark, mode and link', async () => {
    using space = workspace({crlf: '\ufeffa\r\nb\r\n', real: '#!/bin/sh\n'});
    chmodSync(space.path('real'), 0o755);
    symlinkSync('real', space.path('link'));
    await space.read('crlf');
    await space.read('link');
    const outcome = await space.edit(
      write('new/deep/file', 'x\n'),
      write('crlf', 'c\nd\n'),
      write('link', '#!/bin/bash\n'),
    );
    expect(outcome.tag).toBe('ok');
    expect(space.text('new/deep/file')).toBe('x\n');
    expect(space.text('crlf')).toBe('\ufeffc\r\nd\r\n');
    expect(space.text('real')).toBe('#!/bin/bash\n');
    expect(statSync(space.path('real')).mode & 0o777).toBe(0o755);
    expect(lstatSync(space.path('link')).isSymbolicLink()).toBe(true);
    expect(messageOf(await space.edit(write('crlf', 'c\nd\n')))).toBe(
      'crlf: nothing would change: the file already has this content.',
    );
    expect(readdirSync(space.root).filter(name => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a diff of a new file counts lines from 1', async () => {
    using space = workspace();
    expect(await space.port.plan({edits: [write('new', 'a\nb')], userChanges: emptyUserChanges}, never)).toMatchObject({
      value: [{path: 'new', before: 'absent', added: 2, removed: 0, hunks: [{oldStart: 1, newStart: 1}]}],
    });
    expect(existsSync(space.path('new'))).toBe(false);
  });

  test('a huge line is edited fast, and its diff shows what changed', async () => {
    const line = `${'x'.repeat(3_000_000)}needle${'y'.repeat(2_000_000)}`;
    using space = workspace({file: line});
    const spentMs = processorClock();
    const outcome = await space.edit(replace('file', ['needle', 'thread']));
    expect(spentMs()).toBeLessThan(1000);
    const shown = outcome.tag === 'ok' ? outcome.value[0]?.hunks[0]?.lines.map(each => each.text) : [];
    expect(shown?.map(text => [text.length, text.includes('needle'), text.includes('thread')])).toEqual([
      [2000, true, false],
      [2000, false, true],
    ]);
  });

  test('bytes outside the change are equal, whatever the line ends', async () => {
    using space = workspace();
    const part = fc.stringMatching(/^[ab\u00e4\r\n]{0,12}$/u).map(text => text.replaceAll('\r', '\r\n'));
    await fc.assert(
      fc.asyncProperty(
        part,
        part,
        fc.stringMatching(/^[cd\n]{1,6}$/u),
        fc.boolean(),
        async (before, after, fresh, mark) => {
          const start = `${mark ? '\ufeff' : ''}${before}`;
          writeFileSync(space.path('file'), `${start}OLD${after}`);
          await space.read('file');
          expect((await space.edit(replace('file', ['OLD', fresh]))).tag).toBe('ok');
          const bytes = space.text('file');
          expect(bytes.startsWith(start)).toBe(true);
          expect(bytes.endsWith(after)).toBe(true);
          const middle = bytes.slice(start.length, bytes.length - after.length);
          expect(middle.replaceAll('\r\n', '\n')).toBe(fresh);
        },
      ),
      {numRuns: 60},
    );
  });
});
