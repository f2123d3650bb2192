import {Box, Text} from 'ink';
import {render} from 'ink-testing-library';
import {describe, expect, test} from 'vitest';
import {TranscriptViewport} from '../../src/tui/app.tsx';
import {openScrollbackBuffer, type ScrollbackBuffer} from '../../src/tui/scrollback/scrollback-buffer.ts';
import {type EntryFrame, wrapText} from '../../src/tui/text/wrap.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {atEnd, type ScrollPosition, scrollPosition, type ScrollStep} from '../../src/tui/state/scroll-position.ts';

const room = 6;

const frame: EntryFrame = {theme: themeOf('plain'), width: 39, verbosity: 'summary', home: ''};

const addLines = (kept: ScrollbackBuffer, ...lines: readonly string[]): void => kept.add(() => lines, frame);

const words = (at: number): string => `${at} ${'word '.repeat(12)}end${at}`;

const keptOf = (count: number): ScrollbackBuffer => {
  const kept = openScrollbackBuffer();
  for (let at = 0; at < count; at++) addLines(kept, `line ${at}`);
  return kept;
};

interface Shown {
  readonly kept: ScrollbackBuffer;
  readonly open?: readonly string[];
  readonly place?: ScrollPosition;
}

/** The rows of a screen of eight, with composer and status line below the transcript. */
function rowsOf({kept, open = [], place = atEnd}: Shown): readonly string[] {
  const rooms: number[] = [];
  const {lastFrame, unmount} = render(
    <Box flexDirection="column" width={39} height={8}>
      <TranscriptViewport kept={kept} open={open} place={place} width={39} onRoom={rows => rooms.push(rows)} />
      <Text>composer</Text>
      <Text>status</Text>
    </Box>,
  );
  const rows = (lastFrame() ?? '').split('\n');
  unmount();
  expect(new Set(rooms)).toEqual(new Set([room]));
  return rows;
}

const stepped = (place: ScrollPosition, step: ScrollStep, {kept, open = []}: Shown): ScrollPosition =>
  scrollPosition(place, step, {start: kept.start, end: kept.end + open.length, room});

describe('the transcript on the whole screen', () => {
  test('little text stands at the top, composer and status at the bottom', () => {
    expect(rowsOf({kept: keptOf(2)})).toEqual(['line 0', 'line 1', '', '', '', '', 'composer', 'status']);
  });

  test('what is open follows what is finished, all of it within reach', {tags: 'long'}, () => {
    const shown = {kept: keptOf(3), open: ['o0', 'o1', 'o2', 'o3', 'o4', 'o5']};
    expect(rowsOf(shown)).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'composer', 'status']);
    expect(rowsOf({...shown, place: stepped(atEnd, 'page-up', shown)})).toEqual([
      'line 0',
      'line 1',
      'line 2',
      'o0',
      'o1',
      '── 4 lines below · PgDn · Ctrl+End for…',
      'composer',
      'status',
    ]);
  });

  test('new lines do not move a view that was scrolled up; it says how many there are', () => {
    const kept = keptOf(20);
    const place = stepped(atEnd, 'page-up', {kept});
    const before = rowsOf({kept, place});
    addLines(kept, 'one more', 'and another');
    const after = rowsOf({kept, place});
    expect(after.slice(0, 5)).toEqual(before.slice(0, 5));
    expect(after[5]).toMatch(/^── 2 new lines below/u);
  });

  test('a place from which a larger screen shows the end is the end', () => {
    expect(rowsOf({kept: keptOf(4), place: {at: 'line', first: 0, end: 4}}).slice(0, 5)).toEqual([
      'line 0',
      'line 1',
      'line 2',
      'line 3',
      '',
    ]);
  });
});

test.each<[string, readonly ScrollStep[], ScrollPosition]>([
  ['down at the end stays there', ['page-down'], atEnd],
  ['up and down comes back to the end', ['page-up', 'page-down'], atEnd],
  ['top', ['top'], {at: 'line', first: 0, end: 30}],
  ['top and a page', ['top', 'page-down'], {at: 'line', first: 3, end: 30}],
  ['past the top', ['top', 'page-up', 'page-up'], {at: 'line', first: 0, end: 30}],
  ['to the end', ['top', 'bottom'], atEnd],
])('scrolling: %s', (_, steps, wanted) => {
  const kept = keptOf(30);
  expect(steps.reduce((at, step) => stepped(at, step, {kept}), atEnd)).toEqual(wanted);
});

describe('the lines that are kept', () => {
  test('are the newest, under the numbers they had', () => {
    const kept = openScrollbackBuffer(100);
    for (let at = 0; at < 5000; at++) addLines(kept, `line ${at}`);
    expect(kept.end).toBe(5000);
    expect(kept.end - kept.start).toBeLessThanOrEqual(1100);
    expect(kept.end - kept.start).toBeGreaterThanOrEqual(100);
    expect(kept.lines(4998, 5001)).toEqual(['line 4998', 'line 4999']);
    expect(kept.lines(0, 3)).toEqual([]);
  });

  test('leave the answer to the last prompt, and say what is left out of a long one', () => {
    const kept = openScrollbackBuffer();
    addLines(kept, 'before');
    expect(kept.linesSincePrompt()).toEqual([]);
    kept.markPrompt();
    addLines(kept, '> prompt', 'answer');
    expect(kept.linesSincePrompt()).toEqual(['> prompt', 'answer']);
    for (let at = 0; at < 500; at++) addLines(kept, `line ${at}`);
    expect(kept.linesSincePrompt()).toHaveLength(401);
    expect(kept.linesSincePrompt()[0]).toMatch(/^\(102 earlier lines: /u);
  });

  test('are laid out again at another width, and line numbers follow their text', () => {
    const kept = openScrollbackBuffer();
    for (let at = 0; at < 50; at++) kept.add(wide => wrapText(words(at), [], wide), frame);
    const of = (line: number): string | undefined => kept.lines(0, line + 1).findLast(text => /^\d/u.test(text));
    const place = kept.lines(0, kept.end).indexOf('30 word word word word word word word');
    expect(of(place + 1)).toMatch(/^30 /u);
    const moved = kept.layOut({...frame, width: 20});
    expect(kept.lines(0, kept.end)).toEqual(
      Array.from({length: 50}, (_, at) => wrapText(words(at), [], {...frame, width: 20})).flat(),
    );
    expect(of(moved(place))).toMatch(/^30 /u);
    expect(of(moved(place + 1))).toMatch(/^30 /u);
    expect(moved(100)).toBe(kept.end);
    expect(kept.layOut({...frame, width: 20})(7)).toBe(7);
  });
});
