import {expect, test} from 'vitest';
import {scheduleId} from '../../../src/domain/ids.ts';
import {startScheduler} from '../../../src/jobs/scheduler.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {openDatabase} from '../../contract/store/open-database.ts';

test('a job whose process ended before it was handed to the queue is handed to it by whoever looks next', async () => {
  const jobs = makeJobStore(openDatabase(':memory:'), () => 0);
  const spec = {kind: 'scheduled', schedule: scheduleId('s')} as const;
  await jobs.add({id: 'left', spec, session: 'not-open'}, 'queued');
  const delivered = Promise.withResolvers<string>();
  const scheduler = startScheduler({
    schedules: {nextAt: () => 'none', takeDue: () => 'none'},
    jobs,
    queue: {
      async add(job) {
        delivered.resolve(job);
        return 'added';
      },
    },
    run: async () => {},
    uuid: () => 'new',
    now: () => 0,
    loadNextTime: async () => () => 0,
    note: line => delivered.reject(new Error(line)),
  });
  expect(await delivered.promise).toBe('left');
  scheduler.close();
  jobs.close();
});
