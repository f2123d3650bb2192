import {type ChangesOutcome, emptyChangesOutcome} from '../../src/actions/changes-port.ts';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Action, actionNames, type ActionResult} from '../../src/actions/catalogue.ts';
import type {ShellReport} from '../../src/actions/ports.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {actionId, parseSessionId, planId} from '../../src/domain/ids.ts';
import {planSteps} from '../../src/domain/plan.ts';
import {actionRows} from '../../src/tui/scrollback/action-entry.ts';
import {renderers} from '../../src/tui/scrollback/action-results.ts';
import type {ActionEntry} from '../../src/tui/state/view.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {fileOf, hunk, line as diffLine} from './support/diffs.ts';

const frame = {theme: themeOf('plain'), width: 60, verbosity: 'summary', home: ''} as const;
const narrow = {...frame, width: 39} as const;
const full = {...frame, verbosity: 'full'} as const;

const ended = (code: number) => ({kind: 'exited', code}) as const;
const report = (text: string, end: ShellReport['end'], output: Partial<ShellReport['output']> = {}): ShellReport => ({
  end,
  output: {text, totalBytes: text.length, leftOutLines: 0, file: undefined, ...output},
  durationMs: 10,
  directory: '/x',
  nextDirectory: '/work',
  leftRunning: [],
  blocked: '',
  changes: emptyChangesOutcome,
  notes: [],
});

type CommandResult = Extract<ActionResult, {name: 'request-command-output'}>;

const inputOf = (command: string): CommandResult['input'] => ({
  command,
  timeoutMs: 1000,
  place: 'foreground',
  claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
  description: '',
  rationale: '',
});

function commandEntry(
  command: string,
  settled: CommandResult['settled'],
  {by = 'agent', durationMs = 10}: {readonly by?: ActionEntry['by']; readonly durationMs?: number} = {},
): ActionEntry {
  const result = {tag: 'action', result: {name: 'request-command-output', input: inputOf(command), settled}} as const;
  return {
    kind: 'action',
    id: actionId('a'),
    by,
    label: `Run ${command}`,
    stage: {stage: 'settled', result, preview: {kind: 'none'}, tail: '', durationMs},
  };
}

const ran = (command: string, one: ShellReport): CommandResult['settled'] => ({
  state: 'success',
  output: {kind: 'completed', command, report: one},
});

test('every action has a renderer', () => {
  expect(Object.keys(renderers).toSorted()).toEqual(actionNames.toSorted());
});

const failedTests = [
  'TAP version 13',
  '# Subtest: three of the same item get 10 % off',
  'not ok 1 - three of the same item get 10 % off',
  '  ---',
  "  location: '/home/u/shop/test/discount.test.js:5:1'",
  "  failureType: 'testCodeFailure'",
  '  error: |-',
  '    Expected values to be strictly equal:',
  '',
  '    600 !== 540',
  ...Array.from({length: 24}, (_, at) => `    at step ${at} (node:internal/test_runner:${at})`),
  '# tests 1',
  '# pass 0',
  '# fail 1',
].join('\n');

const changedBy = (changes: Partial<ChangesOutcome>) =>
  commandEntry('make', ran('make', {...report('ok\n', ended(0)), changes: {...emptyChangesOutcome, ...changes}}));

