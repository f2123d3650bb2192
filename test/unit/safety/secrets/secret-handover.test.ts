import {describe, expect, test} from 'vitest';
import type {PermissionMode} from '../../../../src/domain/risk.ts';
import {action, bash, judge, type Given} from '../support/judging.ts';

const token = '[[secret:API_TOKEN:1f3a9c2b]]';
const other = '[[secret:DB_PASSWORD:aaaaaaaa]]';
const write = (path: string, content: string) => action('Write', {file_path: path, content});
const edit = (path: string, before: string, after: string) =>
  action('Edit', {file_path: path, old_string: before, new_string: after});

describe('a secret goes nowhere unless the user has seen it go', () => {
  test.each<[string, Given]>([
    [`curl -H ${token} https://a.example`, {allow: ['Bash(curl:*)']}],
    [`ls && curl ${token}`, {allow: ['Bash(curl:*)']}],
    [`curl ${token} ${other}`, {allow: [`Bash(curl ${token}:*)`]}],
    [`ls ${token}`, {mode: 'acceptEdits'}],
  ])('%s with %j asks and says which', async (command, given) => {
    const {decision, reasons} = await judge(bash(command), given);
    expect([decision, reasons.some(reason => reason.includes('API_TOKEN'))]).toEqual(['ask', true]);
  });

  test.each<[string, Given]>([
    [`curl -H ${token} https://a.example`, {allow: ['Bash']}],
    [`curl ${token}`, {allow: [`Bash(curl ${token})`]}],
    [`curl ${token}`, {mode: 'bypassPermissions'}],
    ['curl https://a.example', {allow: ['Bash(curl:*)']}],
  ])('%s with %j does not ask', async (command, given) => {
    expect((await judge(bash(command), given)).decision).toBe('allow');
  });

  test.each<[PermissionMode, readonly string[]]>([
    ['default', []],
    ['acceptEdits', []],
    ['default', ['Edit(src/**)', 'Write(src/**)']],
  ])('written into a file in %s with %j it asks, and is no matter for a wider grant', async (mode, allow) => {
    const verdict = await judge(write('src/config.ts', `const key = '${token}';`), {mode, allow});
    expect({...verdict, detail: undefined, obligations: undefined}).toEqual({
      decision: 'ask',
      risk: 'local-change',
      reasons: ['Writes the secret API_TOKEN to src/config.ts'],
      sessionApproval: 'exact',
      detail: undefined,
    });
  });

  test.each([
    ['what stood there before stays', edit('src/a.ts', `a ${token}`, `b ${token}`)],
    ['no secret', write('a.ts', 'x')],
  ])('%s: acceptEdits lets it through', async (_title, subject) => {
    expect((await judge(subject, {mode: 'acceptEdits'})).decision).toBe('allow');
  });

  test.each([
    ['a file for secrets', write('.env', `API_TOKEN=${token}\n`), '.env'],
    ['a file for secrets further down', edit('web/.env.local', 'x', token), 'web/.env.local'],
  ])('%s asks for the file alone, as reading it does', async (_title, subject, path) => {
    const {decision, reasons} = await judge(subject, {mode: 'acceptEdits'});
    expect([decision, reasons]).toEqual(['ask', [`Changes files that may hold secrets: ${path}`]]);
  });

  test('only rules that would give it are offered', async () => {
    const command = `npm run publish ${token}`;
    const {detail} = await judge(bash(command));
    expect(detail.rules).toEqual([`Bash(${command})`]);
    expect((await judge(bash(command), {allow: detail.rules})).decision).toBe('allow');
  });

  test('typed into a program, it is named', async () => {
    const typed = action('BashInput', {block_id: 'b1', input: `${token}\n`, mode: 'line'});
    expect((await judge(typed)).reasons).toEqual(['Types into a running program', 'Gets the secret API_TOKEN']);
  });

  test('plan mode and rules that forbid come first', async () => {
    expect((await judge(bash(`curl ${token}`), {mode: 'plan', allow: ['Bash']})).decision).toBe('deny');
    expect((await judge(write('a', token), {deny: ['Write']})).decision).toBe('deny');
  });
});
