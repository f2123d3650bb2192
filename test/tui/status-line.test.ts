import {describe, expect, test} from 'vitest';
import type {BlockInfo} from '../../src/actions/ports.ts';
import {blockId} from '../../src/domain/ids.ts';
import {emptyView, type View} from '../../src/tui/state/view.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {runLine, statusLine} from '../../src/tui/views/status-line.ts';

test.each([
  [0, 'Working 0 s | Esc stops'],
  [1999, 'Working 1 s | Esc stops'],
  [59_999, 'Working 59 s | Esc stops'],
  [125_000, 'Working 2 min 05 s | Esc stops'],
])('after %i ms', (elapsedMs, line) => {
  const view = {...emptyView, run: {state: 'working'}} as const;
  expect(runLine(view, {elapsedMs, retryInMs: 0}, {theme: themeOf('plain'), width: 79})).toEqual([line]);
});

test('a retry that is due no longer names a time', () => {
  const run = {state: 'retrying', attempt: 3, maxAttempts: 10, reason: 'Connection lost.'} as const;
  expect(runLine({...emptyView, run}, {elapsedMs: 0, retryInMs: -5}, {theme: themeOf('plain'), width: 79})).toEqual([
    'Trying again (3 of 10) | Esc stops | Connection lost.',
  ]);
});

test.each([
  [79, ' ! PERMISSIONS BYPASSED !  test-model | ~/project'],
  [39, ' ! PERMISSIONS BYPASSED !  test-model'],
  [20, ' ! PERMISSIONS BYP… '],
])('at %i cells bypassed permissions stand first', (width, line) => {
  const view = {...emptyView, model: 'test-model', mode: 'bypassPermissions'} as const;
  const state = {view, directory: '~/project', branch: '', blocks: [], times: {costPerMinute: 'unknown'}} as const;
  expect(statusLine(state, {theme: themeOf('plain'), width})).toBe(line);
  expect(statusLine(state, {theme: themeOf('colour'), width})).toContain('\u001B[7m ! PERMISSIONS BYP');
});

describe('where there is little room', () => {
  const usage = {inputTokens: 4000, outputTokens: 900, cacheReadTokens: 40_000, cacheWriteTokens: 1000};
  const view: View = {
    ...emptyView,
    model: 'test-model',
    usage: {
      models: {'test-model': {usage, costUsd: 1.25, requests: 3}},
      contextTokens: 45_000,
      contextWindow: 200_000,
    },
  };
  const block: BlockInfo = {
    id: blockId('b1'),
    command: 'sleep 9',
    state: {kind: 'running'},
    ageMs: 1000,
    ports: [],
    lastLine: '',
    life: 'with-weft',
  };
  const state = {
    view,
    directory: '~/project',
    branch: 'feature/nice',
    blocks: [block],
    times: {costPerMinute: 0.5},
  } as const;
  const at = (width: number): string => statusLine(state, {theme: themeOf('plain'), width});

  test.each([
    [
      200,
      'test-model | asks first | feature/nice | 1 running (/ps) | 23% context | $1.25 ($0.50/min) | 45k in (40k cached), 900 out | ~/project',
    ],
    [
      125,
      'test-model | asks first | feature/nice | 1 running (/ps) | 23% context | $1.25 ($0.50/min) | 45k in (40k cached), 900 out',
    ],
    [
      110,
      'test-model | asks first | feature/nice | 1 running (/ps) | 23% context | $1.25 | 45k in (40k cached), 900 out',
    ],
    [100, 'test-model | asks first | feature/nice | 1 running | 23% ctx | $1.25 | 45k in (40k cached), 900 out'],
    [79, 'test-model | asks first | feature/nice | 1 running (/ps) | 23% context | $1.25'],
    [39, 'test-model | asks first | 1 running'],
    [12, 'test-model'],
    [8, '23% ctx'],
    [5, 'tes…'],
  ])('at %i cells', (width, line) => {
    expect(at(width)).toBe(line);
  });

  test('it never takes more than the screen has', () => {
    for (let width = 4; width < 200; width++) expect(cellWidth(at(width))).toBeLessThanOrEqual(width);
  });
});
