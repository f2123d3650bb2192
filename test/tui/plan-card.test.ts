import {afterEach, describe, expect, test} from 'vitest';
import type {Op} from '../../src/agent/client.ts';
import {accepted, finished} from './support/events.ts';
import {leaveStages, press, type Stage, start} from './support/stage.ts';

afterEach(leaveStages);

/** The agent has ended a prompt in plan mode with these words. */
async function planned(answer = '1. Read it.\n2. Mend it.'): Promise<Stage> {
  const stage = await start();
  stage.engine.emit(
    {event: 'mode-changed', mode: 'plan'},
    accepted('plan it'),
    finished({kind: 'done'}, {answer, stop: 'end-turn'}),
  );
  await stage.screen.until(/The plan is ready[^]*Tab: answer/u);
  await press(stage, '\t');
  await stage.screen.until(/╭ Go ahead with this plan\?/u);
  return stage;
}

const goAhead = (mode: 'default' | 'acceptEdits'): readonly Op[] => [
  {op: 'set-mode', mode},
  {op: 'prompt', id: expect.any(String), text: 'Go ahead with this plan.', images: [], when: 'queued'},
];

describe('the card after a plan', () => {
  test('shows its choices, and Enter alone takes none', async () => {
    const stage = await planned();
    await press(stage, '\r');
    await stage.screen.until(
      /│ {3}1 Go ahead \(asks before changes\) +y {2}│\n│ {3}2 Go ahead, accept edits this session +s {2}│\n│ {3}3 Edit the steps: the plan becomes the prompt +Ctrl\+E {2}│\n│ {3}4 Keep planning +n {2}│/u,
    );
    expect(stage.engine.ops).toEqual([]);
  });

  test.each<[string, readonly string[], readonly Op[]]>([
    ['y', ['y'], goAhead('default')],
    ['a number', ['2'], goAhead('acceptEdits')],
    ['the arrows and Enter', ['\u001B[B', '\u001B[B', '\r'], goAhead('acceptEdits')],
  ])('goes ahead in the mode that is chosen: %s', async (_name, keys, ops) => {
    const stage = await planned();
    await press(stage, ...keys);
    await expect.poll(() => stage.engine.ops).toEqual(ops);
  });

  test('the steps become the draft, to be sent as they are then', async () => {
    const stage = await planned();
    await press(stage, '\u0005', '!', '\r');
    await expect
      .poll(() => stage.engine.ops)
      .toEqual([{op: 'prompt', id: expect.any(String), text: '1. Read it.\n2. Mend it.!', images: [], when: 'queued'}]);
  });

  test.each([['n'], ['\u001B']])('planning goes on: %j', async key => {
    const stage = await planned();
    await press(stage, key);
    await stage.screen.until(/^(?![^]*Go ahead)/u);
    await press(stage, 'more');
    await stage.screen.until(/ more\n/u);
    expect(stage.engine.ops).toEqual([]);
  });

  test('words to the agent are the draft', async () => {
    const stage = await planned();
    await press(stage, 'but');
    await stage.screen.until(/The plan is ready[^]* but\n/u);
    expect(stage.engine.ops).toEqual([]);
  });
});
