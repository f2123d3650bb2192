import {describe, expect, test} from 'vitest';
import type {AgentEvent, SessionUsage} from '../../src/actions/agent-event.ts';
import {compactedMessage, type CompactionPreview} from '../../src/domain/compaction.ts';
import {messageId} from '../../src/domain/ids.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {editorLeft} from '../../src/tui/visits/editor-left.ts';
import type {PressContext} from '../../src/tui/input/effect.ts';
import {followCompaction} from '../../src/tui/input/follow-compaction.ts';
import type {KeyPress} from '../../src/tui/input/keymap.ts';
import {openUi} from '../../src/tui/input/ui.ts';
import {compactPreview, summaryAwaited} from '../../src/tui/panels/compact-panel.ts';
import type {Panel} from '../../src/tui/panels/panel.ts';
import {reduce} from '../../src/tui/state/reduce.ts';
import {emptyView, type View} from '../../src/tui/state/view.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {sessionInfo} from './support/scripted-engine.ts';

const preview: CompactionPreview = {
  id: messageId('c'),
  way: 'summary',
  summary: 'What was\u001b[2J done.\nWhat is open.',
  why: '',
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
  why: 'The model is overloaded.',
  summarised: [],
  dropped: [{what: '4 old exchanges', tokens: 0}],
  cost: {kind: 'none'},
};
const ui = openUi([], '', 'emacs');
const text = (typed: string): KeyPress => ({kind: 'text', text: typed});
const key = (name: 'up' | 'down' | 'enter' | 'escape' | 'end-of-input'): KeyPress => ({kind: 'key', name});
const frameOf = (width: number) => ({theme: themeOf('plain'), width});
const context = (place: PressContext['place'], rows = 20): PressContext => ({
  view: emptyView,
  commands: [],
  blocks: [],
  now: 0,
  place,
  width: 77,
  frame: frameOf(79),
  rows,
});
const rowsOf = (panel: Panel, {rows = 20, width = 79} = {}): readonly string[] =>
  panel.lines({rows, frame: frameOf(width), view: emptyView, blocks: []}).lines;

describe('what compacting would do', () => {
  test('stands there whole: kept, summarised, dropped, tokens, cost, the way back, the summary, the keys', () => {
    expect(rowsOf(compactPreview(preview))).toEqual([
      'Compact the conversation? 84,210 → about 9,300 tokens, by estimate',
      'kept       2 user messages, word for word (~1,234) | 1 open todo (~9)',
      'summarised 3 answers (~80,000)',
      'dropped    nothing',
      'The summary cost $0.0333: 84,010 tokens in (84,000 cached), 500 out. Undo:',
      '  /undo until the next prompt, then /rewind to an earlier one.',
      expect.stringMatching(/^What was\P{Cc}* done\.$/u),
      'What is open.',
      'y do it | n leave it | e edit',
    ]);
  });

  test('without a summary it says why, and offers none to edit', () => {
    expect(rowsOf(compactPreview({...trim, before: 'estimated'}))).toEqual([
      'Shorten the conversation without a summary? about 84,210 → about 9,300 tokens,',
      '  by estimate',
      'No summary: The model is overloaded.',
      'kept       2 user messages, word for word (~1,234) | 1 open todo (~9)',
      'summarised nothing',
      'dropped    4 old exchanges',
      'Undo: /undo until the next prompt, then /rewind to an earlier one.',
      'y do it | n leave it',
    ]);
  });

  test('where nothing is won, that is said', () => {
    expect(rowsOf(compactPreview({...preview, tokens: {before: 15, after: 400}}))).toContain(
      'This makes nothing shorter.',
    );
  });

  const agrees = {do: 'op', op: {op: 'compact', preview: 'c', summary: preview.summary}};
  const edits = {do: 'edit-outside', what: {kind: 'summary', preview}};
  test.each<[string, KeyPress, 'first' | 'later', unknown]>([
    ['y agrees', text('y'), 'first', ['closed', agrees]],
    ['e opens the editor', text('e'), 'first', ['open', edits]],
    ['n leaves everything', text('n'), 'first', ['closed']],
    ['Esc leaves everything', key('escape'), 'first', ['closed']],
    ['Ctrl-D leaves everything', key('end-of-input'), 'first', ['closed']],
    ['Enter is no answer', key('enter'), 'first', ['open']],
    ['what came in one piece with other presses is none', text('y'), 'later', ['open']],
    ['a word is none', text('yes'), 'first', ['open']],
    ['a paste is none', {kind: 'paste', text: 'y', part: 'first'}, 'first', ['open']],
  ])('%s', (_, pressed, when, outcome) => {
    const {panel, effects} = compactPreview(preview).press(pressed, context(when));
    expect([panel === 'closed' ? 'closed' : 'open', ...effects]).toEqual(outcome);
  });

  test('e is no key where there is no summary', () => {
    expect(compactPreview(trim).press(text('e'), context('first')).effects).toEqual([]);
  });

  test('a long summary scrolls from its first row to its last, and no further', () => {
    const long = compactPreview({...preview, summary: Array.from({length: 30}, (_, at) => `row ${at + 1}`).join('\n')});
    let panel = long;
    const press = (name: 'up' | 'down', times: number): void => {
      for (let time = 0; time < times; time += 1) {
        const next = panel.press(key(name), context('first', 12)).panel;
        if (next !== 'closed') panel = next;
      }
    };
    expect(rowsOf(panel, {rows: 12}).slice(6)).toEqual([
      'row 1',
      'row 2',
      'row 3',
      'row 4',
      'row 5',
      'y do it | n leave it | e edit | Up/Down 25 more',
    ]);
    press('down', 100);
    expect(rowsOf(panel, {rows: 12}).slice(-2)[0]).toBe('row 30');
    press('up', 1);
    expect(rowsOf(panel, {rows: 12}).slice(-2)[0]).toBe('row 29');
    press('up', 100);
    expect(rowsOf(panel, {rows: 12})[6]).toBe('row 1');
  });

  test.each([
    [2, 79],
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
    for (const panel of [compactPreview(wide), compactPreview({...trim, why: 'word '.repeat(100)}), summaryAwaited]) {
      const {lines, cursor} = panel.lines({rows, frame: frameOf(width), view: emptyView, blocks: []});
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(Math.max(...lines.map(cellWidth))).toBeLessThanOrEqual(width);
      expect(lines.at(-1)).toMatch(/^(?:y do it|Esc stops)/u);
      expect(cursor.y).toBeLessThan(lines.length);
    }
  });
});