describe('what a command has changed', () => {
  const edited = hunk(1, diffLine('removed', 'was'), diffLine('added', 'is'));
  const diffs = [
    fileOf('made.txt', [hunk(1, diffLine('added', 'new'))], {before: 'absent'}),
    ...['a', 'b', 'c', 'd'].map(name => fileOf(name, [edited])),
  ];
  const applied = diffs.map(({path}, at) => ({path, kind: at === 0 ? 'created' : 'changed', class: 'file'}) as const);
  const dropped = [
    {change: {path: '.git/config', kind: 'changed', class: 'protected', why: 'name'}, why: 'protected'},
    ...['v', 'w', 'x', 'y'].map(path => ({change: {path, kind: 'deleted', class: 'file'}, why: 'refused'}) as const),
  ] as const;

  test('is shown below its output, as edits are', () => {
    expect(actionRows(changedBy({applied: applied.slice(0, 2), diffs}), frame, undefined)).toEqual([
      '  ✓ make',
      '    │ ok',
      '    │ Created made.txt  +1 -0',
      '    │ 1 + new',
      '    │ Edited a  +1 -1',
      '    │ 1 - was',
      '    │ 1 + is',
      '    ╰ changed 2 files +2 -1 · Ctrl+O',
    ]);
  });

  test('of many files the first ones are named', () => {
    expect(actionRows(changedBy({applied, diffs}), frame, undefined).slice(2)).toEqual([
      '    │ Created made.txt  +1 -0',
      '    │ Edited a  +1 -1',
      '    │ Edited b  +1 -1',
      '    │ and 2 more files',
      '    ╰ changed 5 files +5 -4 · Ctrl+O',
    ]);
    expect(actionRows(changedBy({applied, diffs}), full, undefined)).toHaveLength(2 + 2 + 4 * 3 + 1);
  });

  test('of thousands the numbers are told, and no lines are counted that are not known', () => {
    const more = {applied: 3998, dropped: {refused: 7}};
    expect(
      actionRows(changedBy({applied, diffs: diffs.slice(0, 1), dropped, more}), frame, undefined).slice(5),
    ).toEqual([
      '    │ and 4000 more files',
      '    │ dropped 1 change: .git/config (protected)',
      '    │ dropped 11 changes: v, w, x and 8 more (refused)',
      '    ╰ changed 4003 files · Ctrl+O',
    ]);
  });

  test('and what was dropped, with why', () => {
    expect(actionRows(changedBy({dropped}), frame, undefined).slice(1)).toEqual([
      '    │ ok',
      '    │ dropped 1 change: .git/config (protected)',
      '    ╰ dropped 4 changes: v, w, x and 1 more (refused)',
    ]);
    expect(actionRows(changedBy({dropped}), full, undefined).at(-1)).toBe(
      '    ╰ dropped 4 changes: v, w, x, y (refused)',
    );
  });

  test('output that git ignores is not spoken of', () => {
    const built = [{path: 'dist/a.js', kind: 'created', class: 'output'}] as const;
    expect(actionRows(changedBy({applied: built}), frame, undefined)).toEqual(['  ✓ make', '    ╰ ok']);
  });
});

describe('a command', () => {
  test.each<[string, ActionEntry, readonly string[]]>([
    [
      'went well and printed nothing',
      commandEntry('git add .', ran('git add .', report('', ended(0)))),
      ['  ✓ git add .'],
    ],
    [
      'went well: its last lines and how many more there are',
      commandEntry('make', ran('make', report('1\n2\n3\n4\n\u001B[31m5\u001B[0m\n6\n7\n', ended(0))), {
        durationMs: 2700,
      }),
      [
        '  ✓ make                                               2.7 s',
        '    │ 5',
        '    │ 6',
        '    │ 7',
        '    ╰ 4 more lines · Ctrl+O',
      ],
    ],
    [
      'failed: the lines that say why',
      commandEntry('npm test', ran('npm test', report(failedTests, ended(1))), {durationMs: 2700}),
      [
        '  ✗ npm test                                  exit 1 · 2.7 s',
        '    │ not ok 1 - three of the same item get 10 % off',
        "    ⋮   location: '/home/u/shop/test/discount.test.js:5:1'",
        '    ⋮     600 !== 540',
        '    ⋮ # tests 1 · pass 0 · fail 1',
        '    ╰ 31 more lines · Ctrl+O',
      ],
    ],
    [
      'timed out: a long line is cut, and where the whole output is',
      commandEntry('x', ran('x', report('y'.repeat(1000), {kind: 'timed-out', afterMs: 5}, {file: '/tmp/out'}))),
      [
        '  ✗ x                                              timed out',
        `    │ ${'y'.repeat(54)}`,
        `    │ ${'y'.repeat(53)}…`,
        '    ╰ full output in /tmp/out',
      ],
    ],
    [
      'was stopped: what it had printed stays',
      commandEntry('npm run watch', {
        state: 'cancelled',
        why: {reason: 'interrupted', message: ''},
        partial: {command: 'npm run watch', reached: 'running', output: 'one\ntwo\n'},
      }),
      ['  ⊘ npm run watch                                interrupted', '    │ one', '    ╰ two'],
    ],
    [
      'was refused, with a reason',
      commandEntry('rm -rf build', {
        state: 'cancelled',
        why: {reason: 'declined', message: 'keep it'},
        partial: {command: 'rm -rf build', reached: 'not-started', output: ''},
      }),
      ['  ⊘ rm -rf build                                 you said no', '    ╰ keep it'],
    ],
    [
      "is the user's own: all of a short output",
      commandEntry('ls', ran('ls', report('a\nb\nc\nd\ne', ended(0))), {by: 'user'}),
      ['  ✓ ! ls', '    │ a', '    │ b', '    │ c', '    │ d', '    ╰ e'],
    ],
  ])('%s', (_name, entry, rows) => {
    expect(actionRows(entry, frame, undefined)).toEqual(rows);
  });

  test("the user's own shows forty lines and then folds", () => {
    const text = Array.from({length: 100}, (_, at) => `line ${at}`).join('\n');
    const rows = actionRows(commandEntry('seq', ran('seq', report(text, ended(0))), {by: 'user'}), frame, undefined);
    expect(rows).toHaveLength(42);
    expect([rows[1], rows[28], rows[29], rows[40], rows[41]]).toEqual([
      '    │ line 0',
      '    │ line 27',
      '    ⋮ line 88',
      '    │ line 99',
      '    ╰ 60 more lines · Ctrl+O',
    ]);
  });

  test('at 40 columns how it ended stands behind a command that needs the line', () => {
    const command = 'npx vitest run --config .config/vitest.config.ts test/tui';
    expect(actionRows(commandEntry(command, ran(command, report('', ended(1)))), narrow, undefined)).toEqual([
      '  ✗ npx vitest run --config',
      '    .config/vitest.config.ts test/tui',
      '    exit 1',
    ]);
  });

  test('unfolded it is all that came', () => {
    const rows = actionRows(commandEntry('npm test', ran('npm test', report(failedTests, ended(1)))), full, undefined);
    expect(rows.slice(1).map(row => row.slice(6))).toEqual(failedTests.split('\n'));
  });
});

