import {afterEach, describe, expect, test} from 'vitest';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {Approval} from '../../src/actions/agent-event.ts';
import {emptyUserChanges} from '../../src/domain/file-edit.ts';
import type {FileDiff} from '../../src/actions/preview.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {fileOf, hunk, line} from './support/diffs.ts';
import {drawn} from './support/drawn.ts';
import {createElement} from 'react';
import {HunkCard} from '../../src/tui/components/hunk-card.tsx';
import {ApprovalCard} from '../../src/tui/components/approval-card.tsx';
import {cardRoom} from '../../src/tui/state/card-room.ts';
import {initialHunkStage, pressApproval} from '../../src/tui/state/press-approval.ts';
import {
  type HunkStage,
  initialStage,
  type ApprovalStage,
  type ApprovalStep,
} from '../../src/tui/state/approval-stage.ts';
import {draftFromText} from '../../src/tui/editor/draft.ts';
import {initialEditing} from '../../src/tui/editor/text-field.ts';
import {emptyUserKeys, type KeyName, type KeyPress, setUserKeys} from '../../src/tui/terminal/keymap.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {approval as commandApproval} from './support/stage.ts';

const first = hunk(1, line('context', 'one'), line('removed', 'two'), line('added', 'zwei'));
const second = hunk(40, line('context', 'forty'), line('context', 'forty-one'), line('added', 'new'));
const made = hunk(1, ...Array.from({length: 60}, (_, at) => line('added', `row ${at + 1}`)));
const files: readonly FileDiff[] = [
  fileOf('src/a.js', [first, second]),
  fileOf('src/b.js', [first], {movedFrom: 'src/old.js'}),
  fileOf('new.txt', [made], {before: 'absent'}),
  fileOf('gone.txt', [hunk(1, line('removed', 'bye'))], {after: 'absent'}),
  fileOf('empty.txt', [], {before: 'absent'}),
];

const editOf = (verdict: Partial<Approval['verdict']> = {}): Approval => ({
  ...commandApproval('e', ''),
  toolName: 'ApplyPatch',
  action: actionOf('request-file-edits', {edits: [], userChanges: emptyUserChanges}),
  label: 'Edit 5 files',
  preview: {kind: 'diff', files},
  verdict: {decision: 'ask', risk: 'local-change', reasons: [], sessionApproval: 'kind', detail: noDetail, ...verdict},
  rationale: '',
  wording: 'model',
  sessionGrant: 'all edits inside the workspace',
});
const edit = editOf();
const protectedEdit = editOf({risk: 'destructive', detail: {...noDetail, confirmWord: 'hooks'}});

const editing = initialEditing('emacs');
const room = cardRoom({width: 79, rows: 20});
const cardAt = (stage: HunkStage, rows: number, width = 79): readonly string[] =>
  drawn(createElement(HunkCard, {approval: edit, stage, home: '', rows, width}));

const hunks: HunkStage = initialHunkStage;
const dropping = (row: number, ...dropped: readonly number[]) => ({...hunks, row, dropped: new Set(dropped)});

const text = (typed: string): KeyPress => ({kind: 'text', text: typed});
const key = (name: KeyName): KeyPress => ({kind: 'key', name});

function pressed(
  stage: ApprovalStage,
  one: KeyPress,
  {asked = edit, place = 'first'}: {readonly asked?: Approval; readonly place?: 'first' | 'following'} = {},
): ApprovalStep {
  return pressApproval(stage, asked, {key: one, batchPosition: place, room});
}

/** Presses one after the other, each by itself, for as long as the card is open. */
function after(presses: readonly KeyPress[], asked = edit): ApprovalStep {
  let step: ApprovalStep = {kind: 'open', stage: initialStage};
  for (const one of presses) {
    if (step.kind !== 'open') throw new Error('the card is answered already');
    step = pressed(step.stage, one, {asked});
  }
  return step;
}

const amended = (...dropped: readonly [string, number | 'new-name'][]) => ({
  kind: 'answered',
  answer: {
    decision: 'allow-with-changes',
    userChanges: {kind: 'hunks', dropped: dropped.map(([path, part]) => ({path, hunk: part}))},
  },
});
const refused = {kind: 'answered', answer: {decision: 'refuse', message: '', by: 'user'}};
const once = {kind: 'answered', answer: {decision: 'allow', scope: 'once'}};

afterEach(() => setUserKeys(emptyUserKeys));