describe('the way to it', () => {
  const begun: AgentEvent = {event: 'compaction-begun'};
  const previewed: AgentEvent = {event: 'compaction-previewed', preview};

  test('Esc stops the summary, and what is offered instead opens then', () => {
    const waiting = followCompaction(ui, begun);
    expect(waiting.panel).toBe(summaryAwaited);
    const {panel, effects} = summaryAwaited.press(key('escape'), context('first'));
    expect({panel, effects}).toEqual({panel: summaryAwaited, effects: [{do: 'op', op: {op: 'interrupt'}}]});
    const shown = followCompaction(waiting, {event: 'compaction-previewed', preview: trim}).panel;
    expect(shown === 'none' ? [] : rowsOf(shown)).toEqual(rowsOf(compactPreview(trim)));
  });

  test('what is refused closes it; whoever closed it meanwhile gets none', () => {
    const waiting = followCompaction(ui, begun);
    expect(followCompaction(waiting, {event: 'compaction-refused', reason: 'x'}).panel).toBe('none');
    expect(followCompaction(ui, previewed).panel).toBe('none');
  });

  test('the editor gives the summary back, with the tokens it comes to; an empty one leaves it as it was', () => {
    const left = (value: string) => {
      const screen = {ui, view: emptyView};
      return editorLeft(screen, {of: 'summary', preview, outcome: {tag: 'ok', value}}, 0).ui.panel;
    };
    const edited = left(`\n${'new words '.repeat(100)}\n`);
    const {effects} = edited === 'none' ? {effects: []} : edited.press(text('y'), context('first'));
    expect(effects).toEqual([{do: 'op', op: {op: 'compact', preview: 'c', summary: 'new words '.repeat(100).trim()}}]);
    expect(edited === 'none' ? '' : rowsOf(edited)[0]).toBe(
      'Compact the conversation? 84,210 → about 9,542 tokens, by estimate',
    );
    const empty = left(' \n');
    expect(empty === 'none' ? [] : rowsOf(empty)).toEqual(rowsOf(compactPreview(preview)));
  });
});

const usage = (contextTokens: number): SessionUsage => ({models: {}, contextTokens, contextWindow: 100_000});
const told = (view: View): readonly string[] => view.entries.flatMap(one => (one.kind === 'notice' ? [one.text] : []));
const full = (percent: number): string =>
  `The context is ${percent}% full. /compact makes room; nothing is compacted on its own.`;
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
    const wish = {id: messageId('c'), way: 'summary', summary: 'All of it.'} as const;
    const carried = {
      userMessages: [{number: 1, text: 'one'}],
      instructions: [],
      todos: [],
      running: [],
      changedFiles: [],
    };
    const view = reduce(emptyView, {
      event: 'session-opened',
      session: {...sessionInfo, origin: 'resumed'},
      history: [compactedMessage(wish, carried)],
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
    const typed = compactedMessage(
      {id, way: 'trim', summary: ''},
      {userMessages: [], instructions: [], todos: [], running: [], changedFiles: []},
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
    expect(view.entries.filter(({kind}) => kind === 'prompt')).toEqual([{kind: 'prompt', text: typed}]);
  });

  test('what was done, and how to take it back', () => {
    expect(after({event: 'compacted', report: {way: 'summary', tokens: {before: 84_210, after: 9300}}})).toEqual([
      'Compacted: 84,210 → about 9,300 tokens. /undo takes that back until the next prompt, /rewind to an earlier prompt after it.',
    ]);
  });
});
