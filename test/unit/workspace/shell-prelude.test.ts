import {expect, test} from 'vitest';
import {startedWith} from '../../../src/workspace/shell-prelude.ts';

test.each([
  ['/usr/bin/bash', {BASH_ENV: '/x'}],
  // What such a shell calls may be a bash: it must not take the prelude for its own.
  ['/bin/sh', {}],
])('%s', (shell, variables) => {
  expect(startedWith(shell, {path: '/x'})).toEqual(variables);
});
