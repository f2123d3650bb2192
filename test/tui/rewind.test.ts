import {describe, expect, test} from 'vitest';
import {messageId, parseSessionId} from '../../src/domain/ids.ts';
import {rewindText} from '../../src/domain/rewind-text.ts';
import type {RewindReport} from '../../src/domain/rewind.ts';
import type {KeyPress} from '../../src/tui/input/keymap.ts';
import type {PressContext} from '../../src/tui/input/effect.ts';
import type {Panel, PanelPlace} from '../../src/tui/panels/panel.ts';
import {rewindPanel, rewindPreview} from '../../src/tui/panels/rewind-panel.ts';
import {emptyView} from '../../src/tui/state/view.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

const sessionId = parseSessionId('00000000-0000-4000-8000-000000000000') ?? expect.fail();
const points = ['one', 'two', 'three'].map((prompt, at) => ({
  to: messageId(prompt),
  number: at + 1,
  prompt,
  files: at === 1 ? ('changed' as const) : ('untouched' as const),
}));
const target = {kind: 'last'} as const;
const report: RewindReport = {
  kind: 'rewind',
  what: 'both',
  prompt: 'Make\u001b[2J it\nnow',
  prompts: 2,
  files: {
    files: [
      {path: '/w/a', effect: 'changed'},
      {path: '/w/b', effect: 'deleted'},
      {path: '/w/evil\u001b[2J', effect: 'restored'},
      {path: '/w/m', effect: 'merged'},
    ],
    conflicts: [{path: '/w/c', reason: 'it was deleted since'}],
    leftOut: ['/w/node_modules'],
  },
};
const confirm = rewindPreview(target, report);
const key = (name: 'up' | 'down' | 'enter' | 'escape'): KeyPress => ({kind: 'key', name});
const text = (typed: string): KeyPress => ({kind: 'text', text: typed});
const context = (place: PressContext['place']): PressContext => ({
  view: emptyView,
  commands: [],
  blocks: [],
  now: 0,
  place,
  width: 77,
  frame: {theme: themeOf('plain'), width: 79},
  rows: 20,
});
const opened = (panel: Panel | 'closed'): Panel => {
  if (panel === 'closed') throw new Error('the panel is closed');
  return panel;
};
const place = (rows: number): PanelPlace => ({
  rows,
  frame: {theme: themeOf('plain'), width: 79},
  view: {
    ...emptyView,
    session: {
      tag: 'open',
      info: {
        id: sessionId,
        origin: 'new',
        directory: '/w',
        provider: 'replay',
        model: 'm',
        mode: 'default',
        tools: [],
      },
    },
  },
  blocks: [],
});

describe('choosing', () => {
  test('the latest prompt stands first; Enter chooses it, then a letter what goes back', () => {
    const keys = [key('down'), key('down'), key('down'), key('up'), key('enter')];
    const scope = keys.reduce(
      (panel, pressed) => opened(panel.press(pressed, context('first')).panel),
      rewindPanel(points),
    );
    expect(scope.lines(place(9)).lines[0]).toBe('Go back to before: one');
    for (const [letter, what] of [
      ['f', 'files'],
      ['t', 'talk'],
      ['b', 'both'],
    ] as const) {
      expect(scope.press(text(letter), context('first'))).toEqual({
        panel: 'closed',
        effects: [{do: 'op', op: {op: 'preview-rewind', target: {kind: 'prompt', to: 'one', what}}}],
      });
    }
  });

  test.each<[string, KeyPress, 'first' | 'later', 'go' | 'closed' | 'open']>([
    ['y agrees', text('y'), 'first', 'go'],
    ['n does not', text('n'), 'first', 'closed'],
    ['Esc does not', key('escape'), 'first', 'closed'],
    ['Enter is no answer', key('enter'), 'first', 'open'],
    ['what came in one piece with other presses is none', text('y'), 'later', 'open'],
    ['a word is none', text('yes'), 'first', 'open'],
    ['a paste is none', {kind: 'paste', text: 'y', part: 'first'}, 'first', 'open'],
  ])('%s', (_, pressed, when, outcome) => {
    const {panel, effects} = confirm.press(pressed, context(when));
    const op = {op: 'rewind', target};
    expect({panel: panel === 'closed' ? 'closed' : 'open', effects}).toEqual({
      panel: outcome === 'open' ? 'open' : 'closed',
      effects: outcome === 'go' ? [{do: 'op', op}] : [],
    });
  });
});

describe('what is shown', () => {
  test('files, conflicts and what is not kept, with nothing that steers the terminal', () => {
    expect(rewindText(report, {directory: '/w', when: 'preview'}).split('\n')).toEqual([
      expect.stringMatching(/^This takes back conversation and files to before “Make.*2 prompts of the conversation/u),
      '4 files: 1 changed back, 1 restored, 1 deleted, 1 merged with later changes',
      '  ~ a',
      '  - b',
      expect.stringMatching(/^ {2}\+ evil\P{Cc}*$/u),
      '  ± m',
      '  ! c is left as it is: it was deleted since',
      'Not kept in checkpoints, so not touched: node_modules',
    ]);
    expect(
      rewindText(
        {...report, what: 'talk', files: {files: [], conflicts: [], leftOut: ['/w/x']}},
        {
          directory: '/w',
          when: 'done',
        },
      ).split('\n'),
    ).toHaveLength(1);
  });

  test.each([2, 3, 5, 12, 40])('never more than %i rows, and the keys stay in sight', rows => {
    const many = {
      ...report,
      files: {
        ...report.files,
        files: Array.from({length: 90}, (_, at) => ({path: `/w/${at}`, effect: 'changed' as const})),
      },
    };
    const lists = Array.from({length: 50}, (_, at) => ({
      ...(points[0] ?? {to: messageId(''), prompt: '', files: 'untouched' as const}),
      number: at,
    }));
    for (const panel of [confirm, rewindPreview(target, many), rewindPanel(lists)]) {
      const {lines, cursor} = panel.lines(place(rows));
      expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 3));
      expect(lines.at(-1)).toMatch(/^(?:y do it|Enter chooses)/u);
      expect(cursor.y).toBeLessThan(lines.length);
    }
  });
});
