import {noDetail} from '../../src/domain/risk.ts';
import {describe, expect, test} from 'vitest';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {Approval} from '../../src/actions/agent-event.ts';
import type {DiffLine} from '../../src/actions/preview.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {approvalCard, wholeApproval} from '../../src/tui/views/approval-card.ts';
import {approval as commandApproval} from './support/stage.ts';

const frameOf = (width: number) => ({theme: themeOf('plain'), width});

const context = (text: string): DiffLine => ({kind: 'context', text});
const lines: readonly DiffLine[] = [
  context('one'),
  context('two'),
  context('three'),
  {kind: 'removed', text: 'old'},
  {kind: 'added', text: 'new'},
  context('five'),
  {kind: 'added', text: 'more'},
  context('six'),
];
const edit: Approval = {
  ...commandApproval('e', ''),
  toolName: 'Edit',
  action: actionOf('request-file-edits', {edits: []}),
  label: 'Edit a.js',
  preview: {
    kind: 'diff',
    files: [{path: 'a.js', before: 'x', after: 'y', added: 2, removed: 1, hunks: [{oldStart: 1, newStart: 1, lines}]}],
  },
  verdict: {
    decision: 'ask',
    risk: 'local-change',
    reasons: ['edits ask first in this mode'],
    grantable: 'kind',
    detail: noDetail,
  },
  rationale: '',
  sessionGrant: 'all edits inside the workspace',
};

const cardOf = (approval: Approval, rows: number, width: number): readonly string[] =>
  approvalCard({approval, waiting: 1, refusal: {kind: 'none'}}, rows, frameOf(width)).lines;

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
      'r no, with a reason | Esc stop',
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
      'y once | s session | n no | r reason',
      'v all | Esc stop',
    ]);
  });

  test('a change longer than the screen is cut in its middle', () => {
    const added = Array.from({length: 50}, (_, at): DiffLine => ({kind: 'added', text: `row ${at}`}));
    const file = {path: 'a.js', before: 'absent', after: 'y', added: 50, removed: 0};
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
      'y once | s session | n no | r reason',
      'v all | Esc stop',
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
    [unknown([]), 'no', 'no', 'Risk: weft has not judged this command.'],
    [unknown([]), 'yes', 'no', 'Risk: weft has not judged this command. The model says it only reads.'],
    [
      unknown(['commands ask first in this mode', 'the model calls it risky']),
      'no',
      'yes',
      'Risk: weft has not judged this command. Commands ask first in this mode; the model calls it risky.',
    ],
  ] as const)('%o', (verdict, readOnly, risky, line) => {
    expect(cardOf(judged(verdict, {readOnly, risky}), 20, 120)).toContain(line);
  });
});
