import {afterEach, test} from 'vitest';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

test('another model that answers in the place of the one that was asked is told of', async () => {
  const {screen, engine} = await start([90, 24], {look: 'plain'});
  engine.emit({
    event: 'fell-back',
    model: 'claude-a',
    fallback: 'claude-b',
    trigger: 'overloaded',
    message: 'Anthropic is overloaded (529).',
  });
  await screen.until(
    /claude-a does not answer; claude-b answers the rest of this prompt, and the next[^]*Anthropic is overloaded/u,
  );
});
