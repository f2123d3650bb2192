import {afterEach, expect, test} from 'vitest';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {accepted, finished} from './support/events.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const suggested: AgentEvent = {event: 'prompt-suggested', prompt: 'run the tests\nand fix them', label: ''};

test('a suggested prompt stands in the empty composer; Tab takes it, Enter alone sends nothing', async () => {
  const {screen, engine} = await start();
  engine.emit(accepted('do it'), suggested, finished({kind: 'done'}));
  await screen.until(/› run the tests … · Tab/u);
  await screen.type('\r');
  await screen.type('\t');
  await screen.until(/› run the tests\n {3}and fix them/u);
  expect(engine.ops).toEqual([]);
  await screen.type('\r');
  await expect.poll(() => engine.ops).toMatchObject([{op: 'prompt', text: 'run the tests\nand fix them'}]);
});

test('it goes with the next prompt', async () => {
  const {screen, engine} = await start();
  engine.emit(
    accepted('do it'),
    suggested,
    finished({kind: 'done'}),
    accepted('something else'),
    finished({kind: 'done'}),
  );
  await screen.until(/something else[^]*› Ask weft/u);
  expect((await screen.rows()).join('\n')).not.toMatch(/· Tab/u);
});
