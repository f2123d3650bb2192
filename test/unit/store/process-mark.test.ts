import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {expect, test} from 'vitest';
import {isAlive, markProcess} from '../../../src/store/process-mark.ts';
import {isInstalled} from '../../support/programs.ts';

test('a running process is alive by its mark; once it has ended it is not', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {stdio: ['pipe', 'ignore', 'ignore']});
  const mark = markProcess(child.pid ?? 0, Date.now());
  expect(isAlive(mark)).toBe(true);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  expect(isAlive(mark)).toBe(false);
});

test('another process of the same number is not the one that was marked', () => {
  const mark = markProcess(process.pid, Date.now());
  expect(isAlive(mark)).toBe(true);
  expect(isAlive({...mark, started: mark.started === '' ? '' : `${mark.started}0`, at: 0})).toBe(false);
});

test.skipIf(!isInstalled('ps'))('a mark without a start is judged by when it was made', () => {
  expect(isAlive({pid: process.pid, started: '', at: Date.now()})).toBe(true);
  expect(isAlive({pid: process.pid, started: '', at: 0})).toBe(false);
});
