import {describe, expect, test} from 'vitest';
import {atEnd, compose, scrolled, type Place} from '../../../src/tui/fullscreen/compose.ts';
import {openPages, type ScrollStep} from '../../../src/tui/fullscreen/pages.ts';

const size = {columns: 40, rows: 8};
const pagesOf = (count: number) => {
  const pages = openPages();
  for (let at = 0; at < count; at++) pages.add(`line ${at}\n`);
  return pages;
};
const live = (open: readonly string[] = [], shown = open.length) => ({
  lines: [...open.slice(open.length - shown), 'composer', 'status'],
  cursor: {x: 2, y: shown},
  open: {lines: open, shown},
});

describe('compose', () => {
  test('little text stands at the top, composer and status at the bottom', () => {
    expect(compose({pages: pagesOf(2), live: live(), place: atEnd, size})).toEqual({
      rows: ['line 0', 'line 1', '', '', '', '', 'composer', 'status'],
      cursor: {x: 2, y: 6},
      scrolling: 6,
    });
  });

  test('what is open follows what is finished, all of it within reach', () => {
    const shown = {pages: pagesOf(3), live: live(['o0', 'o1', 'o2', 'o3', 'o4', 'o5'], 2), place: atEnd, size};
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
    const pages = pagesOf(20);
    const place = scrolled({pages, live: live(), place: atEnd, size}, 'page-up');
    const before = compose({pages, live: live(), place, size}).rows;
    pages.add('one more\nand another\n');
    const after = compose({pages, live: live(), place, size}).rows;
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
    const pages = pagesOf(30);
    const place = steps.reduce<Place>((at, step) => scrolled({pages, live: live(), place: at, size}, step), atEnd);
    expect(place).toEqual(wanted);
  });

  test('a region below that is higher than the screen keeps its last rows and its cursor', () => {
    const lines = ['1', '2', '3', '4', '5'];
    const tall = {lines, cursor: {x: 0, y: 3}, open: {lines: [], shown: 0}};
    expect(compose({pages: pagesOf(3), live: tall, place: atEnd, size: {columns: 20, rows: 3}})).toEqual({
      rows: ['line 2', '4', '5'],
      cursor: {x: 0, y: 1},
      scrolling: 1,
    });
  });
});

describe('pages', () => {
  test('keep the newest lines, under the numbers they had', () => {
    const pages = openPages(100);
    for (let at = 0; at < 5000; at++) pages.add(`line ${at}\n`);
    expect(pages.end).toBe(5000);
    expect(pages.end - pages.start).toBeLessThanOrEqual(1100);
    expect(pages.end - pages.start).toBeGreaterThanOrEqual(100);
    expect(pages.lines(4998, 5001)).toEqual(['line 4998', 'line 4999']);
    expect(pages.lines(0, 3)).toEqual([]);
  });

  test('leave the answer to the last prompt, and say what is left out of a long one', () => {
    const pages = openPages();
    pages.add('before\n');
    expect(pages.answer()).toEqual([]);
    pages.mark();
    pages.add('> prompt\nanswer\n');
    expect(pages.answer()).toEqual(['> prompt', 'answer']);
    for (let at = 0; at < 500; at++) pages.add(`line ${at}\n`);
    expect(pages.answer()).toHaveLength(401);
    expect(pages.answer()[0]).toMatch(/^\(102 lines before these/u);
  });
});
