import {afterEach, describe, expect, test} from 'vitest';
import {messageId} from '../../src/domain/ids.ts';
import {type RewindReport, rewindReportText} from '../../src/domain/rewind.ts';
import type {KeyPress} from '../../src/tui/terminal/keymap.ts';
import {pressPanel} from '../../src/tui/state/panels/panel.ts';
import {rewindPanel, rewindPreview} from '../../src/tui/state/panels/rewind.ts';
import {leaveStages, start} from './support/stage.ts';
import {key, linesOf, opened, pressed, text} from './support/panels.tsx';

const points = ['one', 'two', 'three'].map((prompt, at) => ({
  to: messageId(prompt),
  number: at + 1,
  prompt,
  files: at === 1 ? ('changed' as const) : ('untouched' as const),
}));
const target = {kind: 'last'} as const;
const report: RewindReport = {
  kind: 'rewind',
  what: 'both',
  prompt: 'Make\u001b[2J it\nnow',
  prompts: 2,
  alongside: [],
  files: {
    files: [
      {path: '/w/a', effect: 'changed'},
      {path: '/w/b', effect: 'deleted'},
      {path: '/w/evil\u001b[2J', effect: 'restored'},
      {path: '/w/m', effect: 'merged'},
    ],
    conflicts: [{path: '/w/c', reason: 'it has been deleted since'}],
    excluded: ['/w/node_modules'],
    coverage: 'all files' as const,
  },
};
const confirm = rewindPreview(target, report);
describe('choosing', () => {
  test('the latest prompt stands first; Enter chooses it, then a letter what goes back', () => {
    expect(linesOf(rewindPanel(points), {width: 50})).toEqual([
      '╭ Rewind to before a prompt ─────────────────────╮',
      '│ ❯ 1  three                                     │',
      '│   2  two    changed files                      │',
      '│   3  one                                       │',
      '╰ Enter select · Esc cancel · type to search ────╯',
    ]);
    const scope = pressed(rewindPanel(points), key('down'), key('down'), key('down'), key('up'), key('enter')).panel;
    expect(linesOf(scope, {width: 40})).toEqual([
      '╭ Rewind to before "one" ──────────────╮',
      '│ ❯ 1  Conversation and files b        │',
      '│   2  Files only             f        │',
      '│   3  Conversation only      t        │',
      '╰ Enter select · Esc cancel ───────────╯',
    ]);
    for (const [letter, what] of [
      ['f', 'files'],
      ['t', 'talk'],
      ['b', 'both'],
      ['2', 'files'],
    ] as const) {
      expect(pressed(opened(scope), text(letter))).toEqual({
        panel: 'none',
        effects: [{do: 'query', request: {query: 'preview-rewind', target: {kind: 'prompt', to: 'one', what}}}],
      });
    }
  });

  test.each<[string, KeyPress, 'first' | 'following', 'go' | 'closed' | 'open']>([
    ['Enter agrees', key('enter'), 'first', 'go'],
    ['y does', text('y'), 'first', 'go'],
    ['n does not', text('n'), 'first', 'closed'],
    ['Esc does not', key('escape'), 'first', 'closed'],
    ['Enter that came with other presses is no answer', key('enter'), 'following', 'open'],
    ['what came in one piece with other presses is none', text('y'), 'following', 'open'],
    ['a word is none', text('yes'), 'first', 'open'],
    ['a paste is none', {kind: 'paste', text: 'y', part: 'first'}, 'first', 'open'],
  ])('%s', (_, one, when, outcome) => {
    const {panel, effects} = pressPanel(confirm, one, {batchPosition: when, blocks: []});
    const request = {query: 'rewind', target};
    expect({panel: panel === 'none' ? 'closed' : 'open', effects}).toEqual({
      panel: outcome === 'open' ? 'open' : 'closed',
      effects: outcome === 'go' ? [{do: 'query', request}] : [],
    });
  });
});

describe('what is shown', () => {
  test('files, conflicts and what is not kept, with nothing that steers the terminal', () => {
    expect(linesOf(confirm, {width: 60})).toEqual([
      expect.stringMatching(/^╭ Undo 2 prompts from "Make\P{Cc}* it\P{Cc}*" on ─+╮$/u),
      '│ restores 4 files and the conversation                    │',
      '│ 4 files: 1 changed back, 1 restored, 1 deleted, 1 merged │',
      '│   with later changes                                     │',
      '│   ~ a                                                    │',
      '│   - b                                                    │',
      expect.stringMatching(/^│ {3}\+ evil\P{Cc}*│$/u),
      '│   ± m                                                    │',
      '│   ! c stays as it is: it has been deleted since          │',
      '│ Not in checkpoints, so not touched: node_modules         │',
      '╰ Enter undo · Esc cancel ─────────────────────────────────╯',
    ]);
  });

  const none = {files: [], conflicts: [], excluded: ['/w/x'], coverage: 'all files' as const};
  const one = {...none, files: [{path: '/w/a', effect: 'changed'}]} as const;
  test.each<[Partial<RewindReport>, string, string]>([
    [
      {prompt: 'fix it', prompts: 1},
      'Undo "fix it": restores 4 files and the conversation',
      'Undid "fix it": restored 4 files and the conversation',
    ],
    [
      {prompt: 'fix it', prompts: 1, what: 'talk', files: none},
      'Undo "fix it": restores the conversation',
      'Undid "fix it": restored the conversation',
    ],
    [
      {prompt: 'fix it', prompts: 0, what: 'files', files: one},
      'Undo file changes since "fix it": restores 1 file',
      'Undid file changes since "fix it": restored 1 file',
    ],
    [
      {prompt: 'fix it', prompts: 0, what: 'files', files: none},
      'Undo file changes since "fix it": no file changes',
      'Undid file changes since "fix it": no file changes',
    ],
    [
      {kind: 'redo', prompt: 'fix it', prompts: 1, files: one},
      'Redo "fix it": restores 1 file and the conversation',
      'Redid "fix it": restored 1 file and the conversation',
    ],
    [
      {what: 'compaction', files: none},
      'Undo the compaction: the whole conversation counts again',
      'Undid the compaction: the whole conversation counts again',
    ],
    [{kind: 'redo', what: 'compaction', files: none}, 'Redo the compaction', 'Redid the compaction'],
  ])('%j', (part, preview, done) => {
    const title = (when: 'preview' | 'done'): string | undefined =>
      rewindReportText({...report, ...part}, {directory: '/w', when}).split('\n')[0];
    expect([title('preview'), title('done')]).toEqual([preview, done]);
  });

  test.each([3, 5, 12, 40])('never more than %i rows, and the keys stay in sight', rows => {
    const many = {
      ...report,
      files: {
        ...report.files,
        files: Array.from({length: 90}, (_, at) => ({path: `/w/${at}`, effect: 'changed' as const})),
      },
    };
    const lists = Array.from({length: 50}, (_, at) => ({
      ...(points[0] ?? {to: messageId(''), prompt: '', files: 'untouched' as const}),
      number: at,
    }));
    for (const panel of [confirm, rewindPreview(target, many), rewindPanel(lists)]) {
      const lines = linesOf(panel, {rows});
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines.at(-1)).toMatch(/^╰ Enter (?:undo|select) · Esc cancel/u);
    }
  });
});

