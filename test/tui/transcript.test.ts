import type {JobControl, TuiOptions} from '../../src/tui/options.ts';
import {itemLines, searchedText, transcriptItems} from '../../src/tui/scrollback/transcript-items.ts';
import {
  highlightMatches,
  type Position,
  TranscriptPages,
  transcriptPanel,
} from '../../src/tui/scrollback/transcript-panel.ts';
import * as fc from 'fast-check';
import {afterEach, beforeAll, describe, expect, test} from 'vitest';
import {actionId, messageId} from '../../src/domain/ids.ts';
import type {AssistantBlock} from '../../src/domain/conversation.ts';
import type {JournalRecord} from '../../src/domain/journal.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {loadMarkdownLexer, type MarkdownLexer} from '../../src/tui/scrollback/render-markdown.ts';
import type {KeyPress} from '../../src/tui/terminal/keymap.ts';
import {cellWidth, stripStyles} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {processorClock} from '../support/processor-clock.ts';
import {approval, ask, begin, leaveStages, start} from './support/stage.ts';
import {randomInputs} from '../support/random-inputs.ts';

let lexer: MarkdownLexer;
beforeAll(async () => {
  lexer = await loadMarkdownLexer();
});
afterEach(leaveStages);

let ids = 0;
const prompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(`p${ids++}`), blocks: [{kind: 'text', text}]},
});
const answer = (...blocks: readonly AssistantBlock[]): JournalRecord => ({
  kind: 'answer',
  message: {role: 'assistant', id: messageId(`a${ids++}`), model: 'm', blocks, stop: 'end-turn', usage: noUsage},
});
const said = (text: string): JournalRecord => answer({kind: 'text', text});
const called = (id: string, name: string, input: object): JournalRecord =>
  answer({kind: 'tool-call', id: actionId(id), name, input: JSON.parse(JSON.stringify(input))});
const result = (id: string, text: string): JournalRecord => ({
  kind: 'result',
  result: {kind: 'tool-result', id: actionId(id), content: [{kind: 'text', text}], outcome: 'success'},
});

const piece = (text: string): JournalRecord => ({
  kind: 'piece',
  message: messageId('cut'),
  model: 'm',
  index: 0,
  text,
});

const frameOf = (width: number) => ({theme: themeOf('color'), width});
const shown = (records: readonly JournalRecord[], width = 60): readonly string[] =>
  transcriptItems(records).flatMap(item => itemLines(item, lexer, frameOf(width)).map(stripStyles));

