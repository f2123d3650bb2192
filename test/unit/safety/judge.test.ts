import {posix} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {Action} from '../../../src/actions/catalogue.ts';
import {decodeAction} from '../../../src/actions/decode-action.ts';
import type {ResolvedPath} from '../../../src/actions/ports.ts';
import type {Json} from '../../../src/base/json.ts';
import type {PermissionMode, Verdict} from '../../../src/domain/risk.ts';
import {makeJudge} from '../../../src/safety/judge.ts';
import {parseRule, type PermissionRule} from '../../../src/safety/rules.ts';

const home = '/home/me';

/** A machine of strings: `/w` is the workspace and `/other` was added to it; `link` leads outside, `alias` to `real`. */
const resolveIn =
  (roots: readonly string[]) =>
  (path: string): ResolvedPath => {
    const absolute = posix.resolve(roots[0] ?? '/', path.replace(/^~(?=\/|$)/u, home));
    const real = absolute.replace(/^\/w\/link(?=\/|$)/u, '/secret').replace(/^\/w\/alias(?=\/|$)/u, '/w/real');
    const inside = roots.some(root => real === root || real.startsWith(root === '/' ? '/' : `${root}/`));
    return {path: real, place: inside ? 'inside-workspace' : 'outside-workspace'};
  };

const action = (tool: string, input: Json): Action => {
  const decoded = decodeAction(tool, input);
  if (decoded.tag === 'failed') throw new Error(JSON.stringify(decoded.error));
  return decoded.value;
};

const rules = (...texts: readonly string[]): readonly PermissionRule[] =>
  texts.map(text => {
    const rule = parseRule(text);
    if (rule.tag === 'failed') throw new Error(rule.error);
    return rule.value;
  });

interface Given {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly roots?: readonly string[];
}

const judge = (subject: Action, given: Given = {}): Verdict => {
  const {allow = [], ask = [], deny = [], mode = 'default', roots = ['/w', '/other']} = given;
  const kept = {allow: rules(...allow), ask: rules(...ask), deny: rules(...deny)};
  return makeJudge({rules: kept, roots, home, resolve: resolveIn(roots)}).assess(subject, mode);
};

const bash = (command: string, more: object = {}): Action => action('Bash', {command, ...more});
const edit = (path: string): Action => action('Edit', {file_path: path, old_string: 'a', new_string: 'b'});
const read = (path: string): Action => action('Read', {file_path: path});
const grep = (path: string): Action => action('Grep', {pattern: 'x', path});
const glob = (pattern: string, path = '.'): Action => action('Glob', {pattern, path});

