import {createElement} from 'react';
import {afterEach, describe, expect, test} from 'vitest';
import type {Approval} from '../../src/actions/agent-event.ts';
import {emptyChangesOutcome} from '../../src/actions/changes-port.ts';
import type {FileDiff} from '../../src/actions/preview.ts';
import type {ApprovalAnswer} from '../../src/agent/client.ts';
import type {Change} from '../../src/domain/change-set.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {ApprovalCard} from '../../src/tui/components/approval-card.tsx';
import {HunkCard} from '../../src/tui/components/hunk-card.tsx';
import {initialEditing} from '../../src/tui/editor/text-field.ts';
import {turnFacts} from '../../src/tui/scrollback/entries.ts';
import {approvalSubject} from '../../src/tui/scrollback/approval-text.ts';
import {type HunkStage, initialStage} from '../../src/tui/state/approval-stage.ts';
import {reduce} from '../../src/tui/state/reduce.ts';
import {emptyView, type View} from '../../src/tui/state/view.ts';
import {initialHunkStage} from '../../src/tui/state/press-approval.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {processorClock} from '../support/processor-clock.ts';
import {fileOf, hunk, line} from './support/diffs.ts';
import {commandEvents} from './support/work-events.ts';
import {drawn} from './support/drawn.ts';
import {leaveSpeakers, speak} from './accessible/speaker.ts';
import {
  answer,
  approval as commandApproval,
  ask,
  asked,
  attend,
  begin,
  leaveStages,
  once,
  press,
  start,
} from './support/stage.ts';

afterEach(leaveStages);
afterEach(leaveSpeakers);

const changed = (path: string, kind: Change['kind']): Change => ({path, kind, class: 'file'});
const files = [
  fileOf('assets/logo.png', [], {notes: ['binary, 1204 bytes']}),
  fileOf('src/discount.ts', [
    hunk(
      6,
      line('removed', '  if (count > bulk) {'),
      line('added', '  if (count >= bulk) {'),
      line('context', '    return 0.1;'),
    ),
  ]),
  fileOf('src/old.ts', [hunk(1, line('removed', 'export const old = 1;'))], {after: 'absent'}),
  fileOf('tools/run.sh', [], {notes: ['executable now']}),
];
const four = [
  changed('assets/logo.png', 'changed'),
  changed('src/discount.ts', 'changed'),
  changed('src/old.ts', 'deleted'),
  changed('tools/run.sh', 'mode'),
];

/** An approval of what a command has changed; its rules and what the model says of it are for the command. */
const cardOf = (
  changes: readonly Change[],
  diffs: readonly FileDiff[],
  {command = 'npm run format', ...verdict}: Partial<Approval['verdict']> & {readonly command?: string} = {},
): Approval => ({
  ...commandApproval('a1', command),
  preview: {kind: 'changes', command, directory: '/home/user/project', asked: changes, files: diffs},
  verdict: {
    decision: 'ask',
    risk: 'local-change',
    reasons: [{kind: 'mode', mode: 'default'}],
    sessionApproval: 'kind',
    detail: {...noDetail, rules: ['Bash(npm run format)']},
    ...verdict,
  },
  rationale: '',
  sessionGrant: 'all edits inside the workspace',
});
const mild = cardOf(four, files);
const lossy = cardOf(four, files, {
  risk: 'destructive',
  reasons: [{kind: 'not-undoable', text: 'src/old.ts is in no checkpoint'}],
  detail: {...noDetail, confirmWord: 'delete'},
});

const folders = {workspace: '/home/user/project', home: ''};
const editing = initialEditing('emacs');
const cardAt = (approval: Approval, width: number, rows: number): readonly string[] =>
  drawn(createElement(ApprovalCard, {approval, waiting: 1, stage: initialStage, editing, folders, width, rows}));
const pickAt = (approval: Approval, stage: HunkStage, width: number, rows: number): readonly string[] =>
  drawn(createElement(HunkCard, {approval, stage, home: '', width, rows}));

