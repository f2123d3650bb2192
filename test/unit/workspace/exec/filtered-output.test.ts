import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {filteredOutput} from '../../../../src/workspace/exec/command-output.ts';
import {sampleSecrets, untagged} from '../../safety/secrets/sample-secrets.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function output() {
  let shown = '';
  const through = filteredOutput(sampleSecrets({env: 'OTHER=zebra-crossing-41\n'}).filter(), bytes => {
    shown += Buffer.from(bytes).toString();
  });
  return {...through, write: (text: string) => through.push(Buffer.from(text)), shown: () => untagged(shown)};
}

test('what is held back is passed on after 200 ms without more', () => {
  const {write, shown} = output();
  write('z');
  vi.advanceTimersByTime(199);
  expect(shown()).toBe('');
  write('e');
  vi.advanceTimersByTime(199);
  expect(shown()).toBe('');
  vi.advanceTimersByTime(1);
  expect(shown()).toBe('ze');
  write('z');
  vi.advanceTimersByTime(200);
  expect(shown()).toBe('zez');
});

test('a secret in two pieces is redacted; after a pause its rest is', () => {
  const soon = output();
  soon.write('zebr');
  vi.advanceTimersByTime(199);
  soon.write('a-crossing-41 ');
  expect(soon.shown()).toBe('<OTHER> ');
  const late = output();
  late.write('zebr');
  vi.advanceTimersByTime(200);
  late.write('a-crossing-41 ');
  expect(late.shown()).toBe('zebr<OTHER> ');
});

test('nothing is passed on once the output is stopped or has ended', () => {
  const stopped = output();
  stopped.write('z');
  stopped.stop();
  vi.advanceTimersByTime(1000);
  expect([stopped.shown(), vi.getTimerCount()]).toEqual(['', 0]);
  const ended = output();
  ended.write('z');
  ended.end();
  expect([ended.shown(), vi.getTimerCount()]).toEqual(['z', 0]);
});
