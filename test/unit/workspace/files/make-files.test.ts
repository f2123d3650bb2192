import {execFileSync} from 'node:child_process';
import {symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {deflateSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {messageOf, textOf, workspace, write} from './file-space.ts';

describe('resolve', () => {
  test('a sibling with the same prefix is outside, as is what a link leads to, even one that leads nowhere yet', () => {
    using space = workspace({'a.txt': ''});
    symlinkSync(space.outside, space.path('link'));
    symlinkSync(join(space.outside, 'new.txt'), space.path('dangling'));
    symlinkSync(space.path('circle'), space.path('circle'));
    const resolve = (path: string) => space.port.resolve(path);
    expect(resolve('a.txt')).toEqual({path: space.path('a.txt'), place: 'inside-workspace'});
    expect(resolve('sub/../new/file')).toEqual({path: space.path('new/file'), place: 'inside-workspace'});
    expect(resolve('.')).toEqual({path: space.root, place: 'inside-workspace'});
    expect(resolve('..a')).toEqual({path: space.path('..a'), place: 'inside-workspace'});
    expect(resolve(space.outside)).toEqual({path: space.outside, place: 'outside-workspace'});
    expect(resolve('..').place).toBe('outside-workspace');
    expect(resolve('link/new/file')).toEqual({path: join(space.outside, 'new/file'), place: 'outside-workspace'});
    expect(resolve('dangling')).toEqual({path: join(space.outside, 'new.txt'), place: 'outside-workspace'});
    expect(resolve('circle').place).toBe('inside-workspace');
    expect(resolve('~/x')).toEqual({path: join(space.root, '../home/x'), place: 'outside-workspace'});
  });
});

describe('paths of any length', () => {
  test('many parts are no trouble: up to the bound they resolve, links included, beyond it they are outside', () => {
    using space = workspace();
    symlinkSync(join(space.outside, 'new'), space.path('dangling'));
    symlinkSync('dangling', space.path('twice'));
    const deep = 'a/'.repeat(1900);
    expect(space.port.resolve(deep)).toEqual({path: space.path(deep).slice(0, -1), place: 'inside-workspace'});
    expect(space.port.resolve(`twice/${deep}b`)).toEqual({
      path: join(space.outside, 'new', deep, 'b'),
      place: 'outside-workspace',
    });
    for (const parts of [2049, 8000, 30_000]) {
      const {path, place} = space.port.resolve('a/'.repeat(parts));
      expect({length: path.length, place}).toEqual({length: 4096, place: 'outside-workspace'});
    }
  });

  test('neither read nor edited beyond the bound', async () => {
    using space = workspace();
    const path = 'a/'.repeat(8000);
    const words = `The path ${path.slice(0, 59)}… is too long: it is 16000 characters long; at most 4096 are possible.`;
    expect(messageOf(await space.read(path))).toBe(words);
    expect(messageOf(await space.edit(write(path, 'x')))).toBe(words);
    expect((await space.read('a/'.repeat(2000))).tag).toBe('failed');
  });
});

describe('read', () => {
  test.each<[string, string | Buffer, unknown]>([
    ['lines', 'a\nb\n', {lines: ['a', 'b'], firstLine: 1, totalLines: 2, notes: []}],
    ['no end of line, CRLF, a mark', '\ufeffa\r\nb', {lines: ['a', 'b'], firstLine: 1, totalLines: 2, notes: []}],
    ['nothing', '', {lines: [], firstLine: 1, totalLines: 0, notes: ['the file is empty']}],
    [
      'UTF-16',
      Buffer.from('\ufeffä\nb', 'utf16le'),
      {lines: ['ä', 'b'], firstLine: 1, totalLines: 2, notes: ['the file is UTF-16 LE']},
    ],
    [
      'Latin-1',
      Buffer.from('caf\u00e9 au lait\n', 'latin1'),
      {
        lines: ['café au lait'],
        firstLine: 1,
        totalLines: 1,
        notes: ['the file is Latin-1 (Windows-1252)'],
      },
    ],
    [
      'UTF-8 with a broken byte',
      Buffer.concat([Buffer.from('größe '), Buffer.from([0xff]), Buffer.from('\n')]),
      {
        lines: ['größe \ufffd'],
        firstLine: 1,
        totalLines: 1,
        notes: ['some bytes are not UTF-8 and show as \ufffd'],
      },
    ],
    [
      'lines that end in returns',
      'a\rb\r',
      {
        lines: ['a', 'b'],
        firstLine: 1,
        totalLines: 2,
        notes: [],
      },
    ],
    [
      'a long line',
      `${'x'.repeat(5000)}\nb`,
      {lines: [`${'x'.repeat(1999)}…`, 'b'], firstLine: 1, totalLines: 2, notes: ['line 1 cut after 2000 characters']},
    ],
  ])('%s', async (_name, content, expected) => {
    using space = workspace({file: content});
    expect(textOf(await space.read('file'))).toEqual(expected);
  });

  test('a range, how to go on, and what lies past the end', async () => {
    using space = workspace({file: 'a\nb\nc\nd\n'});
    expect(textOf(await space.read('file', 2, 2))).toEqual({
      lines: ['b', 'c'],
      firstLine: 2,
      totalLines: 4,
      notes: ['lines 2 to 3 of 4; continue with offset 4'],
    });
    expect(messageOf(await space.read('file', 5))).toBe('file has 4 lines; there is no line 5.');
  });

  test('an answer is bounded', async () => {
    using space = workspace({file: `${'x'.repeat(999)}\n`.repeat(1000)});
    const read = textOf(await space.read('file'));
    expect(read).toMatchObject({
      totalLines: 1000,
      notes: ['lines 1 to 250 of 1000 (the limit is 250.0 kB); continue with offset 251'],
    });
  });

  test('a character on the border of two chunks is whole', async () => {
    using space = workspace({file: `${'x'.repeat(256 * 1024 - 1)}\n`.slice(1) + 'ä\n€'});
    expect(textOf(await space.read('file', 2))).toMatchObject({lines: ['ä', '€'], notes: []});
  });

  test('images by their first bytes', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    using space = workspace({'a.txt': png, big: Buffer.concat([png, Buffer.alloc(5_000_000)])});
    expect(await space.read('a.txt')).toEqual({
      tag: 'ok',
      value: {
        kind: 'image',
        path: 'a.txt',
        image: {kind: 'image', mediaType: 'image/png', data: png.toString('base64')},
      },
    });
    expect(messageOf(await space.read('big'))).toBe('big is an image of 5.0 MB; at most 5.0 MB can be read.');
    const wide = Buffer.from('89504e470d0a1a0a0000000d494844520000ffff00000001', 'hex');
    using wideSpace = workspace({'wide.png': wide});
    expect(messageOf(await wideSpace.read('wide.png'))).toMatch(
      /^wide\.png is an image of 65,535 × 1 pixels; a side may/u,
    );
  });

  test('notebooks as cells', async () => {
    const cells = [
      {cell_type: 'markdown', source: ['# Title\n', 'text'], metadata: {}},
      {
        cell_type: 'code',
        id: 'c1',
        source: 'print(1)\n1/0',
        outputs: [
          {output_type: 'stream', text: ['1\n']},
          {output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero', traceback: []},
          {output_type: 'display_data', data: {'text/plain': ['<Figure>'], 'image/png': 'AAAA'}},
        ],
      },
    ];
    using space = workspace({'a.ipynb': JSON.stringify({cells, nbformat: 4}), 'b.ipynb': '{"no": "notebook"}'});
    expect(textOf(await space.read('a.ipynb'))).toMatchObject({
      lines: [
        '=== cell 1 (markdown)',
        '# Title',
        'text',
        '',
        '=== cell 2 (code, id c1)',
        'print(1)',
        '1/0',
        '--- output',
        '1',
        '--- output',
        'ZeroDivisionError: division by zero',
        '--- output',
        '<Figure>',
        '[image/png]',
      ],
      notes: ['the cells of a notebook; edits and line numbers refer to its JSON text, which a command shows'],
    });
    expect(textOf(await space.read('b.ipynb'))).toMatchObject({lines: ['{"no": "notebook"}'], notes: []});
  });

  test('PDFs are given as they are, with their pages; long ones are refused', async () => {
    const objects = deflateSync(
      '1 0 << /Type /Page /Parent 2 0 R >> 3 0 << /Type /Page >> << /Type /Pages /Count 2 >>',
    );
    using space = workspace({
      'open.pdf': '%PDF-1.4\n1 0 obj << /Type /Pages /Count 1 >>\n2 0 obj << /Type /Page >> endobj\n',
      'packed.pdf': Buffer.concat([
        Buffer.from('%PDF-1.5\n5 0 obj << /Type /ObjStm /N 2 >>\nstream\r\n'),
        objects,
        Buffer.from('\nendstream'),
      ]),
      'odd.pdf': '%PDF-1.7 \0',
      'long.pdf': `%PDF-1.4\n${'<< /Type /Page >>\n'.repeat(101)}`,
      'large.pdf': `%PDF-1.4\n${'x'.repeat(20_200_000)}`,
    });
    const pagesOf = async (name: string) => {
      const read = await space.read(name);
      return read.tag === 'ok' && read.value.kind === 'document' ? read.value.pages : messageOf(read);
    };
    expect([await pagesOf('open.pdf'), await pagesOf('packed.pdf'), await pagesOf('odd.pdf')]).toEqual([
      1,
      2,
      undefined,
    ]);
    expect(await space.read('odd.pdf')).toMatchObject({
      value: {document: {name: 'odd.pdf', data: Buffer.from('%PDF-1.7 \0').toString('base64')}},
    });
    expect(await pagesOf('long.pdf')).toMatch(
      /^long\.pdf is a PDF of 1\.8 kB, 101 pages; the limit is .* 100 pages\. /u,
    );
    expect(await pagesOf('large.pdf')).toMatch(/^large\.pdf is a PDF of 20\.\d MB; the limit is/u);
  });

  test('encodings of the time before Unicode', async () => {
    using space = workspace({
      gbk: Buffer.from('d6d0cec4b2e2cad4cec4bcfe0a', 'hex'),
      sjis: Buffer.from('93fa967b8cea82cc83658358836782510a', 'hex'),
      bare: Buffer.from('ab\ncd\n', 'utf16le'),
    });
    const told = async (name: string) => {
      const read = textOf(await space.read(name));
      return 'lines' in read ? [...read.lines, ...read.notes] : read;
    };
    expect(await told('gbk')).toEqual(['中文测试文件', 'the file is GBK (GB 18030)']);
    expect(await told('sjis')).toEqual(['日本語のテスト２', 'the file is Shift_JIS']);
    expect(await told('bare')).toEqual(['ab', 'cd', 'the file is UTF-16 LE']);
  });

  test('folders', async () => {
    using space = workspace({'b.txt': '', a: ''});
    symlinkSync(space.outside, space.path('link'));
    expect(await space.read('.')).toEqual({
      tag: 'ok',
      value: {kind: 'directory', path: '.', entries: ['a', 'b.txt', 'link/', 'sub/'], more: 0},
    });
    expect(await space.read('.', 2, 2)).toMatchObject({value: {entries: ['b.txt', 'link/'], more: 1}});
  });

  test('what is refused, in words', async () => {
    using space = workspace({'read-me.md': '', binary: Buffer.from([1, 0, 2]), noise: Buffer.alloc(100, 0xff)});
    execFileSync('mkfifo', [space.path('pipe')]);
    symlinkSync(space.path('circle'), space.path('circle'));
    expect(messageOf(await space.read('readme.md'))).toBe('readme.md: there is no such file. Did you mean read-me.md?');
    expect(messageOf(await space.read('nothing/like/it'))).toBe('nothing/like/it: there is no such file.');
    expect(messageOf(await space.read('binary'))).toMatch(/^binary is a binary file \(3 bytes\)/u);
    expect(messageOf(await space.read('noise'))).toMatch(/^noise is a binary file \(100 bytes\)/u);
    expect(messageOf(await space.read('pipe'))).toBe('pipe cannot be read: it is a device, a pipe or a socket.');
    expect(messageOf(await space.read('/dev/zero'))).toBe(
      '/dev/zero cannot be read: it is a device, a pipe or a socket.',
    );
    expect(messageOf(await space.read('binary/x'))).toBe(
      'binary/x cannot be read: a part of its path is a file, not a folder.',
    );
    expect(messageOf(await space.read('circle'))).toBe('circle cannot be read: its links form a loop.');
    expect(messageOf(await space.read('a\0b'))).toBe('A path cannot hold a NUL character.');
  });
});
