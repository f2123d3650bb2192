/* oxlint-disable no-control-regex -- these tests look for control characters */
import * as fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {loadMarkdownLexer, renderMarkdown, type MarkdownLexer} from '../../src/tui/scrollback/render-markdown.ts';
import {takeFinished} from '../../src/tui/state/reduce.ts';
import {emptyView, textEntry, type View} from '../../src/tui/state/view.ts';
import {highlightCode, loadGrammar} from '../../src/tui/scrollback/syntax/highlight.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import type {EntryFrame, Frame} from '../../src/tui/text/wrap.ts';
import {finishedLines, openLines} from '../../src/tui/scrollback/entries.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

let lexer: MarkdownLexer;
beforeAll(async () => {
  lexer = await loadMarkdownLexer();
});
const plain = (source: string, width = 40): readonly string[] =>
  renderMarkdown(source, lexer, {theme: themeOf('plain'), width});

const escaped = (text: string): string =>
  text.replaceAll(/[^\w]/gu, letter => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);

const link = (href: string, text: string): unknown =>
  expect.stringMatching(
    new RegExp(`^\u001B\\]8;id=\\w+;${escaped(href)}\u001B\\\\${escaped(text)}\u001B\\]8;;\u001B\\\\$`, 'u'),
  );

const letters = (of: string): string => of.replaceAll(/[^\p{Letter}\p{Number}]/gu, '');

