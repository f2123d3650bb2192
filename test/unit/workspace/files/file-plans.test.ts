import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parsePatch} from '../../../../src/actions/parse-patch.ts';
import {emptyUserChanges, type FileEdit} from '../../../../src/domain/file-edit.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import {messageOf, replace, workspace, write} from './file-space.ts';
import {never} from '../temporary-folder.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

type Space = ReturnType<typeof workspace>;

const remove = (path: string): FileEdit => ({kind: 'delete', path});
const rename = (path: string, to: string): FileEdit => ({kind: 'rename', path, to});
const lines = (path: string, first: number, last: number, newText: string): FileEdit => ({
  kind: 'replace-lines',
  path,
  lines: {first, last},
  newText,
});

async function planned(space: Space, edits: readonly FileEdit[]) {
  const plan = await space.port.plan({edits, userChanges: emptyUserChanges}, never);
  if (plan.tag === 'failed') throw new Error(faultText(plan.error));
  return plan.value;
}

async function done(space: Space, ...edits: readonly FileEdit[]) {
  const applied = await space.edit(...edits);
  if (applied.tag === 'failed') throw new Error(faultText(applied.error));
  return applied.value;
}

/** Edits of three files; the last one fits where the file has this line. */
function patch(line: string): readonly FileEdit[] {
  const edits = parsePatch(
    `*** Begin Patch\n*** Update File: a\n-a\n+A\n*** Add File: c\n+c\n*** Update File: b\n-${line}\n+B\n*** End Patch`,
  );
  return edits.tag === 'ok' ? edits.value : [];
}

test('an edit of a large file that was planned before is planned anew where the file has changed since', async () => {
  const filler = 'a line of the file\n'.repeat(40_000);
  using space = workspace({large: `old\n${filler}`});
  const edit = replace('large', ['old', 'new']);
  const first = await planned(space, [edit]);
  expect(await planned(space, [edit])).toEqual(first);
  space.put('large', `old\n${filler}by the user\n`);
  await done(space, edit);
  expect(space.text('large')).toBe(`new\n${filler}by the user\n`);
});

describe('delete and rename', () => {
  test('what goes, what moves and what comes, in one go', async () => {
    using space = workspace({gone: 'x\n', old: 'a\nb\n', run: '#!/bin/sh\n'});
    chmodSync(space.path('run'), 0o755);
    const edits = [remove('gone'), replace('old', ['b', 'B']), rename('old', 'deep/new'), rename('run', 'go')];
    const diffs = await done(space, ...edits, write('made', 'm\n'));
    expect(
      diffs.map(({path, movedFrom, before, after, added, removed}) => [
        path,
        movedFrom,
        before.length,
        after.length,
        added,
        removed,
      ]),
    ).toEqual([
      ['gone', undefined, 64, 6, 0, 1],
      ['deep/new', 'old', 64, 64, 1, 1],
      ['go', 'run', 64, 64, 0, 0],
      ['made', undefined, 6, 64, 1, 0],
    ]);
    expect(readdirSync(space.root)).toEqual(['deep', 'go', 'made', 'sub']);
    expect(space.text('deep/new')).toBe('a\nB\n');
    expect(statSync(space.path('go')).mode & 0o777).toBe(0o755);
  });

  test('a name that was given up can be taken again', async () => {
    using space = workspace({a: 'a\n', b: 'b\n'});
    await done(space, remove('b'), rename('a', 'b'), write('a', 'new\n'));
    expect([space.text('a'), space.text('b')]).toEqual(['new\n', 'a\n']);
  });

  test('names can be swapped, and passed on', async () => {
    using space = workspace({a: 'a\n', b: 'b\n', c: 'c\n'});
    await done(space, rename('a', 'kept'), rename('b', 'a'), rename('kept', 'b'), rename('c', 'd'), rename('d', 'e'));
    expect([space.text('a'), space.text('b'), space.text('e')]).toEqual(['b\n', 'a\n', 'c\n']);
    expect(readdirSync(space.root)).toEqual(['a', 'b', 'e', 'sub']);
  });

  test.each<[string, readonly FileEdit[], string]>([
    ['onto what exists', [rename('a', 'b')], 'b: it exists already; delete it first, or choose another name.'],
    ['onto itself', [rename('a', './a')], 'a: its new name equals its old one.'],
    ['what is not there', [rename('c', 'd')], 'c: there is no such file. Did you mean a or b?'],
    ['deleting what is not there', [remove('c')], 'c: there is no such file. Did you mean a or b?'],
    ['deleting a folder', [remove('sub')], 'sub: it is a folder.'],
    ['deleting a link', [remove('link')], 'link: it is a symbolic link; name the file it leads to, or use a command.'],
    [
      'editing what was deleted',
      [remove('a'), replace('a', ['a', 'b'])],
      'a: there is no such file. Did you mean a or b?',
    ],
    [
      'making and removing',
      [write('new', 'x'), remove('new')],
      'new: nothing would change: it would be created and deleted again.',
    ],
  ])('refused: %s', async (_name, edits, message) => {
    using space = workspace({a: 'a\n', b: 'b\n'});
    symlinkSync('a', space.path('link'));
    expect(messageOf(await space.edit(...edits))).toBe(message);
    expect([space.text('a'), space.text('b')]).toEqual(['a\n', 'b\n']);
  });

  test('binary files move and go, and show nothing of what is in them', async () => {
    const bytes = Buffer.from([0, 255, 1, 2, 10]);
    using space = workspace({a: bytes, b: bytes});
    const diffs = await done(space, rename('a', 'c'), remove('b'));
    expect(diffs.map(({hunks}) => hunks)).toEqual([[], []]);
    expect(space.bytes('c').equals(bytes)).toBe(true);
    expect(existsSync(space.path('b'))).toBe(false);
  });

  test('a patch of several files is all or nothing', async () => {
    using space = workspace({a: 'a\n', b: 'b\n'});
    expect(messageOf(await space.edit(...patch('x')))).toContain('b: the old text was not found');
    expect(readdirSync(space.root)).toEqual(['a', 'b', 'sub']);
    await done(space, ...patch('b'));
    expect([space.text('a'), space.text('b'), space.text('c')]).toEqual(['A\n', 'B\n', 'c\n']);
  });
});

