import headless from '@xterm/headless';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {eraseLines, erasedLines, harmlessFrame} from '../../src/tui/terminal/erase-by-lines.ts';

interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface Story {
  readonly size: Size;
  /** Lengths of the lines above the live region, and of its own: as parts of the width. */
  readonly above: readonly number[];
  readonly lines: readonly number[];
  readonly caret: {readonly line: number; readonly column: number} | 'none';
  /** Sizes that the terminal has before weft erases the rows drawn for `size`. */
  readonly sizes: readonly Size[];
  /** A frame that was drawn for the first size and arrives after the `sizes`. */
  readonly late: 'none' | 'same lines' | 'more lines' | 'with text';
}

/** Plays a story in xterm.js. Returns the lines left there, wrapped or not, and how the terminal answered. */
async function playedOut({size, above, lines, caret, sizes, late}: Story) {
  const terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 5000,
    allowProposedApi: true,
  });
  const replies: string[] = [];
  terminal.onData(reply => void replies.push(reply));
  const write = (text: string) => new Promise<void>(resolve => terminal.write(text, resolve));
  const length = (part: number): number => Math.floor(part * (size.columns - 8));
  const kept = above.map((part, at) => `kept ${at}${'.'.repeat(length(part))};`);
  const drawn = lines.map((part, at) => (at === 0 ? '' : `${at}─${'─'.repeat(length(part))}`));
  await write(kept.map(line => `${line}\r\n`).join(''));
  const caretLine = caret === 'none' ? lines.length : caret.line;
  const below = lines.length - caretLine;
  const suffix = caret === 'none' ? '' : `\u001B[${below}A\u001B[${caret.column + 1}G\u001B[?25h`;
  const region = `${drawn.map(line => `${line}\r\n`).join('')}${suffix}`;
  const first = harmlessFrame(region, 'none');
  await write(first.text);
  for (const {columns, rows} of sizes) terminal.resize(columns, rows);
  const isMore = late === 'more lines';
  if (late === 'same lines' || isMore) {
    const again = drawn.map(line => (line === '' ? '\r\n' : `\u001B[1G\u001B[K${line}\r\n`)).join('');
    const bottom = '\r\n'.repeat(below);
    const end = isMore ? `9─\r\n${suffix.replace(/\d+/u, String(below + 1))}` : suffix;
    await write(harmlessFrame(`\u001B[?25l${bottom}\u001B[1G\u001B[${lines.length}A${again}${end}`, first).text);
  } else if (late === 'with text') {
    const erased = `\u001B[?25l\u001B[${caretLine}A\u001B[1G\u001B[J`;
    await write(harmlessFrame(`${erased}kept at last\r\n${region}`, first).text);
    kept.push('kept at last');
  }
  const more = isMore ? 1 : 0;
  await write(eraseLines({lines: lines.length + more, rowsBelow: below + more}, size.columns).text);
  const positions = Array.from(replies.join('').matchAll(/\[(\d+);(\d+)R/gu), ([, row, column]) => ({
    row: Number(row),
    column: Number(column),
  }));
  const {active} = terminal.buffer;
  const all: string[] = [];
  for (let at = 0; at < active.length; at++) {
    const line = active.getLine(at);
    const text = line?.translateToString(true) ?? '';
    if (line?.isWrapped === true) all.push(`${all.pop() ?? ''}${text}`);
    else all.push(text);
  }
  const screen = Array.from({length: terminal.rows}, (_, row) => active.getLine(active.baseY + row));
  terminal.dispose();
  return {
    kept,
    found: all.filter(line => line.startsWith('kept')),
    pushed: all.filter(line => line.includes('─')).map(line => line.charAt(0)),
    measured: erasedLines(positions),
    rulesOnScreen: screen.filter(line => line?.translateToString().includes('─')).length,
  };
}

const widths = fc.integer({min: 20, max: 160});
const heights = fc.integer({min: 8, max: 45});
const anySize = fc.record({columns: widths, rows: heights});
const parts = fc.oneof(fc.double({min: 0, max: 1, noNaN: true}), fc.constant(1));
const story = (above: {minLength: number; maxLength: number}, sizes: fc.Arbitrary<Size>): fc.Arbitrary<Story> =>
  fc.array(parts, {minLength: 3, maxLength: 7}).chain(lines =>
    fc.record({
      size: fc.record({columns: widths, rows: fc.constant(24)}),
      above: fc.array(parts, above),
      lines: fc.constant(lines),
      caret: fc.oneof(
        fc.constant('none' as const),
        fc.record({line: fc.nat({max: lines.length - 1}), column: fc.nat({max: 6})}),
      ),
      sizes: fc.array(sizes, {minLength: 1, maxLength: 5}),
      late: fc.constant('none' as const),
    }),
  );
