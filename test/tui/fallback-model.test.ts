import {afterEach, test} from 'vitest';
import {actionId} from '../../src/domain/ids.ts';
import {sessionInfo} from './support/scripted-engine.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const fellBack = {
  event: 'fell-back',
  model: 'claude-a',
  fallback: 'claude-b',
  trigger: 'overloaded',
  message: 'Anthropic is overloaded (529).',
} as const;

test('another model that answers in the place of the one that was asked is told of', async () => {
  const {screen, engine} = await start([90, 24], {look: 'plain'});
  engine.emit(fellBack);
  await screen.until(
    /claude-a does not answer; claude-b answers the rest of this prompt, and the next[^]*Anthropic is overloaded/u,
  );
});

test('a repaired request is told of in one line', async () => {
  const {screen, engine} = await start([90, 24], {look: 'plain'});
  engine.emit({event: 'repaired', repair: 'media-left-out', text: 'The image was left out.', leftOut: []});
  await screen.until(/The image was left out\./u);
});

test('of a sub-agent, too, with its name', async () => {
  const {screen, engine} = await start([90, 24], {look: 'plain'});
  const happened = {by: 'weft', event: fellBack} as const;
  engine.emit({event: 'agent-event', agent: sessionInfo.id, name: 'finder', call: actionId('a'), happened});
  await screen.until(/finder: claude-a does not answer; claude-b answers/u);
});
