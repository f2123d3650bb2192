import {execFileSync} from 'node:child_process';
import {chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {removeLeftSessions, removePlaceholders} from '../../../../src/workspace/sandbox/leftovers.ts';
import {ownerText} from '../../../../src/workspace/sandbox/session.ts';
import {explainViewFailure} from '../../../../src/workspace/sandbox/explain-failure.ts';
import {needs} from '../../../support/programs.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

beforeEach(needs('git'));

test('the empty files of an older weft are removed, and nothing that is not exactly that', async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  execFileSync('git', ['init', '-q', root]);
  const file = (name: string, text: string, mode: number): void => {
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), mode);
  };
  for (const name of ['.claude', '.github', '.gitlab-ci.yml', '.husky', '.idea', '.vscode', 'empty'])
    file(name, '', 0o444);
  file('.envrc', '', 0o644);
  file('.mcp.json', '{}', 0o444);
  file('.npmrc', '', 0o444);
  execFileSync('git', ['add', '.npmrc'], {cwd: root});
  const removed = await removePlaceholders(root, {environment: process.env, signal: never});
  expect(removed).toEqual(['.claude', '.github', '.gitlab-ci.yml', '.husky', '.idea', '.vscode']);
  expect(readdirSync(root).toSorted()).toEqual(['.envrc', '.git', '.mcp.json', '.npmrc', 'empty']);
});

test('folders of sandboxes are removed if their weft is gone', async () => {
  using folder = temporaryFolder();
  const now = ownerText();
  const [pid = '', start = '', boot = '', processes = ''] = now.split(' ');
  const owners = {
    aaaaaa: now,
    bbbbbb: `${pid} 1${start} ${boot} ${processes}`,
    cccccc: `${pid} ${start} another ${processes}`,
    dddddd: `${pid} 1${start} ${boot} pid:[1]`,
    eeeeee: '',
    ffffff: '',
  };
  for (const [name, owner] of Object.entries(owners)) {
    const made = join(folder.path, `weft-sandbox-${name}`);
    mkdirSync(join(made, 'work'), {recursive: true});
    if (owner !== '') writeFileSync(join(made, 'owner'), owner);
    chmodSync(join(made, 'work'), 0);
  }
  utimesSync(join(folder.path, 'weft-sandbox-ffffff'), 1, 1);
  mkdirSync(join(folder.path, 'weft-sandbox-other-name'));
  expect(await removeLeftSessions(folder.path)).toBeGreaterThanOrEqual(3);
  expect(readdirSync(folder.path).toSorted()).toEqual(
    ['aaaaaa', 'dddddd', 'eeeeee', 'other-name'].map(name => `weft-sandbox-${name}`),
  );
});

const machine = {kernel: '6.8.0-31-generic', appArmor: '', clone: '', most: '96000'};

test.for([
  [{...machine, kernel: '5.4.0-1'}, 'mount: unknown filesystem', /Linux 5\.4\.0-1 .* 5\.11 or newer/u],
  [
    {...machine, appArmor: '1\n'},
    'unshare: write failed /proc/self/uid_map',
    /AppArmor .*apparmor_restrict_unprivileged_userns=0/u,
  ],
  [{...machine, clone: '0\n'}, 'unshare: unshare failed', /unprivileged_userns_clone=1/u],
  [{...machine, most: '0\n'}, 'unshare: unshare failed', /max_user_namespaces=15000/u],
  [machine, 'unshare: unshare failed: Operation not permitted', /unshare failed.*--security-opt seccomp=unconfined/u],
  [machine, 'mount: /x: permission denied.', /permission denied.*--security-opt/u],
  [machine, 'mount: /x: wrong fs type', /^mount: \/x: wrong fs type$/u],
] as const)('%j: why there is no view, and what to do', ([settings, words, said]) => {
  expect(explainViewFailure(words, settings)).toMatch(said);
});
