import {reasonOf} from '../support/reason.ts';
import {renderToString} from 'ink';
import {LiveRegion, type LiveRegionState, panelRows} from '../../src/tui/components/live-region.tsx';
import {openLines} from '../../src/tui/scrollback/entries.ts';
import {emptyView, type RunTimes, type View} from '../../src/tui/state/view.ts';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {FileDiff} from '../../src/actions/preview.ts';
import type {AgentEvent, Approval} from '../../src/actions/agent-event.ts';
import type {BlockInfo} from '../../src/actions/ports.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {emptyUserChanges} from '../../src/domain/file-edit.ts';
import {actionId, blockId, messageId} from '../../src/domain/ids.ts';
import {noDetail} from '../../src/domain/risk.ts';
import type {AgentRow} from '../../src/domain/sub-agent.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {commandsFor} from '../../src/tui/commands/command-list.ts';
import type {KeyPress} from '../../src/tui/terminal/keymap.ts';
import {press} from '../../src/tui/state/press.ts';
import {updateCard, focusCard, initialUi, type Ui} from '../../src/tui/state/ui.ts';
import {loadMarkdownLexer} from '../../src/tui/scrollback/render-markdown.ts';
import {agentPanel, historyPanel, type Panel, themePanel} from '../../src/tui/state/panels/panel.ts';
import {blocksPanel} from '../../src/tui/state/panels/blocks.ts';
import {compactPreview, summaryAwaited} from '../../src/tui/state/panels/compact.ts';
import {overwritePanel} from '../../src/tui/commands/export.ts';
import {rewindPanel, rewindPreview} from '../../src/tui/state/panels/rewind.ts';
import {sessionsPanel} from '../../src/tui/state/panels/sessions.ts';
import {transcriptPanel} from '../../src/tui/scrollback/transcript-panel.ts';
import {reduce} from '../../src/tui/state/reduce.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {exploringAgent} from '../support/exploring-agent.ts';
import {accepted, delta, finished, grepQueued, grepSettled} from './support/events.ts';
import {approval, begin, mild} from './support/stage.ts';
import {opening, sessionInfo} from './support/scripted-engine.ts';
import {sampleActions} from '../support/sample-actions.ts';
import {randomInputs} from '../support/random-inputs.ts';

const lexer = await loadMarkdownLexer();

/** A terminal of forty columns, of which the last stays free. */
const frame = {theme: themeOf('plain'), width: 39, verbosity: 'summary', home: ''} as const;
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
  action: actionOf('request-file-edits', {edits: [], userChanges: emptyUserChanges}),
  label: `Edit ${long}`,
  preview: {kind: 'diff', files},
  wording: 'model',
  sessionGrant: 'all edits inside the workspace',
};

const destructive = approval('a1', `rm -rf build ${long}`, {
  detail: {...noDetail, confirmWord: 'build'},
  reasons: [reasonOf(`it deletes ${long}.`)],
});

const viewOf = (...events: readonly AgentEvent[]): View => [opening, ...events].reduce<View>(reduce, emptyView);

const requested = (request: Approval): readonly AgentEvent[] => [
  ...begin,
  {event: 'action-queued', id: request.id, action: request.action, label: request.label},
  {event: 'approval-requested', approval: request},
];

function uiOf(view: View, panel: Panel | 'none' = 'none'): Ui {
  return {...focusCard(updateCard(initialUi([], '', 'emacs'), view, 10_000)), panel};
}

function shown(view: View, ui: Ui): readonly string[] {
  const times: RunTimes = {
    elapsedMs: 61_000,
    retryInMs: 4000,
    actions: new Map(),
    todos: new Map(),
    waitedMs: 0,
    outputTokens: 0,
    costPerMinute: 'unknown',
  };
  const state: LiveRegionState = {
    view,
    ui,
    commands,
    lexer,
    start: {
      version: '1.2.3',
      about: {model: long, mode: 'default'},
      directory: `~/${long}`,
      branch: `feature/${long}`,
      instructions: ['AGENTS.md'],
      lastSession: {title: long, age: '3 h ago'},
      notices: [long],
    },
    blocks: [block],
    sessions: [],
    times,
    demo: 'offered',
    workAfter: 'stops',
    newlineKey: 'Ctrl+J',
    chord: '',
    statusLine: {custom: '', padding: 0},
  };
  const open = openLines(view, {lexer, actions: times.actions}, frame);
  // As wide as the terminal: a line that is too wide is seen to be.
  return renderToString(<LiveRegion state={state} open={open} rows={rows} frame={frame} />, {columns: 40}).split('\n');
}

const tooWide = (lines: readonly string[]): readonly string[] => lines.filter(line => cellWidth(line) > frame.width);

const agentAction = actionOf('start-agent', {...sampleActions['start-agent'].input, name: long});
const agentRow: AgentRow = {
  agent: {
    id: sessionInfo.id,
    call: actionId('s1'),
    name: long,
    ...exploringAgent,
    prompt: long,
  },
  status: {kind: 'in_progress', doing: `Read ${long}`},
  progress: {turns: 1, calls: 1, usage: {...noUsage, inputTokens: 1234}, costUsd: 0, files: []},
  place: 'foreground',
};

