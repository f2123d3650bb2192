import {afterEach, expect, test} from 'vitest';
import {failed, ok} from '../../src/base/outcome.ts';
import {rejected} from '../../src/domain/fault.ts';
import {messageId} from '../../src/domain/ids.ts';
import type {PinRow} from '../../src/domain/pin.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const rows: readonly PinRow[] = [
  {id: messageId('p1'), by: 'user', state: 'unpinned', title: 'Use pnpm', tokens: 22},
  {id: messageId('a1'), by: 'agent', state: 'pinned', title: 'The plan: …', tokens: 1250},
];

test('/pin chooses a message, the latest first; Enter pins one or takes its pin off', async () => {
  const {screen, engine} = await start();
  engine.answers.pins = ok(rows);
  engine.answers['change-pin'] = ok(rows.map(row => ({...row, state: 'pinned'})));
  await screen.type('/pin\r');
  await screen.until(/Pin a message[^]*1 pin, about 1,250 tokens[^]*The plan: … ✓[^]*agent[^]*Use pnpm[^]*you/u);
  await screen.type('\u001B[B\r');
  await screen.until(/Pinned: Use pnpm\s+2 messages pinned, about 1,272 tokens/u);
  expect(engine.queries).toEqual([{query: 'change-pin', message: 'p1', state: 'pinned'}]);
  await screen.type('/pin remove 1\r');
  await screen.until(/Unpinned: The plan/u);
});

test('the last answer is pinned at once; the list has numbers; what leads nowhere is said', async () => {
  const {screen, engine} = await start();
  engine.answers.pins = ok(rows);
  engine.answers['change-pin'] = failed(rejected('Pinned messages may use 20,000 tokens.'));
  await screen.type('/pin list\r');
  await screen.until(/Pinned:\s+1 {2}The plan: … {2}\(agent, about 1,250 tokens\)/u);
  await screen.type('/pin last\r');
  await screen.until(/Pinned messages may use 20,000 tokens/u);
  await screen.type('/pin remove 7\r');
  await screen.until(/No pin 7/u);
  await screen.type('/pin here\r');
  await screen.until(/Unknown command \/pin here/u);
  engine.answers.pins = ok([]);
  await screen.type('/pin last\r');
  await screen.until(/No answer to pin yet/u);
  await screen.type('/pin list\r');
  await screen.until(/No pins\./u);
});
