/* oxlint-disable no-control-regex -- these tests look for control characters */
import {setTimeout as pause} from 'node:timers/promises';
import {afterEach, describe, expect, onTestFinished, test, vi} from 'vitest';
import {actionId} from '../../src/domain/ids.ts';
import {answer, approval, ask, asked, begin, leaveStages, mild, once, press, start} from './support/stage.ts';
import {editPreview} from './support/work-events.ts';

afterEach(leaveStages);

const timers = (): number => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;

describe('who has the keys', () => {
  test(
    'at 12 characters a second while 50 approvals arrive nothing is answered and the draft is as typed',
    {tags: 'long'},
    async () => {
      const {screen, engine} = await start([120, 24], {clock: {now: () => performance.now(), date: () => 0}});
      engine.emit(...begin);
      const text = 'yes kick n away: rv says a; answer y k s a n r w v';
      for (const [at, character] of text.split('').entries()) {
        ask(engine, approval(`a${at}`, 'rm -rf build'));
        await screen.type(character);
        await pause(1000 / 12);
      }
      expect(engine.ops).toEqual([]);
      const rows = await screen.rows();
      const notice = rows.findIndex(row => row.startsWith('? Approval needed'));
      expect([rows[notice], rows[notice + 2]]).toEqual([
        '? Approval needed (1 of 50): Run rm -rf build · Tab: answer',
        ` › ${text}`,
      ]);
      await pause(1500);
      await screen.type('s');
      await screen.until(/Tab: answer\n─+\n › yes kick[^\n]*vs\n/u);
      await pause(700);
      await screen.type('\t');
      await screen.until(/╭ Run this command\? .*1 of 50[^]*› yes kick/u);
      expect(engine.ops).toEqual([]);
      expect((await screen.rows()).filter(row => row.startsWith('› yes'))).toEqual([`› ${text}s`]);
    },
  );

  test('a card that waits wakes nobody up', async () => {
    const before = timers();
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    ask(engine, mild('a1', 'make'));
    await screen.until(/Approval needed/u);
    time.now += 700;
    await screen.until(/╭ Run this command\?/u);
    await expect.poll(timers).toBeLessThanOrEqual(before);
    const ticks = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => ticks.mockRestore());
    engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'allowed'});
    await expect.poll(() => ticks.mock.calls.length).toBe(1);
  });

  test('keys that came before the card was painted go to the draft', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin);
    ask(engine, mild('a1', 'make'));
    await screen.type('y');
    await screen.type('es\u001B[D');
    await screen.until(/Approval needed: Run make · Tab: answer\n─+\n › yes\n/u);
    expect(engine.ops).toEqual([]);
  });

  test('with a draft they go to the draft until Tab, however long the pause for thought', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    await screen.type('I think that we ');
    ask(engine, mild('a1', 'make'));
    await screen.until(/Approval needed/u);
    for (const word of ['should ', 'n', 'a', 'y ']) {
      time.now += 60_000;
      await screen.type(word);
    }
    await screen.until(/Tab: answer\n─+\n › I think that we should nay\n/u);
    expect(engine.ops).toEqual([]);
    time.now += 700;
    await screen.type('\t');
    await screen.until(/╭ Run this command\?[^]*› I think that we should nay\n/u);
    await screen.type('y');
    await expect.poll(() => engine.ops).toEqual([answer('a1', once)]);
  });

  test('without a draft the card takes them after 600 ms without a key, and is drawn', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    await screen.type('v');
    time.now += 599;
    ask(engine, mild('a1', 'make'));
    await screen.until(/Approval needed/u);
    time.now += 599;
    await screen.type('y');
    await screen.until(/› vy/u);
    await screen.type('\u0015');
    expect(engine.ops).toEqual([]);
    time.now += 600;
    await screen.until(/╭ Run this command\?/u);
    await screen.type('y');
    await expect.poll(() => engine.ops).toEqual([answer('a1', once)]);
  });

  test('a draft is there again when the card is gone', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    await screen.type('very');
    ask(engine, mild('a1', 'make'));
    await screen.until(/Approval needed/u);
    time.now += 700;
    await screen.type('\t');
    await screen.until(/╭ Run this command\?[^]*› very/u);
    await screen.type('y');
    await expect.poll(() => engine.ops).toEqual([answer('a1', once)]);
    engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'allowed'});
    await screen.until(/\n─+\n › very\n/u);
  });

  test('with room for one row of the draft below the card, it is the row of the cursor', async () => {
    const {screen, engine, time} = await start([60, 7]);
    engine.emit(...begin);
    await screen.type('above\nbelow');
    ask(engine, mild('a1', 'make'));
    await screen.until(/Approval needed/u);
    time.now += 700;
    await screen.type('\t');
    await screen.until(/make\nv: read it, n: no\n {2}below\n/u);
  });

  test('a letter that is no key of the card, a deletion and a paste go to the draft', async () => {
    const stage = await asked(mild('a1', 'make'));
    await press(stage, 'hello');
    await stage.screen.until(/Approval needed[^]*› hello\n/u);
    await press(stage, '\t');
    await stage.screen.until(/╭ Run this command\?/u);
    await press(stage, '\u007F');
    await stage.screen.until(/Approval needed[^]*› hell\n/u);
    await press(stage, '\t');
    await stage.screen.until(/╭ Run this command\?/u);
    stage.time.now += 700;
    await stage.screen.paste('y');
    await stage.screen.until(/Approval needed[^]*› helly\n/u);
    expect(stage.engine.ops).toEqual([]);
  });

  test('Tab twice goes to the draft and back, and sends nothing', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    await screen.type('very');
    ask(engine, mild('a1', 'make'));
    await screen.until(/Tab: answer\n─+\n › very/u);
    time.now += 700;
    await screen.type('\t');
    await screen.until(/╭ Run this command\?[^]*› very/u);
    await screen.type('\t');
    await screen.until(/Approval needed[^]*› very/u);
    await screen.type('\t');
    await screen.until(/╭ Run this command\?[^]*› very/u);
    expect(engine.ops).toEqual([]);
  });

  test('Tab puts the card aside until Tab calls it', async () => {
    const stage = await asked(mild('a1', 'make'));
    await press(stage, '\t', 'y');
    await stage.screen.until(/Approval needed: Run make · Tab: answer\n─+\n › y\n/u);
    await new Promise(resolve => setTimeout(resolve, 700));
    expect((await stage.screen.rows()).join('\n')).not.toMatch(/╭ Run/u);
    await press(stage, '\t');
    await stage.screen.until(/╭ Run this command\?/u);
    await press(stage, 'y');
    await expect.poll(() => stage.engine.ops).toEqual([answer('a1', once)]);
  });

  test('several are counted; a held key answers one and is not typed either', async () => {
    const stage = await asked(mild('a1', 'first'));
    const {screen, engine, time} = stage;
    ask(engine, mild('a2', 'second'));
    await screen.until(/╭ Run this command\? .*1 of 2[^]*│ first /u);
    await press(stage, 'y');
    await expect.poll(() => engine.ops).toHaveLength(1);
    engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'allowed'});
    for (let at = 0; at < 30; at++) {
      time.now += at === 0 ? 300 : 10;
      await screen.type(at % 5 === 0 ? 'yyy' : 'y');
    }
    // Letters may be held back until it is clear that they are no paste; a sequence is none, and comes behind them.
    await screen.type('\u001B[C');
    await screen.until(/Approval needed: Run second · Tab: answer\n─+\n › Enter: send now/u);
    expect(engine.ops).toEqual([answer('a1', once)]);
    await press(stage, '\t', 'n', '\r');
    await expect
      .poll(() => engine.ops)
      .toEqual([answer('a1', once), answer('a2', {decision: 'refuse', message: '', by: 'user'})]);
  });

  test('draft and cursor are as before when the card is gone', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    await screen.type('one two');
    await screen.type('\u001B[D\u001B[D');
    ask(engine, mild('a1', 'make'));
    await screen.until(/Tab: answer/u);
    time.now += 700;
    await screen.type('\t');
    await screen.until(/╭ Run this command\?/u);
    time.now += 700;
    await screen.type('n');
    await screen.until(/What should weft do instead/u);
    time.now += 700;
    await screen.type('other\r');
    await expect.poll(() => engine.ops).toHaveLength(1);
    engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'refused'});
    await screen.until(/\n─+\n › one two\n/u);
    const y = (await screen.rows()).findIndex(row => row.startsWith(' › one two'));
    expect(await screen.cursor()).toEqual({x: 8, y});
    expect(engine.ops).toEqual([answer('a1', {decision: 'refuse', message: 'other', by: 'user'})]);
  });

  test.each([
    [40, '? Approval: make all the… · Tab: answer'],
    [80, '? Approval needed: Run make all the things in the whole wide wor… · Tab: answer'],
    [120, '? Approval needed: Run make all the things in the whole wide world · Tab: answer'],
  ])('at %i columns the notice is one line', async (columns, line) => {
    const {screen, engine} = await start([columns, 12]);
    engine.emit(...begin);
    ask(engine, mild('a1', 'make all the things in the whole wide world'));
    await screen.until(/Tab: answer/u);
    expect((await screen.rows()).filter(row => row.includes('Tab: answer'))).toEqual([line]);
  });

  test('a question waits on one line too', async () => {
    const stage = await start([40, 12]);
    stage.engine.emit(...begin, oneQuestion);
    await stage.screen.type('y\r');
    await stage.screen.until(/\? Question: Which one\? · Tab: answer\n/u);
    await press(stage, '\t');
    await stage.screen.until(/│ Which one\? +│\n│ {3}1 left/u);
    await press(stage, '\r', '1');
    const [sent, answered] = stage.engine.ops;
    expect(sent).toEqual({op: 'prompt', id: expect.any(String), text: 'y', images: [], when: 'steering'});
    expect(answered?.op).toBe('answer-question');
  });
});

