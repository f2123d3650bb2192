import {describe, expect, test} from 'vitest';
import {bash, judge} from './support/judging.ts';

const deny = ['Bash(git push:*)', 'Bash(rm:*)', 'Read(secret/**)'];

describe('with rules that deny, in every mode', () => {
  test.each([
    'X=rm; $X y',
    '$(echo rm) y',
    'eval "$(echo rm y)"',
    'bash -c "$x"',
    'echo rm y | sh',
    'printf "rm y" | bash -s',
    'echo cm0geA== | base64 -d | sh',
    "bash <<< 'rm y'",
    'sh <(echo rm y)',
    'echo rm | xargs -I{} {} y',
    'echo rm y | xargs env',
    'echo "rm y" | xargs sh -c',
    'alias l=rm; l y',
    'git $(echo push)',
    'git $x',
    'git -c alias.x=push x',
    'echo push | xargs git',
    'f() { rm=1; }; f',
    'grep -r x .',
    'tar cf - .',
    'ls secret',
    "find . -name key -exec cat {} ';'",
  ])('%s cannot be told and asks', async command => {
    const decisions = [
      await judge(bash(command), {deny}),
      await judge(bash(command), {deny, mode: 'bypassPermissions'}),
      await judge(bash(command), {deny, mode: 'bypassPermissions', allow: ['Bash']}),
      await judge(bash(command), {deny, allow: ['Bash']}),
    ].map(({decision}) => decision);
    expect(decisions).toEqual(['ask', 'ask', 'ask', 'ask']);
  });

  test.each([
    'sudo -u x rm y',
    'find . -exec rm {} +',
    'case a in a) rm y;; esac',
    'git submodule foreach git push',
    "git submodule foreach 'git push'",
    "git rebase -x 'git push' HEAD~1",
    'git bisect run git push',
    'ssh host rm y',
    'x=rm; $x y',
    'for p in ls rm; do $p y; done',
    'x=secret; cat $x/key',
    'cd secret && cat key',
  ])('%s is denied', async command => {
    expect((await judge(bash(command), {deny, mode: 'bypassPermissions'})).decision).toBe('deny');
  });

  test.each([
    'npm test',
    'git commit -m "$(cat notes)"',
    'for f in a b; do node $f; done',
    'bash build.sh --fast',
    'node a.js $X',
    'ls | xargs wc -l',
  ])('%s, of which it can be told, goes on in bypassPermissions', async command => {
    const given = {deny: ['Bash(git push:*)', 'Bash(rm:*)'], mode: 'bypassPermissions' as const};
    expect((await judge(bash(command), given)).decision).toBe('allow');
  });

  test('without a rule for commands nothing changes', async () => {
    expect((await judge(bash('$(echo rm) y'), {mode: 'bypassPermissions'})).decision).toBe('allow');
  });
});
