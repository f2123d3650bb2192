import {noDetail} from '../../src/domain/risk.ts';
/* oxlint-disable no-control-regex -- styling is looked at */
import {describe, expect, test} from 'vitest';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {Approval} from '../../src/actions/agent-event.ts';
import {unamended} from '../../src/actions/files-port.ts';
import type {DiffLine} from '../../src/actions/preview.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {openEditing} from '../../src/tui/input/editing-state.ts';
import {openApproval, type ApprovalStage} from '../../src/tui/input/approval/approval-stage.ts';
import {draftOf} from '../../src/tui/input/draft.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {approvalCard, wholeApproval} from '../../src/tui/views/approval-card.ts';
import {approval as commandApproval} from './support/stage.ts';

const frameOf = (width: number) => ({theme: themeOf('plain'), width});

const context = (text: string): DiffLine => ({kind: 'context', text, changed: []});
const lines: readonly DiffLine[] = [
  context('one'),
  context('two'),
  context('three'),
  {kind: 'removed', text: 'old', changed: []},
  {kind: 'added', text: 'new', changed: []},
  context('five'),
  {kind: 'added', text: 'more', changed: []},
  context('six'),
];
const edit: Approval = {
  ...commandApproval('e', ''),
  toolName: 'Edit',
  action: actionOf('request-file-edits', {edits: [], amendment: unamended}),
  label: 'Edit a.js',
  preview: {
    kind: 'diff',
    files: [
      {
        path: 'a.js',
        before: 'x',
        after: 'y',
        added: 2,
        removed: 1,
        movedFrom: undefined,
        notes: [],
        hunks: [{oldStart: 1, newStart: 1, lines}],
      },
    ],
  },
  verdict: {
    decision: 'ask',
    risk: 'local-change',
    reasons: ['edits ask first in this mode'],
    grantable: 'kind',
    detail: noDetail,
  },
  rationale: '',
  wording: 'model',
  sessionGrant: 'all edits inside the workspace',
};

const cardOf = (approval: Approval, rows: number, width: number): readonly string[] =>
  cardAt(approval, {stage: openApproval, rows, width});

const cardAt = (
  approval: Approval,
  {
    stage,
    rows,
    width,
    waiting = 1,
  }: {readonly stage: ApprovalStage; readonly rows: number; readonly width: number; readonly waiting?: number},
): readonly string[] =>
  approvalCard({approval, waiting, stage, editing: openEditing('emacs')}, rows, frameOf(width)).lines;

describe('approvalCard', () => {
  test('with room for all of it there is nothing to show with v', () => {
    expect(cardOf(edit, 21, 79)).toEqual([
      'Allow this? Edit a.js (+2 -1)',
      '1   one',
      '2   two',
      '3   three',
      '4 - old',
      '4 + new',
      '5   five',
      '6 + more',
      '7   six',
      'Risk: changes files on this machine. Edits ask first in this mode.',
      'y yes, once | s yes, for this session (all edits inside the workspace) | n no',
      'r no, with a reason | Ctrl+E editor | Esc stop',
    ]);
  });

  test('on a small screen the change comes first and no key is cut', () => {
    expect(cardOf(edit, 9, 39)).toEqual([
      'Allow this? Edit a.js (+2 -1)',
      '4 - old',
      '4 + new',
      '   ⋮',
      '6 + more',
      'Risk: changes files on this machine.',
      '  Edits ask first in this mode.',
      'y once | s session | n no | r why',
      'Ctrl+E edit | v all | Esc stop',
    ]);
  });

  test('a change longer than the screen is cut in its middle', () => {
    const added = Array.from({length: 50}, (_, at): DiffLine => ({kind: 'added', text: `row ${at}`, changed: []}));
    const file = {path: 'a.js', before: 'absent', after: 'y', added: 50, removed: 0, movedFrom: undefined, notes: []};
    const long: Approval = {
      ...edit,
      preview: {kind: 'diff', files: [{...file, hunks: [{oldStart: 1, newStart: 1, lines: added}]}]},
    };
    expect(cardOf(long, 9, 39)).toEqual([
      'Allow this? Create a.js (+50 -0)',
      ' 1 + row 0',
      ' 2 + row 1',
      '  … 46 lines hidden, v shows all',
      '49 + row 48',
      '50 + row 49',
      'Risk: changes files on this machine. …',
      'y once | s session | n no | r why',
      'Ctrl+E edit | v all | Esc stop',
    ]);
  });

  test.each([2, 3, 5, 9, 12, 24])('in %i rows and any width every key is there, whole', rows => {
    for (let width = 16; width <= 100; width += 3) {
      const card = cardOf({...edit, rationale: 'because '.repeat(300)}, rows, width);
      const keys = card.slice(-6).join(' | ');
      for (const key of ['y ', 's ', 'n no', 'r ', 'v ', 'Esc stop']) expect(keys).toContain(key);
      expect(Math.max(...card.map(cellWidth))).toBeLessThanOrEqual(width);
      if (rows >= 9 && width >= 30) expect(card.length).toBeLessThanOrEqual(rows);
    }
  });

  test('printed whole, it says all there is', () => {
    expect(wholeApproval(commandApproval('a', 'make\nmake install'), frameOf(79))).toEqual([
      'Asked for: Run command: make ⏎ make install',
      '  make',
      '  make install',
      '  in /home/user/project',
      'Why: the cache is stale',
      'Risk: can destroy data. It deletes files; the model calls it risky.',
      'For this session: rm in this folder.',
    ]);
  });
});

