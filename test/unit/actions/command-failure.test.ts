import {expect, test} from 'vitest';
import {isFailure} from '../../../src/actions/command-failure.ts';

const exited = (command: string, code = 1): boolean => isFailure(command, {kind: 'exited', code});

/** Measured with Claude Code 2.1.330, except `git grep`. */
const findings = [
  'grep nothing f',
  'egrep nothing f',
  'rg nothing f',
  'diff f g',
  'git diff --exit-code f g',
  'git grep nothing',
  'test -e nope',
  '[ -e nope ]',
  'find . -name x',
  'cat f | grep nothing',
  'echo a; grep nothing f',
  'grep "a; false" f',
  String.raw`find . -exec grep x {} \;`,
  'grep nothing f 2>&1',
  'if grep -q nothing f; then echo a; fi; grep -q nothing f',
  'grep nothing f # a remark',
  '(cd x && grep nothing f)',
  'LANG=C /usr/bin/grep nothing f\n',
];

test.each(findings)('%s reports a finding with exit code 1, and a failure with another', command => {
  expect([exited(command, 0), exited(command), exited(command, 2)]).toEqual([false, false, true]);
});

const failures = ['false', 'exit 1', 'grep nothing f && echo b', 'grep nothing f | cat; false', 'greps x', ''];
test.each([...failures, 'grep nothing f || false', '# grep', 'git status'])('%s fails with exit code 1', command => {
  expect([exited(command, 0), exited(command)]).toEqual([false, true]);
});

test('a command fails by a signal and at its time limit, but not while it runs', () => {
  const kinds = [
    {kind: 'signalled', signal: 'SIGKILL'},
    {kind: 'timed-out', afterMs: 1},
    {kind: 'running'},
    {kind: 'ended'},
  ] as const;
  expect(kinds.map(end => isFailure('grep x f', end))).toEqual([true, true, false, false]);
});
