import {describe, expect, test} from 'vitest';
import type {Action} from '../../../src/actions/catalogue.ts';
import {decodeAction} from '../../../src/actions/decode-action.ts';
import type {Json} from '../../../src/base/json.ts';
import {ok} from '../../../src/base/outcome.ts';
import type {PermissionMode, Verdict} from '../../../src/domain/risk.ts';
import {makeJudge} from '../../../src/safety/judge.ts';
import {parseRule, type PermissionRule} from '../../../src/safety/rules.ts';

/** A machine of strings: `/w` is the workspace, `link` in it leads outside. */
const resolve = (path: string) => {
  const absolute = path.startsWith('/') ? path : path === '.' ? '/w' : `/w/${path.replace(/^\.\//u, '')}`;
  const real = absolute.replace('/w/link', '/secret');
  const inside = real === '/w' || real.startsWith('/w/');
  return {path: real, place: inside ? ('inside-workspace' as const) : ('outside-workspace' as const)};
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
}

const judge = (subject: Action, {allow = [], ask = [], deny = [], mode = 'default'}: Given = {}): Verdict =>
  makeJudge({rules: {allow: rules(...allow), ask: rules(...ask), deny: rules(...deny)}, resolve}).assess(subject, mode);

const bash = (command: string, more: object = {}): Action => action('Bash', {command, ...more});
const edit = (path: string): Action => action('Edit', {file_path: path, old_string: 'a', new_string: 'b'});

describe('without rules', () => {
  test.each([
    ['Read', {file_path: 'a.ts'}],
    ['Grep', {pattern: 'x'}],
    ['Glob', {pattern: '*'}],
    ['TodoWrite', {todos: []}],
    ['AskUserQuestion', {questions: [{question: 'q', options: [{label: 'a'}]}]}],
  ])('%s inside the workspace is allowed', (tool, input) => {
    expect(judge(action(tool, input))).toEqual({decision: 'allow', risk: 'read-only', reasons: []});
  });

  test.each([
    ['Read', {file_path: '/etc/passwd'}, '/etc/passwd'],
    ['Read', {file_path: 'link/key'}, '/secret/key'],
    ['Read', {files: [{file_path: 'a'}, {file_path: '/w2/b'}]}, '/w2/b'],
    ['Grep', {pattern: 'x', path: '/'}, '/'],
    ['Glob', {pattern: '*', path: 'link'}, '/secret'],
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
    ['plan', action('Read', {file_path: 'a.ts'}), 'allow'],
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
    ['Bash(*)', 'anything --at all', true],
    ['Edit', 'anything', false],
  ];
  test.each(fits)('allow %s for %j: %s', (rule, command, allowed) => {
    expect(judge(bash(command), {allow: [rule]}).decision).toBe(allowed ? 'allow' : 'ask');
  });

  test.each([
    'rm x',
    'ls && rm x',
    'ls; rm x',
    'sudo rm x',
    'FOO=1 rm x',
    'echo $(rm x)',
    'echo `rm x`',
    '(rm x)',
    'ls\nrm x',
    `${'true && '.repeat(5000)}rm x`,
    '\\rm x',
    'env A=1 rm x',
  ])('deny Bash(rm:*) reaches every part of a chain', command => {
    expect(judge(bash(command), {allow: ['Bash'], deny: ['Bash(rm:*)']}).decision).toBe('deny');
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
  ];
  test.each(paths)('allow %s for %s: %s', (rule, path, allowed) => {
    expect(judge(edit(path), {allow: [rule]}).decision).toBe(allowed ? 'allow' : 'ask');
  });

  test('a deny rule holds for what a link leads to and for what was written', () => {
    expect(judge(action('Read', {file_path: 'link/key'}), {deny: ['Read(/secret/**)']}).decision).toBe('deny');
    expect(judge(action('Read', {file_path: 'link/key'}), {deny: ['Read(link/**)']}).decision).toBe('deny');
  });

  test('what is not a rule is refused with an example', () => {
    expect(parseRule('Bash(git status')).toMatchObject({
      tag: 'failed',
      error: expect.stringContaining('Bash(git status:*)'),
    });
    expect(parseRule('Edit(src/**)')).toEqual(ok({text: 'Edit(src/**)', tool: 'Edit', pattern: 'src/**'}));
  });
});
