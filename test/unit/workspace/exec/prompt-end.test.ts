import {afterAll, afterEach, expect, test, vi} from 'vitest';
import {lookUntil} from '../../../support/look-until.ts';
import {processorClock} from '../../../support/processor-clock.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {commandPlace} from './command-place.ts';

const sendSignal = process.kill.bind(process);
const place = commandPlace();
afterAll(() => place[Symbol.asyncDispose]());
afterEach(() => void vi.restoreAllMocks());

/**
 * Esc ends everything within half a second. Of that 300 ms are the time a command has to end by itself; the rest is for the work
 * of weft, which is measured as such: other work of the machine does not count.
 */
test('after an abort a command is asked to end and, if it does not listen, ended, with little work in between', async () => {
  const esc = new AbortController();
  let shown = '';
  const over = place.shell.run(
    {
      command: `trap '' TERM; (trap '' TERM; while :; do sleep 60; done) & echo up; while :; do sleep 60; done`,
      directory: place.shell.directory,
      timeoutMs: 600_000,
      paging: 'unexpected',
      changes: 'none',
      environment: 'inherited',
      confinement: 'chosen',
      ...onPipes,
    },
    text => (shown += text),
    esc.signal,
  );
  await lookUntil(
    async () => shown.includes('up'),
    async () => shown,
  );
  const kills = vi.spyOn(process, 'kill');
  const clock = processorClock();
  const first = new Map<unknown, number>();
  kills.mockImplementation((pid, signal) => {
    if (!first.has(signal)) first.set(signal, clock());
    return sendSignal(pid, signal);
  });
  esc.abort();
  const {end} = await over;
  expect(end).toEqual({kind: 'aborted'});
  expect([...first.keys()].filter(signal => signal === 'SIGTERM' || signal === 'SIGKILL')).toEqual([
    'SIGTERM',
    'SIGKILL',
  ]);
  expect(first.get('SIGTERM')).toBeLessThan(100);
  expect(first.get('SIGKILL')).toBeLessThan(200);
});
