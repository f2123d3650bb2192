import {afterEach, describe, expect, test} from 'vitest';
import {parseSessionId} from '../../src/domain/ids.ts';
import {type StartFacts, StartScreen, startText} from '../../src/tui/components/start-screen.tsx';
import {drawn} from './support/drawn.ts';
import {accepted} from './support/events.ts';
import {blankHost} from '../support/blank-host.ts';
import {sessionInfo} from './support/scripted-engine.ts';
import {leaveStages, press, start} from './support/stage.ts';

afterEach(leaveStages);

const facts: StartFacts = {
  version: '0.2.0',
  about: startText('claude-sonnet-5-5', 'default'),
  directory: '~/shop',
  branch: 'main',
  instructions: ['AGENTS.md'],
  lastSession: {title: 'fix the discount', age: '12 min ago'},
  notices: [],
};
const screen = (width: number, more: Partial<StartFacts> = {}, rows = 20) =>
  drawn(<StartScreen facts={{...facts, ...more}} width={width} rows={rows} />);

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
        ' ╰╯╰  claude-sonnet-5-5 · asks before c…',
        '      ~/shop  ⎇ main · AGENTS.md read',
        '',
        '  Try   "why does the cart test fail?"',
        '  Last session: fix the disco…   weft -c',
      ],
    ],
  ])('at %i columns', (width, lines) => {
    expect(screen(width)).toEqual(lines);
  });

  test('what is not known yet has its place; notices are short lines', () => {
    const later = {about: '', branch: '', lastSession: 'none', notices: ['The settings are old.']} as const;
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