describe('renderMarkdown', () => {
  test.each<[string, readonly string[]]>([
    ['# Title', ['Title']],
    ['a **b** `c<d` _e_ ~~f~~ &amp; \\*', ['a b c<d e f & *']],
    ['one\ntwo', ['one', 'two']],
    ['[words](http://x.org) and http://y.org', ['words (http://x.org) and http://y.org']],
    ['[http://good.org](http://bad.org)', ['http://good.org (http://bad.org)']],
    ['![alt](pic.png)', ['[image: alt](pic.png)']],
    ['![](pic.png)', ['[image](pic.png)']],
    ['see <me@x.org> or www.x.org', ['see me@x.org or www.x.org']],
    ['[^1] and\n\n[^1]: the note', ['[^1] and', '', '[^1]: the note']],
    ['[a][1]\n\n[1]: http://x.org', ['a (http://x.org)', '', '[1]: http://x.org']],
    ['a &lt;b&gt; &#65;&#x42;&hellip; &#27;[2J &#8238; &nope;', ['a <b> AB… ^[[2J \\u{202e} &nope;']],
    ['one<br>two', ['one', 'two']],
    ['1. [ ] a\n2. [x] b', ['1. [ ] a', '2. [x] b']],
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

  test('a table that does not fit becomes records', () => {
    const source =
      '| Name | Kind | What it is for | Since |\n|---|---|---|---|\n| weft | tool | writes code | 2026 |\n| x | | | 1 |';
    expect(plain(source, 24)).toEqual([
      'Name: weft',
      'Kind: tool',
      'What it is for: writes',
      '  code',
      'Since: 2026',
      '────────────',
      'Name: x',
      'Since: 1',
    ]);
    expect(plain('| 名前 | 値 |\n|---|--:|\n| 日本 | 1 |', 24)).toEqual(['名前 │ 値', '─────┼───', '日本 │  1']);
  });

  test('where the terminal has links, only what says an address itself has it written out', () => {
    const linked: Frame = {
      theme: themeOf({theme: 'plain', level: 'none', links: 'osc8', background: 'unknown'}),
      width: 60,
    };
    expect(renderMarkdown('[words](https://x.org/ä)', lexer, linked)).toEqual([link('https://x.org/%C3%A4', 'words')]);
    expect(renderMarkdown('https://x.org/%41', lexer, linked)).toEqual([
      link('https://x.org/%41', 'https://x.org/%41'),
    ]);
    expect(renderMarkdown('[good.org](https://bad.org)', lexer, linked).join('')).toMatch(/ \(https:\/\/bad\.org\)$/u);
    expect(renderMarkdown('[run](javascript:alert)', lexer, linked)).toEqual(['run (javascript:alert)']);
    expect(renderMarkdown('[a](<https://x.org/\u0007>)', lexer, linked).join('')).not.toContain('\u0007');
  });

  test('numbers of pull requests and paths in code are links, if something is known to link to', () => {
    const look = {theme: 'dark', level: 'truecolor', links: 'osc8', background: 'unknown'} as const;
    const hrefs = (place: Parameters<typeof themeOf>[2]): readonly string[] =>
      renderMarkdown('See PR #12, issue #3, **PR #4**, #5 and `src/a.ts:7`.', lexer, {
        theme: themeOf(look, 'dark', place),
        width: 80,
      }).flatMap(line => line.match(/(?:https|file):[^\u001B]+/gu) ?? []);
    expect(hrefs({pictures: 'none', directory: '/w', repository: 'https://github.com/o/r'})).toEqual([
      'https://github.com/o/r/pull/12',
      'https://github.com/o/r/pull/3',
      'https://github.com/o/r/pull/4',
      'file:///w/src/a.ts#7',
    ]);
    expect(hrefs(undefined)).toEqual([]);
  });

  test('code has colours, nested code too', async () => {
    await loadGrammar('typescript');
    const dark: Frame = {
      theme: themeOf({theme: 'dark', level: 'truecolor', links: 'shown', background: 'unknown'}, 'dark'),
      width: 60,
    };
    const keyword = dark.theme.style(['syntax-keyword'], 'let');
    expect(renderMarkdown('```ts\nlet a;\n```', lexer, dark)).toEqual([
      `  ${keyword}${dark.theme.style(['code-block'], ' a;')}`,
    ]);
    expect(renderMarkdown('- x\n  ```ts\n  let a;\n  ```', lexer, dark)[1]).toContain(keyword);
    expect(plain('```ts\nlet a;\n```')).toEqual(['  let a;']);
  });

  test('styles begin and end on every line', () => {
    expect(renderMarkdown('**aa bb**', lexer, {theme: themeOf('color'), width: 2})).toEqual([
      '\u001B[1maa\u001B[22m',
      '\u001B[1mbb\u001B[22m',
    ]);
  });

  test('nesting thousands deep is shown as it is', () => {
    expect(plain('>'.repeat(20_000)).length).toBeGreaterThan(0);
  });

  const word = fc.constantFrom(
    'word',
    '**b**',
    '`code`',
    '[l](u)',
    '[l](https://x.org)',
    '![i](p)',
    'https://x.org/a',
    '日本',
    '👩‍👩‍👧',
    'e\u0301',
    '\u001B[2J',
    '\u202E',
    '\u200B',
    '&#27;',
    '<b>',
    '<br>',
    '[^1]',
    '[^1]: n',
    '| a | b |',
    '|--|--|',
    '|',
    '- i',
    '123456789. i',
    '- [x] t',
    '> q',
    '>> > r',
    '# h',
    '---',
    '\\',
    '~~',
    '*',
    '    c',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    '\n```ts\n',
    '\n```\n',
    '\n~~~py\n',
    'let x = `a ${1}`; /* c',
    '*/ "s" \'t',
    '\n  - n',
    '\n> ',
  );
  const text = fc.array(word, {maxLength: 60}).map(words => words.join(' '));

  test('no line is wider than the screen and none holds a control character', () => {
    fc.assert(
      fc.property(text, fc.integer({min: 12, max: 60}), (source, width) => {
        for (const line of plain(source, width)) {
          expect(cellWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\u0000-\u001F\u200B\u202E]/u);
        }
      }),
    );
  });

  test('letters and digits are kept', () => {
    const safe = fc.array(
      fc.constantFrom(
        'word',
        '**b**',
        '`code`',
        '[l](u)',
        '# h',
        '- i',
        '> q',
        '\n',
        '\n\n',
        '| a | b |\n|--|--|\n| c | d |',
        '~~s~~',
        '日本',
        '[^1]: n',
        '<i>',
      ),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(safe, fc.integer({min: 12, max: 60}), (words, width) => {
        const source = words.join('\n\n');
        expect(letters(plain(source, width).join(''))).toBe(letters(source));
      }),
    );
  });

  test('however the text is cut up while it streams, the same lines are written', async () => {
    await Promise.all([loadGrammar('typescript'), loadGrammar('python')]);
    const frame: EntryFrame = {
      theme: themeOf({theme: 'dark', level: 'truecolor', links: 'osc8', background: 'unknown'}, 'dark'),
      width: 40,
      verbosity: 'summary',
      home: '',
    };
    const written = (parts: readonly string[]): readonly string[] => {
      let view: View = {...emptyView, entries: [textEntry('m', '', 'streaming')]};
      const lines: string[] = [];
      for (const [at, part] of parts.entries()) {
        const [entry] = view.entries;
        if (entry?.kind !== 'text') throw new Error('the text went');
        const state = at === parts.length - 1 ? 'done' : 'streaming';
        view = {...view, entries: [{...entry, rest: entry.rest + part, state}]};
        openLines(view, {lexer, actions: new Map()}, frame);
        const drained = takeFinished(view);
        view = drained.view;
        lines.push(...drained.finished.flatMap(one => finishedLines(one, lexer, frame)));
      }
      return lines;
    };
    fc.assert(
      fc.property(text, fc.array(fc.integer({min: 1, max: 9}), {minLength: 1}), (source, sizes) => {
        const parts: string[] = [];
        for (let from = 0; from < source.length;) {
          const size = sizes[parts.length % sizes.length] ?? 1;
          parts.push(source.slice(from, from + size));
          from += size;
        }
        expect(written([...parts, ''])).toEqual(written([source]));
      }),
    );
  });
});

test('code that has grown goes on in the state of the lines before it', async () => {
  await loadGrammar('javascript');
  highlightCode(['/* first', 'second'], 'javascript');
  const roles = highlightCode(['/* first', 'second', 'third */ x'], 'javascript').map(spans => spans[0]?.roles);
  expect(roles).toEqual([['syntax-comment'], ['syntax-comment'], ['syntax-comment']]);
});