describe('rows of an output', () => {
  test('a failed test is named once, without headings and durations, and its place is relative to the folder', () => {
    const lines = [
      '✔ one item costs its price (0.724251ms)',
      '✖ three items get 10 % off (3.580202ms)',
      ...['tests 2', 'suites 0', 'pass 1', 'fail 1', 'cancelled 0', 'skipped 0', 'duration_ms 90.3'].map(
        one => `ℹ ${one}`,
      ),
      '',
      '✖ failing tests:',
      '',
      'test at test/cart.test.js:5:1',
      '✖ three items get 10 % off (3.580202ms)',
      '  AssertionError [ERR_ASSERTION]: 600 == 540',
      '  ',
      '      at TestContext.<anonymous> (file:///x/test/cart.test.js:5:58)',
      ...Array.from({length: 8}, () => '      at Test.run (node:internal/test_runner/test:1402:25)'),
    ];
    const entry = commandEntry('node --test', ran('node --test', report(lines.join('\n'), ended(1))));
    expect(actionRows(entry, narrow, undefined)).toEqual([
      '  ✗ node --test                  exit 1',
      '    │ ℹ tests 2 · pass 1 · fail 1',
      '    ⋮ ✖ three items get 10 % off',
      '    │   AssertionError: 600 == 540',
      '    │       at test/cart.test.js:5:58',
      '    ╰ 19 more lines · Ctrl+O',
    ]);
  });

  test('no row is wider than the frame', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({unit: fc.constantFrom('a', ' ', '日', '\u001B[2J', '\t'), maxLength: 90}), {maxLength: 20}),
        fc.integer({min: 20, max: 70}),
        (lines, width) => {
          const entry = commandEntry(lines[0] ?? 'x', ran('x', report(lines.join('\n'), ended(1))));
          for (const verbosity of ['summary', 'full'] as const) {
            for (const row of actionRows(entry, {...frame, width, verbosity}, undefined)) {
              expect([row, cellWidth(row) <= width]).toEqual([row, true]);
            }
          }
        },
      ),
    );
  });
});

test('files read, unfolded', () => {
  const output = {
    files: [
      {state: 'read', file: {kind: 'text', path: 'a', lines: ['x'], firstLine: 1, totalLines: 1, notes: []}},
      {state: 'read', file: {kind: 'text', path: 'b', lines: ['x', 'y'], firstLine: 5, totalLines: 9, notes: []}},
      {state: 'failed', path: 'c', fault: {kind: 'rejected', message: 'There is no such file.'}},
    ],
  } as const;
  const {rows} = renderers['read-files'](output, full, 'agent');
  expect(rows.map(row => (typeof row === 'string' ? row : row.text))).toEqual([
    '1 line',
    '1  x',
    'lines 5 to 6 of 9',
    '5  x',
    '6  y',
    'c: There is no such file.',
  ]);
});

test('the steps of a plan hang below their texts', () => {
  const plan = {
    id: planId('p1'),
    goal: 'Prices are right',
    steps: planSteps(['Add a test that shows which discount the third item of a cart gets', 'Mend the rounding']),
    notes: '',
    state: 'approved',
    session: parseSessionId('00000000-0000-4000-8000-000000000001') ?? expect.fail(),
    directory: '/w',
    createdAt: 0,
    reason: '',
  } as const;
  expect(renderers['exit-plan']({plan, decision: 'approved'}, narrow, 'agent')).toEqual({
    rows: ['1. Add a test that shows which discount', '   the third item of a cart gets', '2. Mend the rounding'],
    foot: ['approved'],
  });
});

