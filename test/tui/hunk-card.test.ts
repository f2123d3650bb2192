import {describe, expect, test} from 'vitest';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {Approval} from '../../src/actions/agent-event.ts';
import {unamended} from '../../src/actions/files-port.ts';
import type {DiffHunk, DiffLine, FileDiff} from '../../src/actions/preview.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {pressApproval} from '../../src/tui/input/approval/approval-form.ts';
import {openApproval, type ApprovalStage, type ApprovalStep} from '../../src/tui/input/approval/approval-stage.ts';
import {openHunks} from '../../src/tui/input/approval/approval-word.ts';
import {draftOf} from '../../src/tui/input/draft.ts';
import {openEditing} from '../../src/tui/input/editing-state.ts';
import type {KeyName, KeyPress} from '../../src/tui/input/keymap.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {approvalCard, approvalReach} from '../../src/tui/views/approval-card.ts';
import {approval as commandApproval} from './support/stage.ts';

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({kind, text, changed: []});
const hunk = (start: number, ...lines: readonly DiffLine[]): DiffHunk => ({oldStart: start, newStart: start, lines});
const fileOf = (path: string, hunks: readonly DiffHunk[], more: Partial<FileDiff> = {}): FileDiff => {
  const count = (kind: DiffLine['kind']): number =>
    hunks.flatMap(({lines}) => lines).filter(one => one.kind === kind).length;
  const counts = {added: count('added'), removed: count('removed')};
  return {path, before: 'x', after: 'y', ...counts, movedFrom: undefined, notes: [], hunks, ...more};
};

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
  action: actionOf('request-file-edits', {edits: [], amendment: unamended}),
  label: 'Edit 5 files',
  preview: {kind: 'diff', files},
  verdict: {decision: 'ask', risk: 'local-change', reasons: [], grantable: 'kind', detail: noDetail, ...verdict},
  rationale: '',
  wording: 'model',
  sessionGrant: 'all edits inside the workspace',
});
const edit = editOf();
const protectedEdit = editOf({risk: 'destructive', detail: {...noDetail, confirmWord: 'hooks'}});

const editing = openEditing('emacs');
const frame = {theme: themeOf('plain'), width: 79};
const cardAt = (stage: ApprovalStage, rows: number, width = 79): readonly string[] =>
  approvalCard({approval: edit, waiting: 1, stage, editing}, rows, {...frame, width}).lines;

const hunks = openHunks as ApprovalStage & {readonly stage: 'hunks'};
const dropping = (row: number, ...dropped: readonly number[]) => ({...hunks, row, dropped: new Set(dropped)});

const text = (typed: string): KeyPress => ({kind: 'text', text: typed});
const key = (name: KeyName): KeyPress => ({kind: 'key', name});

function pressed(
  stage: ApprovalStage,
  one: KeyPress,
  {asked = edit, place = 'first'}: {readonly asked?: Approval; readonly place?: 'first' | 'later'} = {},
): ApprovalStep {
  const reach = () => approvalReach({approval: asked, waiting: 1, stage, editing}, 20, frame);
  return pressApproval(stage, asked, {key: one, place, reach});
}

/** Presses one after the other, each by itself, for as long as the card is open. */
function after(presses: readonly KeyPress[], asked = edit): ApprovalStep {
  let step: ApprovalStep = {kind: 'open', stage: openApproval};
  for (const one of presses) {
    if (step.kind !== 'open') throw new Error('the card is answered already');
    step = pressed(step.stage, one, {asked});
  }
  return step;
}

const amended = (...dropped: readonly [string, number | 'new-name'][]) => ({
  kind: 'answered',
  answer: {
    decision: 'allow-amended',
    amendment: {kind: 'hunks', dropped: dropped.map(([path, part]) => ({path, hunk: part}))},
  },
});
const refused = {kind: 'answered', answer: {decision: 'refuse', message: '', voice: 'user'}};
const once = {kind: 'answered', answer: {decision: 'allow', scope: 'once'}};

