/* oxlint-disable no-control-regex -- these tests look for control characters */
import * as fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {loadMarkdownLexer, renderMarkdown, type MarkdownLexer} from '../../src/tui/markdown/render-markdown.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

let lexer: MarkdownLexer;
beforeAll(async () => {
  lexer = await loadMarkdownLexer();
});
const plain = (source: string, width = 40): readonly string[] =>
  renderMarkdown(source, lexer, {theme: themeOf('plain'), width});

describe('renderMarkdown', () => {
  test.each<[string, readonly string[]]>([
    ['# Title', ['Title']],
    ['a **b** `c<d` _e_ ~~f~~ &amp; \\*', ['a b c<d e f & *']],
    ['one\ntwo', ['one', 'two']],
    ['[words](http://x.org) and http://y.org', ['words (http://x.org) and http://y.org']],
    ['[http://good.org](http://bad.org)', ['http://good.org (http://bad.org)']],
    ['![alt](pic.png)', ['[image: alt]']],
    ['3. one\n   - two\n   - [x] done', ['3. one', '   - two', '   - [x] done']],
    ['> quoted\n> > twice', ['│ quoted', '│', '│ │ twice']],
    ['    code', ['  code']],
    ['<b>raw</b>', ['<b>raw</b>']],
    ['---', ['─'.repeat(40)]],
    ['| a | long |\n|--:|:--|\n| 1 | x |\n| 22 | y |', [' a │ long', '───┼─────', ' 1 │ x', '22 │ y']],
  ])('%j', (source, lines) => {
    expect(plain(source)).toEqual(lines);
  });

  test('breaks between words and cuts only what is longer than a line', () => {
    expect(plain('aaa bbb ccccccccccccc', 8)).toEqual(['aaa bbb', 'cccccccc', 'ccccc']);
    expect(plain('ab**cd** ef', 4)).toEqual(['abcd', 'ef']);
    expect(plain('日本語日本語', 5)).toEqual(['日本', '語日', '本語']);
  });

  test('cells of a table too wide wrap', () => {
    expect(plain('| a | b |\n|---|---|\n| one two three | x |', 12)).toEqual([
      'a        │ b',
      '─────────┼──',
      'one two  │ x',
      'three    │',
    ]);
  });

  test('styles begin and end on every line', () => {
    expect(renderMarkdown('**aa bb**', lexer, {theme: themeOf('colour'), width: 2})).toEqual([
      '\u001B[1maa\u001B[22m',
      '\u001B[1mbb\u001B[22m',
    ]);
  });

  test('nesting thousands deep is shown as it is', () => {
    expect(plain('>'.repeat(20_000)).length).toBeGreaterThan(0);
  });

  test('no line is wider than the screen and none holds a control character', () => {
    const word = fc.constantFrom(
      'word',
      '**b**',
      '`code`',
      '[l](u)',
      '日本',
      '👩‍👩‍👧',
      '\u001B[2J',
      '\u202E',
      '| a | b |',
      '- i',
      '> q',
      '\n',
      '\n\n',
      '|--|--|',
    );
    fc.assert(
      fc.property(fc.array(word, {maxLength: 40}), fc.integer({min: 12, max: 60}), (words, width) => {
        for (const line of plain(words.join(' '), width)) {
          expect(cellWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\u0000-\u001F\u202E]/u);
        }
      }),
    );
  });
});