const panels: readonly (readonly [name: string, panel: Panel, keeps: RegExp])[] = [
  ['blocks', blocksPanel, /npm run[^]*Enter attach · Esc close/u],
  ['compacting', summaryAwaited('about $0.40, cached $0.05'), /Esc stop/u],
  [
    'a compaction',
    compactPreview({
      id: messageId('c1'),
      way: 'summary',
      noSummaryReason: '',
      before: 'counted',
      tokens: {before: 80_000, after: 9000},
      kept: [{what: `2 user messages, word for word ${long}`, tokens: 40}],
      summarised: [{what: '12 answers', tokens: 7000}],
      dropped: [],
      summary: long.repeat(20),
      cost: {kind: 'none'},
    }),
    /kept[^]*summarized[^]*dropped[^]*Enter compact · Esc cancel/u,
  ],
  ['earlier prompts', historyPanel([long, 'short'], ''), /Enter use · Esc cancel/u],
  ['overwriting', overwritePanel(`/home/user/${long}`, ''), /y overwrite · Esc cancel/u],
  [
    'rewinding',
    rewindPanel([{to: messageId('m1'), number: 1, prompt: long, files: 'changed'}]),
    /Enter select · Esc cancel/u,
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
        alongside: [],
        files: {
          files: [{path: `/home/user/project/${long}`, effect: 'deleted'}],
          conflicts: [],
          excluded: [],
          coverage: 'all files' as const,
        },
      },
    ),
    /Undo 2 prompts[^]*Enter undo · Esc cancel/u,
  ],
  [
    'sessions',
    sessionsPanel(
      [{id: sessionInfo.id, title: long, directory: '/', model: '', createdAt: 0, updatedAt: 0, messages: 3}],
      {costs: new Map([[sessionInfo.id, 1.5]]), states: new Map(), now: 0},
    ),
    /Enter resume · Esc cancel/u,
  ],
  ['themes', themePanel('auto', []), /Enter select · Esc cancel/u],
  ['a sub-agent', agentPanel(agentRow, 1), /Send a message +m[^]*Stop +s[^]*Esc close/u],
];

describe('at forty columns', () => {
  test('the transcript fits, and says how to leave', () => {
    const {lines} = transcriptPanel(() => [], lexer).lines({rows, frame});
    expect(tooWide(lines)).toEqual([]);
    expect(lines.join('\n')).toMatch(/q close/u);
  });

  test.each(panels)('%s fits, and says how to go on and how to leave', (_name, panel, keeps) => {
    const view = viewOf();
    const lines = shown(view, uiOf(view, panel));
    expect(tooWide(lines)).toEqual([]);
    expect(lines.slice(0, -1).join('\n')).toMatch(keeps);
  });

  const asked: readonly (readonly [name: string, view: View, keeps: RegExp])[] = [
    ['what is mild', viewOf(...requested(mild('a1', `touch ${long}`))), /touch[^]*Yes y[^]*No n[^]*╯/u],
    [
      'what destroys',
      viewOf(...requested(destructive)),
      /can destroy data[^]*rm -rf build[^]*type "build" to allow[^]*Esc = no/u,
    ],
    ['an edit', viewOf(...requested(edit)), /sum\.js[^]*Yes y[^]*No n[^]*╯/u],
    [
      'what reaches further',
      viewOf(...requested(approval('a1', `curl ${long}`, {risk: 'external'}))),
      /curl[^]*Yes y[^]*No n[^]*╯/u,
    ],
    [
      'a question',
      viewOf(...begin, {
        event: 'question-asked',
        files: [],
        id: actionId('q1'),
        asker: 'main',
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
      /npm is yours[^]*log in[^]*Take over[^]*y[^]*2 No[^]*n[^]*Tab later/u,
    ],
    ['nothing asked', viewOf(), /\/demo[^]*asks first/u],
    [
      'sub-agents at work',
      viewOf(
        ...begin,
        {event: 'action-queued', id: agentRow.agent.call, action: agentAction, label: `Agent: ${long}`},
        {event: 'action-started', id: agentRow.agent.call, action: agentAction, preview: {kind: 'none'}},
        {event: 'agent-started', row: agentRow},
      ),
      /Agent: .*… · 1\.2k tokens/u,
    ],
    ['work', viewOf(...begin), /Writing · 1 m 01 s · Esc[^]*asks first/u],
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
              batchPosition: 'first',
              workAfter: 'stops',
              width: 37,
              frame,
              rows: panelRows(rows),
              showsDecision: () => true,
              showsOption: () => true,
            } as const;
            ({ui} = press(ui, one.press, context));
          }
          ui = focusCard(updateCard(ui, view, now));
          const lines = shown(view, ui);
          expect(tooWide(lines)).toEqual([]);
          expect(lines.length).toBeLessThan(rows);
        }
      }),
      {numRuns: randomInputs(150)},
    );
  });
});