describe('without rules', () => {
  test.each([
    ['Read', {file_path: 'a.ts'}],
    ['Grep', {pattern: 'x'}],
    ['Glob', {pattern: '*'}],
    ['TodoWrite', {todos: []}],
    ['AskUserQuestion', {questions: [{question: 'q', options: [{label: 'a'}]}]}],
  ])('%s inside the workspace is allowed', (tool, input) => {
    expect(judge(action(tool, input))).toEqual({
      decision: 'allow',
      risk: 'read-only',
      reasons: [],
      grantable: 'exact',
    });
  });

  test.each([
    ['Read', {file_path: '/etc/passwd'}, '/etc/passwd'],
    ['Read', {file_path: 'link/key'}, '/secret/key'],
    ['Read', {files: [{file_path: 'a'}, {file_path: '/w2/b'}]}, '/w2/b'],
    ['Grep', {pattern: 'x', path: '/'}, '/'],
    ['Glob', {pattern: '*', path: 'link'}, '/secret'],
    ['Glob', {pattern: '/etc/*'}, '/etc'],
    ['Glob', {pattern: '../*/**'}, '/'],
    ['Glob', {pattern: '~/.ssh/*'}, '/home/me/.ssh'],
    ['Glob', {pattern: 'link/*'}, '/secret'],
    ['Glob', {pattern: '../../x', path: 'src'}, '/'],
    ['Glob', {pattern: '{src,/etc}/*'}, '/etc'],
    ['Glob', {pattern: '.{.,x}/*'}, '/'],
    ['Glob', {patterns: ['src/*', '/root/**/*.key']}, '/root'],
    ['Glob', {pattern: '*/../../x'}, '*/../../x'],
    ['Glob', {pattern: '{a}'.repeat(10_000)}, '{a}{a}'],
  ])('%s %j asks and names where it leads', (tool, input, named) => {
    const verdict = judge(action(tool, input));
    expect(verdict.decision).toBe('ask');
    expect(verdict.reasons.join()).toContain(named);
  });

  test('edits ask; those outside or of protected files say so', () => {
    expect(judge(edit('a.ts'))).toEqual({
      decision: 'ask',
      risk: 'local-change',
      reasons: ['edits ask first in this mode'],
      grantable: 'kind',
    });
    expect(judge(edit('link/a.ts'))).toMatchObject({decision: 'ask', risk: 'external'});
    expect(judge(edit('.git/hooks/pre-commit')).reasons).toEqual(['it changes what can run or grant rights: .git/']);
  });

  test('commands ask, whatever the model claims', () => {
    expect(judge(bash('ls', {is_read_only: true, is_risky: false}))).toMatchObject({decision: 'ask', risk: 'unknown'});
    expect(judge(bash('ls', {is_risky: true})).reasons).toEqual(['the model calls it risky']);
  });

  test.each([
    'rm -rf build',
    'git reset --hard HEAD~1',
    'git clean -fdx',
    'git checkout .',
    'find . -name x -delete',
    'git push --force',
    'git branch -D main',
    'rsync -a --delete a/ b/',
  ])('%s is called destructive', command => {
    expect(judge(bash(command))).toMatchObject({decision: 'ask', risk: 'destructive'});
  });

  test.each(['git status', 'npm test', 'rm notes.txt', 'git push', 'grep -rf patterns .'])('%s is not', command => {
    expect(judge(bash(command)).risk).toBe('unknown');
  });
});

describe('modes', () => {
  const cases: readonly [PermissionMode, Action, Verdict['decision']][] = [
    ['acceptEdits', edit('a.ts'), 'allow'],
    ['acceptEdits', edit('/tmp/a.ts'), 'ask'],
    ['acceptEdits', edit('link/a.ts'), 'ask'],
    ['acceptEdits', edit('.github/workflows/ci.yml'), 'ask'],
    ['acceptEdits', edit('.GIT/config'), 'ask'],
    ['acceptEdits', edit('.weft/settings.json'), 'ask'],
    ['acceptEdits', bash('ls'), 'ask'],
    ['plan', edit('a.ts'), 'deny'],
    ['plan', bash('ls'), 'deny'],
    ['plan', read('a.ts'), 'allow'],
    ['plan', read('/etc/hosts'), 'ask'],
    ['acceptEdits', edit('.git'), 'ask'],
    ['acceptEdits', edit('/other/a.ts'), 'allow'],
    ['acceptEdits', edit('/other/.husky/pre-commit'), 'ask'],
    ['bypassPermissions', bash('rm -rf /'), 'allow'],
    ['bypassPermissions', edit('/etc/hosts'), 'allow'],
    ['dontAsk', bash('ls'), 'ask'],
  ];
  test.each(cases)('%s', (mode, subject, decision) => {
    expect(judge(subject, {mode}).decision).toBe(decision);
  });

  test('plan lets nothing change, whatever a rule says; bypass does not lift a deny rule', () => {
    expect(judge(bash('make'), {mode: 'plan', allow: ['Bash']}).decision).toBe('deny');
    expect(judge(bash('make'), {mode: 'bypassPermissions', deny: ['Bash(make:*)']}).decision).toBe('deny');
  });
});