describe('the card of what a command has changed', () => {
  test('files with their lines, and in one line what has none', () => {
    expect(cardAt(mild, 99, 30)).toEqual([
      '╭ `npm run format` changed 4 files  +1 -2 ───────────────────────────────── held until you decide ╮',
      '│ Edit assets/logo.png  binary, 1204 bytes                                                        │',
      '│ Edit src/discount.ts  +1 -1                                                                     │',
      '│ 6 -   if (count > bulk) {                                                                       │',
      '│ 6 +   if (count >= bulk) {                                                                      │',
      '│ 7       return 0.1;                                                                             │',
      '│ Delete src/old.ts  +0 -1                                                                        │',
      '│ 1 - export const old = 1;                                                                       │',
      '│ Set mode of tools/run.sh  executable now                                                        │',
      '│                                                                                                 │',
      '│ Keep y   Keep, and all edits this session s   Pick files h   Discard n                          │',
      '╰ v whole diff · Esc stop ────────────────────────────────────────────────────────────────────────╯',
    ]);
  });

  test('with a red frame and a typed word where it cannot be undone', () => {
    expect(cardAt(lossy, 59, 22)).toEqual([
      '╭ `npm run format` changed 4 files  +1 -2 ────────────────╮',
      '│ cannot be undone                                        │',
      '│ Edit assets/logo.png  binary, 1204 bytes                │',
      '│ Edit src/discount.ts  +1 -1                             │',
      '│ 6 -   if (count > bulk) {                               │',
      '│ 6 +   if (count >= bulk) {                              │',
      '│ 7       return 0.1;                                     │',
      '│ Delete src/old.ts  +0 -1                                │',
      '│ 1 - export const old = 1;                               │',
      '│ Set mode of tools/run.sh  executable now                │',
      '│ src/old.ts is in no checkpoint                          │',
      '│                                                         │',
      '│ type "delete" to keep [        ]               Esc = no │',
      '╰ v whole diff · n no, and say why ───────────────────────╯',
    ]);
  });

  test('on little room every file is named before its lines are shown, and deletions before all others', () => {
    expect(cardAt(mild, 39, 10)).toEqual([
      '╭ `npm run…` changed 4 files  +1 -2 ──╮',
      '│ Edit …/logo.png  binary, 1204 byt…  │',
      '│ Edit src/discount.ts  +1 -1         │',
      '│ 6 -   if (count > bulk) {           │',
      '│ 6 +   if (count >= bulk) {          │',
      '│ Delete src/old.ts  +0 -1            │',
      '│ 1 - export const old = 1;           │',
      '│ Set mode of tools/run.sh  executabl…│',
      '│ Keep y  Session s  Pick h  No n     │',
      '╰ v whole diff · PgDn more ───────────╯',
    ]);
    expect(cardAt(mild, 39, 6).slice(1, -2)).toEqual([
      '│ Delete src/old.ts  +0 -1            │',
      '│ Edit …/logo.png  binary, 1204 byt…  │',
      '│   … 2 more files · v                │',
    ]);
  });

  test('its files are picked where hunks of an edit are', () => {
    expect(pickAt(mild, {...initialHunkStage, row: 1, dropped: new Set([2])}, 59, 22)).toEqual([
      '╭ Keep 3 of 4 files?  +1 -1 ──────────────────────────────╮',
      '│   [x] Edit assets/logo.png  binary, 1204 bytes          │',
      '│ ❯ [x] Edit src/discount.ts  +1 -1                       │',
      '│   [ ] Delete src/old.ts  +0 -1                          │',
      '│   [x] Set mode of tools/run.sh  executable now          │',
      '│ 6 -   if (count > bulk) {                               │',
      '│ 6 +   if (count >= bulk) {                              │',
      '│ 7       return 0.1;                                     │',
      '│ Keep 3 of 4 y   Discard all n                           │',
      '│ Space toggle · ↑↓ other file · Esc back                 │',
      '╰ PgUp PgDn scroll ───────────────────────────────────────╯',
    ]);
  });

  test('fits every screen, with 5,000 files, long and wide names, and draws them quickly', {tags: 'long'}, () => {
    const many = Array.from({length: 5000}, (_, at) => `src/${'verzeichnis/'.repeat(at % 9)}数据-${at}.ts`);
    const edit = hunk(
      1,
      ...Array.from({length: 12}, (_, at) => line('added', `const 値${at} = '${'x'.repeat(at * 9)}';`)),
    );
    // The engine gives the lines of the first ones.
    const diffs = many.slice(0, 200).map(path => fileOf(path, [edit]));
    const approval = cardOf(
      many.map(path => changed(path, 'changed')),
      diffs,
      {command: `cat <<'EOF' | sh\n${'echo 数据 > x; '.repeat(50)}`},
    );
    const used = processorClock();
    for (const width of [24, 39, 99]) {
      for (const rows of [7, 40]) {
        for (const drawing of [
          cardAt(approval, width, rows),
          pickAt(approval, {...initialHunkStage, row: 4321}, width, rows),
        ]) {
          expect(Math.max(...drawing.map(cellWidth))).toBeLessThanOrEqual(width);
          expect(drawing.length).toBeLessThanOrEqual(rows);
          expect(drawing.join(' ')).toMatch(/Keep(?: 5000 of 5000)? y/u);
        }
      }
    }
    expect(used()).toBeLessThan(6000);
    expect(cardAt(approval, 99, 24)[0]).toMatch(/^╭ `cat <<'EOF' \| sh …` changed 5000 files ─/u);
    expect(approvalSubject(approval, {cells: 34, home: ''})).toBe("`cat <<'EOF' …` changed 5000 files");
  });
});

