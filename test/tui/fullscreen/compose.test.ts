import {describe, expect, test} from 'vitest';
import {atEnd, compose, scrolled, type Place} from '../../../src/tui/fullscreen/compose.ts';
import {openKeptLines, type ScrollStep} from '../../../src/tui/fullscreen/kept-lines.ts';

const size = {columns: 40, rows: 8};
const keptOf = (count: number) => {
  const kept = openKeptLines();
  for (let at = 0; at < count; at++) kept.add(`line ${at}\n`);
  return kept;
};
const live = (open: readonly string[] = [], shown = open.length) => ({
  lines: [...open.slice(open.length - shown), 'composer', 'status'],
  cursor: {x: 2, y: shown},
  open: {lines: open, shown},
});

describe('compose', () => {
  test('little text stands at the top, composer and status at the bottom', () => {
    expect(compose({kept: keptOf(2), live: live(), place: atEnd, size})).toEqual({
      rows: ['line 0', 'line 1', '', '', '', '', 'composer', 'status'],
      cursor: {x: 2, y: 6},
      scrolling: 6,
    });
  });

  test('what is open follows what is finished, all of it within reach', () => {
    const shown = {kept: keptOf(3), live: live(['o0', 'o1', 'o2', 'o3', 'o4', 'o5'], 2), place: atEnd, size};
    expect(compose(shown).rows).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'composer', 'status']);
    const place = scrolled(shown, 'page-up');
    expect(compose({...shown, place}).rows).toEqual([
      'line 0',
      'line 1',
      'line 2',
      'o0',
      'o1',
      '── 4 lines below · PgDn, or Ctrl+End t…',
      'composer',
      'status',
    ]);
  });

  test('new lines do not move a view that was scrolled up; it says how many there are', () => {
    const kept = keptOf(20);
    const place = scrolled({kept, live: live(), place: atEnd, size}, 'page-up');
    const before = compose({kept, live: live(), place, size}).rows;
    kept.add('one more\nand another\n');
    const after = compose({kept, live: live(), place, size}).rows;
    expect(after.slice(0, 5)).toEqual(before.slice(0, 5));
    expect(after[5]).toMatch(/^── 2 new lines below/u);
  });

  test.each<[string, readonly ScrollStep[], Place]>([
    ['down at the end stays there', ['page-down'], atEnd],
    ['up and down comes back to the end', ['page-up', 'page-down'], atEnd],
    ['top', ['top'], {at: 'line', first: 0, end: 30}],
    ['top and a page', ['top', 'page-down'], {at: 'line', first: 3, end: 30}],
    ['past the top', ['top', 'page-up', 'page-up'], {at: 'line', first: 0, end: 30}],
    ['to the end', ['top', 'bottom'], atEnd],
  ])('%s', (_, steps, wanted) => {
    const kept = keptOf(30);
    const place = steps.reduce<Place>((at, step) => scrolled({kept, live: live(), place: at, size}, step), atEnd);
    expect(place).toEqual(wanted);
  });

  test('a region below that is higher than the screen keeps its last rows and its cursor', () => {
    const lines = ['1', '2', '3', '4', '5'];
    const tall = {lines, cursor: {x: 0, y: 3}, open: {lines: [], shown: 0}};
    expect(compose({kept: keptOf(3), live: tall, place: atEnd, size: {columns: 20, rows: 3}})).toEqual({
      rows: ['line 2', '4', '5'],
      cursor: {x: 0, y: 1},
      scrolling: 1,
    });
  });
});

describe('kept', () => {
  test('keep the newest lines, under the numbers they had', () => {
    const kept = openKeptLines(100);
    for (let at = 0; at < 5000; at++) kept.add(`line ${at}\n`);
    expect(kept.end).toBe(5000);
    expect(kept.end - kept.start).toBeLessThanOrEqual(1100);
    expect(kept.end - kept.start).toBeGreaterThanOrEqual(100);
    expect(kept.lines(4998, 5001)).toEqual(['line 4998', 'line 4999']);
    expect(kept.lines(0, 3)).toEqual([]);
  });

  test('leave the answer to the last prompt, and say what is left out of a long one', () => {
    const kept = openKeptLines();
    kept.add('before\n');
    expect(kept.answer()).toEqual([]);
    kept.mark();
    kept.add('> prompt\nanswer\n');
    expect(kept.answer()).toEqual(['> prompt', 'answer']);
    for (let at = 0; at < 500; at++) kept.add(`line ${at}\n`);
    expect(kept.answer()).toHaveLength(401);
    expect(kept.answer()[0]).toMatch(/^\(102 lines before these/u);
  });
});
