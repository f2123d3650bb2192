import {compactPreview, summaryAwaited as awaitedAt, withOffer} from '../../src/tui/state/panels/compact.ts';
import {pressPanel} from '../../src/tui/state/panels/panel.ts';
import {initialUi} from '../../src/tui/state/ui.ts';
import type {KeyPress} from '../../src/tui/terminal/keymap.ts';
import {describe, expect, test} from 'vitest';
import type {AgentEvent, SessionUsage} from '../../src/actions/agent-event.ts';
import {compactionMessage, type CompactionPreview, type VerbatimParts} from '../../src/domain/compaction.ts';
import {actionId, messageId} from '../../src/domain/ids.ts';
import {draftText} from '../../src/tui/editor/draft.ts';
import {press} from '../../src/tui/state/press.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {editExternally} from '../../src/tui/app/external-editor.ts';
import {reduce} from '../../src/tui/state/reduce.ts';
import {emptyView, type View} from '../../src/tui/state/view.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {answered, insideOf, key, linesOf, opened, pressed, text} from './support/panels.tsx';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {never} from '../unit/workspace/temporary-folder.ts';
import {scriptedEngine, sessionInfo} from './support/scripted-engine.ts';

const summaryAwaited = awaitedAt('about $0.40, cached $0.05');

const preview: CompactionPreview = {
  id: messageId('c'),
  way: 'summary',
  summary: 'What was\u001b[2J done.\nWhat is open.',
  noSummaryReason: '',
  kept: [
    {what: '2 user messages, word for word', tokens: 1234},
    {what: '1 open todo', tokens: 9},
  ],
  summarised: [{what: '3 answers', tokens: 80_000}],
  dropped: [],
  tokens: {before: 84_210, after: 9300},
  before: 'counted',
  cost: {kind: 'used', usage: {...noUsage, inputTokens: 10, cacheReadTokens: 84_000, outputTokens: 500}, usd: 0.0333},
};
const trim: CompactionPreview = {
  ...preview,
  way: 'trim',
  summary: '',
  noSummaryReason: 'The model is overloaded.',
  summarised: [],
  dropped: [{what: '4 old exchanges', tokens: 0}],
  cost: {kind: 'none'},
};
const ui = initialUi([], '', 'emacs');
describe('what compacting would do', () => {
  test('stands there whole: kept, summarised, dropped, tokens, cost, the way back, the summary, the keys', () => {
    expect(linesOf(compactPreview(preview))).toEqual([
      '╭ Compact the conversation? ──────────────────────────────────────────────────╮',
      '│ 84,210 → about 9,300 tokens, by estimate                                    │',
      '│ kept       2 user messages, word for word (~1,234) · 1 open todo (~9)       │',
      '│ summarized 3 answers (~80,000)                                              │',
      '│ dropped    nothing                                                          │',
      '│ The summary cost $0.0333: 84,010 tokens in (84,000 cached), 500 out. Undo:  │',
      '│   /undo until the next prompt, then /rewind to an earlier one.              │',
      expect.stringMatching(/^│ What was\P{Cc}* done\. +│$/u),
      '│ What is open.                                                               │',
      '╰ Enter compact · Esc cancel · e edit summary ────────────────────────────────╯',
    ]);
  });

  test('without a summary it says why, and offers none to edit', () => {
    expect(linesOf(compactPreview({...trim, before: 'estimated'}), {width: 60})).toEqual([
      '╭ Shorten the conversation without a summary? ─────────────╮',
      '│ about 84,210 → about 9,300 tokens, by estimate           │',
      '│ No summary: The model is overloaded.                     │',
      '│ kept       2 user messages, word for word (~1,234) · 1   │',
      '│            open todo (~9)                                │',
      '│ summarized nothing                                       │',
      '│ dropped    4 old exchanges                               │',
      '│ Undo: /undo until the next prompt, then /rewind to an    │',
      '│   earlier one.                                           │',
      '╰ Enter compact · Esc cancel ──────────────────────────────╯',
    ]);
  });

  test('where nothing is won, that is said', () => {
    expect(insideOf(compactPreview({...preview, tokens: {before: 15, after: 400}}))).toContain(
      'This makes nothing shorter.',
    );
  });

  const agrees = {do: 'query', request: {query: 'compact', preview: 'c', summary: preview.summary}};
  const edits = {do: 'edit-externally', what: {kind: 'summary', preview, offer: 'none'}};
  test.each<[string, KeyPress, 'first' | 'following', unknown]>([
    ['Enter agrees', key('enter'), 'first', ['closed', agrees]],
    ['y does', text('y'), 'first', ['closed', agrees]],
    ['e opens the editor', text('e'), 'first', ['open', edits]],
    ['n leaves everything', text('n'), 'first', ['closed']],
    ['Esc leaves everything', key('escape'), 'first', ['closed']],
    ['Ctrl-D leaves everything', key('end-of-input'), 'first', ['closed']],
    ['Enter that came with other presses is none', key('enter'), 'following', ['open']],
    ['what came in one piece with other presses is none', text('y'), 'following', ['open']],
    ['a word is none', text('yes'), 'first', ['open']],
    ['a paste is none', {kind: 'paste', text: 'y', part: 'first'}, 'first', ['open']],
  ])('%s', (_, one, when, outcome) => {
    const {panel, effects} = pressPanel(compactPreview(preview), one, {batchPosition: when, blocks: []});
    expect([panel === 'none' ? 'closed' : 'open', ...effects]).toEqual(outcome);
  });

  test('e is no key where there is no summary', () => {
    expect(pressed(compactPreview(trim), text('e')).effects).toEqual([]);
  });

  test('a long summary scrolls from its first row to its last, and no further', () => {
    const long = compactPreview({...preview, summary: Array.from({length: 30}, (_, at) => `row ${at + 1}`).join('\n')});
    const rows = (times: number, name: 'up' | 'down', from = long): readonly string[] =>
      insideOf(pressed(from, ...Array.from({length: times}, () => key(name))).panel, {rows: 12}).slice(6);
    expect(rows(0, 'up')).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
    expect(rows(2, 'down')).toEqual(['row 3', 'row 4', 'row 5', 'row 6']);
    expect(rows(100, 'down')).toEqual(['row 30']);
    expect(linesOf(long, {rows: 12}).at(-1)).toMatch(/^╰ Enter compact · Esc cancel · e edit summary · ↑↓ scroll ─/u);
    const atEnd = opened(pressed(long, ...Array.from({length: 100}, () => key('down'))).panel);
    expect(insideOf(pressed(atEnd, key('up')).panel, {rows: 12}).slice(6)).toEqual(['row 29', 'row 30']);
  });

  test.each([
    [3, 40],
    [5, 40],
    [9, 20],
    [12, 40],
    [40, 200],
  ])('never more than %i rows of %i cells, and the keys stay in sight', (rows, width) => {
    const wide = {
      ...preview,
      summary: '終わり🙂 '.repeat(200),
      kept: [...preview.kept, ...preview.kept, ...preview.kept],
    };
    for (const panel of [
      compactPreview(wide),
      compactPreview({...trim, noSummaryReason: 'word '.repeat(100)}),
      summaryAwaited,
    ]) {
      const lines = linesOf(panel, {rows, width});
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(Math.max(...lines.map(cellWidth))).toBeLessThanOrEqual(width);
      expect(lines.at(-1)).toMatch(/^╰ (?:Enter compact|Esc stop)/u);
    }
  });
});