const session = {decision: 'allow', scope: 'session'} as const;
const refused = (message: string) => ({decision: 'refuse', message, by: 'user'}) as const;
const picked = (...paths: readonly string[]) => ({decision: 'allow-files', paths}) as const;
const down = '\u001B[B';

describe('its answers', () => {
  test.each<[string, readonly string[], ApprovalAnswer]>([
    ['keep', ['y'], once],
    ['by its digit', ['1'], once],
    ['keep, and all edits of the session', ['s'], session],
    ['drop', ['n', '\r'], refused('')],
    ['drop, and say why', ['n', 'keep the old one', '\r'], refused('keep the old one')],
    ['pick all', ['h', 'y'], once],
    ['pick but one', ['h', ' ', 'y'], picked('src/discount.ts', 'src/old.ts', 'tools/run.sh')],
    ['pick one', ['h', ' ', down, down, ' ', down, ' ', 'y'], picked('src/discount.ts')],
    ['pick none', ['h', ' ', down, ' ', down, ' ', down, ' ', 'y', '\r'], refused('')],
  ])('%s', {tags: 'long'}, async (_name, keys, given) => {
    const stage = await asked(mild);
    await press(stage, ...keys);
    await expect.poll(() => stage.engine.ops).toEqual([answer('a1', given)]);
  });

  test.each(['a', '\u0005', '\r', 'yy'])('%j decides nothing: there is no rule and no command to edit', async keys => {
    const stage = await asked(mild);
    await press(stage, keys);
    await stage.screen.until(/changed 4 files[^]*Keep y/u);
    expect(stage.engine.ops).toEqual([]);
  });

  test('what cannot be undone is kept by its word alone, of the picked files, too', async () => {
    const stage = await asked(lossy);
    await press(stage, 'y', 'h', 'y', ' ');
    expect(stage.engine.ops).toEqual([]);
    await press(stage, 'dele', 'te', '\r');
    await expect
      .poll(() => stage.engine.ops)
      .toEqual([answer('a1', picked('src/discount.ts', 'src/old.ts', 'tools/run.sh'))]);
  });

  test('a single file is not picked', async () => {
    const stage = await asked(cardOf(four.slice(1, 2), files));
    await press(stage, 'h');
    await stage.screen.until(/changed 1 file {2}\+1 -1[^]*Keep y {3}Keep, and all edits this session s {3}Discard n/u);
  });
});

/** The command has run and printed something, and its changes are asked about. */
const ran = (approval: Approval) =>
  [
    {event: 'action-queued', id: approval.id, action: approval.action, label: approval.label},
    {event: 'action-started', id: approval.id, action: approval.action, preview: {kind: 'none'}},
    {event: 'action-output', id: approval.id, chunk: 'formatted 4 files\n'},
    {event: 'approval-requested', approval},
  ] as const;

