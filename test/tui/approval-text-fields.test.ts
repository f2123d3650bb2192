import {afterEach, describe, expect, test} from 'vitest';
import {defaultPreferences} from '../../src/config/settings-schema.ts';
import {actionId} from '../../src/domain/ids.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {answer, approval, asked, begin, leaveStages, press, start} from './support/stage.ts';

afterEach(leaveStages);

const refused = (message: string) => answer('a1', {decision: 'refuse', message, by: 'user'});
const risky = approval('a1', 'npm run test', {
  risk: 'unknown',
  reasons: [],
  detail: {...noDetail, rules: ['Bash(npm run test)']},
});

describe('a text in a card', () => {
  test.each<[string, readonly string[], string]>([
    ['words are cut and put back', ['one two three', '\u0017', '\u0017', '\u0001', '\u0019'], 'two threeone'],
    ['edits are taken back and made again', ['one', ' two', '\u001F', '\u001F', '\u001B_'], 'one'],
    [
      'a long paste is folded and unfolds',
      ['\u001B[200~' + 'a\n'.repeat(20) + '\u001B[201~', '\u0018', '!'],
      `${'a\n'.repeat(20)}!`,
    ],
    ['up and down go over its lines', ['one', '\n', 'two', '\u001B[A', '!'], 'one!\ntwo'],
    ['up keeps the column in wrapped text', ['a'.repeat(100), '\u001B[A', '!'], `${'a'.repeat(28)}!${'a'.repeat(72)}`],
    ['Ctrl+D deletes', ['abc', '\u0001', '\u0004'], 'bc'],
  ])('%s', async (_name, keys, message) => {
    const stage = await asked(risky);
    await press(stage, 'n', ...keys, '\r');
    await expect.poll(() => stage.engine.ops).toEqual([refused(message)]);
  });

  test('what was cut in the composer can be put into it, and its edits are no part of the draft', async () => {
    const {screen, engine, time} = await start();
    await screen.type('keep and move');
    await screen.type('\u0017');
    await screen.until(/› keep and\n/u);
    engine.emit(...begin, {event: 'approval-requested', approval: risky});
    await screen.until(/Tab: answer/u);
    time.now += 700;
    await screen.type('\t');
    await screen.until(/╭ Run this command\?/u);
    await press({screen, time}, 'n', '\u0019', '!', '\u001F', '\u001B');
    await screen.until(/1 Yes/u);
    await press({screen, time}, 'n', '\r', '\u001F');
    await screen.until(/› keep and move/u);
    expect(engine.ops).toEqual([refused('')]);
  });

  test('has vim in it: Esc leads to normal mode first, the next one back', async () => {
    const stage = await asked(risky, [80, 24], {preferences: {...defaultPreferences, editorMode: 'vim'}});
    const {screen, engine} = stage;
    await press(stage, '\u0005');
    await screen.until(/› npm run test +│\n│ -- INSERT --/u);
    await press(stage, '\u001B');
    await screen.until(/-- NORMAL --/u);
    await press(stage, '0wcw');
    await screen.until(/› npm {2}test +│\n│ -- INSERT --/u);
    await press(stage, 'exec', '\u001B');
    await screen.until(/-- NORMAL --/u);
    await press(stage, '\u001B');
    await screen.until(/1 Yes/u);
    await press(stage, '\u0005', '\u001B');
    await screen.until(/-- NORMAL --/u);
    await press(stage, '0wv');
    await screen.until(/-- VISUAL --/u);
    await press(stage, 'ex', 'u', 'u', 'A', ' -w\r');
    await expect.poll(() => engine.ops).toEqual([answer('a1', {decision: 'allow-edited', command: 'npm run test -w'})]);
  });

  test("the user's own answer to a question is written the same way", async () => {
    const {screen, engine, time} = await start([80, 24], {preferences: {...defaultPreferences, editorMode: 'vim'}});
    const question = {
      question: 'Which?',
      header: 'Which',
      choice: 'one',
      options: [
        {label: 'A', description: '', recommended: 'plain'},
        {label: 'B', description: '', recommended: 'plain'},
      ],
    } as const;
    engine.emit(...begin, {
      event: 'question-asked',
      files: [],
      id: actionId('q1'),
      asker: 'main',
      questions: [question, question],
    });
    time.now += 700;
    await screen.until(/In your own words/u);
    const stage = {screen, time};
    await press(stage, 'o', 'one two', '\u001B');
    await screen.until(/-- NORMAL --/u);
    await press(stage, 'db', 'u', 'A', '!');
    await screen.until(/› one two! +│\n│ -- INSERT --/u);
    await press(stage, '\r');
    await screen.until(/2 of 2 ╮/u);
    await press(stage, 'o', 'three', '\u001B');
    await screen.until(/-- NORMAL --/u);
    await press(stage, 'u', 'i', 'x', '\r');
    await expect
      .poll(() => engine.ops)
      .toEqual([
        {
          op: 'answer-question',
          id: actionId('q1'),
          answer: {
            kind: 'answered',
            answers: [
              {selected: [], other: 'one two!'},
              {selected: [], other: 'x'},
            ],
          },
        },
      ]);
  });
});