/** A frame while a model writes: a caret with rows above it and below, on a screen that has been filled. */
const late = fc
  .tuple(
    story({minLength: 30, maxLength: 60}, anySize),
    fc.constantFrom('same lines' as const, 'more lines' as const, 'with text' as const),
    fc.integer({min: 1, max: 3}),
  )
  .map(
    ([told, frame, above]) =>
      ({...told, late: frame, caret: {line: Math.min(above, told.lines.length - 1), column: 3}}) as const,
  );

describe('the live region in xterm.js, after any number of sizes that nobody has told weft of', () => {
  test('is erased without a line above it', {tags: 'long'}, async () => {
    await fc.assert(
      fc.asyncProperty(story({minLength: 0, maxLength: 60}, anySize), async told => {
        const {kept, found} = await playedOut(told);
        expect(found).toEqual(kept);
      }),
      {numRuns: 300},
    );
  });

  test('is erased as a whole where only the width has changed and the screen is full', {tags: 'long'}, async () => {
    const sizes = fc.record({columns: widths, rows: fc.constant(24)});
    await fc.assert(
      fc.asyncProperty(story({minLength: 30, maxLength: 60}, sizes), async told => {
        const {kept, found, rulesOnScreen} = await playedOut(told);
        expect([found, rulesOnScreen]).toEqual([kept, 0]);
      }),
      {numRuns: 200},
    );
  });
});

test(
  'a frame drawn for a size that the terminal no longer has takes no line above the live region',
  {tags: 'long'},
  async () => {
    await fc.assert(
      fc.asyncProperty(late, async told => {
        const {kept, found, pushed, measured} = await playedOut(told);
        expect(found).toEqual(kept);
        if (told.late === 'with text') return;
        expect(pushed).toEqual([...new Set(pushed)]);
        if (told.late === 'same lines') expect(measured).toEqual((await playedOut({...told, late: 'none'})).measured);
      }),
      {numRuns: 300},
    );
  },
);

const frame = 'a\r\nb\r\n\u001B[1A\u001B[4G\u001B[?25h';
const again = '\u001B[?25l\r\n\u001B[1G\u001B[2A\r\n\u001B[1G\u001B[KB\r\n\u001B[1A\u001B[4G\u001B[?25h';
const higher = '\u001B[?25l\r\n\u001B[1G\u001B[2A\r\n\r\nc\r\n\u001B[1A\u001B[4G\u001B[?25h';
const before = harmlessFrame(frame, 'none');

const toTop = '\u001B[?7l\u001B[?25l\r\u001BD\u001B[1G\u001B7\u001B[2A';
const toCaret = '\u001B[1A\u001B[4G\u001B[?25h';
const down = '\r\u001B[B';

test.each([
  ['with as many', again, 2, `${toTop}\r${down}\u001B[1GB\u001B[K\r${down}\u001B8\r${toCaret}\u001B[?7h`],
  ['with more', higher, 3, `${toTop}\r${down}\r${down}\u001B8\rc\r\r\u001BD${toCaret}\u001B[?7h`],
])(
  'a frame %s lines as the one before wraps nothing, and scrolls only for new lines',
  (_title, written, lines, sent) => {
    expect(harmlessFrame(written, before)).toEqual({text: sent, lines, rowsBelow: 1});
  },
);

test('a frame after which a mode is switched is sent as it is', () => {
  const written = `\u001B[>1u${again}`;
  expect(harmlessFrame(written, before)).toEqual({text: written, lines: 2, rowsBelow: 1});
});

test('the first frame is sent as it is', () => {
  expect(harmlessFrame(frame, 'none')).toEqual({text: frame, lines: 2, rowsBelow: 1});
  expect(harmlessFrame('a\r\nb\r\n', 'none')).toEqual({text: 'a\r\nb\r\n', lines: 2, rowsBelow: 0});
});

const readable = (sent: string): string => sent.replaceAll('\u001B', '^').replaceAll(/[\r\b]+/gu, '~');
const text = (up: number): string => `\u001B[?25l\u001B[${up}A\u001B[1G\u001B[Jtext\r\n${frame}`;
/** From the row below the last line: up over two or three lines. */
const erased = (lines: number): string => `^[?25l^D^[?45h~${'^[A~'.repeat(lines)}^[J^[?45ltext`;

test.each([
  ['one of as many lines', again, 1, before, erased(2)],
  ['a higher one', higher, 2, before, erased(2)],
  ['the first one', frame, 1, 'none', '^[?25ltext'],
] as const)(
  'text goes above the live region without the frame that Ink has just drawn: %s',
  (_title, first, up, drawn, sent) => {
    expect(readable(harmlessFrame(first + text(up), drawn).text)).toBe(`${sent}~\n${readable(frame)}`);
  },
);
