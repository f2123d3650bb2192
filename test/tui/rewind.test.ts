import {describe, expect, test} from 'vitest';
import {messageId} from '../../src/domain/ids.ts';
import {rewindText} from '../../src/domain/rewind-text.ts';
import type {RewindReport} from '../../src/domain/rewind.ts';
import type {KeyPress} from '../../src/tui/input/keymap.ts';
import {openRewind, pressRewind, type RewindPicker, type RewindStep} from '../../src/tui/input/rewind-picker.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {rewindView} from '../../src/tui/views/rewind-view.ts';

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
const confirm: RewindPicker = {stage: 'confirm', target, report};
const key = (name: 'up' | 'down' | 'enter' | 'escape'): KeyPress => ({kind: 'key', name});
const text = (typed: string): KeyPress => ({kind: 'text', text: typed});
const kindOf = (step: RewindStep): string => (step.kind === 'open' ? step.picker.stage : step.kind);
const frame = {theme: themeOf('plain'), width: 79};

describe('choosing', () => {
  test('the latest prompt stands first; Enter chooses it, then a letter what goes back', () => {
    const keys = [key('down'), key('down'), key('down'), key('up'), key('enter')];
    const last = keys.reduce<RewindStep>(
      (step, pressed) => (step.kind === 'open' ? pressRewind(step.picker, pressed, 'first') : step),
      {kind: 'open', picker: openRewind(points)},
    );
    expect(last).toEqual({kind: 'open', picker: {stage: 'scope', point: points[0]}});
    if (last.kind !== 'open') throw new Error('it is open');
    const scope = last.picker;
    for (const [letter, what] of [
      ['f', 'files'],
      ['t', 'talk'],
      ['b', 'both'],
    ] as const) {
      expect(pressRewind(scope, text(letter), 'first')).toEqual({
        kind: 'preview',
        target: {kind: 'prompt', to: 'one', what},
      });
    }
  });

  test.each<[string, KeyPress, 'first' | 'later', string]>([
    ['y agrees', text('y'), 'first', 'go'],
    ['n does not', text('n'), 'first', 'closed'],
    ['Esc does not', key('escape'), 'first', 'closed'],
    ['Enter is no answer', key('enter'), 'first', 'confirm'],
    ['what came in one piece with other presses is none', text('y'), 'later', 'confirm'],
    ['a word is none', text('yes'), 'first', 'confirm'],
    ['a paste is none', {kind: 'paste', text: 'y'}, 'first', 'confirm'],
  ])('%s', (_, pressed, place, kind) => {
    expect(kindOf(pressRewind(confirm, pressed, place))).toBe(kind);
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
    const pickers: readonly RewindPicker[] = [confirm, {stage: 'confirm', target, report: many}, openRewind(lists)];
    for (const picker of pickers) {
      const {lines, cursor} = rewindView({picker, directory: '/w'}, rows, frame);
      expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 3));
      expect(lines.at(-1)).toMatch(/^(?:y do it|Enter chooses)/u);
      expect(cursor.y).toBeLessThan(lines.length);
    }
  });
});
