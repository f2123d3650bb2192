import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {FileDiff} from '../../src/actions/preview.ts';
import type {AgentEvent, Approval} from '../../src/actions/agent-event.ts';
import type {BlockInfo} from '../../src/actions/ports.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {unamended} from '../../src/actions/files-port.ts';
import {actionId, blockId, messageId} from '../../src/domain/ids.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {commandsFor} from '../../src/tui/commands/command-list.ts';
import type {KeyPress} from '../../src/tui/input/keymap.ts';
import {press} from '../../src/tui/input/press.ts';
import {attend, focused, openUi, type Ui} from '../../src/tui/input/ui.ts';
import {loadMarkdownLexer} from '../../src/tui/markdown/render-markdown.ts';
import {blockPanel} from '../../src/tui/panels/block-panel.ts';
import {compactPreview, summaryAwaited} from '../../src/tui/panels/compact-panel.ts';
import {historyPanel} from '../../src/tui/panels/history-panel.ts';
import {overwritePanel} from '../../src/tui/panels/overwrite-panel.ts';
import type {Panel} from '../../src/tui/panels/panel.ts';
import {rewindPanel, rewindPreview} from '../../src/tui/panels/rewind-panel.ts';
import {sessionPanel} from '../../src/tui/panels/session-panel.ts';
import {themePanel} from '../../src/tui/panels/theme-panel.ts';
import {transcriptPanel} from '../../src/tui/panels/transcript-panel.ts';
import {reduce} from '../../src/tui/state/reduce.ts';
import {emptyView, type View} from '../../src/tui/state/view.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import type {RunTimes} from '../../src/tui/views/progress.ts';
import {panelRows, screen, type ScreenState} from '../../src/tui/views/screen.ts';
import {nothingOutside} from './support/blank-options.ts';
import {accepted, delta, finished, grepQueued, grepSettled} from './support/events.ts';
import {approval, begin, mild} from './support/stage.ts';
import {opening, sessionInfo} from './support/scripted-engine.ts';
import {randomInputs} from '../support/random-inputs.ts';

const lexer = await loadMarkdownLexer();

/** A terminal of forty columns, of which the last stays free. */
const frame = {theme: themeOf('plain'), width: 39, verbosity: 'summary'} as const;
const rows = 24;
const commands = commandsFor('offered');
const long = 'a-very-long-word-that-has-no-end-and-no-space-in-it-at-all 日本語の文字 👩‍👧 ';

const block: BlockInfo = {
  id: blockId('b1'),
  command: `npm run ${long}`,
  state: {kind: 'running'},
  ageMs: 61_000,
  ports: [5173],
  lastLine: long,
  life: 'with-weft',
};

const files: readonly FileDiff[] = ['src', long].map(folder => ({
  path: `${folder}/sum.js`,
  before: 'x',
  after: 'y',
  added: 2,
  removed: 1,
  movedFrom: undefined,
  notes: [`a note on ${long}`],
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        {kind: 'context', text: `\t${long}`, changed: []},
        {kind: 'removed', text: long, changed: [{from: 2, to: 6}]},
        {kind: 'added', text: `${long}${long}`, changed: [{from: 2, to: 6}]},
        {kind: 'added', text: '日本語'.repeat(20), changed: []},
      ],
    },
  ],
}));

const edit: Approval = {
  ...mild('a1', ''),
  toolName: 'Edit',
  action: actionOf('request-file-edits', {edits: [], amendment: unamended}),
  label: `Edit ${long}`,
  preview: {kind: 'diff', files},
  wording: 'model',
  sessionGrant: 'all edits inside the workspace',
};

const destructive = approval('a1', `rm -rf build ${long}`, {
  detail: {...noDetail, confirmWord: 'build'},
  reasons: [`it deletes ${long}.`],
});

const viewOf = (...events: readonly AgentEvent[]): View => [opening, ...events].reduce<View>(reduce, emptyView);

