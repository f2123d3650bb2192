import {describe, expect, test} from 'vitest';
import type {Action} from '../../../src/actions/catalogue.ts';
import {action, bash, edit, glob, grep, judge, read} from './support/judging.ts';

describe('rules', () => {
  test('deny wins over ask, ask over allow', () => {
    const all = {allow: ['Bash'], ask: ['Bash'], deny: ['Bash']};
    expect(judge(bash('ls'), all).decision).toBe('deny');
    expect(judge(bash('ls'), {...all, deny: []}).decision).toBe('ask');
    expect(judge(bash('ls'), {...all, deny: [], ask: []}).decision).toBe('allow');
  });

  const fits: readonly [string, string, boolean][] = [
    ['Bash(git status:*)', 'git status', true],
    ['Bash(git status:*)', 'git status --short src', true],
    ['Bash(git status:*)', 'git  status', true],
    ['Bash(git status:*)', 'git statusx', false],
    ['Bash(git status:*)', 'git status; rm -rf .', false],
    ['Bash(git status:*)', 'git status && make', false],
    ['Bash(git status:*)', 'git status | sh', false],
    ['Bash(git status:*)', 'git status $(make)', false],
    ['Bash(git status:*)', 'git status `make`', false],
    ['Bash(git status:*)', 'git status > out', false],
    ['Bash(git status:*)', 'git status\nmake', false],
    ['Bash(git status:*)', 'git status & make', false],
    ['Bash(git status:*)', 'X=1 git status', false],
    ['Bash(npm test)', 'npm test', true],
    ['Bash(npm test)', 'npm test -- x', false],
    ['Bash(npm run *)', 'npm run build', true],
    ['Bash(a.c)', 'abc', false],
    ['Bash(git rev-parse:*)', 'git rev-parse HEAD', true],
    ['Bash(npm run lint-fix)', 'npm run lint-fix', true],
    ['Bash(*)', 'anything --at all', true],
    ['Bash(rm:*)', 'sudo rm x', false],
    ['Bash(rm:*)', '/bin/rm x', false],
    ['Bash(rm:*)', '"rm" x', false],
    ['Bash(rm:*)', 'bash -c "rm x"', false],
    ['Edit', 'anything', false],
  ];
  test.each(fits)('allow %s for %j: %s', (rule, command, allowed) => {
    expect(judge(bash(command), {allow: [rule]}).decision).toBe(allowed ? 'allow' : 'ask');
  });

  test.each([
    'rm',
    'rm x',
    '\trm x',
    'ls && rm x',
    'ls; rm x',
    'ls&rm x',
    'echo $(rm x)',
    'echo `rm x`',
    'echo "$(rm x)"',
    'echo "`rm x`"',
    'cat <(rm x)',
    '(rm x)',
    '{ rm x; }',
    'f() { rm x; }; f',
    'ls\nrm x',
    "cat <<EOF\nit's\nEOF\nrm x",
    `${'true && '.repeat(5000)}rm x`,
    '\\rm x',
    '"rm" x',
    "r''m x",
    "$'rm' x",
    'r\\\nm x',
    '$EMPTY rm x',
    '${EMPTY} rm x',
    '` ` >out rm x',
    'rm$EMPTY x',
    '"rm"$(true) x',
    '"$BIN"/rm x',
    '/bin/rm x',
    '"/usr/bin"/rm x',
    'FOO=1 rm x',
    'A=1 B=2 rm x',
    'A="x y" rm x',
    'A="x;y" rm x',
    "A='x (y' B=$(date +%s) rm x",
    '>/dev/null rm x',
    '2>&1 rm x',
    '</dev/null >out rm x',
    'sudo rm x',
    'sudo -n rm x',
    'sudo -u root rm x',
    'doas -u root rm x',
    'env A=1 rm x',
    'env -i A=b rm x',
    'env -S "rm x"',
    'timeout 5 rm x',
    'timeout -k 3 -s KILL 5 rm x',
    'nice rm x',
    'nice -n 5 rm x',
    'nohup rm x',
    'xargs rm',
    'ls | xargs -0 -n 1 rm -f',
    'command -p rm x',
    'time -p rm x',
    'exec rm x',
    'exec -a name rm x',
    'builtin rm x',
    'eval rm x',
    'eval "rm x"',
    'stdbuf -oL rm x',
    'setsid -w rm x',
    'sudo env A=1 nice timeout 5 rm x',
    '! rm x',
    'if true; then rm x; fi',
    'if rm x; then ls; fi',
    'if a; then b; else rm x; fi',
    'while rm x; do ls; done',
    'until rm x; do ls; done',
    'for i in 1; do rm x; done',
    'case a in a) rm x;; esac',
    'bash -c "rm x"',
    "sh -c 'ls; rm x'",
    'bash -euo pipefail -c "rm x"',
    'bash -lc "sudo rm x"',
    `bash -c "bash -c 'rm x'"`,
    'find . -name y -exec rm {} +',
    "trap 'rm x' EXIT",
    `${'sudo '.repeat(1000)}ls`,
    `${'$('.repeat(1000)}ls`,
  ])('deny Bash(rm:*) reaches %j', command => {
    expect(judge(bash(command), {allow: ['Bash'], deny: ['Bash(rm:*)']}).decision).toBe('deny');
    expect(judge(bash(command), {allow: ['Bash'], ask: ['Bash(rm:*)']}).decision).toBe('ask');
  });

  test.each([
    'ls',
    'rmdir x',
    'git rm x',
    'npm run rm',
    'sudo rmdir x',
    'warm x',
    'echo rm',
    'rm-all x',
    'timeout 5 ls rm',
  ])('deny Bash(rm:*) leaves %j alone', command => {
    expect(judge(bash(command), {allow: ['Bash'], deny: ['Bash(rm:*)']}).decision).toBe('allow');
  });

  test.each([
    ['Bash(sudo:*)', 'sudo rm -rf /'],
    ['Bash(sudo rm:*)', 'ls && sudo  rm x'],
    ['Bash(env:*)', 'env'],
    ['Bash(timeout:*)', 'timeout 5 x'],
    ['Bash(exec:*)', 'exec sh'],
    ['Bash(FOO=1 make)', 'FOO=1 make'],
    ['Bash(curl * | sh)', 'curl x | sh'],
    ['Bash(git push:*)', 'git "push" origin'],
    ['Bash(git push:*)', 'git >log push'],
    ['Bash(docker-compose:*)', 'docker-compose up'],
  ])('deny %s reaches %j', (rule, command) => {
    expect(judge(bash(command), {mode: 'bypassPermissions', deny: [rule]}).decision).toBe('deny');
  });

  const paths: readonly [string, string, boolean][] = [
    ['Edit(src/**)', 'src/a/b.ts', true],
    ['Edit(src/**)', './src/a.ts', true],
    ['Edit(src)', 'src/a.ts', true],
    ['Edit(src/*)', 'src/a.ts', true],
    ['Edit(src/**)', 'src2/a.ts', false],
    ['Edit(**/*.md)', 'a/b/c.md', true],
    ['Edit(**/*.md)', 'c.md', true],
    ['Edit(*.md)', 'a/c.md', false],
    ['Edit(link/**)', 'link/a', false],
    ['Write(src/**)', 'src/a.ts', true],
    ['Edit(my-dir/**)', 'my-dir/a', true],
    ['Edit(src/**)', 'src/a\nb.ts', true],
    ['Edit(src/**)', '/other/src/a.ts', true],
    ['Edit(src/**)', '/else/src/a.ts', false],
    ['Edit(src/**)', 'src/../a.ts', false],
    ['Edit(.)', 'src/a.ts', true],
    ['Edit(./)', '/etc/x.md', false],
    ['Edit(**)', '/etc/x.md', false],
    ['Edit(**)', '/home/me/.bashrc', false],
    ['Edit(**/*.md)', '/etc/x.md', false],
    ['Edit(w/**)', 'a.ts', false],
    ['Edit(/w/src/**)', 'src/a.ts', true],
    ['Edit(/etc/*.md)', '/etc/x.md', true],
    ['Edit(/etc/*.md)', '/etc/a/x.md', false],
    ['Edit(/etc/**)', 'etc/x', false],
    ['Edit(~/notes/**)', '/home/me/notes/a', true],
    ['Edit(~/notes/**)', '~/notes/a', true],
    ['Edit(~/notes/**)', '/home/you/notes/a', false],
    ['Edit(alias/**)', 'alias/a', false],
    ['Edit(real/**)', 'alias/a', true],
    ['Edit(a?c)', 'a\u{1f600}c', true],
  ];
  test.each(paths)('allow %s for %s: %s', (rule, path, allowed) => {
    expect(judge(edit(path), {allow: [rule]}).decision).toBe(allowed ? 'allow' : 'ask');
  });

  test.each<[string, Action]>([
    ['Read(/secret/**)', read('link/key')],
    ['Read(link/**)', read('link/key')],
    ['Read(link/**)', read('/secret/key')],
    ['Read(alias/**)', read('real/key')],
    ['Read(.env)', read('x/../.env')],
    ['Read(.env)', read('/w/.env')],
    ['Read(.env)', read('/other/.env')],
    ['Read(~/.ssh/**)', read('~/.ssh/id')],
    ['Read(~/.ssh/**)', read('/home/me/.ssh/id')],
    ['Read(~/.ssh)', grep('~/.ssh')],
    ['Read(.env)', grep('.env')],
    ['Read(secret/**)', grep('secret')],
    ['Read(secret/**)', grep('secret/deep')],
    ['Read(secret)', glob('*', 'secret')],
    ['Read(secret/**)', glob('secret/*')],
    ['Read(secret/**)', glob('/w/secret/deep/*')],
    ['Read', grep('.')],
    ['Read(**)', grep('.')],
    ['Grep(secret/**)', grep('secret')],
    ['Glob(secret/**)', glob('secret/*')],
    ['Edit(src/**)', edit('src/a\nb.ts')],
    ['TodoWrite(anything)', action('TodoWrite', {todos: []})],
    ['Read(secret/**)', edit('secret/a')],
  ])('deny %s and ask %s hold for %j', (rule, subject) => {
    expect(judge(subject, {mode: 'bypassPermissions', deny: [rule]}).decision).toBe('deny');
    expect(judge(subject, {ask: [rule]}).reasons[0]).toBe(`the rule ${rule} says to ask`);
  });

  test.each<[string, Action]>([
    ['Read(.env)', grep('.')],
    ['Read(secret/**)', grep('.')],
    ['Read(secret/*.key)', grep('secret')],
    ['Read(**/.env)', glob('**')],
    ['Grep(secret/**)', glob('secret/*')],
    ['Edit(src/**)', read('src/a')],
    ['Read(etc/**)', read('/etc/x')],
  ])('deny %s leaves %j alone', (rule, subject) => {
    expect(judge(subject, {mode: 'bypassPermissions', deny: [rule]}).decision).toBe('allow');
  });

  test('a rule that allows reading does not allow searching outside; one for the search does', () => {
    expect(judge(grep('/data'), {allow: ['Read(/data/**)']}).decision).toBe('ask');
    expect(judge(grep('/data'), {allow: ['Grep(/data/**)']}).decision).toBe('allow');
    expect(judge(grep('/data'), {allow: ['Grep(/data/?)']}).decision).toBe('ask');
    expect(judge(glob('/etc/*', '/data'), {allow: ['Glob(/data/**)']}).decision).toBe('ask');
  });

  test('the root of the disk can be the workspace', () => {
    expect(judge(edit('/etc/passwd'), {roots: ['/'], deny: ['Edit(etc/**)']}).decision).toBe('deny');
    expect(judge(edit('/src/a'), {roots: ['/'], allow: ['Edit(src/**)']}).decision).toBe('allow');
  });
});
