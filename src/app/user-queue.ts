import type {DatabaseChoice} from '../config/places.ts';
import {causeText} from '../domain/fault.ts';
import type {Schedule} from '../domain/schedule.ts';
import type {QueuePort} from '../server/queued-runs.ts';
import type {ScheduleStore} from '../store/schedule-store.ts';
import {openRunQueue, type RunQueue} from '../store/postgres/run-queue.ts';
import {UsageError} from './exit-code.ts';

/** Opens the queue of a store that several machines share. */
export async function openQueue(
  {url}: DatabaseChoice & {readonly kind: 'postgres'},
  note: (line: string) => void,
): Promise<RunQueue> {
  try {
    return await openRunQueue(url, note);
  } catch (cause) {
    throw new UsageError(`The queue of the store cannot be opened: ${causeText(cause)}`);
  }
}

/** Queues what is due. Of all processes that look, one gets it, and any worker may do it. */
export const queueDue =
  (
    queue: QueuePort,
    {
      schedules,
      now,
      note,
    }: {readonly schedules: ScheduleStore; readonly now: () => number; readonly note: (line: string) => void},
  ) =>
  async ({id}: Schedule): Promise<void> => {
    try {
      await queue.add({kind: 'scheduled', schedule: id});
    } catch (cause) {
      note(`${id}: ${causeText(cause)}`);
      const trouble = `It could not be queued: ${causeText(cause)}`;
      schedules.tell(id, {state: 'failed', at: now(), session: 'not-open', trouble, told: 'no'});
    }
  };
