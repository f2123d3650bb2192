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
