import {execFileSync} from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import type {SavedRule} from '../../../src/app/change-rules.ts';
import {removePermission, trustFolder} from '../../../src/cli/commands/permissions.ts';
import {folderTrust} from '../../../src/app/folder-trust.ts';
import {saveRule, settingsIn} from '../../../src/app/write-settings.ts';

let base = '';
let work = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-keep-')));
  work = join(base, 'work');
  mkdirSync(join(work, '.weft'), {recursive: true});
  for (const name of ['WEFT_ACTIVE', 'WEFT_RUN']) vi.stubEnv(name, '');
  vi.stubEnv('WEFT_HOME', join(base, 'home'));
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(base, {recursive: true, force: true});
});

const ship = (name: string, settings: object): void =>
  writeFileSync(join(work, '.weft', name), JSON.stringify(settings));

const keep = (rule: string, more: Partial<SavedRule> = {}, cwd = work) =>
  saveRule({list: 'allow', rule, scope: 'local', ...more}, cwd);

/** What is allowed without asking in the folder, and how far it is trusted. */
const counts = (cwd = work) => {
  const {settings} = settingsIn(cwd);
  return [settings.trust, settings.settings.permissions.allow.map(({value}) => value)];
};

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

test('a rule for this project and this user counts at once, and stays out of the repository', async () => {
  execFileSync('git', ['init', '-q', work]);
  await keep('Bash(npm test)');
  expect(readJson(join(work, '.weft/settings.local.json'))).toEqual({permissions: {allow: ['Bash(npm test)']}});
  expect(counts()).toEqual(['nothing', ['Bash(npm test)']]);
  expect(existsSync(join(base, 'home/settings.json'))).toBe(false);
  expect(execFileSync('git', ['-C', work, 'status', '--porcelain'], {encoding: 'utf8'})).toBe('');
});

test('outside of a repository nothing is put beside it; a .gitignore that is there stays', async () => {
  await keep('Bash(npm test)');
  expect(existsSync(join(work, '.weft/.gitignore'))).toBe(false);
  execFileSync('git', ['init', '-q', work]);
  writeFileSync(join(work, '.weft/.gitignore'), 'x\n');
  await keep('Bash(npm run lint)');
  expect(readFileSync(join(work, '.weft/.gitignore'), 'utf8')).toBe('x\n');
});

test('what a clone ships in the same file does not come along', async () => {
  ship('settings.local.json', {permissions: {allow: ['Bash', 'Edit']}, env: {A: '1'}, permissionMode: 'acceptEdits'});
  ship('settings.json', {permissions: {allow: ['Bash(curl:*)']}, model: 'theirs'});
  expect(await keep('Bash(npm test)')).toEqual(ok('not-trusted'));
  expect(counts()).toEqual(['never', ['Bash(npm test)']]);
  const {settings} = settingsIn(work);
  expect([settings.settings.env, settings.settings.model, settings.settings.permissionMode.value]).toEqual([
    {},
    undefined,
    'default',
  ]);
});

test('what comes into the project later neither counts nor takes the rule away', async () => {
  await keep('Bash(npm test)');
  ship('settings.json', {permissions: {allow: ['Bash(curl:*)']}});
  expect(counts()).toEqual(['never', ['Bash(npm test)']]);
  ship('settings.local.json', {permissions: {allow: ['Bash(npm test)', 'Bash']}});
  expect(counts()).toEqual(['never', ['Bash(npm test)']]);
});

test('the file in another folder grants nothing', async () => {
  await keep('Bash(npm test)');
  const copy = join(base, 'copy');
  mkdirSync(join(copy, '.weft'), {recursive: true});
  writeFileSync(join(copy, '.weft/settings.local.json'), readFileSync(join(work, '.weft/settings.local.json')));
  expect(counts(copy)).toEqual(['never', []]);
});

test('a folder that is trusted stays so', async () => {
  ship('settings.json', {permissions: {allow: ['Bash(make:*)']}});
  await trustFolder({yes: true, cwd: work});
  await keep('Bash(npm test)');
  expect(counts()).toEqual(['trusted', ['Bash(make:*)', 'Bash(npm test)']]);
});

test('the folder is trusted with the rules that were kept since weft started; with other wishes it is not', async () => {
  ship('settings.json', {permissions: {allow: ['Bash(make:*)']}});
  const atStart = settingsIn(work);
  const accept = () => folderTrust(atStart.settings, atStart.place, () => ok(settingsIn(work).settings)).accept();
  await keep('Bash(npm test)');
  ship('settings.json', {permissions: {allow: ['Bash(make:*)', 'Bash(curl:*)']}});
  expect(await accept()).toContain('changed since weft started. Restart weft');
  expect(counts()).toEqual(['never', ['Bash(npm test)']]);
  ship('settings.json', {permissions: {allow: ['Bash(make:*)']}});
  expect(await accept()).toContain('is trusted from the next start');
  expect(counts()).toEqual(['trusted', ['Bash(make:*)', 'Bash(npm test)']]);
});

test('a rule that was taken out is not granted again by a file', async () => {
  await keep('Bash(npm test)');
  await keep('Bash(npm run lint)');
  await removePermission('allow', 'Bash(npm test)', {local: true, cwd: work});
  ship('settings.local.json', {permissions: {allow: ['Bash(npm test)', 'Bash(npm run lint)']}});
  expect(counts()).toEqual(['never', ['Bash(npm run lint)']]);
  // By hand, too, from the next rule on.
  ship('settings.local.json', {});
  await keep('Bash(make)');
  ship('settings.local.json', {permissions: {allow: ['Bash(npm run lint)', 'Bash(make)']}});
  expect(counts()).toEqual(['never', ['Bash(make)']]);
});

test("rules for all projects are the user's own settings", async () => {
  await keep('Bash(npm test)', {scope: 'user'});
  expect(readJson(join(base, 'home/settings.json'))).toEqual({permissions: {allow: ['Bash(npm test)']}});
  expect(existsSync(join(work, '.weft/settings.local.json'))).toBe(false);
});

test('a link out of the project is not written through', async () => {
  writeFileSync(join(base, 'victim.json'), '{}');
  symlinkSync(join(base, 'victim.json'), join(work, '.weft/settings.local.json'));
  expect(await keep('Bash(npm test)')).toMatchObject({tag: 'failed'});
  expect(readFileSync(join(base, 'victim.json'), 'utf8')).toBe('{}');
});

test("one of weft's own commands keeps none", async () => {
  vi.stubEnv('WEFT_ACTIVE', '1');
  for (const reach of ['local', 'project', 'user'] as const)
    expect(await keep('Bash', {scope: reach})).toMatchObject({
      tag: 'failed',
      error: {message: expect.stringContaining('so a command that weft runs can')},
    });
  expect(counts()).toEqual(['nothing', []]);
});
