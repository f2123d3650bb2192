import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {timeLimit} from '../../../../src/workspace/exec/time-limit.ts';
import {never} from '../temporary-folder.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wanted = {host: 'new.test', port: 443, rule: 'Network(domain:new.test)', standing: 'no-rule'} as const;

test('the time in which somebody is asked does not count, also about several hosts at once', async () => {
  const answers = [Promise.withResolvers<'allowed'>(), Promise.withResolvers<'allowed'>()];
  let asked = 0;
  const limit = timeLimit(async () => {
    asked += 1;
    return answers[asked - 1]?.promise ?? 'nobody';
  });
  if (limit.hosts === 'none') throw new Error('somebody is asked here');
  let reached = 0;
  limit.start(1000, () => (reached += 1));
  await vi.advanceTimersByTimeAsync(600);
  const first = limit.hosts(wanted, never);
  const second = limit.hosts(wanted, never);
  await vi.advanceTimersByTimeAsync(60_000);
  answers[0]?.resolve('allowed');
  await first;
  await vi.advanceTimersByTimeAsync(60_000);
  answers[1]?.resolve('allowed');
  expect([await second, reached]).toEqual(['allowed', 0]);
  await vi.advanceTimersByTimeAsync(399);
  expect(reached).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(reached).toBe(1);
});

test('a limit that was called off is never reached, also when an answer comes later', async () => {
  const answer = Promise.withResolvers<'refused'>();
  const limit = timeLimit(() => answer.promise);
  if (limit.hosts === 'none') throw new Error('somebody is asked here');
  let reached = 0;
  const end = limit.start(1000, () => (reached += 1));
  const asking = limit.hosts(wanted, never);
  end();
  answer.resolve('refused');
  await asking;
  await vi.advanceTimersByTimeAsync(5000);
  expect([reached, vi.getTimerCount(), timeLimit('none').hosts]).toEqual([0, 0, 'none']);
});