describe('the card of hunks', () => {
  test('all parts of all files, the chosen one below, and what is left of it in the title', () => {
    expect(cardAt(dropping(1, 1, 2, 5), 21)).toEqual([
      'Allow 4 of 7 hunks? Edit src/a.js, src/old.js, new.txt, empty.txt (+62 -2)',
      '  [x] src/a.js:2 (+1 -1)',
      '> [ ] src/a.js:42 (+1 -0)',
      '  [ ] Rename src/old.js → src/b.js',
      '  [x] src/b.js:2 (+1 -1)',
      '  [x] Create new.txt (+60 -0)',
      '  [ ] Delete gone.txt (+0 -1)',
      '  [x] Create empty.txt (+0 -0)',
      '40   forty',
      '41   forty-one',
      '42 + new',
      'Risk: changes files on this machine.',
      'y writes 4 of 7 | Space ticks | Up/Down another hunk | PgUp/PgDn scrolls',
      'Ctrl+E edits the file first | n no | r no, with a reason',
      'Esc back to the whole',
    ]);
  });

  test('what is too long is scrolled, and says where it is', () => {
    const card = cardAt({...dropping(4), top: 10}, 21);
    expect(card.filter(row => row.includes('row '))).toEqual([
      '11 + row 11',
      '12 + row 12',
      '13 + row 13',
      '14 + row 14',
      '15 + row 15',
      '16 + row 16',
      '17 + row 17',
      '18 + row 18',
    ]);
    expect(card).toContain('  lines 11 to 18 of 60');
  });

  test.each([5, 7, 9, 12, 24, 40])('in %i rows it fits, and what accepts is there', rows => {
    for (let width = 24; width <= 120; width += 8) {
      for (const stage of [dropping(0), dropping(6, 0, 1, 2, 3, 4, 5, 6), {...dropping(4), top: 59}]) {
        const card = cardAt(stage, rows, width);
        expect(Math.max(...card.map(cellWidth))).toBeLessThanOrEqual(width);
        if (rows >= 9 && width >= 40) expect(card.length).toBeLessThanOrEqual(rows);
        expect(card.join(' | ')).toMatch(/y (?:writes|no)/u);
        expect(card.join(' | ')).toContain('Esc back');
      }
    }
  });

  test('nothing ticked is said', () => {
    const card = cardAt(dropping(0, 0, 1, 2, 3, 4, 5, 6), 21);
    expect(card[0]).toBe('Allow 0 of 7 hunks? Nothing is ticked');
    expect(card).toContain('y no, asks why | Space ticks | Up/Down another hunk | PgUp/PgDn scrolls');
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
    ['no', [text('h'), text(' '), text('n')], refused],
    ['another key than the risk demands', [text('h'), text('k')], {kind: 'open', stage: {...hunks, hint: 'other-key'}}],
    ['Enter accepts nothing', [text('h'), text(' '), key('enter')], {kind: 'open', stage: dropping(0, 0)}],
    ['Esc goes back to all of it', [text('h'), text(' '), key('escape')], {kind: 'open', stage: openApproval}],
    ['other letters are the draft', [text('h'), text('w')], {kind: 'not-meant', key: text('w')}],
    [
      'a paste is the draft',
      [text('h'), {kind: 'paste', text: 'y', part: 'first'}],
      {kind: 'not-meant', key: {kind: 'paste', text: 'y', part: 'first'}},
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
    expect(pressed(dropping(0, 1), text('y'), {place: 'later'})).toEqual({kind: 'open', stage: dropping(0, 1)});
    expect(pressed(openApproval, text('hy'))).toEqual({kind: 'not-meant', key: text('hy')});
  });

  test('the difference of the chosen one is scrolled to its end and back, and from its top with another', () => {
    const down = after([text('h'), key('down'), key('down'), key('down'), key('down'), key('page-down')]);
    expect(down).toMatchObject({kind: 'open', stage: {row: 4, top: 7}});
    let stage: ApprovalStage = dropping(4);
    for (let at = 0; at < 20; at++) {
      const step = pressed(stage, key('page-down'));
      if (step.kind === 'open') ({stage} = step);
    }
    expect(stage).toMatchObject({row: 4, top: 53});
    expect(pressed(stage, key('up'))).toMatchObject({stage: {row: 3, top: 0}});
  });

  test('where a word accepts, no letter does', () => {
    const open = [text('h'), key('enter')];
    expect(after([text('h'), key('enter')], protectedEdit)).toMatchObject({stage: {stage: 'hunks'}});
    const opened = [...open, text(' ')];
    expect(after([...opened, text('y')], protectedEdit)).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', hint: 'other-key', dropped: new Set([0])},
    });
    expect(after([...opened, text('hook'), key('enter')], protectedEdit)).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', hint: 'wrong-word'},
    });
    expect(after([...opened, text('hooks'), key('enter')], protectedEdit)).toEqual(amended(['src/a.js', 0]));
    expect(after([...opened, text('n')], protectedEdit)).toEqual(refused);
  });

  test('the word that came along with another press accepts nothing', () => {
    const stage = {...dropping(0), word: draftOf('hooks')};
    expect(pressed(stage, key('enter'), {asked: protectedEdit, place: 'later'})).toMatchObject({
      kind: 'open',
      stage: {stage: 'hunks', dropped: new Set()},
    });
  });
});

describe('a long change on one card', () => {
  const long: Approval = {...edit, preview: {kind: 'diff', files: files.slice(2, 3)}};
  const reach = (stage: ApprovalStage) => () => approvalReach({approval: long, waiting: 1, stage, editing}, 20, frame);

  test('is read from its start to its end without leaving it, and back', () => {
    let stage: ApprovalStage = openApproval;
    const seen = new Set<string>();
    const go = (name: KeyName): void => {
      const step = pressApproval(stage, long, {key: key(name), place: 'first', reach: reach(stage)});
      if (step.kind !== 'open') throw new Error('it was left');
      ({stage} = step);
      for (const row of approvalCard({approval: long, waiting: 1, stage, editing}, 20, frame).lines)
        seen.add(row.trim());
    };
    for (let at = 0; at < 10; at++) go('page-down');
    for (let at = 1; at <= 60; at++) expect(seen).toContain(`${at} + row ${at}`);
    for (let at = 0; at < 10; at++) go('page-up');
    expect(stage).toEqual(openApproval);
    go('down');
    go('down');
    expect(stage).toEqual({...openApproval, top: 1});
  });
});