const oneQuestion = {
  event: 'question-asked',
  files: [],
  id: actionId('q1'),
  asker: 'main',
  questions: [
    {
      question: 'Which one?',
      header: '',
      choice: 'one',
      options: [
        {label: 'left', description: '', recommended: 'plain'},
        {label: 'right', description: 'the other', recommended: 'plain'},
      ],
    },
  ],
} as const;

describe('questions', () => {
  test('the changes that are asked about stand on the card, and PgDn goes on in them', async () => {
    const stage = await start([80, 20]);
    const lines = Array.from({length: 40}, (_, at) => ({kind: 'added', text: `line ${at + 1}`, changed: []}) as const);
    stage.engine.emit(...begin, {...oneQuestion, files: editPreview('a.txt', lines).files});
    await stage.screen.until(/Tab: answer/u);
    await stage.screen.type('\t');
    await stage.screen.until(/Which one\?[^]*line 1\b[^]* of 40 lines · PgUp PgDn[^]*1 left[^]*2 right/u);
    await press(stage, '\u001B[6~');
    await stage.screen.until(/Which one\?(?![^]*line 6\b)[^]*line 7\b[^]* 7–\d+ of 40 lines[^]*1 left/u);
    await press(stage, '\u001B[5~');
    await stage.screen.until(/line 1\b[^]* 1–\d+ of 40 lines/u);
  });

  test('options are chosen by arrows, digits, space and own words', async () => {
    const stage = await start();
    stage.engine.emit(...begin, {
      event: 'question-asked',
      files: [],
      id: actionId('q1'),
      asker: 'main',
      questions: [
        {
          question: 'Which one?',
          header: '',
          choice: 'one',
          options: [
            {label: 'left', description: '', recommended: 'plain'},
            {label: 'right', description: 'the other', recommended: 'recommended'},
          ],
        },
        {
          question: 'Which ones?',
          header: '',
          choice: 'many',
          options: [
            {label: 'a', description: '', recommended: 'plain'},
            {label: 'b', description: '', recommended: 'plain'},
          ],
        },
      ],
    });
    await stage.screen.until(/Tab: answer/u);
    await stage.screen.type('\t');
    await stage.screen.until(/1 of 2 ╮\n│ Which one\?[^]*│ {3}2 right \(recommended\)/u);
    await press(
      stage,
      '\r',
      '\u001B[B',
      '\u001B[B',
      '\r',
      '\u001B[B',
      ' ',
      '\u001B[B',
      ' ',
      '\u001B[B',
      'o',
      'and c',
      '\r',
    );
    await expect
      .poll(() => stage.engine.ops)
      .toEqual([
        {
          op: 'answer-question',
          id: 'q1',
          answer: {
            kind: 'answered',
            answers: [
              {selected: ['right'], other: ''},
              {selected: ['a', 'b'], other: 'and c'},
            ],
          },
        },
      ]);
  });
});
