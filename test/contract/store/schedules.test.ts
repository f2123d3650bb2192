import {expect, test} from 'vitest';
import {parseSessionId, scheduleId} from '../../../src/domain/ids.ts';
import type {Schedule} from '../../../src/domain/schedule.ts';
import {openScheduleStore, type ScheduleStore} from '../../../src/store/schedule-store.ts';
import {placeOf} from './place-of.ts';
import {onEachDatabase, uuid} from './temporary-store.ts';

function opened(name: string): ScheduleStore {
  const store = openScheduleStore({database: placeOf(name), now: () => 0, process});
  if (store.tag === 'failed') throw new Error(store.error.message);
  return store.value;
}

const schedule = (name: string, nextAt: number): Schedule => ({
  id: scheduleId(name),
  cron: '0 9 * * *',
  prompt: 'Look',
  directory: '/w',
  mode: 'default',
  createdAt: 1,
  nextAt,
  last: {state: 'none'},
});

const session = parseSessionId(uuid(1)) ?? expect.unreachable();
const later = ({nextAt}: Schedule): number => nextAt + 1000;

onEachDatabase(database => {
  test('what is due is taken once, the earliest first, and not while it runs', () => {
    const store = opened(database.name);
    for (const each of [schedule('b', 200), schedule('a', 100), schedule('c', 900)]) store.add(each);
    expect([store.nextAt(), store.takeDue(99, later)]).toEqual([100, 'none']);
    const running = {state: 'running', at: 250, session: 'not-open'} as const;
    expect([store.takeDue(250, later), store.takeDue(250, later), store.takeDue(250, later)]).toEqual([
      {...schedule('a', 1100), last: running},
      {...schedule('b', 1200), last: running},
      'none',
    ]);
    expect(store.take(scheduleId('a'), 260)).toEqual({tag: 'failed', error: 'running'});
    expect(store.takeDue(1150, later)).toEqual({...schedule('c', 1900), last: {...running, at: 1150}});
    // Passed over, until its next time.
    expect(store.takeDue(1150, later)).toBe('none');
    expect(store.find(scheduleId('a'))).toEqual({...schedule('a', 2100), last: running});
    expect([store.remove(scheduleId('a')), store.remove(scheduleId('a'))]).toEqual(['removed', 'unknown']);
    store.tell(scheduleId('a'), {state: 'none'});
    expect(store.list().map(({id}) => id)).toEqual(['b', 'c']);
    store.close();
  });

  test('the end of a run is news once', () => {
    const store = opened(database.name);
    const [told, untold] = [schedule('a', 100), schedule('b', 200)];
    store.add(told);
    store.add(untold);
    const end = {state: 'failed', at: 1, session, trouble: 'no model'} as const;
    store.tell(told.id, {...end, told: 'yes'});
    store.tell(untold.id, {...end, told: 'no'});
    expect([store.takeNews(), store.takeNews()]).toEqual([[{...untold, last: {...end, told: 'no'}}], []]);
    expect(store.find(untold.id)).toEqual({...untold, last: {...end, told: 'yes'}});
    store.close();
  });
});