describe('lines by number', () => {
  test.each<[string, FileEdit, string]>([
    ['a\nb\nc\n', lines('f', 2, 2, 'B'), 'a\nB\nc\n'],
    ['a\nb\nc', lines('f', 3, 3, 'C\nD\n'), 'a\nb\nC\nD'],
    ['a\r\nb\r\n', lines('f', 1, 2, 'x\ny\nz'), 'x\r\ny\r\nz\r\n'],
    ['a\nb\n', lines('f', 1, 1, ''), 'b\n'],
  ])('%j', async (before, edit, after) => {
    using space = workspace({f: before});
    expect(messageOf(await space.edit(edit))).toContain("lines can't be replaced by number");
    await space.read('f');
    await done(space, edit);
    expect(space.text('f')).toBe(after);
  });

  test('beyond the end, or in a file that changed, is refused', async () => {
    using space = workspace({f: 'a\nb\n'});
    await space.read('f');
    expect(messageOf(await space.edit(lines('f', 2, 3, 'x')))).toBe('f: it has no lines 2 to 3, only 2 lines.');
    writeFileSync(space.path('f'), '0\na\nb\n');
    expect(messageOf(await space.edit(lines('f', 1, 1, 'x')))).toContain('the file was not read, or has changed since');
  });

  test('are what a second miss in a row leads to', async () => {
    using space = workspace({f: 'a\nb\n'});
    const other = 'f: texts were not found in it several times in a row; try another way: ';
    expect(messageOf(await space.edit(replace('f', ['x', 'y'])))).not.toContain(other);
    expect(messageOf(await space.edit(replace('f', ['z', 'y'])))).toContain(other);
    await done(space, replace('f', ['a', 'A']));
    expect(messageOf(await space.edit(replace('f', ['z', 'y'])))).not.toContain(other);
  });
});

