/* oxlint-disable no-control-regex -- these tests look for control characters */
import {afterEach, describe, expect, test} from 'vitest';
import {actionId} from '../../src/domain/ids.ts';

import {approval, ask, begin, leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

describe('confirmations', () => {
  test('the card says what, where, why and how risky; y allows once', async () => {
    const {screen, engine} = await start();
    engine.emit(...begin);
    ask(engine, approval('a1', 'rm -rf build'));
    await screen.until(/Allow this\?/u);
    const text = (await screen.rows()).join('\n');
    expect(text).toMatch(
      /rm -rf build\n +in \/home\/user\/project\nWhy: the cache is stale\nRisk: can destroy data. It deletes files; the model calls it risky.\n/u,
    );
    await screen.type('\r');
    await screen.type('y');
    await expect
      .poll(() => engine.ops)
      .toEqual([{op: 'answer-approval', id: 'a1', answer: {decision: 'allow', scope: 'once'}}]);
  });

  test.each([
    ['s', {decision: 'allow', scope: 'session'}],
    ['n', {decision: 'refuse', message: ''}],
  ])('%s answers %o', async (key, answer) => {
    const {screen, engine} = await start();
    engine.emit(...begin);
    ask(engine, approval('a1', 'make'));
    await screen.until(/Allow this\?/u);
    await screen.type(key);
    await expect.poll(() => engine.ops).toEqual([{op: 'answer-approval', id: 'a1', answer}]);
  });

  test('r asks for a reason and sends it', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    ask(engine, approval('a1', 'make'));
    await screen.until(/Allow this\?/u);
    await screen.type('r');
    await screen.until(/why not\?/u);
    time.now += 100;
    await screen.type('use ninja');
    time.now += 100;
    await screen.type('\r');
    await expect
      .poll(() => engine.ops)
      .toEqual([{op: 'answer-approval', id: 'a1', answer: {decision: 'refuse', message: 'use ninja'}}]);
  });

  test('keys of a word being typed stay in the draft until a pause of 600 ms', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    await screen.type('ver');
    await screen.until(/> ver/u);
    time.now += 300;
    ask(engine, approval('a1', 'make'));
    await screen.until(/Allow this\?/u);
    await screen.type('y');
    await screen.until(/> very/u);
    time.now += 599;
    await screen.type('s');
    await screen.until(/> verys/u);
    expect(engine.ops).toEqual([]);
    time.now += 600;
    await screen.type('y');
    await expect
      .poll(() => engine.ops)
      .toEqual([{op: 'answer-approval', id: 'a1', answer: {decision: 'allow', scope: 'once'}}]);
    engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'allowed'});
    await screen.until(/> verys\n/u);
  });

  test.each(['\rn', '\r\rn', 'n\r'])('%j in one piece counts as the one key that answers', async keys => {
    const {screen, engine} = await start();
    engine.emit(...begin);
    ask(engine, approval('a1', 'make'));
    await screen.until(/Allow this\?/u);
    await screen.type(keys);
    await expect
      .poll(() => engine.ops)
      .toEqual([{op: 'answer-approval', id: 'a1', answer: {decision: 'refuse', message: ''}}]);
  });

  test.each(['yy', 'ny', 'make\r'])('%j in one piece answers nothing', async keys => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    ask(engine, approval('a1', 'make'));
    await screen.until(/Allow this\?/u);
    await screen.type(keys);
    time.now += 1000;
    await screen.type('n');
    await expect
      .poll(() => engine.ops)
      .toEqual([{op: 'answer-approval', id: 'a1', answer: {decision: 'refuse', message: ''}}]);
  });

  test('several are counted and come one after the other', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin);
    ask(engine, approval('a1', 'first'));
    ask(engine, approval('a2', 'second'));
    await screen.until(/\(1 of 2\) Run command: first/u);
    await screen.type('y');
    engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'allowed'});
    await screen.until(/Allow this\? Run command: second/u);
    time.now += 20;
    await screen.type('y');
    time.now += 60;
    await screen.type('n');
    await expect
      .poll(() => engine.ops)
      .toEqual([
        {op: 'answer-approval', id: 'a1', answer: {decision: 'allow', scope: 'once'}},
        {op: 'answer-approval', id: 'a2', answer: {decision: 'refuse', message: ''}},
      ]);
  });

  test('a long command is cut in the middle and printed whole on demand', async () => {
    const {screen, engine} = await start([40, 12]);
    engine.emit(...begin);
    const command = Array.from({length: 30}, (_, at) => `echo step-${at}`).join('\n');
    ask(engine, approval('a1', command));
    await screen.until(/lines hidden, v shows all[^]*v all/u);
    await screen.type('v');
    await expect.poll(async () => (await screen.everything()).join('\n')).toMatch(/echo step-14\n {2}echo step-15\n/u);
  });
});

describe('questions', () => {
  test('options are chosen by arrows, digits, space and own words', async () => {
    const {screen, engine, time} = await start();
    engine.emit(...begin, {
      event: 'question-asked',
      id: actionId('q1'),
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
    await screen.until(/\(1 of 2\) Which one\?[^]*> 2. right \(recommended\)/u);
    const keys = ['\r', ' ', '\u001B[B', ' ', '\u001B[B', 'o', 'and c', '\r'];
    for (const key of keys) {
      time.now += 100;
      await screen.type(key);
    }
    await expect
      .poll(() => engine.ops)
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