const earlier = (count: number) =>
  Array.from({length: count}, (_, at) => ({
    to: messageId(`p${at + 1}`),
    number: at + 1,
    prompt: `prompt ${at + 1}`,
    files: 'untouched' as const,
  }));
const undone = (prompt: string, prompts = 1): RewindReport => ({
  kind: 'rewind',
  what: 'both',
  prompt,
  prompts,
  files: {files: [], conflicts: [], excluded: [], coverage: 'all files' as const},
  alongside: [],
});

describe('on the screen', () => {
  afterEach(leaveStages);

  test('/undo gives the prompt back; the next /undo is no part of it, and gives the one before', async () => {
    const {screen, engine} = await start();
    for (const prompt of ['prompt 2', 'prompt 1']) {
      engine.answers['preview-rewind'] = {tag: 'ok', value: undone(prompt)};
      engine.answers.rewind = {tag: 'ok', value: undone(prompt)};
      await screen.type('/undo');
      await screen.type('\r');
      await screen.until(new RegExp(`Undo "${prompt}"`, 'u'));
      await screen.type('\r');
      engine.emit({event: 'rewound', report: undone(prompt), todoFrames: []});
      await screen.until(new RegExp(`Undid "${prompt}": restored the conversation[^]*› ${prompt}\n`, 'u'));
    }
    const last = {kind: 'last'};
    expect(engine.queries).toEqual([
      {query: 'preview-rewind', target: last},
      {query: 'rewind', target: last},
      {query: 'preview-rewind', target: last},
      {query: 'rewind', target: last},
    ]);
    // What was edited is the user's: a slash in it is a slash.
    await screen.type('a');
    await screen.type('/b');
    await screen.until(/› prompt 1a\/b\n/u);
  });

  test('/undo 3 goes three prompts back, and says so where there are fewer', async () => {
    const {screen, engine} = await start();
    engine.answers['rewind-points'] = {tag: 'ok', value: earlier(4)};
    engine.answers['preview-rewind'] = {tag: 'ok', value: undone('prompt 2', 3)};
    await screen.type('/undo 3\r');
    await screen.until(/Undo 3 prompts from "prompt 2" on/u);
    expect(engine.queries.at(-1)).toEqual({
      query: 'preview-rewind',
      target: {kind: 'prompt', to: 'p2', what: 'both'},
    });
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    await screen.type('/undo 9\r');
    await screen.until(/Only 4 prompts to undo/u);
    await screen.type('/undo all\r');
    await screen.until(/Can't undo "all"/u);
  });

  test('Esc Esc on an empty prompt offers the earlier prompts; while something runs Esc only stops it', async () => {
    const {screen, engine, time} = await start();
    engine.answers['rewind-points'] = {tag: 'ok', value: earlier(2)};
    const escape = async (): Promise<void> => {
      time.now += 300;
      await screen.type('\u001B');
    };
    await escape();
    await screen.type('x');
    await escape();
    await screen.type('\u007F');
    await escape();
    expect(engine.queries).toEqual([]);
    await escape();
    await screen.until(/Rewind to before a prompt ─+╮\n│ ❯ 1 {2}prompt 2/u);
    await escape();
    await screen.until(/Ask weft to do something/u);
    engine.emit({event: 'prompt-accepted', id: messageId('r'), text: 'go', attached: []});
    await screen.until(/Working/u);
    await escape();
    await screen.until(/Stopping/u);
    await escape();
    await expect.poll(() => engine.ops.length).toBe(2);
    expect(engine.queries).toEqual([{query: 'rewind-points'}]);
    expect(engine.ops).toEqual([{op: 'interrupt'}, {op: 'interrupt'}]);
  });

  test.each(['exit', 'quit'])('the word %s leaves', async word => {
    const {screen, exit, engine} = await start();
    await screen.type(word);
    await screen.type('\r');
    expect(await exit).toEqual({kind: 'left'});
    expect(engine.ops).toEqual([]);
  });
});
