// @module-tag long
import {cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {expect, test} from 'vitest';
import packageFile from '../../package.json' with {type: 'json'};
import {openPty} from '../support/pty-terminal.ts';
import {TempPlace} from '../support/run-weft.ts';

const {name, version} = packageFile;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Installs weft as npm does, with an npm that notes its arguments, knows the version and exits with the code. */
function install(place: TempPlace, latest: string, code = 0): {readonly weft: string; readonly asked: () => string} {
  const prefix = join(place.home, 'prefix');
  const folder = join(prefix, 'lib', 'node_modules', ...name.split('/'));
  mkdirSync(folder, {recursive: true});
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), {recursive: true});
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const [programs, log] = [join(place.home, 'programs'), join(place.home, 'npm.log')];
  mkdirSync(programs);
  const script = `#!/bin/sh\necho "$@" >>'${log}'\n[ "$1" = view ] && echo '${latest}' && exit\nexit ${code}\n`;
  writeFileSync(join(programs, 'npm'), script, {mode: 0o755});
  return {weft: join(folder, 'bin', 'weft.js'), asked: () => (existsSync(log) ? readFileSync(log, 'utf8') : '')};
}

function environmentOf(place: TempPlace): Record<string, string> {
  const environment = place.environment();
  return {...environment, PATH: `${join(place.home, 'programs')}:${environment['PATH'] ?? ''}`};
}

const view = `view ${name}@latest version\n`;

test.each<[args: string, latest: string, code: number, stdout: RegExp, asked: RegExp]>([
  [
    'update',
    '99.0.0',
    0,
    /Newest version: 99\.0\.0\nUpdate it: npm install --global --prefix .*@latest\n$/u,
    /^view .*\n$/u,
  ],
  ['update --dry-run --yes', '99.0.0', 0, /\nUpdate it: npm install /u, /^view .*\n$/u],
  ['update --yes', '99.0.0', 0, /\nUpdate it: npm install /u, /^view .*\ninstall --global --prefix \S+ \S+@latest\n$/u],
  ['update --yes', version, 0, /\nThis is the newest version\.\n$/u, /^view .*\n$/u],
  ['update --yes', 'E404', 0, /\nThis is the newest version\.\n$/u, /^view .*\n$/u],
])('weft %s, newest %s', async (args, latest, code, stdout, asked) => {
  using place = new TempPlace();
  const {weft, asked: told} = install(place, latest);
  const options = {
    cwd: place.work,
    env: environmentOf(place),
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  } as const;
  const ran = await execa(process.execPath, [weft, ...args.split(' ')], {...options, stdin: 'ignore'});
  expect([ran.exitCode, ran.stdout]).toEqual([code, expect.stringMatching(stdout)]);
  expect(told()).toMatch(asked);
});

test('an update that fails exits with 1', async () => {
  using place = new TempPlace();
  const {weft} = install(place, '99.0.0', 7);
  const options = {cwd: place.work, env: environmentOf(place), extendEnv: false, reject: false} as const;
  expect((await execa(process.execPath, [weft, 'update', '--yes'], options)).exitCode).toBe(1);
});

test('once a day the terminal UI says that there is a newer version, unless it must not', async () => {
  using place = new TempPlace();
  const {asked} = install(place, '99.0.0');
  const stamp = join(place.home, 'weft', 'update-check');
  mkdirSync(join(place.home, 'weft'), {recursive: true});
  const twoDaysAgo = new Date(Date.now() - 48 * 60 * 60 * 1000);
  writeFileSync(stamp, '');
  utimesSync(stamp, twoDaysAgo, twoDaysAgo);
  const environment = {
    ANTHROPIC_API_KEY: 'sk-ant-api03-0123456789abcdefghij',
    PATH: environmentOf(place)['PATH'] ?? '',
  };
  using terminal = openPty({place, environment, size: [100, 30], args: [], answers: 'all'});
  await terminal.until(/weft 99\.0\.0 is there\. This is .*\. Update it: weft update/u);
  expect(asked()).toBe(view);
});
