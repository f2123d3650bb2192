import {array, assert, property, stringMatching} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {maskOfQuery, PathTable} from '../../../../src/workspace/search/path-table.ts';

const encoder = new TextEncoder();
const pathsOf = (table: PathTable): readonly string[] =>
  Array.from({length: table.length}, (_, place) => table.textAt(place));

describe('the table of paths', () => {
  test('keeps every path once, with the folders it lies in', () => {
    const table = new PathTable(100);
    for (const path of ['src/a/b.ts', 'src/a/c.ts', 'src/a/b.ts', 'top.md'])
      table.add(encoder.encode(path), 'ordinary');
    table.add(encoder.encode('src/a/b.ts'), 'ignored');
    table.add(encoder.encode('src/gen/d.ts'), 'ignored');
    expect(pathsOf(table).toSorted()).toEqual([
      'src/',
      'src/a/',
      'src/a/b.ts',
      'src/a/c.ts',
      'src/gen/',
      'src/gen/d.ts',
      'top.md',
    ]);
    const ignored = pathsOf(table).filter((_, place) => table.isIgnored(place));
    expect(ignored.toSorted()).toEqual(['src/gen/', 'src/gen/d.ts']);
  });

  test('holds what it was given, whatever and however much', () => {
    const name = stringMatching(/^[a-zA-Z0-9äß日._-]{1,12}$/u);
    const path = array(name, {minLength: 1, maxLength: 4}).map(parts => parts.join('/'));
    assert(
      property(array(path, {maxLength: 300}), paths => {
        const table = new PathTable(100_000);
        for (const one of paths) table.add(encoder.encode(one), 'ordinary');
        table.freeze();
        const files = pathsOf(table).filter(one => !one.endsWith('/'));
        expect(files.toSorted()).toEqual([...new Set(paths)].toSorted());
        for (const [place, one] of pathsOf(table).entries()) {
          expect(table.mayContain(place, maskOfQuery(encoder.encode(one.toLowerCase())))).toBe(true);
        }
      }),
      {numRuns: 30},
    );
  });

  test('grows past its pieces, and is full when it is full', () => {
    const table = new PathTable(50_000);
    for (let at = 0; !table.isFull; at += 1) table.add(encoder.encode(`folder/${'x'.repeat(40)}${at}.ts`), 'ordinary');
    expect(table.length).toBe(50_000);
    expect(table.textAt(49_999)).toBe(`folder/${'x'.repeat(40)}49998.ts`);
    table.add(encoder.encode('one-more.ts'), 'ordinary');
    expect(table.length).toBe(50_000);
  });

  test('names with control characters are left out: nobody could read them', () => {
    const table = new PathTable(10);
    table.add(encoder.encode('a\u001B[2Jb.ts'), 'ordinary');
    table.add(encoder.encode('a\nb.ts'), 'ordinary');
    expect(table.length).toBe(0);
  });
});