const answer = (given: object): object => ({do: 'op', op: {op: 'answer-compaction', id: 'c', answer: given}});

describe('a compaction that weft offers because the conversation is too long', () => {
  const reason = 'Too long for m-1 (213,462 of 200,000 tokens).';
  const offer = {id: actionId('c'), reason, since: 0};
  const offered = compactPreview(preview, offer);

  test('says why, and has no way back to promise', () => {
    expect(linesOf(offered, {width: 40})).toEqual([
      '╭ Compact the conversation? ───────────╮',
      '│ Too long for m-1 (213,462 of 200,000 │',
      '│   tokens).                           │',
      '│ 84,210 → about 9,300 tokens, by      │',
      '│ estimate                             │',
      '│ kept       2 user messages, word for │',
      '│            word (~1,234) · 1 open    │',
      '│            todo (~9)                 │',
      '│ summarized 3 answers (~80,000)       │',
      '│ dropped    nothing                   │',
      '│ The summary cost $0.0333: 84,010     │',
      '│   tokens in (84,000 cached), 500     │',
      '│   out.                               │',
      expect.stringMatching(/^│ What was\P{Cc}* done\. +│$/u),
      '│ What is open.                        │',
      '╰ Enter compact · a always compact ────╯',
    ]);
  });

  const {summary} = preview;
  const saved = {do: 'query', request: {query: 'change-setting', name: 'compaction', value: 'auto'}};
  test.each<[string, KeyPress, unknown]>([
    ['Enter agrees', key('enter'), ['closed', answer({kind: 'compact', summary})]],
    ['a agrees for good', text('a'), ['closed', answer({kind: 'always', summary}), saved]],
    ['Esc stops', key('escape'), ['closed', answer({kind: 'stop'})]],
    ['e opens the editor', text('e'), ['open', {do: 'edit-externally', what: {kind: 'summary', preview, offer}}]],
  ])('%s', (_, one, outcome) => {
    const {panel, effects} = pressPanel(offered, one, {batchPosition: 'first', blocks: []});
    expect([panel === 'none' ? 'closed' : 'open', ...effects]).toEqual(outcome);
  });

  test('opens when no other panel is open, and closes when it is answered', () => {
    const pending = {id: offer.id, reason, preview};
    expect(withOffer('none', pending, 0)).toEqual(offered);
    expect(withOffer(summaryAwaited, pending, 0)).toBe(summaryAwaited);
    expect(withOffer(offered, pending, 5)).toBe(offered);
    expect(withOffer(offered, 'none', 5)).toBe('none');
  });

  test('whoever is typing types on', () => {
    const context = {
      view: emptyView,
      commands: [],
      blocks: [],
      workAfter: 'stops',
      batchPosition: 'first',
      width: 80,
      frame: {theme: themeOf('plain'), width: 80},
      rows: 20,
      showsDecision: () => true,
      showsOption: () => true,
    } as const;
    const typed = press({...ui, panel: compactPreview(preview, {...offer, since: 100})}, text('y'), {
      ...context,
      now: 500,
    });
    expect([draftText(typed.ui.draft), typed.ui.panel, typed.effects]).toEqual([
      'y',
      {...offered, offer: {...offer, since: 500}},
      [],
    ]);
    const later = press(typed.ui, text('y'), {...context, now: 1200});
    expect(later.effects).toEqual([answer({kind: 'compact', summary})]);
    expect(draftText(later.ui.draft)).toBe('y');
    expect(press(typed.ui, key('interrupt'), {...context, now: 1200}).effects).toEqual([
      {do: 'op', op: {op: 'interrupt'}},
    ]);
  });
});