describe('changes by somebody else', () => {
  test('beside the edit they stay, also those made while it was shown', async () => {
    using space = workspace({f: 'a\nb\nc\nd\ne\nf\n'});
    await space.read('f');
    writeFileSync(space.path('f'), 'A\nb\nc\nd\ne\nf\n');
    const edits = [replace('f', ['f', 'F'])];
    const shown = await planned(space, edits);
    writeFileSync(space.path('f'), 'A\nnew\nb\nc\nd\ne\nf\n');
    expect((await space.port.apply({edits, userChanges: emptyUserChanges}, shown, never)).tag).toBe('ok');
    expect(space.text('f')).toBe('A\nnew\nb\nc\nd\ne\nF\n');
  });

  test('what was merged, or edited without having been read, is not known: it is not overwritten', async () => {
    using space = workspace({f: 'a\nb\n', g: 'a\n'});
    await space.read('f');
    writeFileSync(space.path('f'), 'new\na\nb\n');
    await done(space, replace('f', ['b', 'B']));
    await done(space, replace('g', ['a', 'A']));
    expect(messageOf(await space.edit(write('f', 'x')))).toBe('f: it changed since it was read; read it again.');
    expect(messageOf(await space.edit(write('g', 'x')))).toBe(
      'g: it exists but was not read; read it before overwriting it.',
    );
  });

  test('a file outside is not quoted before it was read', async () => {
    using space = workspace();
    const path = join(space.outside, 'key');
    writeFileSync(path, 'password = hunter2\n');
    const miss = async () => messageOf(await space.edit(replace(path, ['password = hunter2!', 'x'])));
    expect(await miss()).not.toContain('hunter2');
    await space.read(path);
    expect(await miss()).toContain('hunter2');
  });

  test('a time stamp alone is no change', async () => {
    using space = workspace({f: 'a\n'});
    await space.read('f');
    writeFileSync(space.path('f'), 'a\n');
    await done(space, write('f', 'b\n'));
    expect(space.text('f')).toBe('b\n');
  });

  test('a second place, come while it was shown, is refused', async () => {
    using space = workspace({f: 'a\nb\n'});
    const edits = [replace('f', ['b', 'B'])];
    const shown = await planned(space, edits);
    writeFileSync(space.path('f'), 'a\nb\nb\n');
    expect(messageOf(await space.port.apply({edits, userChanges: emptyUserChanges}, shown, never))).toContain(
      'occurs 2 times',
    );
    expect(space.text('f')).toBe('a\nb\nb\n');
  });

  test('a folder whose place a link takes is not followed', async () => {
    using space = workspace();
    mkdirSync(space.path('dir'));
    writeFileSync(space.path('dir/f'), 'a\n');
    writeFileSync(join(space.outside, 'f'), 'a\n');
    const edits = [replace('dir/f', ['a', 'b'])];
    const shown = await planned(space, edits);
    renameSync(space.path('dir'), space.path('moved'));
    symlinkSync(space.outside, space.path('dir'));
    expect((await space.port.apply({edits, userChanges: emptyUserChanges}, shown, never)).tag).toBe('failed');
    expect([readFileSync(join(space.outside, 'f'), 'utf8'), space.text('moved/f')]).toEqual(['a\n', 'a\n']);
  });
});

describe('what is told besides', () => {
  test.each<[string, string, [string, string], RegExp | undefined]>([
    ['a.json', '{"a": 1}', ['1', '1,'], /^before the edit it was valid JSON, now it is not: /u],
    ['a.json', '{"a": 1', ['1', '2'], undefined],
    ['a.ts', 'const a: number = 1;\n', ['= 1', '= '], /^before the edit it was valid TypeScript, now it is not: /u],
    ['a.ts', 'enum A {b}\nconst a: number = 1;\n', ['= 1', '= 2'], undefined],
    ['a.mjs', 'export const a = 1;\n', ['1', '('], /^before the edit it was valid JavaScript, now it is not: /u],
    ['a.txt', '{}', ['}', ''], undefined],
  ])('%s %j', async (name, text, pair, note) => {
    using space = workspace({[name]: text});
    const [diff] = await done(space, replace(name, pair));
    if (note === undefined) expect(diff?.notes).toEqual([]);
    else expect(diff?.notes.join('\n')).toMatch(note);
  });

  test('other names of a file keep the old content, and this is said', async () => {
    using space = workspace({a: 'a\n'});
    linkSync(space.path('a'), space.path('b'));
    const [diff] = await done(space, replace('a', ['a', 'A']));
    expect(diff?.notes).toEqual(['its other name (hard link) keeps the old content']);
    expect([space.text('a'), space.text('b')]).toEqual(['A\n', 'a\n']);
  });

  test('the encoding', async () => {
    using space = workspace({a: Buffer.from('gr\u00fcn und rot\n', 'latin1')});
    const [diff] = await done(space, replace('a', ['rot', 'weiß']));
    expect(diff?.notes).toEqual(['it is Latin-1 (Windows-1252) and stays so']);
    expect(space.bytes('a').toString('latin1')).toBe('gr\u00fcn und wei\u00df\n');
  });

  test('a link stays a link, its target is edited', async () => {
    using space = workspace({a: 'a\n'});
    symlinkSync('a', space.path('link'));
    await done(space, replace('link', ['a', 'A']));
    expect([lstatSync(space.path('link')).isSymbolicLink(), space.text('a')]).toEqual([true, 'A\n']);
  });
});