const requested = (request: Approval): readonly AgentEvent[] => [
  ...begin,
  {event: 'action-queued', id: request.id, action: request.action, label: request.label},
  {event: 'approval-requested', approval: request},
];

function uiOf(view: View, panel: Panel | 'none' = 'none'): Ui {
  return {...focused(attend(openUi([], '', 'emacs'), view, 10_000)), panel};
}

function shown(view: View, ui: Ui): readonly string[] {
  const times: RunTimes = {elapsedMs: 61_000, retryInMs: 4000, actions: new Map(), costPerMinute: 'unknown'};
  const state: ScreenState = {
    view,
    ui,
    commands,
    lexer,
    directory: `~/${long}`,
    branch: `feature/${long}`,
    blocks: [block],
    times,
    demo: 'offered',
    newlineKey: 'Ctrl+J',
  };
  return screen(state, rows, frame).lines;
}

const tooWide = (lines: readonly string[]): readonly string[] => lines.filter(line => cellWidth(line) > frame.width);

const panels: readonly (readonly [name: string, panel: Panel, keeps: RegExp])[] = [
  ['blocks', blockPanel(), /npm run[^]*Enter takes its terminal \| Esc back$/u],
  ['compacting', summaryAwaited, /Esc stops/u],
  [
    'a compaction',
    compactPreview({
      id: messageId('c1'),
      way: 'summary',
      why: '',
      before: 'counted',
      tokens: {before: 80_000, after: 9000},
      kept: [{what: `2 user messages, word for word ${long}`, tokens: 40}],
      summarised: [{what: '12 answers', tokens: 7000}],
      dropped: [],
      summary: long.repeat(20),
      cost: {kind: 'none'},
    }),
    /kept[^]*summarised[^]*dropped[^]*y do it \| n leave/u,
  ],
  ['earlier prompts', historyPanel([long, 'short'], ''), /Enter takes it[^]*Esc goes back$/u],
  ['overwriting', overwritePanel(`/home/user/${long}`, ''), /y overwrites it \| n or Esc leaves it$/u],
  [
    'rewinding',
    rewindPanel([{to: messageId('m1'), number: 1, prompt: long, files: 'changed'}]),
    /Enter chooses \| Esc goes back/u,
  ],
  [
    'a rewind',
    rewindPreview(
      {kind: 'last'},
      {
        kind: 'rewind',
        what: 'both',
        prompt: `Make ${long}`,
        prompts: 2,
        files: {files: [{path: `/home/user/project/${long}`, effect: 'deleted'}], conflicts: [], leftOut: []},
      },
    ),
    /2 prompts of the\s+conversation[^]*y do it \| n leave everything as it is$/u,
  ],
  [
    'sessions',
    sessionPanel(
      [{id: sessionInfo.id, title: long, directory: '/', model: '', createdAt: 0, updatedAt: 0, messages: 3}],
      nothingOutside.sessions,
    ),
    /Enter opens[^]*Esc goes back/u,
  ],
  ['themes', themePanel('auto'), /Enter keeps it \| Esc/u],
  ['the transcript', transcriptPanel(() => [], lexer), /q closes/u],
];