describe('the card of hunks', () => {
  test('an action that the user left without a key has no hint', () => {
    const unbound = new Map([
      ['Ctrl+e', 'ignored'],
      ['End', 'ignored'],
    ] as const);
    setUserKeys({...emptyUserKeys, card: unbound});
    expect(cardAt(hunks, 21).slice(-2)).toEqual([
      '│ Write 7 of 7 y   No n                                                       │',
      '╰ Space toggle · ↑↓ other hunk · Esc back · PgUp PgDn scroll ─────────────────╯',
    ]);
  });

  test('all parts of all files, the chosen one below, and what is left of it in the title', () => {
    expect(cardAt(dropping(1, 1, 2, 5), 21)).toEqual([
      '╭ Write 4 of 7 hunks? Edit src/a.js, src/old.js, new.txt, empty.txt  +62 -2 ──╮',
      '│   [x] src/a.js:2  +1 -1                                                     │',
      '│ ❯ [ ] src/a.js:42  +1 -0                                                    │',
      '│   [ ] Rename src/old.js → src/b.js                                          │',
      '│   [x] src/b.js:2  +1 -1                                                     │',
      '│   [x] Create new.txt  +60 -0                                                │',
      '│   [ ] Delete gone.txt  +0 -1                                                │',
      '│   [x] Create empty.txt  +0 -0                                               │',
      '│ 40   forty                                                                  │',
      '│ 41   forty-one                                                              │',
      '│ 42 + new                                                                    │',
      '│ Write 4 of 7 y   No n                                                       │',
      '│ Space toggle · ↑↓ other hunk · Esc back · Ctrl+E edit the file first        │',
      '╰ PgUp PgDn scroll ───────────────────────────────────────────────────────────╯',
    ]);
  });

  test('what is too long is scrolled, and says where it is', () => {
    const card = cardAt({...dropping(4), top: 10}, 21).join('\n');
    for (let at = 11; at <= 18; at++) expect(card).toContain(`${at} + row ${at} `);
    expect(card).toContain('lines 11 to');
  });

  test.each([5, 7, 9, 12, 24, 40])('in %i rows it fits, and what accepts is there', rows => {
    for (let width = 24; width <= 120; width += 8) {
      for (const stage of [dropping(0), dropping(6, 0, 1, 2, 3, 4, 5, 6), {...dropping(4), top: 59}]) {
        const card = cardAt(stage, rows, width);
        expect(Math.max(...card.map(cellWidth))).toBeLessThanOrEqual(width);
        if (rows >= 7) expect(card.length).toBeLessThanOrEqual(rows);
        expect(card.join(' ')).toMatch(/(?:Write \d of 7|None selected: no) y/u);
      }
    }
  });

  test('nothing ticked is said', () => {
    const card = cardAt(dropping(0, 0, 1, 2, 3, 4, 5, 6), 21);
    expect(card[0]).toMatch(/^╭ Write 0 of 7 hunks\? None selected ─/u);
    expect(card.at(-3)).toMatch(/^│ None selected: no y {3}No n +│$/u);
  });
});

