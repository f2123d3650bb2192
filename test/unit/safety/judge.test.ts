import {describe, expect, test} from 'vitest';
import type {Action} from '../../../src/actions/catalogue.ts';
import type {JudgedPath} from '../../../src/domain/obligation.ts';
import {noDetail, type PermissionMode, type Verdict} from '../../../src/domain/risk.ts';
import {action, bash, edit, judge, read, type Given} from './support/judging.ts';
import {processorClock} from '../../support/processor-clock.ts';

const inside = (written: string, path = `/w/${written}`): JudgedPath => ({written, path, place: 'inside-workspace'});

describe('without rules', () => {
  test.each([
    ['Read', {file_path: 'a.ts'}, [inside('a.ts')]],
    ['Grep', {pattern: 'x'}, [inside('.', '/w')]],
    ['Glob', {pattern: '*'}, [inside('.', '/w')]],
    ['TodoWrite', {todos: []}, []],
    ['AskUserQuestion', {questions: [{question: 'q', options: [{label: 'a'}]}]}, []],
  ])('%s inside the workspace is allowed', async (tool, input, paths) => {
    expect(await judge(action(tool, input))).toEqual({
      decision: 'allow',
      risk: 'read-only',
      reasons: [],
      sessionApproval: 'exact',
      detail: noDetail,
      obligations: paths.length === 0 ? [] : [{kind: 'paths', paths, links: []}],
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
  ])('%s %j asks and names where it leads', async (tool, input, named) => {
    const verdict = await judge(action(tool, input));
    expect(verdict.decision).toBe('ask');
    expect(verdict.reasons.join()).toContain(named);
  });

  test('edits ask; those outside or of protected files say so', async () => {
    expect(await judge(edit('a.ts'))).toEqual({
      decision: 'ask',
      risk: 'local-change',
      reasons: ['Edits ask first in this mode'],
      sessionApproval: 'kind',
      detail: noDetail,
      obligations: [{kind: 'paths', paths: [inside('a.ts')], links: []}],
    });
    expect(await judge(edit('link/a.ts'))).toMatchObject({
      decision: 'ask',
      risk: 'local-change',
      sessionApproval: 'exact',
    });
    expect((await judge(edit('.git/hooks/pre-commit'))).reasons).toEqual([
      'Changes files that can run code or grant permissions: .git/',
    ]);
  });

  test('claims of the model make it stricter, never looser', async () => {
    expect(await judge(bash('make', {is_read_only: true, is_risky: false}))).toMatchObject({
      decision: 'ask',
      risk: 'unknown',
    });
    expect(await judge(bash('ls', {is_risky: true}))).toMatchObject({
      decision: 'ask',
      risk: 'unknown',
      reasons: ['The model calls it risky'],
    });
    expect((await judge(bash('ls', {is_read_only: false}))).reasons).toEqual(['The model says it may change files']);
  });

  test('a command with a path that nothing can have is asked about for that, not for the place', async () => {
    const {decision, reasons} = await judge(bash(`cat ${'a/'.repeat(2100)}b`));
    expect([decision, reasons]).toEqual(['ask', [expect.stringMatching(/^Names a path that is too long: a\/a\//u)]]);
  });
});

describe('modes', () => {
  const cases: readonly [PermissionMode, Action, Verdict['decision']][] = [
    ['acceptEdits', edit('a.ts'), 'allow'],
    ['acceptEdits', edit('/tmp/a.ts'), 'ask'],
    ['acceptEdits', edit('link/a.ts'), 'ask'],
    ['acceptEdits', edit('.github/workflows/ci.yml'), 'ask'],
    ['acceptEdits', edit('.GIT/config'), 'ask'],
    ['acceptEdits', edit('.env'), 'ask'],
    ['acceptEdits', edit('config/credentials.json'), 'ask'],
    ['acceptEdits', edit('.env.example'), 'allow'],
    ['bypassPermissions', edit('.env'), 'allow'],
    ['acceptEdits', edit('.weft/settings.json'), 'ask'],
    ['acceptEdits', bash('make'), 'ask'],
    ['plan', edit('a.ts'), 'deny'],
    ['plan', bash('make'), 'deny'],
    ['plan', bash('ls'), 'allow'],
    ['plan', bash('cat /etc/hosts'), 'ask'],
    ['bypassPermissions', bash('echo x > .git/hooks/pre-commit'), 'ask'],
    ['bypassPermissions', edit('.git/hooks/pre-commit'), 'ask'],
    ['plan', read('a.ts'), 'allow'],
    ['plan', read('/etc/hosts'), 'ask'],
    ['acceptEdits', edit('.git'), 'ask'],
    ['acceptEdits', edit('/other/a.ts'), 'allow'],
    ['acceptEdits', edit('/other/.husky/pre-commit'), 'ask'],
    ['bypassPermissions', bash('rm -rf /srv'), 'allow'],
    // It takes weft's own grants, too.
    ['bypassPermissions', bash('rm -rf /'), 'ask'],
    ['bypassPermissions', edit('/etc/hosts'), 'allow'],
    ['dontAsk', bash('make'), 'ask'],
  ];
  test.each(cases)('%s', {tags: 'long'}, async (mode, subject, decision) => {
    expect((await judge(subject, {mode})).decision).toBe(decision);
  });

  test('plan lets nothing change, whatever a rule says; bypass does not lift a deny rule', async () => {
    expect((await judge(bash('make'), {mode: 'plan', allow: ['Bash']})).decision).toBe('deny');
    expect((await judge(bash('make'), {mode: 'bypassPermissions', deny: ['Bash(make:*)']})).decision).toBe('deny');
    expect((await judge(edit('.git/config'), {mode: 'bypassPermissions'})).reasons).toEqual([
      'Changes files that can run code or grant permissions: .git/',
    ]);
  });
});

test.each(['.env', 'conf/../id_rsa', './server.pem', 'sub/.aws/config'])(
  '%s may hold secrets: it is read when that is allowed, and not before',
  async path => {
    expect(await judge(read(path), {mode: 'acceptEdits'})).toMatchObject({
      decision: 'ask',
      risk: 'read-only',
      reasons: [`Reads files that may hold secrets: ${path}`],
    });
    expect((await judge(read(path), {allow: ['Read']})).decision).toBe('allow');
    expect((await judge(read(path), {mode: 'bypassPermissions'})).decision).toBe('allow');
  },
);

test.each(['.env.example', 'src/tokens.ts', 'id_rsa.pub', 'a.ts'])('%s is read', async path => {
  expect((await judge(read(path), {})).decision).toBe('allow');
});

test('in plan mode an ask rule holds, a read outside is asked about, and the reasons are true', async () => {
  expect(await judge(read('.env'), {mode: 'plan', ask: ['Read(.env)']})).toEqual({
    decision: 'ask',
    risk: 'read-only',
    reasons: ['The rule Read(.env) asks first', 'Reads files that may hold secrets: .env'],
    sessionApproval: 'exact',
    detail: noDetail,
    obligations: [{kind: 'paths', paths: [inside('.env')], links: []}],
  });
  expect((await judge(read('/etc/hosts'), {mode: 'plan'})).reasons).toEqual([
    'Reads outside the workspace: /etc/hosts',
  ]);
  expect((await judge(read('/etc/hosts'), {mode: 'plan', allow: ['Read(/etc/hosts)']})).decision).toBe('allow');
  expect((await judge(bash('rm -rf x'), {mode: 'plan'})).reasons).toEqual([
    'Plan mode changes and runs nothing',
    'Deletes files (rm -rf x)',
  ]);
});

test.each<[string, Action, Given, Verdict['sessionApproval']]>([
  ['an ordinary edit', edit('a.ts'), {}, 'kind'],
  ['an ordinary edit that is let through', edit('a.ts'), {mode: 'acceptEdits'}, 'kind'],
  ['an edit an ask rule speaks of', edit('secret/k'), {ask: ['Edit(secret/**)']}, 'exact'],
  ['the same while nothing is asked', edit('secret/k'), {ask: ['Edit(secret/**)'], mode: 'bypassPermissions'}, 'exact'],
  ['an edit of a protected file', edit('.git/hooks/x'), {}, 'exact'],
  ['an edit outside', edit('/home/me/.bashrc'), {}, 'exact'],
  ['a command', bash('make'), {}, 'exact'],
  ['a read outside', read('/etc/hosts'), {}, 'exact'],
  ['what is denied', edit('a.ts'), {deny: ['Edit']}, 'exact'],
])('%s: an approval for the session covers', async (_, subject, given, sessionApproval) => {
  expect((await judge(subject, given)).sessionApproval).toBe(sessionApproval);
});

test('a protected file is asked about also for the path as written, and let through by a rule of the user', async () => {
  expect((await judge(edit('.vscode/tasks.json'), {allow: ['Edit(.vscode/**)']})).decision).toBe('allow');
  expect((await judge(edit('.vscode/tasks.json'), {allow: ['Edit(src/**)'], mode: 'acceptEdits'})).decision).toBe(
    'ask',
  );
});

test('a rule of the tool alone covers no protected file', async () => {
  const allow = ['Edit', 'Write', 'Bash'];
  expect((await judge(edit('src/a.ts'), {allow})).decision).toBe('allow');
  expect((await judge(edit('.git/hooks/pre-commit'), {allow})).decision).toBe('ask');
  expect((await judge(bash('npm test'), {allow})).decision).toBe('allow');
  expect((await judge(bash('cp x .git/hooks/pre-commit'), {allow})).decision).toBe('ask');
});

test('a workspace in a protected folder is not protected as a whole', async () => {
  const roots = ['/home/me/.claude/worktrees/x'];
  expect((await judge(edit('src/a.ts'), {roots, mode: 'acceptEdits'})).decision).toBe('allow');
  expect((await judge(edit('.claude/settings.json'), {roots, mode: 'acceptEdits'})).decision).toBe('ask');
  expect((await judge(edit('settings.json'), {roots: ['/home/me/.claude'], mode: 'acceptEdits'})).decision).toBe('ask');
});

test('long commands are judged in time that grows with their length', {tags: 'long'}, async () => {
  const deny = ['Bash(rm:*)', 'Bash(a*b*c)', 'Bash(curl * | sh)'];
  const ofLength: readonly ((length: number) => string)[] = [
    length => Array.from({length: length / 8}, (_, at) => `true ${at}`).join(' && '),
    length => `a${'b'.repeat(length)}`,
    length => 'git reset '.repeat(length / 10),
    length => '"$('.repeat(length / 3),
  ];
  /** The shortest of three tries, since other processes also fill the processor's caches. */
  const msFor = async (command: string): Promise<number> => {
    const tries: number[] = [];
    for (let left = 3; left > 0; left -= 1) {
      const spentMs = processorClock();
      await judge(bash(command), {deny});
      tries.push(spentMs());
    }
    return Math.min(...tries);
  };
  for (const command of ofLength) {
    expect(await msFor(command(20_000))).toBeLessThan(10 * (await msFor(command(5000))) + 100);
  }
});