test('in plan mode an ask rule holds, a read outside is asked about, and the reasons are true', () => {
  expect(judge(read('.env'), {mode: 'plan', ask: ['Read(.env)']})).toEqual({
    decision: 'ask',
    risk: 'read-only',
    reasons: ['the rule Read(.env) says to ask'],
    grantable: 'exact',
  });
  expect(judge(read('/etc/hosts'), {mode: 'plan'}).reasons).toEqual(['it reads outside the workspace: /etc/hosts']);
  expect(judge(read('/etc/hosts'), {mode: 'plan', allow: ['Read(/etc/hosts)']}).decision).toBe('allow');
  expect(judge(bash('rm -rf x'), {mode: 'plan'}).reasons).toEqual([
    'in plan mode nothing is changed or run',
    '`rm -rf` can destroy work',
  ]);
});

test.each<[string, Action, Given, Verdict['grantable']]>([
  ['an ordinary edit', edit('a.ts'), {}, 'kind'],
  ['an ordinary edit that is let through', edit('a.ts'), {mode: 'acceptEdits'}, 'kind'],
  ['an edit an ask rule speaks of', edit('secret/k'), {ask: ['Edit(secret/**)']}, 'exact'],
  ['the same while nothing is asked', edit('secret/k'), {ask: ['Edit(secret/**)'], mode: 'bypassPermissions'}, 'exact'],
  ['an edit of a protected file', edit('.git/hooks/x'), {}, 'exact'],
  ['an edit outside', edit('/home/me/.bashrc'), {}, 'exact'],
  ['a command', bash('ls'), {}, 'exact'],
  ['a read outside', read('/etc/hosts'), {}, 'exact'],
  ['what is denied', edit('a.ts'), {deny: ['Edit']}, 'exact'],
])('%s: an approval for the session covers', (_, subject, given, grantable) => {
  expect(judge(subject, given).grantable).toBe(grantable);
});

test('a protected file is asked about also for the path as written, and let through by a rule of the user', () => {
  expect(judge(edit('.vscode/tasks.json'), {allow: ['Edit(.vscode/**)']}).decision).toBe('allow');
  expect(judge(edit('.vscode/tasks.json'), {allow: ['Edit(src/**)'], mode: 'acceptEdits'}).decision).toBe('ask');
});

test('a workspace in a protected folder is not protected as a whole', () => {
  const roots = ['/home/me/.claude/worktrees/x'];
  expect(judge(edit('src/a.ts'), {roots, mode: 'acceptEdits'}).decision).toBe('allow');
  expect(judge(edit('.claude/settings.json'), {roots, mode: 'acceptEdits'}).decision).toBe('ask');
  expect(judge(edit('settings.json'), {roots: ['/home/me/.claude'], mode: 'acceptEdits'}).decision).toBe('ask');
});

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
  ])('deny %s and ask %s hold for %j', (rule, subject) => {
    expect(judge(subject, {mode: 'bypassPermissions', deny: [rule]}).decision).toBe('deny');
    expect(judge(subject, {ask: [rule]}).reasons[0]).toBe(`the rule ${rule} says to ask`);
  });

  test.each<[string, Action]>([
    ['Read(.env)', grep('.')],
    ['Read(secret/**)', grep('.')],
    ['Read(secret/*.key)', grep('secret')],
    ['Read(**/.env)', glob('**')],
    ['Read(secret/**)', edit('secret/a')],
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

test('long commands are judged in time that grows with their length', () => {
  const deny = ['Bash(rm:*)', 'Bash(a*b*c)', 'Bash(curl * | sh)'];
  const commands = [
    Array.from({length: 5000}, (_, at) => `true ${at}`).join(' && '),
    `a${'b'.repeat(60_000)}`,
    'git reset '.repeat(10_000),
    '"$('.repeat(20_000),
  ];
  for (const command of commands) {
    const start = performance.now();
    judge(bash(command), {deny});
    expect(performance.now() - start).toBeLessThan(1000);
  }
});
