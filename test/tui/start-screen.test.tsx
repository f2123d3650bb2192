import {afterEach, describe, expect, test} from 'vitest';
import {permissionModes} from '../../src/domain/risk.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {parseSessionId} from '../../src/domain/ids.ts';
import {type StartFacts, StartScreen} from '../../src/tui/components/start-screen.tsx';
import {drawn} from './support/drawn.ts';
import {accepted} from './support/events.ts';
import {blankHost} from '../support/blank-host.ts';
import {sessionInfo} from './support/scripted-engine.ts';
import {leaveStages, press, start} from './support/stage.ts';

afterEach(leaveStages);

const facts: StartFacts = {
  version: '0.2.0',
  about: {model: 'claude-sonnet-5-5', mode: 'default'},
  directory: '~/shop',
  branch: 'main',
  instructions: ['AGENTS.md'],
  lastSession: {title: 'fix the discount', age: '12 min ago'},
  notices: [],
};
const screen = (width: number, more: Partial<StartFacts> = {}, rows = 20) =>
  drawn(<StartScreen facts={{...facts, ...more}} width={width} rows={rows} />);

const placeAt = (width: number, branch: string) =>
  screen(width, {directory: '/var/tmp/shop-AAy2tz/corner-shop', branch, instructions: []})
    .slice(3, -2)
    .map(row => row.slice(6));

describe('the start screen', () => {
  test('a notice that takes two rows keeps its sign apart', () => {
    const notices = ['Nothing listens at http://127.0.0.1:9/v1. Start the model server'];
    expect(screen(40, {notices}).slice(4, 6)).toEqual([
      '  ! Nothing listens at',
      '    http://127.0.0.1:9/v1. Start the',
    ]);
  });

  test('the rows of a notice begin in one column, also below a row that is full to its last cell', () => {
    const notices = [`${'a'.repeat(20)} ${'b'.repeat(15)} end`];
    expect(screen(40, {notices}).slice(4, 6)).toEqual([`  ! ${'a'.repeat(20)} ${'b'.repeat(15)}`, '    end']);
  });

  test.each([
    [
      100,
      [
        '',
        ' ╭╮╭  weft 0.2.0',
        ' ╰╯╰  claude-sonnet-5-5 · asks before changes',
        '      ~/shop  ⎇ main · AGENTS.md read',
        '',
        '  Try   "why does the cart test fail?"   @file   !command   /help',
        '  Last session: fix the discount (12 min ago)   weft -c',
      ],
    ],
    [
      40,
      [
        '',
        ' ╭╮╭  weft 0.2.0',
        ' ╰╯╰  claude-sonnet-5-5 · asks first',
        '      ~/shop  ⎇ main · AGENTS.md read',
        '',
        '  Try   "why does the cart test fail?"',
        '  Last session: fix the disco…   weft -c',
      ],
    ],
  ])('at %i columns', (width, lines) => {
    expect(screen(width)).toEqual(lines);
  });

  test.each([
    ['acceptEdits', ['claude-sonnet-5-5 · accepts edits']],
    ['bypassPermissions', ['claude-sonnet-5-5', 'permissions bypassed, never asks']],
  ] as const)('at 40 columns, %s is not cut', (mode, lines) => {
    const shown = screen(39, {about: {model: 'claude-sonnet-5-5', mode}});
    expect(shown.slice(2, 2 + lines.length).map(row => row.slice(6))).toEqual(lines);
  });

  test.each(permissionModes)('%s is whole at every width', mode => {
    const words = {
      default: /asks (?:first|before changes)$/u,
      acceptEdits: /accepts edits$|edits files, asks before commands$/u,
      plan: /plan only$|plans, changes nothing$/u,
      dontAsk: /never asks$|never asks, runs only what is allowed$/u,
      bypassPermissions: /permissions bypassed(?:, never asks)?$/u,
    }[mode];
    for (let width = 29; width < 90; width++) {
      const shown = screen(width, {about: {model: 'a-model-with-a-rather-long-name', mode}});
      expect(shown.filter(row => words.test(row))).toHaveLength(1);
      expect(Math.max(...shown.map(cellWidth))).toBeLessThanOrEqual(width);
    }
  });

  test('folders above give way to the branch, which is never beside a folder that is cut', () => {
    expect(placeAt(48, 'main')).toEqual(['/var/tmp/shop-AAy2tz/corner-shop  ⎇ main', '']);
    expect(placeAt(39, 'main')).toEqual(['…/corner-shop  ⎇ main', '']);
    expect(placeAt(39, 'feature/bulk-discount')).toEqual([
      '/var/tmp/shop-AAy2tz/corner-shop',
      '⎇ feature/bulk-discount',
      '',
    ]);
  });

  test('what is not known yet has its place; notices are short lines', () => {
    const later = {about: 'opening', branch: '', lastSession: 'none', notices: ['The settings are old.']} as const;
    expect(screen(60, later)).toEqual([
      '',
      ' ╭╮╭  weft 0.2.0',
      ' ╰╯╰',
      '      ~/shop · AGENTS.md read',
      '  ! The settings are old.',
      '',
      '  Try   "why does the cart test fail?"   @file   !command',
      '',
    ]);
  });

  test('on few rows it says only what weft works with', () => {
    expect(screen(60, {}, 4)).toEqual([
      ' ╭╮╭  weft 0.2.0',
      ' ╰╯╰  claude-sonnet-5-5 · asks before changes',
      '      ~/shop  ⎇ main · AGENTS.md read',
    ]);
  });
});

test('it stands above the composer until the first prompt, and then once in the scrollback', async () => {
  const id = parseSessionId('00000000-0000-4000-8000-000000000002') ?? sessionInfo.id;
  const summary = {id, title: 'fix the discount', directory: '/', model: '', createdAt: 0, updatedAt: 0, messages: 4};
  const stage = await start([80, 24], {
    host: {sessions: {...blankHost.sessions, list: () => [summary]}},
  });
  await stage.screen.until(
    /weft 1\.2\.3\n ╰╯╰ {2}test-model[^]*Last session: fix the discount \(12 min ago\) {3}weft -c\n/u,
  );
  await press(stage, 'hello', '\r');
  stage.engine.emit(accepted('hello'));
  await stage.screen.until(/Last session[^]*hello[^]*Working/u);
  expect((await stage.screen.everything()).filter(row => row.includes('weft 1.2.3'))).toHaveLength(1);
});

test('where /resume completes, a session without a title is named as in every list', async () => {
  const id = parseSessionId('00000000-0000-4000-8000-000000000002') ?? sessionInfo.id;
  const summary = {id, title: '', directory: '/', model: '', createdAt: 0, updatedAt: 0, messages: 1};
  const stage = await start([80, 24], {host: {sessions: {...blankHost.sessions, list: () => [summary]}}});
  await press(stage, '/resume ');
  await stage.screen.until(/❯ 00000000 {2}Untitled \(12 min ago\)/u);
});
