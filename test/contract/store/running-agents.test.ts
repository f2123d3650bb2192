import {expect, test} from 'vitest';
import {parseSessionId} from '../../../src/domain/ids.ts';
import type {RunningAgent} from '../../../src/domain/sub-agent.ts';
import {openRunningAgentStore, type RunningAgentStore} from '../../../src/store/running-agent-store.ts';
import {placeOf} from './place-of.ts';
import {onEachDatabase, uuid} from './temporary-store.ts';

function opened(name: string): RunningAgentStore {
  const store = openRunningAgentStore({database: placeOf(name), now: () => 0, process});
  if (store.tag === 'failed') throw new Error(store.error.message);
  return store.value;
}

const agent = (number: number, startedAt: number): RunningAgent => ({
  id: parseSessionId(uuid(number)) ?? expect.unreachable(),
  parent: parseSessionId(uuid(9)) ?? expect.unreachable(),
  name: 'Look for prices',
  kind: 'explore',
  harness: 'weft',
  directory: '/w',
  startedAt,
  pid: 7,
});

onEachDatabase(database => {
  test('agents at work are seen by others, which may ask to stop one', () => {
    const [own, other] = [opened(database.name), opened(database.name)];
    const [one, two] = [agent(1, 20), agent(2, 10)];
    own.add(one);
    own.add(two);
    own.add(two);
    expect(other.list()).toEqual([two, one]);
    expect([other.stop(one.id), other.stop(agent(3, 0).id), own.toStop()]).toEqual(['asked', 'unknown', [one.id]]);
    own.remove(one.id);
    expect([own.toStop(), other.list()]).toEqual([[], [two]]);
    own.close();
    other.close();
  });
});
