import {expect, test} from 'vitest';
import {scheduleId} from '../../../src/domain/ids.ts';
import {startScheduler} from '../../../src/jobs/scheduler.ts';
import {openJobStore} from '../../../src/store/job-store.ts';
import {sqlitePlace} from '../../../src/store/sqlite-database.ts';

test('a job whose process ended before it was handed to the queue is handed to it by whoever looks next', async () => {
  const jobs = openJobStore({database: sqlitePlace(':memory:'), now: () => 0, process});
  if (jobs.tag === 'failed') throw new Error(jobs.error.message);
  const spec = {kind: 'scheduled', schedule: scheduleId('s')} as const;
  await jobs.value.add({id: 'left', spec, session: 'not-open'}, 'queued');
  const delivered = Promise.withResolvers<string>();
  const scheduler = startScheduler({
    schedules: {nextAt: () => 'none', takeDue: () => 'none'},
    jobs: jobs.value,
    queue: {
      async add(job) {
        delivered.resolve(job);
        return 'added';
      },
    },
    run: async () => {},
    uuid: () => 'new',
    now: () => 0,
    loadNext: async () => () => 0,
    note: line => delivered.reject(new Error(line)),
  });
  expect(await delivered.promise).toBe('left');
  scheduler.close();
  jobs.value.close();
});