describe('at forty columns', () => {
  test.each(panels)('%s fits, and says how to go on and how to leave', (_name, panel, keeps) => {
    const view = viewOf();
    const lines = shown(view, uiOf(view, panel));
    expect(tooWide(lines)).toEqual([]);
    expect(lines.slice(0, -1).join('\n')).toMatch(keeps);
  });

  const asked: readonly (readonly [name: string, view: View, keeps: RegExp])[] = [
    [
      'what is mild',
      viewOf(...requested(mild('a1', `touch ${long}`))),
      /touch[^]*Risk: changes[^]*y (?:yes, )?once[^]*n no[^]*Esc stop/u,
    ],
    [
      'what destroys',
      viewOf(...requested(destructive)),
      /rm -rf build[^]*Risk: can destroy data[^]*build[^]*n no[^]*Esc stop/u,
    ],
    ['an edit', viewOf(...requested(edit)), /sum\.js[^]*y (?:yes, )?once[^]*n no[^]*Esc stop/u],
    [
      'what reaches further',
      viewOf(...requested(approval('a1', `curl ${long}`, {risk: 'external'}))),
      /curl[^]*Risk:[^]*k (?:yes, )?once[^]*n no[^]*Esc stop/u,
    ],
    [
      'a question',
      viewOf(...begin, {
        event: 'question-asked',
        id: actionId('q1'),
        questions: [
          {
            question: `Which of these ${long}?`,
            header: long,
            choice: 'many',
            options: [
              {label: long, description: long, recommended: 'recommended'},
              {label: 'Blue', description: '', recommended: 'plain'},
            ],
          },
        ],
      }),
      /Which of these[^]*Blue/u,
    ],
    [
      'a terminal handed over',
      viewOf(...begin, {event: 'hand-over-asked', id: actionId('h1'), block: blockId('b1'), reason: `log in ${long}`}),
      /b1[^]*log in[^]*t take it \| n no \| Tab later \| Esc stop/u,
    ],
    ['nothing asked', viewOf(), /\/demo[^]*test-model/u],
    ['work', viewOf(...begin), /Working 1 min 01 s \| Esc stops[^]*test-model/u],
  ];

  test.each(asked)('%s fits, and what answers it is there', (_name, view, keeps) => {
    const lines = shown(view, uiOf(view));
    expect(tooWide(lines)).toEqual([]);
    expect(lines.join('\n')).toMatch(keeps);
  });

  test('whatever is pressed and told, no line is wider', () => {
    const keyNames = [
      'up',
      'down',
      'left',
      'right',
      'enter',
      'escape',
      'complete',
      'newline',
      'page-up',
      'page-down',
    ] as const;
    const pressed = fc.oneof(
      fc.constantFrom(...keyNames).map((name): KeyPress => ({kind: 'key', name})),
      fc
        .constantFrom(
          'y',
          'k',
          's',
          'a',
          'n',
          'r',
          'h',
          'e',
          'v',
          '/',
          '/res',
          '@a',
          '!',
          '#',
          long,
          '日',
          '\t',
          'x\ny',
        )
        .map((text): KeyPress => ({kind: 'text', text})),
      fc.constant<KeyPress>({kind: 'paste', text: `${long}\n`.repeat(20), part: 'first'}),
    );
    const told = fc.constantFrom<readonly AgentEvent[]>(
      begin,
      [delta(`# ${long}\n\n| ${long} | b |\n|---|---|\n| 1 | ${long} |\n\n\`\`\`\n${long}${long}\n`)],
      [grepQueued(long)],
      [grepSettled(long, [long])],
      requested(mild('a1', `touch ${long}`)),
      requested(destructive),
      requested(edit),
      [{event: 'approval-settled', id: actionId('a1'), decision: 'refused'}],
      [{event: 'retrying', attempt: 2, maxAttempts: 10, delayMs: 4000, status: 529, message: long}],
      [accepted(long)],
      [finished({kind: 'done'})],
    );
    const step = fc.oneof(
      pressed.map(one => ({press: one, events: []})),
      told.map(events => ({press: undefined, events})),
    );
    fc.assert(
      fc.property(fc.array(step, {maxLength: 15}), steps => {
        let view = viewOf();
        let ui = uiOf(view);
        let now = 10_000;
        for (const one of steps) {
          now += 1000;
          for (const event of one.events) view = reduce(view, event);
          if (one.press !== undefined) {
            const context = {
              view,
              commands,
              blocks: [block],
              now,
              place: 'first',
              width: 37,
              frame,
              rows: panelRows(rows),
            } as const;
            ({ui} = press(ui, one.press, context));
          }
          ui = focused(attend(ui, view, now));
          const lines = shown(view, ui);
          expect(tooWide(lines)).toEqual([]);
          expect(lines.length).toBeLessThan(rows);
        }
      }),
      {numRuns: randomInputs(150)},
    );
  });
});
