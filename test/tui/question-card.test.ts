import {afterEach, expect, test} from 'vitest';
import {actionId} from '../../src/domain/ids.ts';
import {begin, leaveStages, press, start} from './support/stage.ts';

afterEach(leaveStages);

const long = 'is long, so that its label takes two rows';

test('the number of an option that is not on screen shows the option, and does not choose it', async () => {
  const stage = await start([40, 12]);
  const {screen, engine} = stage;
  const labels = ['left', `one ${long}`, `two ${long}`, `three ${long}`, 'right', 'drop everything'];
  const options = labels.map(label => ({label, description: '', recommended: 'plain'}) as const);
  const question = {question: 'Which one?', header: '', choice: 'one', options} as const;
  engine.emit(...begin, {
    event: 'question-asked',
    files: [],
    id: actionId('q1'),
    asker: 'main',
    questions: [question],
  });
  await screen.until(/Tab: answer/u);
  await screen.type('\t');
  await screen.until(/Which one\?[^]*1 left[^]*2 one is long[^]*3 two is long[^]*╰ 1–7 or ↑↓ Enter · Esc stop ─/u);
  await press(stage, '6');
  await screen.until(/Which one\?[^]*❯ 6 drop everything/u);
  expect(engine.ops).toEqual([]);
  await press(stage, '6');
  const answer = {kind: 'answered', answers: [{selected: ['drop everything'], other: ''}]};
  await expect.poll(() => engine.ops).toEqual([{op: 'answer-question', id: 'q1', answer}]);
});