describe('on the screen', () => {
  test('the output of the command stands above the card, and is laid out anew with it', async () => {
    const {screen, engine} = await start([100, 30]);
    engine.emit(...begin, ...ran(mild));
    await attend({screen});
    await screen.until(/\? npm run format\n +╰ formatted 4 files\n[^]*╭ `npm run format` changed 4 files/u);
    for (const [columns, rows] of [
      [40, 10],
      [60, 24],
      [100, 30],
    ] as const) {
      screen.resize(columns, rows);
      await screen.until(new RegExp(String.raw`╭ .npm run[^\n]{${columns - 12}}╮[^]*Keep y[^]*No n`, 'u'));
    }
    expect(engine.ops).toEqual([]);
  });

  test('a long diff is scrolled on the card and where files are picked, and v shows all of it', async () => {
    const rows = hunk(1, ...Array.from({length: 40}, (_, at) => line('added', `row ${at + 1}`)));
    const long = cardOf(
      [changed('a.txt', 'created'), changed('b.txt', 'created')],
      ['a.txt', 'b.txt'].map(path => fileOf(path, [rows])),
    );
    const stage = await asked(long);
    await stage.screen.until(/ created 2 files[^]*Create a\.txt {2}\+40 -0[^]*lines not shown[^]*Create b\.txt/u);
    await press(stage, ...Array.from({length: 12}, () => '\u001B[6~'));
    await stage.screen.until(/40 \+ row 40 +│\n│ {2}\d+–82 of 82 lines/u);
    await press(stage, 'h', down, '\u001B[6~', '\u001B[6~', '\u001B[6~');
    await stage.screen.until(/❯ \[x\] Create b\.txt[^]*13 \+ row 13[^]*lines 13 to/u);
    await press(stage, 'v');
    await stage.screen.until(
      /^`npm run format` created 2 files {2}\+80 -0\n {2}Create a\.txt {2}\+40 -0\n {3}1 \+ row 1\n/u,
    );
    await press(stage, 'G');
    await stage.screen.until(/40 \+ row 40\n {2}held until you decide\nend · q close/u);
    await press(stage, 'q');
    await stage.screen.until(/lines 13 to 27 of 40[^]*Keep 2 of 2 y/u);
    expect(stage.engine.ops).toEqual([]);
  });

  test('a key typed before the card was drawn decides nothing', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin, ...ran(mild));
    await screen.type('y');
    await screen.until(/Approval needed: `npm run format` changed 4 files {2}\+1 -2 · Tab: answer\n─+\n › y\n/u);
    expect(engine.ops).toEqual([]);
  });
});

describe('for a screen reader', () => {
  test('every change is said, then picked by numbers', async () => {
    const speaker = await speak();
    const {engine, screen} = speaker;
    engine.emit(...begin);
    ask(engine, mild);
    await speaker.heard(/answer> $/u);
    expect(screen.written()).toContain(
      [
        'Approval needed: `npm run format` changed 4 files +1 -2.',
        'Edit assets/logo.png: binary, 1204 bytes.',
        'Edit src/discount.ts: 1 line added, 1 removed.',
        'Line 6 removed:   if (count > bulk) {',
        'Line 6 added:   if (count >= bulk) {',
        'Delete src/old.ts: 0 lines added, 1 removed.',
        'Line 1 removed: export const old = 1;',
        'Set mode of tools/run.sh: executable now.',
        'Held until you decide.',
        'y Keep; s Keep, and all edits this session; h Pick files; n Discard, and tell weft what to do instead. Type a letter and press Enter.',
      ].join('\n'),
    );
    await speaker.type('h\r');
    await speaker.heard(/1\. Edit assets[^]*answer> $/u);
    await speaker.type('1 3\r');
    await speaker.heard(/y keeps it without 1, 3; n No; 0 goes back\./u);
    await speaker.type('y\r');
    expect(engine.ops).toEqual([answer('a1', picked('src/discount.ts', 'tools/run.sh'))]);
  });
});

/** The line below a turn whose command has changed two files that are named, and `more`. */
function closing(more: number): string {
  const applied = four.slice(0, 2);
  const changes = {...emptyChangesOutcome, applied, more: {applied: more, dropped: {}}, diffs: files.slice(0, 2)};
  const {turn} = commandEvents('c', 'make', '', changes).reduce<View>(reduce, emptyView);
  return turnFacts({...turn, durationMs: 0, waitedMs: 0, costUsd: 'unknown'})
    .map(spans => spans.map(({text}) => text).join(''))
    .join(' · ');
}

test('the closing line counts all files that a command has changed, and their lines only where all are known', () => {
  expect(closing(0)).toBe('2 files changed +1 -1 · /undo');
  expect(closing(4998)).toBe('5000 files changed · /undo');
});
