import {describe, expect, test} from 'vitest';
import {parseSessionId, type SessionId} from '../../src/domain/ids.ts';
import type {SessionSummary} from '../../src/domain/journal.ts';
import {ok} from '../../src/base/outcome.ts';
import type {Panel} from '../../src/tui/state/panels/panel.ts';
import {newestSessions, sessionsPanel, withAllSessions, withPreview} from '../../src/tui/state/panels/sessions.ts';
import {initialUi} from '../../src/tui/state/ui.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {processorClock} from '../support/processor-clock.ts';
import {answered, insideOf, key, linesOf, opened, pressed, text} from './support/panels.tsx';

function idOf(at: number): SessionId {
  const id = parseSessionId(`00000000-0000-4000-8000-${String(at).padStart(12, '0')}`);
  if (id === undefined) throw new Error('not a session id');
  return id;
}

const minute = 60_000;
const now = 1000 * minute;

const session = (at: number, title: string): SessionSummary => ({
  id: idOf(at),
  title,
  directory: '/work',
  model: 'm',
  createdAt: 0,
  updatedAt: now - (at + 1) * 12 * minute,
  messages: at + 1,
});

const panelOf = (sessions: readonly SessionSummary[], prompts: Readonly<Record<number, string>> = {}): Panel =>
  withAllSessions(sessionsPanel(sessions, {costs: new Map(), states: new Map(), now}), {
    sessions,
    costs: new Map(),
    prompts: Object.entries(prompts).map(([at, prompt]) => ({session: idOf(Number(at)), prompt})),
  });

const opens = (at: number) => [{do: 'op', op: {op: 'open-session', session: {kind: 'resume', id: idOf(at)}}}];
const three = [session(0, 'Mend the parser'), session(1, 'Write the docs'), session(2, 'Mend the lexer')];

