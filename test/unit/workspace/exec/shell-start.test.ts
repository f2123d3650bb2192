import {mkdirSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {nextDirectory, preludeVariables} from '../../../../src/workspace/exec/shell-start.ts';
import {temporaryFolder} from '../temporary-folder.ts';

test.each([
  ['/usr/bin/bash', {BASH_ENV: '/x'}],
  // What such a shell calls may be a bash: it must not take the prelude for its own.
  ['/bin/sh', {}],
])('%s', (shell, variables) => {
  expect(preludeVariables(shell, {path: '/x'})).toEqual(variables);
});

test('inside the workspace folders, by the names the user gave them; outside, back to the first', () => {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  for (const name of ['real/sub', 'other', 'realistic']) mkdirSync(at(name), {recursive: true});
  symlinkSync(at('real'), at('linked'));
  const roots = [at('linked'), at('other')] as const;
  const next = (reported: string | undefined) => nextDirectory({roots, from: at('linked'), reported});
  expect(
    [at('real/sub'), at('real'), at('other'), at('real/..dots'), undefined].map(reported => next(reported)),
  ).toEqual([
    {directory: at('linked/sub'), notes: []},
    {directory: at('linked'), notes: []},
    {directory: at('other'), notes: []},
    {directory: at('linked/..dots'), notes: []},
    {directory: at('linked'), notes: []},
  ]);
  for (const outside of [at('realistic'), folder.path, '/']) {
    expect(next(outside)).toEqual({
      directory: at('linked'),
      notes: [`it ended in ${outside}, outside the workspace; the next command starts in ${at('linked')}`],
    });
  }
});
