import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {runProgram} from '../../../src/workspace/run-program.ts';

test.each([
  ['that exits in time while a child holds its pipe', 'sleep 1 & echo done'],
  ['that does not exit', 'exec sleep 30'],
])('a program %s is too slow', async (_, script) => {
  const run = {folder: '.', environment: process.env, input: '', limitMs: 100, maxOutput: 1000};
  const end = await runProgram('/bin/sh', ['-c', script], run, new AbortController().signal);
  expect({kind: end.kind, code: end.code}).toEqual({kind: 'too-slow', code: -1});
});

test('the stop of a program that could not start signals nobody', async () => {
  const file = fileURLToPath(new URL('../../../src/workspace/run-program.ts', import.meta.url));
  const script = `
    import {runProgram} from ${JSON.stringify(file)};
    process.on('SIGTERM', () => console.log('signalled'));
    const stop = new AbortController();
    const run = {folder: '.', environment: process.env, input: '', limitMs: 1000, maxOutput: 1000};
    const ended = runProgram('no-such-program', [], run, stop.signal);
    stop.abort();
    console.log((await ended).kind);`;
  // A group of its own: a signal to the group must not end the test.
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {detached: true});
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  await once(child, 'close');
  expect([printed, child.signalCode]).toEqual(['aborted\n', null]);
});