describe('a destructive command', () => {
  const command = 'cd web && npm ci && rm -rf build dist && git push --force';
  const marks = [
    {from: 20, to: 37},
    {from: 41, to: command.length},
  ];
  const asked: Approval = {
    ...commandApproval('a', command, {
      reasons: ['`rm -rf build dist` deletes files', '`git push --force` rewrites what others have'],
      detail: {...noDetail, marks, confirmWord: 'build', rules: ['Bash(rm:*)']},
    }),
    victims: {
      summary: 'deletes 37 files (12 untracked)',
      paths: ['web/build/a.js', 'web/build/\u202Eb.js'],
      more: 35,
      diffs: [],
    },
    citations: ['package.json', 'docs/deploy.md'],
  };

  const some = (victims: Approval['victims']) =>
    cardAt({...asked, victims}, {stage: openApproval, rows: 21, width: 79}).find(line => line.startsWith('Dry'));

  test('what a command would change in a file it overwrites stands below the command', () => {
    const changed = [
      {kind: 'context', text: 'one', changed: []},
      {kind: 'removed', text: 'two', changed: []},
      {kind: 'added', text: '2', changed: []},
    ] as const;
    const diff = {
      path: 'old.js',
      before: 'a',
      after: 'b',
      movedFrom: undefined,
      added: 1,
      removed: 1,
      hunks: [{oldStart: 1, newStart: 1, lines: changed}],
      notes: [],
    };
    const approval: Approval = {
      ...commandApproval('a', 'cp new.js old.js', {
        risk: 'destructive',
        reasons: ['`cp new.js old.js` overwrites files'],
      }),
      victims: {summary: 'overwrites old.js (3 lines)', paths: ['old.js'], more: 0, diffs: [diff]},
    };
    const shown = cardAt(approval, {stage: openApproval, rows: 20, width: 79}).join('\n');
    expect(shown).toMatch(
      /cp new\.js old\.js[\s\S]*1 {3}one[\s\S]*2 - two[\s\S]*2 \+ 2[\s\S]*overwrites old\.js \(3 lines\)/u,
    );
    // Where there is little room, the command and what it hits go before.
    const small = cardAt(approval, {stage: openApproval, rows: 8, width: 40}).join('\n');
    expect(small).toContain('cp new.js old.js');
    expect(small).toContain('overwrites old.js (3 lines)');
  });

  test('a path that the sum names already is not named again', () => {
    expect(some({summary: 'overwrites notes (4 bytes)', paths: ['notes'], more: 0, diffs: []})).toBe(
      'Dry run: overwrites notes (4 bytes).',
    );
    expect(some({summary: 'overwrites notes (4 bytes)', paths: ['src/notes'], more: 0, diffs: []})).toBe(
      'Dry run: overwrites notes (4 bytes). src/notes',
    );
  });

  test('at 80×24 all of it is there: marks, victims, reasons, citations, and no lasting answer', () => {
    expect(cardAt(asked, {stage: openApproval, rows: 21, width: 79, waiting: 3})).toEqual([
      'Allow this? (1 of 3) Run command: cd web && npm ci && rm -rf build dist && git…',
      '! cd web && npm ci && rm -rf build dist && git push --force',
      '                      ^^^^^^^^^^^^^^^^^    ^^^^^^^^^^^^^^^^',
      '  in /home/user/project',
      'Dry run: deletes 37 files (12 untracked). web/build/a.js,',
      '  web/build/\\u{202e}b.js and 35 more',
      'Why: the cache is stale',
      'Risk: can destroy data. `rm -rf build dist` deletes files; `git push --force`',
      '  rewrites what others have; the model calls it risky.',
      'Based on: package.json, docs/deploy.md',
      'Type build, then Enter: yes, once | n no | r no, with a reason | Ctrl+E edit',
      'Esc stop',
    ]);
  });

  test('at 40×12 the command, its mark and the keys stay', () => {
    expect(cardAt(asked, {stage: openApproval, rows: 9, width: 39})).toEqual([
      'Allow this? Run command: cd web && npm…',
      '! cd web && npm ci && rm -rf build dist',
      '!  && git push --force',
      '  in /home/user/project',
      'Dry run: deletes 37 files (12 untra…',
      'Risk: can destroy data. `rm -rf build …',
      'Type build + Enter | n no | r why',
      'Ctrl+E edit | v all | Esc stop',
    ]);
    expect(cardAt(asked, {stage: {stage: 'word', text: draftOf('bu'), entered: 'wrong'}, rows: 9, width: 39})).toEqual([
      'Allow this? Run command: cd web && npm…',
      '! cd web && npm ci && rm -rf build dist',
      '!  && git push --force',
      'Dry run: deletes 37 files (12 untra…',
      'Risk: can destroy data. `rm -rf build …',
      'That was not the word, so nothing was',
      'allowed. The word is build',
      '> bu',
      'then Enter | Esc back',
    ]);
  });

  test('at 120×40 nothing is broken that need not be', () => {
    const card = cardAt(asked, {stage: openApproval, rows: 37, width: 119});
    expect(card[4]).toBe(
      'Dry run: deletes 37 files (12 untracked). web/build/a.js, web/build/\\u{202e}b.js and 35 more',
    );
    expect(card).toHaveLength(10);
  });

  test('with colours the marked parts alone stand out, and the words are the same', () => {
    const colour = {theme: themeOf('colour'), width: 79};
    const card = approvalCard(
      {approval: asked, waiting: 3, stage: openApproval, editing: openEditing('emacs')},
      21,
      colour,
    ).lines;
    expect(card[1]).toMatch(/\u001B\[33mrm -rf build dist\u001B\[39m\S* && /u);
    const plain = cardAt(asked, {stage: openApproval, rows: 21, width: 79, waiting: 3});
    expect(card.map(line => line.replaceAll(/\u001B\[[\d;]*m/gu, ''))).toEqual(plain);
  });

  test('without much of a dry run it says what it has', () => {
    expect(some({summary: '', paths: ['a'], more: 0, diffs: []})).toBe('Dry run: it would hit a');
    expect(some({summary: 'drops 2 stashes', paths: [], more: 0, diffs: []})).toBe('Dry run: drops 2 stashes.');
    expect(some({summary: '', paths: [], more: 0, diffs: []})).toBeUndefined();
  });
});

test('what is typed into a block is shown to the letter', () => {
  const typed: Approval = {
    ...commandApproval('a', ''),
    action: actionOf('write-to-long-running-shell-command', {blockId: 'b1', input: 'yes\u0003\nrm x', mode: 'line'}),
    label: 'Write to block b1: yes',
    preview: {kind: 'none'},
  };
  expect(cardOf(typed, 21, 79).slice(1, 4)).toEqual(['  yes^C', '  rm x', '  typed into b1 (line)']);
});

const unknown = (reasons: readonly string[]) =>
  ({decision: 'ask', risk: 'unknown', reasons, grantable: 'exact', detail: noDetail}) as const;

describe('the risk in words', () => {
  const command = commandApproval('a', 'make');
  const judged = (
    verdict: Approval['verdict'],
    claims: {readonly readOnly: 'yes' | 'no'; readonly risky: 'yes' | 'no'},
  ) => ({
    ...command,
    verdict,
    action:
      command.action.name === 'request-command-output'
        ? actionOf('request-command-output', {...command.action.input, claims: {...claims, usesPager: 'no'}})
        : command.action,
  });
  test.each([
    [unknown([]), 'no', 'no', 'Risk: unknown, weft cannot tell what this command does.'],
    [
      unknown([]),
      'yes',
      'no',
      'Risk: unknown, weft cannot tell what this command does. The model called it read-only, which weft cannot confirm.',
    ],
    [
      {...unknown(['it deletes files']), risk: 'destructive'},
      'yes',
      'no',
      'Risk: can destroy data. It deletes files; the model called it read-only, weft does not.',
    ],
    [{...unknown([]), risk: 'read-only'}, 'yes', 'no', 'Risk: only reads. The model says it only reads.'],
    [
      unknown(['commands ask first in this mode', 'the model calls it risky']),
      'no',
      'yes',
      'Risk: unknown, weft cannot tell what this command does. Commands ask first in this mode; the model calls it risky.',
    ],
  ] as const)('%o', (verdict, readOnly, risky, line) => {
    expect(cardOf(judged(verdict, {readOnly, risky}), 20, 150)).toContain(line);
  });
});
