import {afterEach, describe, expect, test} from 'vitest';
import type {Approval} from '../../src/actions/agent-event.ts';
import {emptyUserChanges} from '../../src/domain/file-edit.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {ApprovalCard, showsDecision} from '../../src/tui/components/approval-card.tsx';
import {initialEditing} from '../../src/tui/editor/text-field.ts';
import {initialStage} from '../../src/tui/state/approval-stage.ts';
import {emptyView} from '../../src/tui/state/view.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {reasonOf} from '../support/reason.ts';
import {drawn} from './support/drawn.ts';
import {answer, approval, asked, leaveStages, mild, once, press} from './support/stage.ts';

afterEach(leaveStages);

const runsCode = 'it changes files that can run code: .git';
const hook: Approval = {
  ...approval('a1', ''),
  toolName: 'Write',
  action: actionOf('request-file-edits', {edits: [], userChanges: emptyUserChanges}),
  label: 'Write .git/hooks/post-commit',
  preview: {
    kind: 'diff',
    files: [
      {
        path: '.git/hooks/post-commit',
        before: 'absent',
        after: 'file',
        added: 60,
        removed: 0,
        movedFrom: undefined,
        notes: [],
        hunks: [
          {
            oldStart: 1,
            newStart: 1,
            lines: Array.from({length: 60}, (_, at) => ({kind: 'added', text: `echo ${at}`, changed: []}) as const),
          },
        ],
      },
    ],
  },
  verdict: {
    decision: 'ask',
    risk: 'local-change',
    reasons: [reasonOf(runsCode)],
    sessionApproval: 'none',
    detail: noDetail,
  },
  rationale: 'to be sure',
  sessionGrant: '',
};

const release: Approval = {
  ...mild('a1', 'make release'),
  verdict: {
    ...mild('a1', 'make release').verdict,
    risk: 'unknown',
    detail: {...noDetail, rules: ['Bash(make release)', 'Bash(make:*)']},
  },
};

const tool: Approval = {
  ...approval('a1', ''),
  toolName: 'mcp__calc__add',
  action: actionOf('call-mcp-tool', {
    server: 'calc',
    tool: 'add',
    toolName: 'mcp__calc__add',
    standing: 'as-known',
    arguments: {a: 1},
  }),
  label: 'Call add of calc',
  preview: {kind: 'arguments', text: '{"a": 1}'},
  verdict: {...release.verdict, risk: 'external', reasons: [reasonOf('it calls a tool of calc')]},
};

const plan = {goal: 'Prices are right', steps: ['Read it', 'Mend it'], notes: ''};

/** Each kind of card, and the words that must have been on the screen before an answer allows anything. */
const kinds: readonly (readonly [string, Approval, readonly string[]])[] = [
  ['a command', release, ['Runthiscommand?', 'makerelease', 'writesfiles']],
  [
    'danger',
    approval('a1', 'rm -rf build', {detail: {...noDetail, confirmWord: 'build'}}),
    ['rm-rfbuild', 'deletesfiles'],
  ],
  ['an edit', hook, ['post-commit', 'runcode:.git']],
  ['a tool of a server', tool, ['Calladdofcalc', '{"a":1}', 'callsatoolofcalc']],
  [
    'a plan',
    {...approval('a1', ''), action: actionOf('exit-plan', plan), label: 'Plan', preview: {kind: 'plan', plan}},
    ['Goaheadwiththisplan?', 'Prices'],
  ],
  [
    'changes',
    {
      ...hook,
      preview: {
        kind: 'changes',
        command: 'npm run format',
        directory: '/w',
        asked: [{path: '.git/hooks/post-commit', kind: 'created', class: 'file'}],
        files: hook.preview.kind === 'diff' ? hook.preview.files : [],
      },
    },
    ['created1file', 'post', 'runcode:.git'],
  ],
];

test.each(kinds)('%s: what is decided is on the card of every size that takes an answer', (_kind, asked1, words) => {
  const theme = themeOf('plain');
  const folders = {workspace: '', home: ''};
  const {session} = emptyView;
  let taken = 0;
  for (const width of [10, 13, 17, 20, 24, 30, 36, 39, 40, 48, 60, 80, 100]) {
    for (let rows = 2; rows <= 14; rows++) {
      const size = {width, rows, folders, approval: asked1};
      const isShown = showsDecision({approval: asked1, view: {session}, rows}, {theme, width, home: ''});
      const card = drawn(<ApprovalCard {...size} waiting={1} stage={initialStage} editing={initialEditing('emacs')} />);
      const text = card.map(row => row.replaceAll(/[\s│↩╭╮╰╯─]/gu, '')).join('');
      if (isShown || rows < 12) expect(card.length, `${width}×${rows}`).toBeLessThanOrEqual(rows);
      if (isShown) {
        taken++;
        for (const word of words) expect(text, `${width}×${rows}\n${card.join('\n')}`).toContain(word);
      } else if (rows < 12 && width >= 17) expect(text, `${width}×${rows}`).toContain('v:readit,n:no');
    }
  }
  expect(taken).toBeGreaterThan(40);
});

describe('on a low screen', () => {
  test.each([
    [100, 5, hook],
    [40, 5, hook],
    [60, 5, release],
    [40, 5, release],
  ] as const)('at %i×%i the first y allows nothing and prints all of it', async (columns, rows, request) => {
    const stage = await asked(request, [columns, rows]);
    await stage.screen.until(/v: read it, n: no/u);
    await press(stage, 'y');
    await stage.screen.until(/Not allowed yet: v shows all/u);
    expect(stage.engine.ops).toEqual([]);
    // A key held down is one answer.
    await stage.screen.type('y');
    expect(stage.engine.ops).toEqual([]);
    const printed = (await stage.screen.everything()).join(' ').replaceAll(/\s+/gu, ' ');
    expect(printed).toContain(request === hook ? 'changes files that can run code: .git' : 'make release');
    await press(stage, 'y');
    await expect.poll(() => stage.engine.ops).toEqual([answer('a1', once)]);
  });

  test('what fits without a frame is allowed at once', async () => {
    const stage = await asked(hook, [100, 6]);
    await stage.screen.until(/Create \.git\/hooks\/post-commit\?.*\n.*can run code: \.git\nYes y {3}No n/u);
    await press(stage, 'y');
    await expect.poll(() => stage.engine.ops).toEqual([answer('a1', once)]);
  });

  test('n refuses at once', async () => {
    const stage = await asked(hook, [40, 5]);
    await press(stage, 'n', '\r');
    await expect.poll(() => stage.engine.ops).toEqual([answer('a1', {decision: 'refuse', message: '', by: 'user'})]);
  });
});
