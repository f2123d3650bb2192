import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import {allPrograms} from '../../../../src/safety/commands/known-programs.ts';
import {wrapperBeginnings} from '../../../../src/safety/commands/layers.ts';
import {beginsWithWrapper} from '../../../../src/safety/rules/begins-with-wrapper.ts';
import {parseRule} from '../../../../src/safety/rules/permission-rule.ts';
import {ineffectiveRuleProblem} from '../../../../src/safety/rules/unrestricted-wrapper.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const problems = (pattern: string) => {
  const rule = parseRule(`Bash(${pattern})`, ruleKinds);
  if (rule.tag === 'failed') return {found: undefined, looked: true};
  return {found: ineffectiveRuleProblem(rule.value), looked: beginsWithWrapper(rule.value)};
};

const names = [
  ...wrapperBeginnings(),
  ...allPrograms.flatMap(({names: all}) => all.split(',')),
  'if',
  '!',
  'A=1',
  'A=/b/c',
  '$X',
  '/bin/sudo',
  '/lib64/ld-linux-x86-64.so.2',
  'ld.so',
  'x$Y',
  '-n',
  '--',
  '5',
  'constructor',
];

test('every rule with a problem begins with a wrapper', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...names), {minLength: 1, maxLength: 4}),
      fc.constantFrom(':*', ' *', ''),
      (words, end) => {
        const {found, looked} = problems(words.join(' ') + end);
        if (found !== undefined) expect(looked, words.join(' ')).toBe(true);
      },
    ),
    {numRuns: randomInputs(20_000)},
  );
});

test.each(['npm run *', 'git log:*', 'find . *', 'ls', 'sudo git log', 'nice ls'])(
  '%s needs no second look',
  pattern => {
    expect(problems(pattern)).toEqual({found: undefined, looked: false});
  },
);

test.each(['sudo:*', 'npm exec *', 'timeout 5 *', 'if *'])('%s gets one', pattern => {
  expect(problems(pattern).looked).toBe(true);
});
