import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {markdownStart, splitMarkdown, type MarkdownPiece} from '../../src/tui/scrollback/split-markdown.ts';
import type {Fence} from '../../src/tui/scrollback/syntax/highlight.ts';

const block = (source: string, gap: 'line' | 'none' = 'line'): MarkdownPiece => ({kind: 'block', source, gap});
const code = (text: string, grammar: Fence['grammar']): MarkdownPiece => ({kind: 'code-lines', text, fence: {grammar}});

describe('splitMarkdown', () => {
  test.each<[string, string, readonly MarkdownPiece[], string]>([
    ['a line without an end stays', 'hello', [], 'hello'],
    ['a paragraph ends at a blank line', 'one\ntwo\n\nthree', [block('one\ntwo')], 'three'],
    ['a heading is finished with its line', '# Title\ntext', [block('# Title')], 'text'],
    ['a heading ends a paragraph', 'text\n## Next\n', [block('text'), block('## Next')], ''],
    ['items are cut one by one', '- a\n- b\n- c', [block('- a')], '- b\n- c'],
    ['a tight item has no gap', '- a\n- b\n- c\n', [block('- a'), block('- b', 'none')], '- c\n'],
    ['nested lines belong to their item', '- a\n  - b\n\n  more\n\nend\n', [block('- a\n  - b\n\n  more')], 'end\n'],
    ['a rule is not an item', '- - -\ntext\n', [block('- - -')], 'text\n'],
    [
      'a long paragraph leaves some lines at a time',
      'one\ntwo\nthree\nfour\nfive\nsi',
      [block('one\ntwo\nthree'), block('four', 'none')],
      'five\nsi',
    ],
    ['but not within what is emphasised', 'one **b\ntwo\nthree\nfour\nfive\n', [], 'one **b\ntwo\nthree\nfour\nfive\n'],
    [
      'its parts have no gap',
      'one\ntwo\nthree\nfour\nfive\n\n',
      [block('one\ntwo\nthree'), block('four', 'none'), block('five', 'none')],
      '',
    ],
    ['a line below may make a heading', 'one\ntwo\n===\nfour\nfive\n', [], 'one\ntwo\n===\nfour\nfive\n'],
    ['a table goes whole', '| a |\n|---|\n| 1 |\n\n', [block('| a |\n|---|\n| 1 |')], ''],
    [
      'lines of a fence leave as they come, blank ones too',
      'see\n```ts\nlet a;\n\nlet b;\nlet',
      [block('see'), {kind: 'code-start'}, code('let a;\n\nlet b;', 'typescript')],
      'let',
    ],
    [
      'a fence ends with its own marker only',
      '````\n```\n````\nend\n\n',
      [{kind: 'code-start'}, code('```', undefined), block('end')],
      '',
    ],
  ])('%s', (_name, text, pieces, rest) => {
    const split = splitMarkdown(text, markdownStart, 'growing');
    expect({pieces: split.pieces, rest: split.rest}).toEqual({pieces, rest});
  });

  test('the rest of a long table has the names of its columns', () => {
    const head = '| name |\n|---|\n';
    const rows = '| value |\n'.repeat(1700);
    const {pieces, rest} = splitMarkdown(`${head}${rows}| last`, markdownStart, 'growing');
    expect({pieces, rest}).toEqual({pieces: [block(`${head}${rows}`.trimEnd())], rest: `${head}| last`});
  });

  test('however the text is cut into deltas, the pieces say the same', () => {
    const line = fc.constantFrom(
      'text',
      '',
      '- item',
      '  nested',
      '1. one',
      '# head',
      '```',
      '~~~',
      '› quote',
      '| a · b |',
      '---',
      '    code',
      '```js',
    );
    fc.assert(
      fc.property(
        fc.array(line, {maxLength: 30}),
        fc.array(fc.integer({min: 1, max: 9}), {minLength: 1}),
        (lines, cuts) => {
          const text = lines.join('\n');
          const whole = splitMarkdown(text, markdownStart, 'whole').pieces;
          const pieces: MarkdownPiece[] = [];
          let rest = '';
          let place = markdownStart;
          let at = 0;
          for (let turn = 0; at < text.length; turn++) {
            const size = cuts[turn % cuts.length] ?? 1;
            const split = splitMarkdown(rest + text.slice(at, at + size), place, 'growing');
            at += size;
            pieces.push(...split.pieces);
            ({rest, place} = split);
          }
          pieces.push(...splitMarkdown(rest, place, 'whole').pieces);
          expect(joined(pieces)).toEqual(joined(whole));
        },
      ),
    );
  });
});

/** Code lines come in pieces of any size: only their sum counts. */
function joined(pieces: readonly MarkdownPiece[]): readonly MarkdownPiece[] {
  const out: MarkdownPiece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (piece.kind === 'code-lines' && last?.kind === 'code-lines') {
      out[out.length - 1] = {...last, text: `${last.text}\n${piece.text}`};
    } else out.push(piece);
  }
  return out;
}

test.each([
  ['one\ntwo\nthree\nfour\nfive\n', 2],
  ['one [a\ntwo\nthree\nfour\nfive\n', 0],
  ['one [a](b)\ntwo\nthree\nfour\nfive\n', 2],
  ['one *a\ntwo\nthree\nfour\nfive\n', 0],
  ['one *a* b*c\ntwo*\nthree\nfour\nfive\n', 2],
  ['one <b\ntwo\nthree\nfour\nfive\n', 0],
])('a paragraph is cut only where nothing in it is open: %j', (text, parts) => {
  expect(splitMarkdown(text, markdownStart, 'growing').pieces).toHaveLength(parts);
});