/** The corpus of files whose bytes an edit must leave alone; `NEEDLE` is what is replaced. */
const text = 'first line\nsecond NEEDLE line\n\nlast line\n';
const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');
/** 50 MB for all tests, a tenth for `npm test`. */
const half = randomInputs(25_000_000);

const corpus: readonly [string, Buffer][] = [
  ['LF', Buffer.from(text)],
  ['CRLF', Buffer.from(text.replaceAll('\n', '\r\n'))],
  ['CR', Buffer.from(text.replaceAll('\n', '\r'))],
  ['mixed', Buffer.from('a\r\nb\rc NEEDLE\nd\r\n\r')],
  ['no final newline', Buffer.from(text.trimEnd())],
  ['UTF-8 mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE', Buffer.from(`\ufeffä${text}`, 'utf16le')],
  ['UTF-16 BE', Buffer.from(`\ufeffä${text}`, 'utf16le').swap16()],
  ['UTF-16 LE without a mark', Buffer.from(text, 'utf16le')],
  ['Latin-1', Buffer.from(`caf\u00e9 ${text} \u00fcber`, 'latin1')],
  ['GBK', Buffer.concat([hex('d6d0cec4b2e2cad4'), Buffer.from(text), hex('cec4bcfe')])],
  ['Shift-JIS', Buffer.concat([hex('93fa967b8cea82cc8365955c'), Buffer.from(text), hex('955c8ea6')])],
  ['invalid bytes', Buffer.concat([hex('ff80c3'), Buffer.from(text), hex('f0288cbc')])],
  ['UTF-8 and invalid bytes', Buffer.concat([Buffer.from('grün und gelb'), Buffer.from(text), hex('ff')])],
  ['megabytes in one line', Buffer.concat([Buffer.alloc(half, 'x'), Buffer.from('NEEDLE'), Buffer.alloc(half, 'y')])],
];

describe('an edit changes the bytes of its place and no others', () => {
  test.each(corpus)('%s', async (_name, bytes) => {
    using space = workspace({file: bytes});
    const wide = bytes.includes(0) ? (bytes[0] === 0xfe ? 'be' : 'le') : 'one';
    const coded = (word: string): Buffer =>
      wide === 'one'
        ? Buffer.from(word)
        : wide === 'le'
          ? Buffer.from(word, 'utf16le')
          : Buffer.from(word, 'utf16le').swap16();
    await done(space, replace('file', ['NEEDLE', 'THREADS']));
    const at = bytes.indexOf(coded('NEEDLE'));
    const expected = Buffer.concat([
      bytes.subarray(0, at),
      coded('THREADS'),
      bytes.subarray(at + coded('NEEDLE').length),
    ]);
    expect(space.bytes('file').equals(expected)).toBe(true);
    await done(space, replace('file', ['THREADS', 'NEEDLE']));
    expect(space.bytes('file').equals(bytes)).toBe(true);
  });

  test.each<[string, Buffer, RegExp]>([
    ['NUL', Buffer.from('a\0NEEDLE'), /it is a binary file/u],
    ['nothing', Buffer.alloc(0), /was not found/u],
    ['UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x61]), /it is a binary file/u],
  ])('refused: %s', async (_name, bytes, message) => {
    using space = workspace({file: bytes});
    expect(messageOf(await space.edit(replace('file', ['NEEDLE', 'x'])))).toMatch(message);
    expect(space.bytes('file').equals(bytes)).toBe(true);
  });

  test('random bytes around it, and back again', async () => {
    using space = workspace();
    const part = fc.uint8Array({min: 1, maxLength: 20}).map(bytes => Buffer.concat([bytes, Buffer.from(' ')]));
    await fc.assert(
      fc.asyncProperty(part, part, fc.stringMatching(/^[a-z\n]{1,8}$/u), async (before, after, fresh) => {
        const bytes = Buffer.concat([before, Buffer.from('\nNEEDLE\n'), after]);
        writeFileSync(space.path('file'), bytes);
        const edited = await space.edit(replace('file', ['NEEDLE', `<${fresh}>`]));
        if (edited.tag === 'failed') {
          expect(space.bytes('file').equals(bytes)).toBe(true);
          return;
        }
        const now = space.bytes('file');
        expect(now.subarray(0, before.length + 1).equals(bytes.subarray(0, before.length + 1))).toBe(true);
        expect(now.subarray(now.length - after.length).equals(after)).toBe(true);
        await done(space, replace('file', [`<${fresh}>`, 'NEEDLE']));
        expect(space.bytes('file').equals(bytes)).toBe(true);
      }),
      {numRuns: randomInputs(150)},
    );
  });
});