describe('presses among hunks', () => {
  test.each<[string, readonly KeyPress[], object]>([
    ['all ticked is all of it', [text('h'), text('y')], once],
    ['one left out', [text('h'), text(' '), text('y')], amended(['src/a.js', 0])],
    [
      'several, of several files',
      [
        text('h'),
        key('down'),
        text(' '),
        key('down'),
        text(' '),
        key('down'),
        key('down'),
        key('down'),
        text(' '),
        text('Y'),
      ],
      amended(['src/a.js', 1], ['src/b.js', 'new-name'], ['gone.txt', 0]),
    ],
    ['ticked again', [text('h'), text(' '), text(' '), text('y')], once],
    [
      'the list has ends',
      [text('h'), key('up'), ...Array.from({length: 9}, () => key('down')), text(' '), text('y')],
      amended(['empty.txt', 0]),
    ],
    ['no', [text('h'), text(' '), text('n'), key('enter')], refused],
    ['a letter of no card is the draft', [text('h'), text('k')], {kind: 'unhandled', key: text('k')}],
    ['Enter accepts nothing', [text('h'), text(' '), key('enter')], {kind: 'open', stage: dropping(0, 0)}],
    ['Esc goes back to all of it', [text('h'), text(' '), key('escape')], {kind: 'open', stage: initialStage}],
    ['other letters are the draft', [text('h'), text('w')], {kind: 'unhandled', key: text('w')}],
    [
      'a paste is the draft',
      [text('h'), {kind: 'paste', text: 'y', part: 'first'}],
      {kind: 'unhandled', key: {kind: 'paste', text: 'y', part: 'first'}},
    ],
    [
      'the file of the chosen one goes to the editor, without what is left out',
      [text('h'), text(' '), key('line-end')],
      {kind: 'edit', of: files[0], dropped: [{path: 'src/a.js', hunk: 0}]},
    ],
    ['all files go there from the whole', [key('open-editor')], {kind: 'edit', of: 'all-files', dropped: []}],
  ])('%s', (_name, presses, step) => {
    expect(after(presses)).toEqual(step);
  });

  test('nothing ticked is a no, whose reason is asked for', () => {
    const none = dropping(0, 0, 1, 2, 3, 4, 5, 6);
    expect(pressed(none, text('y'))).toMatchObject({kind: 'open', stage: {stage: 'reason'}});
  });

  test('what came along with another press accepts nothing', () => {
    expect(pressed(dropping(0, 1), text('y'), {place: 'following'})).toEqual({kind: 'open', stage: dropping(0, 1)});
    expect(pressed(initialStage, text('hy'))).toEqual({kind: 'unhandled', key: text('hy')});
  });

  test('the difference of the chosen one is scrolled to its end and back, and from its top with another', () => {
    const down = after([text('h'), key('down'), key('down'), key('down'), key('down'), key('page-down')]);
    expect(down).toMatchObject({kind: 'open', stage: {row: 4, top: 4}});
    let stage: ApprovalStage = dropping(4);
    for (let at = 0; at < 20; at++) {
      const step = pressed(stage, key('page-down'));
      if (step.kind === 'open') ({stage} = step);
    }
    expect(stage).toMatchObject({row: 4, top: 56});
    expect(pressed(stage, key('up'))).toMatchObject({stage: {row: 3, top: 0}});
  });

  test('where a word accepts, no letter does', () => {
    const open = [text('h'), key('enter')];
    expect(after([text('h'), key('enter')], protectedEdit)).toMatchObject({stage: {stage: 'hunks'}});
    const opened = [...open, text(' ')];
    expect(after([...opened, text('y')], protectedEdit)).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', hint: 'needs-word', dropped: new Set([0])},
    });
    expect(after([...opened, text('hook'), key('enter')], protectedEdit)).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', hint: 'wrong-word'},
    });
    expect(after([...opened, text('hooks'), key('enter')], protectedEdit)).toEqual(amended(['src/a.js', 0]));
    expect(after([...opened, text('n'), key('enter')], protectedEdit)).toEqual(refused);
  });

  test('the word that came along with another press accepts nothing', () => {
    const stage = {...dropping(0), word: draftFromText('hooks')};
    expect(pressed(stage, key('enter'), {asked: protectedEdit, place: 'following'})).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', dropped: new Set()},
    });
  });
});

const topAfter = (from: number, name: KeyName): number | undefined => {
  const step = pressed({...dropping(4), top: from}, key(name));
  return step.kind === 'open' && step.stage.stage === 'hunks' ? step.stage.top : undefined;
};

describe('keys among the parts', () => {
  test('a long part is scrolled on and back, no further than its ends', () => {
    expect([topAfter(0, 'page-down'), topAfter(56, 'page-down')]).toEqual([4, 56]);
    expect([topAfter(8, 'page-up'), topAfter(2, 'page-up')]).toEqual([4, 0]);
  });

  test('a word that is being typed is not called wrong before Enter', () => {
    const stage = {...dropping(1), word: draftFromText('hoo')};
    expect(pressed(stage, text('k'), {asked: protectedEdit})).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', hint: 'none', word: draftFromText('hook')},
    });
  });
});

describe('a long change on one card', () => {
  const long: Approval = {...edit, preview: {kind: 'diff', files: files.slice(2, 3)}};
  test('is read from its start to its end without leaving it, and back', () => {
    let stage: ApprovalStage = initialStage;
    const seen = new Set<string>();
    const go = (name: KeyName): void => {
      const step = pressApproval(stage, long, {key: key(name), batchPosition: 'first', room});
      if (step.kind !== 'open') throw new Error('it was left');
      ({stage} = step);
      if (stage.stage === 'hunks') throw new Error('it was left');
      const props = {
        approval: long,
        waiting: 1,
        stage,
        editing,
        folders: {workspace: '', home: ''},
        rows: 20,
        width: 79,
      };
      for (const row of drawn(createElement(ApprovalCard, props))) seen.add(row.replaceAll('│', '').trim());
    };
    for (let at = 0; at < 20; at++) go('page-down');
    for (let at = 1; at <= 60; at++) expect(seen).toContain(`${at} + row ${at}`);
    for (let at = 0; at < 20; at++) go('page-up');
    expect(stage).toEqual(initialStage);
  });
});