describe('what the transcript has', () => {
  test('everything in order, what was folded in full, each call with its result', () => {
    const output = Array.from({length: 30}, (_, at) => `line ${at}`).join('\n');
    const lines = shown([
      prompt('Do it.'),
      answer({kind: 'thinking', text: 'I think.\nAnd think.', signature: ''}, {kind: 'text', text: '**Fine**, I do.'}),
      called('1', 'Bash', {command: 'make\nmake test'}),
      called('2', 'Edit', {file_path: 'a.ts', old_string: 'const old = 1;', new_string: 'const fresh = 2;'}),
      {kind: 'approval', id: actionId('2'), label: 'Edit a.ts', decision: 'refused', by: 'user'},
      result('2', 'Changed a.ts (+1 -1)\n[edited by the user before it was written: a.ts, its change was dropped]'),
      result('1', output),
    ]).filter(line => line.trim() !== '');
    expect(lines.slice(0, 7)).toEqual([
      '▌ Do it.',
      '  I think.',
      '  And think.',
      '● Fine, I do.',
      '  ✓ make',
      '    make test',
      expect.stringMatching(/ line 0$/u),
    ]);
    expect(lines.filter(line => /line \d+$/u.test(line))).toHaveLength(30);
    const rest = lines.slice(lines.findIndex(line => line.includes('line 29')) + 1);
    expect(rest.slice(1)).toEqual([
      '    - const old = 1;',
      '    + const fresh = 2;',
      '    ╰ Changed a.ts (+1 -1)',
      '  Refused: Edit a.ts',
    ]);
  });

  test('an answer that was cut off, what was taken back, and what a summary has taken the place of', () => {
    const lines = shown([
      prompt('one'),
      piece('Half an '),
      piece('answer'),
      {kind: 'rewind', to: messageId('p0'), what: 'both', files: 'untouched'},
      {kind: 'redo', files: 'untouched'},
      {
        kind: 'compaction',
        id: messageId('c'),
        trigger: 'manual',
        way: 'summary',
        summary: 'All is *well*.',
        messages: [],
        tokens: {before: 9000, after: 100},
      },
      prompt('two'),
    ]);
    expect(lines.filter(line => line !== '')).toEqual([
      '▌ one',
      '● Half an answer',
      '  Rewound to before an earlier prompt.',
      '  The last rewind was undone.',
      '  The conversation was summarized: 9,000 → about 100 tokens.',
      '● All is well.',
      '▌ two',
    ]);
  });

  test('no control character of a text reaches the screen, and no line is wider than it', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\u001B[2J', '\u202E', '日', '👩‍👩‍👧', '\t', '\r', '`', '*', '#', '|'),
    });
    fc.assert(
      fc.property(hostile, fc.integer({min: 12, max: 80}), (text, width) => {
        const records = [
          prompt(text),
          said(text),
          answer({kind: 'thinking', text, signature: ''}),
          called('x', 'Bash', {command: text}),
          result('x', text),
          called('y', 'Write', {file_path: text, content: text}),
          called('z', text, {any: text}),
        ];
        for (const line of shown(records, width)) {
          // oxlint-disable-next-line no-control-regex -- that is what is looked for
          expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/u);
          expect([line, cellWidth(line) <= width]).toEqual([line, true]);
        }
      }),
      {numRuns: randomInputs(150)},
    );
  });
});

/** Items of so many lines each; every line has its own words. */
function paged(counts: readonly number[]) {
  const records = counts.map((_, at) => prompt(String(at)));
  const texts = counts.map((count, item) => Array.from({length: count}, (_, line) => `w${item}x${line}.`));
  const pages = new TranscriptPages(item => texts[Number(searchedText(item))] ?? []);
  pages.show(records);
  return {pages, texts, all: texts.flat()};
}

describe('pages', () => {
  const sizes = fc.array(fc.integer({min: 1, max: 5}), {minLength: 1, maxLength: 12});
  const frame = frameOf(60);

  test('moving goes through every line, and nowhere else', () => {
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({min: -9, max: 9}), {maxLength: 8}), (counts, steps) => {
        const {pages, all} = paged(counts);
        const first = (at: Position): string | undefined => pages.lines(at, 1, frame)[0];
        let at: Position = pages.moved({item: 0, line: 0}, 0, frame);
        let expected = 0;
        for (const step of steps) {
          at = pages.moved(at, step, frame);
          expected = Math.max(0, Math.min(all.length - 1, expected + step));
          expect(first(at)).toBe(all[expected]);
        }
      }),
    );
  });

  test('the end shows the last lines', () => {
    fc.assert(
      fc.property(sizes, fc.integer({min: 1, max: 9}), (counts, room) => {
        const {pages, all} = paged(counts);
        expect(pages.lines(pages.lastTop(room, frame), room, frame)).toEqual(all.slice(-room));
      }),
    );
  });

  test('a search finds every line with the words once, in order, both ways', () => {
    const records = ['one needle', 'none', 'two needles\n\nand a Needle', 'none'].map(said);
    const pages = new TranscriptPages((item, place) => itemLines(item, lexer, place));
    pages.show(records);
    const walk = (query: string, direction: 1 | -1): readonly string[] => {
      const lines: string[] = [];
      let from = direction === 1 ? pages.start : pages.end;
      for (;;) {
        const found = pages.find({query, from, direction, frame});
        if (found === undefined) return lines;
        lines.push(stripStyles(pages.lines(found, 1, frame)[0] ?? ''));
        from = found;
      }
    };
    expect(walk('needle', 1)).toEqual(['● one needle', '● two needles', '  and a Needle']);
    expect(walk('needle', -1)).toEqual(['  and a Needle', '● two needles', '● one needle']);
    expect(walk('Needle', 1)).toEqual(['  and a Needle']);
    expect(walk('nowhere', 1)).toEqual([]);
  });

  test('what is rendered can be found: its text is among what is searched', () => {
    const records = [
      said('A **bold** `word` and [a link](https://example.org/x).'),
      called('1', 'Bash', {command: 'make all'}),
      result('1', 'built it'),
    ];
    for (const item of transcriptItems(records)) {
      const words =
        itemLines(item, lexer, frameOf(200))
          .map(stripStyles)
          .join(' ')
          .match(/[a-z]{3,}/gu) ?? [];
      for (const word of words) expect(searchedText(item).toLowerCase()).toContain(word);
    }
  });
});

test('what was sought stands out wherever it is', () => {
  const theme = themeOf('color');
  expect(highlightMatches(theme.style(['bold'], 'A word, a Word'), 'word', theme)).toBe(
    `A ${theme.style(['bold', 'selected'], 'word')}, a ${theme.style(['bold', 'selected'], 'Word')}`,
  );
  expect(highlightMatches('nothing', 'word', theme)).toBe('nothing');
});

test('a session of 100 MB is opened and searched in less than a second', () => {
  const text = `${'word '.repeat(9)}\n`.repeat(1100);
  const records = Array.from({length: 2000}, (_, at) => [
    called(`c${at}`, 'Bash', {command: `run ${at}`}),
    result(`c${at}`, `${text}end of ${at}`),
  ]).flat();
  const spentMs = processorClock();
  const pages = new TranscriptPages((item, frame) => itemLines(item, lexer, frame));
  pages.show(records);
  const frame = frameOf(100);
  expect(stripStyles(pages.lines(pages.lastTop(40, frame), 40, frame).at(-1) ?? '')).toContain('end of 1999');
  const opened = spentMs();
  const found = pages.find({query: 'end of 7', from: pages.start, direction: 1, frame});
  expect(found?.item).toBe(7);
  expect(opened).toBeLessThan(1000);
});

describe('/transcript', () => {
  const records = [
    prompt('Do it.'),
    called('1', 'Bash', {command: 'count'}),
    result('1', Array.from({length: 100}, (_, at) => `number ${at}.`).join('\n')),
    said('The end of it.'),
  ];
  const opened = async (size: readonly [number, number] = [80, 24], options: Partial<TuiOptions> = {}) => {
    const stage = await start(size, {...options, host: {records}});
    await stage.screen.type('/transcript\r');
    await stage.screen.until(/The end of it\.\n[^]*end · q close/u);
    return stage;
  };

  test.each([
    [80, 24],
    [40, 12],
  ] as const)(
    'at %i×%i it has the screen for itself, moves and searches, and leaves it as it was',
    async (columns, rows) => {
      const {screen, engine} = await opened([columns, rows]);
      const before = (await screen.rows()).length;
      expect(before).toBe(rows);
      await screen.type('g');
      await screen.until(/^\n?▌ Do it\.\n[^]*number 0\.\n[^]*\n0% ·/u);
      await screen.type('/number 42\r');
      await screen.until(/^ +│ number 42\.\n/u);
      await screen.type('n');
      await screen.until(/Search wrapped to the start/u);
      await screen.type('/number 4\r');
      await screen.until(/^ +│ number 42\.\n(?![^]*wrapped)/u);
      await screen.type('n');
      await screen.until(/^ +│ number 43\.\n/u);
      await screen.type('N');
      await screen.until(/^ +│ number 42\.\n/u);
      await screen.type('/nowhere');
      await screen.until(/\n\/nowhere$/u);
      await screen.type('\r');
      await screen.until(/Not found/u);
      await screen.type('G');
      await screen.until(/The end of it\.\n[^]*end ·/u);
      await screen.type('k');
      await screen.type('k');
      await screen.until(/\n\d+% ·/u);
      await screen.type('q');
      await screen.until(/^\n? ╭╮╭ {2}weft 1\.2\.3\n[^]*~\/project\n[^]*Ask weft to do something/u);
      expect((await screen.everything()).filter(row => row.includes('number'))).toEqual([]);
      expect(engine.ops).toEqual([]);
    },
  );

  test.each([['\u001B'], ['\u0003'], ['\u0004']])('%j closes it', async key => {
    const {screen} = await opened();
    await screen.type(key);
    await screen.until(/^\n ╭╮╭ {2}weft 1\.2\.3\n[^]*Ask weft to do something/u);
  });

  test('what happens meanwhile is there afterwards, and what is asked is told of', async () => {
    const {screen, engine} = await opened();
    engine.emit(...begin);
    ask(engine, approval('a', 'rm -rf build'));
    await screen.until(/weft needs your answer · q to go there/u);
    await screen.type('y');
    await screen.type('q');
    await screen.until(/▌ do it\n[^]*rm -rf build/u);
    expect(engine.ops).toEqual([]);
  });

  test.each(['Ctrl+Z', 'from outside', 'by force'])('stopped %s and resumed, it is drawn again', async how => {
    let stops = 0;
    const listeners: Parameters<JobControl['watch']>[0][] = [];
    const watch: JobControl['watch'] = listener => {
      listeners.push(listener);
      return {stop: () => void stops++, close: () => {}};
    };
    const {screen} = await opened([80, 24], {job: {watch}});
    const before = screen.written().length;
    if (how === 'Ctrl+Z') await screen.type('\u001A');
    else for (const tell of listeners) tell(how === 'by force' ? 'continued' : 'asked-to-stop');
    await expect
      .poll(() => screen.written().slice(before))
      .toMatch(/\[\?1049l[^]*\[\?1049h[^]*The end of it\.[^]*q close/u);
    expect(stops).toBe(how === 'by force' ? 0 : 1);
    await screen.type('g');
    await screen.until(/^\n?▌ Do it\.\n/u);
    await screen.type('q');
    await screen.until(/Ask weft to do something/u);
  });

  test('the window may be closed over it', async () => {
    const {screen, exit} = await opened();
    screen.hangUp();
    expect(await exit).toEqual({kind: 'left'});
    expect(screen.rawMode()).toBe('cooked');
  });

  test('of an empty session there is nothing to show', async () => {
    const {screen} = await start();
    await screen.type('/transcript\r');
    await screen.until(/▌ \/transcript *\n {2}This session is empty\n/u);
  });
});

test.each([
  [['b'], '  line 13', '100%'],
  [['<page-up>', '<page-down>'], '  line 16', 'end'],
  [['u'], '  line 14', '100%'],
  [['u', 'd', 'k', '<down>'], '  line 16', 'end'],
  [['g'], '', '0%'],
  [['g', ' '], '', '5%'],
  [['<line-start>', '<line-end>'], '  line 16', 'end'],
  [['g', 'j', '<down>', '<enter>', 'x'], '● answer 0', '1%'],
] as const)('%j leads to the line that begins with %j', (keys, first, place) => {
  const records = Array.from({length: 30}, (_, at) => [prompt(`turn ${at}`), said(`answer ${at}`)]).flat();
  records.push(said(Array.from({length: 20}, (_, at) => `line ${at}`).join('\n\n')));
  const at = {rows: 8, frame: {theme: themeOf('plain'), width: 60}};
  let now = transcriptPanel(() => records, lexer);
  for (const text of keys) {
    const name = /^<(.+)>$/u.exec(text)?.[1];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the test are those of keys
    const next = now.press((name === undefined ? {kind: 'text', text} : {kind: 'key', name}) as KeyPress, at);
    if (next === 'closed') throw new Error('it is closed');
    now = next;
  }
  const {lines} = now.lines(at);
  expect([lines[0], lines.at(-1)?.split(' ')[0]]).toEqual([first, place]);
});

test('a call that no action takes shows what it was given', () => {
  expect(shown([called('c', 'NoSuchTool', {a: 1}), result('c', 'no')]).join('\n')).toContain('"a": 1');
});