describe('the list of sessions', () => {
  test('says what they have cost, where that is known', () => {
    const costs = new Map([
      [idOf(0), 0.001],
      [idOf(2), 1.234],
    ]);
    expect(insideOf(sessionsPanel(three, {costs, states: new Map(), now}))).toEqual([
      '❯ 1  Mend the parser  12 min ago  1 message   <$0.01',
      '  2  Write the docs   24 min ago  2 messages',
      '  3  Mend the lexer   36 min ago  3 messages  $1.23',
    ]);
  });

  test('says which ones run, in the place of their age', () => {
    const states = new Map([
      [idOf(0), 'needs-input'],
      [idOf(1), 'commands'],
    ] as const);
    expect(insideOf(sessionsPanel(three, {costs: new Map(), states, now}))).toEqual([
      '❯ 1  Mend the parser  needs your answer           1 message',
      '  2  Write the docs   commands in the background  2 messages',
      '  3  Mend the lexer   36 min ago                  3 messages',
    ]);
  });

  test('has titles and ages, and the last words of the selected one once they are read', async () => {
    const opening = withPreview(sessionsPanel(three, {costs: new Map(), states: new Map(), now}));
    expect(opening.effects).toEqual([{do: 'query', request: {query: 'last-messages', session: idOf(0)}}]);
    expect(insideOf(opening.panel)).toEqual([
      '❯ 1  Mend the parser  12 min ago  1 message',
      '  2  Write the docs   24 min ago  2 messages',
      '  3  Mend the lexer   36 min ago  3 messages',
    ]);
    const ui = {...initialUi([], '', 'emacs'), panel: opening.panel};
    const asking = {query: 'last-messages', session: idOf(0)} as const;
    const said = [
      {by: 'user', text: 'asked in 0'},
      {by: 'agent', text: 'an answer\nof two lines'},
    ] as const;
    const {panel} = await answered(ui, asking, ok(said));
    expect(linesOf(panel, {width: 60})).toEqual([
      '╭ Resume a session ────────────────────────────────────────╮',
      '│ ❯ 1  Mend the parser  12 min ago  1 message              │',
      '│   2  Write the docs   24 min ago  2 messages             │',
      '│   3  Mend the lexer   36 min ago  3 messages             │',
      '│                                                          │',
      '│   › asked in 0                                           │',
      '│     an answer                                            │',
      '│     of two lines                                         │',
      '╰ Enter resume · Esc cancel · ↑↓ preview ──────────────────╯',
    ]);
    expect(linesOf(panel, {width: 40})).toEqual([
      '╭ Resume a session ────────────────────╮',
      '│ ❯ 1  Mend the parser  12 min ago     │',
      '│   2  Write the docs   24 min ago     │',
      '│   3  Mend the lexer   36 min ago     │',
      '│                                      │',
      '│   › asked in 0                       │',
      '│     an answer                        │',
      '│     of two lines                     │',
      '╰ Enter resume · Esc cancel ───────────╯',
    ]);
    // The messages of a session are asked for once.
    const down = pressed(opened(panel), key('down'));
    expect(down.effects).toEqual([{do: 'query', request: {query: 'last-messages', session: idOf(1)}}]);
    expect(pressed(opened(down.panel), key('up')).effects).toEqual([]);
    expect(linesOf(panel, {rows: 6})).toHaveLength(5);
  });

  test.each([
    ['mend', [0, 2]],
    ['MEND lex', [2]],
    ['docs', [1]],
    ['deep inside', [1]],
    ['nothing', []],
    ['  the', [0, 1, 2]],
  ])('%j finds by title and first prompt', (words, found) => {
    const panel = panelOf(three, {1: 'Write the docs\nand what is deep  inside.'});
    const step = pressed(panel, ...Array.from(words, text));
    const rows = found.length === 0 ? ['  No matches'] : found.map(at => three[at]?.title ?? '');
    expect(insideOf(step.panel)).toEqual(rows.map(row => expect.stringContaining(row)));
    const chosen = pressed(opened(step.panel), key('enter'));
    expect(chosen.effects).toEqual(found.length === 0 ? [] : opens(found[0] ?? 0));
  });

  test('finds by first prompts that are loaded while the user searches, and keeps the selected session', async () => {
    const sessions = [session(0, 'Mend deep bugs'), session(1, 'Write the docs'), session(2, 'Dig deep')];
    const unread = sessionsPanel(sessions, {costs: new Map(), states: new Map(), now});
    const asks = (...keys: Parameters<typeof pressed>[1][]) =>
      pressed(unread, ...keys).effects.filter(
        effect => effect.do === 'query' && effect.request.query === 'first-prompts',
      );
    expect([asks(key('down')), asks(text('d')), asks(text('d'), text('e'))]).toEqual([
      [],
      [{do: 'query', request: {query: 'first-prompts'}}],
      [],
    ]);
    const step = pressed(unread, ...Array.from('deep', text), key('down'));
    const ui = {...initialUi([], '', 'emacs'), panel: step.panel};
    const {panel} = await answered(ui, {query: 'first-prompts'}, ok([{session: idOf(1), prompt: 'Look DEEP inside'}]), {
      sessions: ok(sessions),
      'session-costs': ok([]),
    });
    expect(insideOf(panel)).toEqual([
      expect.stringContaining('  1  Mend deep bugs'),
      expect.stringContaining('  2  Write the docs'),
      expect.stringContaining('❯ 3  Dig deep'),
    ]);
  });

  test('the end of the newest sessions loads the older ones, without the open one', async () => {
    const all = Array.from({length: newestSessions + 3}, (_, at) => session(at, `Session ${at}`));
    const facts = {own: idOf(newestSessions + 1), costs: new Map(), states: new Map(), now};
    const newest = sessionsPanel(all.slice(0, newestSessions), facts);
    const end = pressed(newest, key('bottom'));
    expect(end.effects).toContainEqual({do: 'query', request: {query: 'first-prompts'}});
    const {panel} = await answered(
      {...initialUi([], '', 'emacs'), panel: end.panel},
      {query: 'first-prompts'},
      ok([]),
      {
        sessions: ok(all),
        'session-costs': ok([{session: idOf(newestSessions), usd: 2}]),
      },
    );
    expect(pressed(opened(panel), key('down')).effects).toContainEqual({
      do: 'query',
      request: {query: 'last-messages', session: idOf(newestSessions)},
    });
    expect(insideOf(panel).join('\n')).toMatch(/❯ +Session 99 .*\n.*Session 100 .*\$2\.00\n.*Session 102 /u);
    expect(pressed(opened(panel), key('bottom')).effects).not.toContainEqual(end.effects.at(-1));
  });

  test('a number opens; Esc does nothing; a shorter search finds more again', () => {
    const panel = panelOf(three);
    expect(pressed(panel, text('2'))).toEqual({panel: 'none', effects: opens(1)});
    expect(pressed(panel, key('escape'))).toEqual({panel: 'none', effects: []});
    expect(pressed(panel, text('docs'), text('x'), key('delete-left'), key('enter')).effects).toEqual(opens(1));
    expect(linesOf(pressed(panel, text('docs')).panel)[0]).toMatch(/^╭ Resume a session: docs ─/u);
    expect(linesOf(pressed(panel, text('docs'), key('delete-to-start')).panel)).toEqual(linesOf(panel));
    expect(pressed(panel, key('up'), key('enter')).effects).toEqual(opens(2));
    expect(pressed(panel, key('page-down'), key('enter')).effects).toEqual(opens(2));
  });

  test('hostile titles and words stay on their rows, at every width', () => {
    const hostile = 'a\u001B[2J\u202E日本\n\t';
    const messages = new Map([[idOf(0), [{by: 'agent' as const, text: hostile.repeat(9)}]]]);
    const panel: Panel = {
      ...sessionsPanel([session(0, hostile)], {costs: new Map(), states: new Map(), now}),
      messages,
    };
    for (const width of [12, 39, 79]) {
      for (const line of linesOf(pressed(panel, text('日本')).panel, {width})) {
        // oxlint-disable-next-line no-control-regex -- that is what is looked for
        expect(line).not.toMatch(/[\u0000-\u001F\u202E]/u);
        expect(cellWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  test('of 10,000 sessions every key is answered at once', () => {
    const many = Array.from({length: 10_000}, (_, at) => session(at, `Session number ${at}`));
    const panel = panelOf(many, Object.fromEntries(many.map((_, at) => [at, `${'words '.repeat(100)}${at}`])));
    let longest = 0;
    let current = panel;
    for (const one of [...Array.from('words 99', text), key('down'), key('page-down'), key('delete-left')]) {
      const spentMs = processorClock();
      current = opened(pressed(current, one).panel);
      linesOf(current);
      longest = Math.max(longest, spentMs());
    }
    expect(longest).toBeLessThan(300);
    expect(linesOf(current)[1]).toContain('Session number 9 ');
  });
});
