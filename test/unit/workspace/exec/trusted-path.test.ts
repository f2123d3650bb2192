import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {shellEnvironment} from '../../../../src/workspace/exec/shell-environment.ts';
import {programPath, splitPath} from '../../../../src/workspace/exec/trusted-path.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-path-')));
const work = join(base, 'repository/work');

beforeAll(() => {
  for (const folder of ['repository/.git', 'repository/bin', 'repository/work/bin', 'tools'])
    mkdirSync(join(base, folder), {recursive: true});
  symlinkSync(join(work, 'bin'), join(base, 'linked'));
  symlinkSync(work, join(base, 'shortcut'));
});

afterAll(() => rmSync(base, {recursive: true, force: true}));

test('folders that the workspace decides on are dropped from PATH, in whatever way they are written', () => {
  const dropped = [
    '',
    '.',
    'bin',
    './node_modules/.bin',
    join(work, 'bin'),
    join(work, 'not/yet/there'),
    `${work}/../work/bin`,
    join(base, 'repository/bin'),
    join(base, 'linked'),
    join(base, 'shortcut/bin'),
    '/proc/self/cwd/bin',
    '/dev/fd/3',
  ];
  const kept = ['/usr/bin', join(base, 'tools'), '/opt/none'];
  expect(splitPath([...dropped.slice(0, 6), ...kept, ...dropped.slice(6)].join(':'), [work])).toEqual({
    trusted: kept.join(':'),
    dropped,
  });
  expect(splitPath(kept.join(':'), [work]).dropped).toEqual([]);
});

test('where all of the disk is the workspace, and where nothing is left, the folders of the system stay', () => {
  expect(splitPath('/usr/bin:/home/me/bin', ['/']).trusted).toBe('/usr/bin');
  expect(splitPath('.:', [work]).trusted).toContain('/usr/bin');
});

test('a program is found by PATH in absolute folders, and by an absolute path', () => {
  const path = join(base, 'tools/x');
  writeFileSync(path, '', {mode: 0o755});
  expect(programPath('x', `.:relative:${join(base, 'tools')}`)).toBe(path);
  expect(programPath(path, '')).toBe(path);
  expect(programPath('./x', join(base, 'tools'))).toBeUndefined();
  expect(programPath('tools', base)).toBeUndefined();
});

test('what runs without a yes has neither those folders nor hooks of git; what the user has run has its own PATH', () => {
  const path = `${work}/bin:/usr/bin`;
  const variables = {inherited: {PATH: path}, userSet: {GIT_CONFIG_COUNT: '0'}, passedThrough: [], roots: [work]};
  const run = {runTag: 'tag', channel: 'pipes'} as const;
  expect(shellEnvironment(variables, {...run, environment: 'inherited'})).toMatchObject({
    PATH: path,
    GIT_CONFIG_COUNT: '1',
  });
  expect(shellEnvironment(variables, {...run, environment: 'restricted'})).toMatchObject({
    PATH: '/usr/bin',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: '4',
    GIT_CONFIG_KEY_1: 'core.fsmonitor',
    GIT_CONFIG_VALUE_1: 'false',
    GIT_CONFIG_KEY_2: 'core.hooksPath',
    GIT_CONFIG_VALUE_2: '/dev/null',
    GIT_CONFIG_KEY_3: 'log.showSignature',
    GIT_CONFIG_VALUE_3: 'false',
  });
});
