import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {restOfBlock} from '../../src/tui/scrollback/rest-of-block.ts';
import type {TranscriptBlock} from '../../src/tui/scrollback/scrollback-buffer.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {stripStyles} from '../../src/tui/text/cell-width.ts';
import {wrapSpans} from '../../src/tui/text/wrap.ts';

const theme = themeOf({level: 'truecolor', links: 'osc8', theme: 'dark', background: 'dark'});
const frameOf = (width: number) => ({theme, width, verbosity: 'summary', home: ''}) as const;

/** A paragraph of words in turning styles, as an answer has it. */
const paragraph =
  (words: readonly string[]): TranscriptBlock =>
  frame => [
    '',
    ...wrapSpans(
      words.flatMap((text, at) => [
        {text, roles: at % 3 === 0 ? ['bold'] : at % 5 === 0 ? ['code'] : []},
        {text: ' ', roles: []},
      ]),
      frame,
      {first: '  ', rest: '  ', roles: []},
    ),
  ];

const word = fc.string({unit: fc.constantFrom('a', 'b', 'é', '漢', '.'), minLength: 1, maxLength: 9});

test('the rest of a paragraph is filled as if it were a paragraph of its own', () => {
  fc.assert(
    fc.property(
      fc.array(word, {minLength: 1, maxLength: 60}),
      fc.integer({min: 24, max: 120}),
      fc.integer({min: 24, max: 120}),
      fc.nat(),
      (words, before, now, seed) => {
        const block = paragraph(words);
        const written = block(frameOf(before));
        const kept = written.slice(0, 2 + (seed % (written.length - 1)));
        const rest = restOfBlock(block, {kept, written}, frameOf(now));
        const left = words.slice(kept.join(' ').match(/[^\s]+/gu)?.length ?? 0);
        const [, ...expected] = paragraph(left)(frameOf(now));
        expect({...rest, lines: rest.lines.map(line => stripStyles(line).trimEnd())}).toEqual({
          lines: left.length === 0 ? [] : expected.map(line => stripStyles(line).trimEnd()),
          isLaidOut: true,
        });
      },
    ),
  );
});

const table: TranscriptBlock = ({width}) => ['a row', '─'.repeat(width), 'another row', 'the last'];

test('lines whose text depends on the width stay as they were', () => {
  const written = table(frameOf(40));
  expect(restOfBlock(table, {kept: written.slice(0, 2), written}, frameOf(20))).toEqual({
    lines: ['another row', 'the last'],
    isLaidOut: false,
  });
});
