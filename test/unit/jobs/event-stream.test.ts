import {expect, test} from 'vitest';
import {EventLog} from '../../../src/jobs/event-stream.ts';

test('a very long stream lets its oldest events go, and says so to who comes for them', () => {
  const log = new EventLog(() => {}, 100);
  for (let number = 1; number <= 10; number += 1) log.add({type: 'text', content: `${number} ${'x'.repeat(12)}`});
  const kept = log.after(8);
  expect(kept.map(({id}) => id)).toEqual([9, 10]);
  const [gone, ...rest] = log.after(0);
  expect(rest.at(-1)?.id).toBe(10);
  expect(gone?.id).toBe((rest[0]?.id ?? 0) - 1);
  expect(JSON.parse(gone?.data ?? '')).toEqual({
    type: 'error',
    message: `Events 1 to ${gone?.id} are gone. Read the conversation at /agent/sessions/{id}/messages.`,
  });
  expect(log.after(10)).toEqual([]);
});

test('the writer of a stream that is over hears nothing of its readers', () => {
  const heard: string[] = [];
  const log = new EventLog(() => heard.push('changed'));
  const leave = log.subscribe(() => {});
  log.end();
  leave();
  log.subscribe(() => {})();
  expect(heard).toEqual(['changed']);
});

test('one event is kept, however long it is', () => {
  const log = new EventLog(() => {}, 10);
  log.add({type: 'text', content: 'x'.repeat(100)});
  expect(log.after(0)).toHaveLength(1);
});
