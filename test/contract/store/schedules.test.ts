import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {parseSessionId, scheduleId} from '../../../src/domain/ids.ts';
import type {JobStore} from '../../../src/domain/job.ts';
import type {Schedule} from '../../../src/domain/schedule.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {ScheduleStore} from '../../../src/store/schedule-store.ts';
import {openDatabase} from './open-database.ts';
import {onEachDatabase, temporaryFile, uuid} from './temporary-store.ts';

const atZero = {now: (): number => 0};

function opened(name: string): {readonly store: ScheduleStore; readonly jobs: JobStore} {
  return {
    store: new ScheduleStore(openDatabase(name, atZero)),
    jobs: makeJobStore(openDatabase(name, atZero), atZero.now),
  };
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
  test('what is due is taken once, the earliest first, and not while it runs', async () => {
    const {store, jobs} = opened(database.name);
    for (const each of [schedule('b', 200), schedule('a', 100), schedule('c', 900)]) store.add(each);
    const take = (now: number, id: string) => {
      const due = store.takeDue(now, later, {id, state: 'running'});
      return due === 'none' || due.spec.kind !== 'scheduled' ? due : due.spec.schedule;
    };
    expect([store.nextAt(), take(99, 'j0')]).toEqual([100, 'none']);
    expect([take(250, 'j1'), take(250, 'j2'), take(250, 'j3')]).toEqual(['a', 'b', 'none']);
    const running = {state: 'running', at: 250, session: 'not-open'} as const;
    expect(store.list()).toEqual([
      schedule('c', 900),
      {...schedule('a', 1100), last: running},
      {...schedule('b', 1200), last: running},
    ]);
    const job = {id: 'j4', session: 'not-open'} as const;
    expect(store.take(scheduleId('a'), 260, job)).toEqual({tag: 'failed', error: 'running'});
    expect(take(1150, 'j5')).toBe('c');
    // Passed over, until its next time.
    expect(take(1150, 'j6')).toBe('none');
    expect(store.list().find(({id}) => id === 'a')).toEqual({...schedule('a', 2100), last: running});
    expect([store.remove(scheduleId('a')), store.remove(scheduleId('a'))]).toEqual(['removed', 'unknown']);
    await jobs.change({id: 'j1', attempt: 1}, {state: 'failed', news: 'untold'});
    expect(store.list().map(({id}) => id)).toEqual(['b', 'c']);
    expect(store.takeNews()).toEqual([]);
    await jobs.change({id: 'j2', attempt: 1}, {state: 'completed'});
    expect(store.take(scheduleId('b'), 1200, {...job, session})).toMatchObject({tag: 'ok', value: {id: 'b'}});
    expect(store.list()[0]?.last).toEqual({state: 'running', at: 1200, session});
    store.close();
    jobs.close();
  });

  test('the end of a run is news once', async () => {
    const {store, jobs} = opened(database.name);
    const [told, untold] = [schedule('a', 100), schedule('b', 200)];
    const end = {state: 'failed', session, reason: 'no model'} as const;
    for (const [each, news] of [
      [told, 'told'],
      [untold, 'untold'],
    ] as const) {
      store.add(each);
      expect(store.take(each.id, 1, {id: each.id, session: 'not-open'}).tag).toBe('ok');
      await jobs.change({id: each.id, attempt: 1}, {...end, news});
    }
    const last = {state: 'failed', at: 1, session, trouble: 'no model'} as const;
    expect([store.takeNews(), store.takeNews()]).toEqual([[{...untold, last: {...last, told: 'no'}}], []]);
    expect(store.list()).toEqual([
      {...told, last: {...last, told: 'yes'}},
      {...untold, last: {...last, told: 'yes'}},
    ]);
    store.close();
    jobs.close();
  });
});

test('a damaged row is no schedule, and hides no other; the mode is the kept one', () => {
  using temporary = temporaryFile();
  const {store} = opened(temporary.file);
  store.add({...schedule('a', 1), mode: 'plan'});
  const raw = new DatabaseSync(temporary.file);
  for (const body of ['', '[]', JSON.stringify({...schedule('b', 2), mode: 'odd'})])
    raw.prepare("INSERT INTO documents VALUES ('schedule', ?, ?, 2, 0)").run(`schedule_${body}`, body);
  raw.close();
  expect(store.list()).toEqual([{...schedule('a', 1), mode: 'plan'}]);
  store.close();
});