const page = (content: Parameters<(typeof renderers)['web-fetch']>[0]['page']['content']) =>
  renderers['web-fetch']({page: {url: 'https://a.example/', content, ageMs: 0, notes: []}, prompt: ''}, frame, 'agent');

describe('what comes from the web', () => {
  const linked = {
    ...full,
    theme: themeOf({theme: 'dark', level: 'truecolor', links: 'osc8', background: 'unknown'}, 'dark'),
  };
  const results = (url: string, title: string) =>
    renderers['web-search'](
      {
        query: 'tea',
        report: {provider: 'Brave', results: [{url, title, snippet: '', published: ''}], boundary: 'b', ageMs: 0},
      },
      linked,
      'agent',
    )
      .rows.map(row => (typeof row === 'string' ? row : ''))
      .join('\n');

  test('a result is a link with its host behind it', () => {
    const row = results('https://tea.example/a', 'Green tea');
    expect(row).toMatch(/\]8;[^;]*;https:\/\/tea\.example\/a/u);
    expect(row).toContain('Green tea');
    expect(row).toContain(' · tea.example');
  });

  test.each([
    ['https://tea.example/\u001b]8;;https://evil.example\u0007', 'Tea'],
    ['https://tea.example/', 'Tea \u001b]8;;https://evil.example\u001b\\'],
    ['https://evil.example/', 'https://bank.example'],
    ['https://evil.example/', 'bank.example'],
    ['https://tea.example/', 'gnp.exe \u202e'],
  ])('%j, %j controls no terminal, and words that look like an address lead nowhere else', (url, title) => {
    const row = results(url, title);
    expect(row).not.toContain('\u202e');
    expect(row).not.toMatch(/\p{Control}\]8;[^;]*;https:\/\/evil/u);
  });

  test('a page is counted; where it has moved to is shown', () => {
    const text = {kind: 'text', text: 'Tea', length: 12_345, file: undefined, boundary: 'b', mediaType: 't'} as const;
    expect(page(text)).toEqual({rows: [], foot: ['12,345 characters']});
    const moved = page({kind: 'moved', to: 'https://b.example/\u202e', status: 301})
      .rows.map(row => (typeof row === 'string' ? row : ''))
      .join('');
    expect(moved).toContain('moved to https://b.example/');
    expect(moved).not.toContain('\u202e');
  });
});

/** How many rows an action takes that runs and has printed so many lines. */
const running = (action: Action, lines: number): number =>
  actionRows(
    {
      kind: 'action',
      id: actionId('a'),
      by: 'agent',
      label: 'x',
      stage: {stage: 'running', action, preview: {kind: 'none'}, tail: 'Read a.ts\n'.repeat(lines)},
    },
    frame,
    undefined,
  ).length;

test('a command that runs takes up to five lines of its output', () => {
  const command: Action = {name: 'request-command-output', input: inputOf('make')};
  expect([1, 2, 9].map(lines => running(command, lines) - running(command, 1))).toEqual([0, 1, 4]);
});

test.for([
  [ok('c1'), 'it would change 2 files · weft sandbox apply c1'],
  [failed('the disk is full'), 'it would change 2 files · not kept: the disk is full'],
] as const)('a dry run shows what it would change and how to apply it: %j', ([id, foot]) => {
  const output = {
    report: report('done\n', ended(0)),
    kept: {
      changes: [
        {path: 'a.ts', kind: 'changed', class: 'file'},
        {path: 'dist/a.js', kind: 'created', class: 'output'},
      ],
      diffs: [fileOf('a.ts', [hunk(1, diffLine('removed', 'old'), diffLine('added', 'new'))])],
      id,
    },
  } as const;
  const body = renderers['sandbox-exec'](output, frame, 'agent');
  expect([body.rows.map(row => (typeof row === 'string' ? row : row.text)), body.foot.join(' · ')]).toEqual([
    ['done', 'Edit a.ts  +1 -1', '1 - old', '1 + new'],
    foot,
  ]);
});

test('results of searches are counted, and what the user wants instead is said', () => {
  const grep = (exact: 'exact' | 'at-least', count: number) =>
    renderers.grep({lines: ['a:1:x'], omitted: {count, exact}}, frame, 'agent').foot;
  expect([grep('exact', 0), grep('exact', 2), grep('at-least', 2)]).toEqual([
    ['1 line'],
    ['3 lines'],
    ['at least 3 lines'],
  ]);
  expect(renderers['suggest-new-conversation']({choice: 'stay', other: 'finish first'}, frame, 'agent')).toEqual({
    rows: ['finish first'],
    foot: ['declined'],
  });
});
