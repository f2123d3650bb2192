import {describe, expect, test} from 'vitest';
import {parseSessionId, type SessionId} from '../../src/domain/ids.ts';
import type {SessionSummary} from '../../src/domain/journal.ts';
import type {SessionTexts} from '../../src/tui/command-ports.ts';
import type {PressContext} from '../../src/tui/input/effect.ts';
import type {KeyPress, KeyName} from '../../src/tui/input/keymap.ts';
import type {Panel} from '../../src/tui/panels/panel.ts';
import {sessionPanel} from '../../src/tui/panels/session-panel.ts';
import {emptyView} from '../../src/tui/state/view.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

function idOf(at: number): SessionId {
  const id = parseSessionId(`00000000-0000-4000-8000-${String(at).padStart(12, '0')}`);
  if (id === undefined) throw new Error('not a session id');
  return id;
}

const session = (at: number, title: string): SessionSummary => ({
  id: idOf(at),
  title,
  directory: '/work',
  model: 'm',
  createdAt: 0,
  updatedAt: new Date(2026, 10, 21, 9, 5).getTime() - at * 60_000,
  messages: at + 1,
});

const texts = (
  prompts: Readonly<Record<number, string>> = {},
  said: (id: SessionId) => ReturnType<SessionTexts['lastMessages']> = () => [],
): SessionTexts => ({
  firstPrompts: () => new Map(Object.entries(prompts).map(([at, text]) => [idOf(Number(at)), text])),
  lastMessages: said,
});

const frameOf = (width: number) => ({theme: themeOf('plain'), width, verbosity: 'summary'}) as const;
const context: PressContext = {
  view: emptyView,
  commands: [],
  blocks: [],
  now: 0,
  place: 'first',
  width: 77,
  frame: frameOf(79),
  rows: 20,
};
const text = (written: string): KeyPress => ({kind: 'text', text: written});
const key = (name: KeyName): KeyPress => ({kind: 'key', name});

function pressed(panel: Panel, ...keys: readonly KeyPress[]) {
  let step: ReturnType<Panel['press']> = {panel, effects: []};
  for (const one of keys) {
    if (step.panel === 'closed') throw new Error('closed too early');
    step = step.panel.press(one, context);
  }
  return step;
}

function linesOf(panel: Panel | 'closed', {rows = 20, width = 79} = {}): readonly string[] {
  if (panel === 'closed') throw new Error('closed');
  return panel.lines({rows, frame: frameOf(width), view: emptyView, blocks: []}).lines;
}

const opens = (at: number) => [{do: 'op', op: {op: 'open-session', session: {kind: 'resume', id: idOf(at)}}}];
const three = [session(0, 'Mend the parser'), session(1, 'Write the docs'), session(2, 'Mend the lexer')];

describe('the list of sessions', () => {
  test('has the time as it is here, the title, and the last words of the chosen one', () => {
    const panel = sessionPanel(
      three,
      texts({}, id => [
        {by: 'user', text: `asked in ${id.slice(-1)}`},
        {by: 'agent', text: 'an answer\nof two lines'},
      ]),
    );
    expect(linesOf(panel)).toEqual([
      'Go on with which session? ',
      '> 1. 2026-11-21 09:05  Mend the parser  (1 message)',
      '  2. 2026-11-21 09:04  Write the docs  (2 messages)',
      '  3. 2026-11-21 09:03  Mend the lexer  (3 messages)',
      '',
      '  > asked in 0',
      '    an answer',
      '    of two lines',
      'Enter opens | type to search | Esc goes back',
    ]);
    expect(linesOf(pressed(panel, key('down')).panel)).toContain('  > asked in 1');
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
    const panel = sessionPanel(three, texts({1: 'Write the docs\nand what is deep  inside.'}));
    const step = pressed(panel, ...Array.from(words, text));
    const titles = found.map(at => three[at]?.title);
    const rows = linesOf(step.panel).filter(line => /\(\d+ messages?\)$/u.test(line));
    expect(rows.map(line => titles.find(title => title !== undefined && line.includes(title)))).toEqual(titles);
    if (step.panel === 'closed') throw new Error('closed');
    expect(step.panel.press(key('enter'), context).effects).toEqual(found.length === 0 ? [] : opens(found[0] ?? 0));
  });

  test('a number opens; Esc does nothing; a shorter search finds more again', () => {
    const panel = sessionPanel(three, texts());
    expect(pressed(panel, text('2'))).toEqual({panel: 'closed', effects: opens(1)});
    expect(pressed(panel, key('escape'))).toEqual({panel: 'closed', effects: []});
    const back = pressed(panel, text('docs'), text('x'), key('delete-left'), key('enter'));
    expect(back.effects).toEqual(opens(1));
    expect(linesOf(pressed(panel, text('docs'), key('delete-to-start')).panel)).toEqual(linesOf(panel));
    expect(pressed(panel, key('up'), key('enter')).effects).toEqual(opens(2));
    expect(pressed(panel, key('page-down'), key('enter')).effects).toEqual(opens(2));
  });

  test('hostile titles and words stay on their rows, at every width', () => {
    const hostile = 'a\u001B[2J\u202E日本\n\t';
    const panel = sessionPanel(
      [session(0, hostile)],
      texts({}, () => [{by: 'agent', text: hostile.repeat(9)}]),
    );
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
    let asked = 0;
    const panel = sessionPanel(many, {
      firstPrompts() {
        asked++;
        return new Map(many.map(({id}, at) => [id, `${'words '.repeat(100)}${at}`]));
      },
      lastMessages: () => [],
    });
    let longest = 0;
    let now: Panel = panel;
    for (const one of [...Array.from('words 99', text), key('down'), key('page-down'), key('delete-left')]) {
      const began = performance.now();
      const step = now.press(one, context);
      if (step.panel === 'closed') throw new Error('closed');
      now = step.panel;
      linesOf(now);
      longest = Math.max(longest, performance.now() - began);
    }
    expect(asked).toBe(1);
    expect(longest).toBeLessThan(300);
    expect(linesOf(now)[1]).toContain('Session number 9 ');
  });
});
