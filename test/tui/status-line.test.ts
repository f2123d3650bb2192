import {expect, test} from 'vitest';
import {emptyView} from '../../src/tui/state/view.ts';
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
