import {expect, test} from 'vitest';
import {programName} from '../../../src/actions/block-text.ts';

test.each([
  ['python3', 'python3'],
  ['/usr/bin/python3 -i', 'python3'],
  ['cd app && PORT=1 node server.js', 'node'],
  ['echo $$ >pid; exec cat', 'cat'],
  ['sh -c "a; b" ', 'sh'],
  ['sudo apt install x', 'apt'],
  ['npm run dev\n', 'npm'],
  ['', ''],
])('the program that %j runs is %j', (command, program) => {
  expect(programName(command)).toBe(program);
});