describe('the way to it', () => {
  const waiting = {...ui, panel: summaryAwaited};
  const asking = {query: 'preview-compaction', instructions: ''} as const;

  test('Esc stops the summary, and what is offered instead opens then', async () => {
    const {panel, effects} = pressed(summaryAwaited, key('escape'));
    expect({panel, effects}).toEqual({panel: summaryAwaited, effects: [{do: 'op', op: {op: 'interrupt'}}]});
    const {panel: shown} = await answered(waiting, asking, ok(trim));
    expect(shown).toEqual(compactPreview(trim));
  });

  test('what is refused closes it; whoever closed it meanwhile gets none', async () => {
    expect((await answered(waiting, asking, failed(rejected('x')))).panel).toBe('none');
    expect((await answered(ui, asking, ok(preview))).panel).toBe('none');
  });

  test('the editor gives the summary back, with the tokens it comes to; an empty one leaves it as it was', async () => {
    const left = async (value: string) => {
      const options = {engine: scriptedEngine(), editor: {edit: async () => ok(value)}};
      const after = await editExternally({kind: 'summary', preview, offer: 'none'}, '', options, never);
      return after({ui, view: emptyView}, 0).ui.panel;
    };
    const edited = await left(`\n${'new words '.repeat(100)}\n`);
    const {effects} = pressed(opened(edited), text('y'));
    expect(effects).toEqual([
      {do: 'query', request: {query: 'compact', preview: 'c', summary: 'new words '.repeat(100).trim()}},
    ]);
    expect(insideOf(edited)[0]).toBe('84,210 → about 9,542 tokens, by estimate');
    expect(await left(' \n')).toEqual(compactPreview(preview));
  });
});

