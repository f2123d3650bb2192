import {expect, test} from 'vitest';
import type {Action} from '../../../../src/actions/catalogue.ts';
import {bash, edit, judgeOf, read} from '../support/judging.ts';

/** How far a rule speaks of a call: what the condition of a hook is compared by. */

test.each<[rule: string, action: Action, expected: string]>([
  ['Bash(git *)', bash('git status'), 'whole'],
  ['Bash(git:*)', bash('git add . && git commit -m x'), 'whole'],
  ['Bash(git *)', bash('ls'), 'none'],
  ['Bash(git *)', bash('ls && git push'), 'part'],
  ['Bash(git *)', bash('FOO=1 git push'), 'part'],
  ['Bash(git *)', bash('git log > out.txt'), 'part'],
  ['Bash(git *)', bash('bash -c "git push"'), 'part'],
  ['Bash(git *)', bash('$(echo git) push'), 'part'],
  ['Bash(git *)', bash('if then fi git'), 'part'],
  ['Bash(rm *)', bash('echo rm x'), 'none'],
  ['Bash', bash('ls'), 'whole'],
  ['Bash(*)', bash('ls'), 'whole'],
  ['Edit(*.ts)', edit('a.ts'), 'whole'],
  ['Edit(src/**)', edit('lib/a.ts'), 'none'],
  ['Read(*.ts)', edit('a.ts'), 'none'],
  ['Read(.env)', bash('cat .env'), 'none'],
  ['Read(.env)', read('.env'), 'whole'],
  ['NoSuchToolAtAll(x)', bash('ls'), 'none'],
  ['Bash(git *)|Bash(npm *)', bash('ls'), 'part'],
  ['Bash(', bash('ls'), 'part'],
])('%s speaks of %j: %s', async (rule, action, expected) => {
  expect(await judgeOf({}).reach(rule, action)).toBe(expected);
});