const usage = (contextTokens: number): SessionUsage => ({models: {}, contextTokens, contextWindow: 100_000});
const told = (view: View): readonly string[] => view.entries.flatMap(one => (one.kind === 'notice' ? [one.text] : []));
const full = (percent: number): string => `The context is ${percent}% full. Run /compact to free up space.`;
const after = (...events: readonly AgentEvent[]): readonly string[] => told(events.reduce(reduce, emptyView));
const changed = (tokens: number): AgentEvent => ({event: 'usage-changed', usage: usage(tokens)});

describe('what is told', () => {
  test('a context that fills up is told once, and again after there was room', () => {
    expect(after(changed(79_999))).toEqual([]);
    expect(after(changed(80_000), changed(90_000))).toEqual([full(80)]);
    expect(after(changed(85_000), changed(10_000), changed(95_000))).toEqual([full(85), full(95)]);
  });

  test('a window that is not known is never full', () => {
    expect(after({event: 'usage-changed', usage: {...usage(1e9), contextWindow: 0}})).toEqual([]);
  });

  test('also where a session is gone on with, whose compaction shows its summary and no prompt', () => {
    const wish = {id: messageId('c'), trigger: 'manual', way: 'summary', summary: 'All of it.'} as const;
    const carried: VerbatimParts = {
      messages: [{id: messageId('one'), by: 'user', number: 1, text: 'one', state: 'unpinned'}],
      instructions: [],
      skills: [],
      todos: [],
      running: [],
      changedFiles: [],
    };
    const view = reduce(emptyView, {
      event: 'session-opened',
      session: {...sessionInfo, origin: 'resumed'},
      history: [compactionMessage(wish, carried)],
      todoFrames: [],
      usage: usage(91_000),
    });
    expect(told(view)).toEqual([
      'Session resumed.',
      'The conversation before this was compacted.\nAll of it.',
      full(91),
    ]);
    expect(view.entries.some(({kind}) => kind === 'prompt')).toBe(false);
  });

  test('a prompt that looks like a compaction is a prompt', () => {
    const id = messageId('p');
    const typed = compactionMessage(
      {id, trigger: 'manual', way: 'trim', summary: ''},
      {messages: [], instructions: [], skills: [], todos: [], running: [], changedFiles: []},
    )
      .blocks.map(block => (block.kind === 'text' ? block.text : ''))
      .join('\n');
    const view = reduce(emptyView, {
      event: 'session-opened',
      session: {...sessionInfo, origin: 'resumed'},
      history: [{role: 'user', id, blocks: [{kind: 'text', text: typed}]}],
      todoFrames: [],
      usage: usage(0),
    });
    expect(view.entries.filter(({kind}) => kind === 'prompt')).toEqual([{kind: 'prompt', text: typed, attached: []}]);
  });

  test('what was done, and how to take it back', () => {
    expect(
      after({event: 'compacted', report: {trigger: 'manual', way: 'summary', tokens: {before: 84_210, after: 9300}}}),
    ).toEqual([
      'Compacted: 84,210 → about 9,300 tokens. /undo takes that back until the next prompt, /rewind to an earlier prompt after it.',
    ]);
  });
});
