// @module-tag long
import {execFileSync, spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {createServer, type Server} from 'node:http';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {needs} from '../support/programs.ts';
import {finish, TempPlace, type Finished} from '../support/run-weft.ts';

/* `.config/install.sh` with a small archive in place of weft's, from a server on loopback. */

const source = readFileSync(fileURLToPath(new URL('../../.config/install.sh', import.meta.url)), 'utf8');

beforeEach(needs('ssh-keygen', 'curl'));
beforeEach(({skip}) => skip(process.platform !== 'linux' || process.arch !== 'x64', 'needs Linux on x64'));

let place: TempPlace;
let server: Server | undefined;
/** The files that the server has, by their path. */
const files = new Map<string, Buffer | string>();

beforeEach(async () => {
  place = new TempPlace();
  files.clear();
  for (const name of ['key', 'other']) run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(place.home, name));
  server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server?.close();
  server = undefined;
  place[Symbol.dispose]();
});

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, {cwd: place.home, stdio: 'pipe'});
}

/** Puts a release onto the server, signed with a key. Its program prints `says`. */
function publish(version: string, {key = 'key', says = version, folder = `download/v${version}`} = {}): void {
  const root = join(place.home, `weft-${version}`);
  mkdirSync(join(root, 'bin'), {recursive: true});
  writeFileSync(join(root, 'bin', 'weft.js'), `#!/bin/sh\necho '${says}'\n`, {mode: 0o755});
  const name = `weft-${version}-linux-x64.tar.gz`;
  run('tar', '-czf', name, `weft-${version}`);
  rmSync(root, {recursive: true});
  const archive = readFileSync(join(place.home, name));
  const sums = join(place.home, 'SHA256SUMS');
  writeFileSync(sums, `${createHash('sha256').update(archive).digest('hex')}  ${name}\n`);
  rmSync(`${sums}.sig`, {force: true});
  run('ssh-keygen', '-q', '-Y', 'sign', '-f', key, '-n', 'weft-release', sums);
  for (const file of ['SHA256SUMS', 'SHA256SUMS.sig', name])
    files.set(`/${folder}/${file}`, readFileSync(join(place.home, file)));
}

async function install(args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const address = server?.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const key = readFileSync(join(place.home, 'key.pub'), 'utf8').trim();
  const env = {...place.environment(more), WEFT_RELEASES: `http://127.0.0.1:${port}`};
  // As people run it: through a pipe.
  const child = spawn('sh', ['-s', '--', ...args], {cwd: place.work, env});
  child.stdin.end(source.replace('RELEASE_KEY', key));
  return finish(child);
}

const program = (): string => join(place.home, '.local', 'bin', 'weft');
const library = (): string => join(place.home, '.local', 'lib', 'weft');
const versions = (): readonly string[] => (existsSync(library()) ? readdirSync(library()).toSorted() : []);

test('installs the latest release, keeps the version before an update, and removes all', async () => {
  publish('1.0.0', {folder: 'latest/download'});
  expect(await install()).toMatchObject({
    code: 0,
    stdout: `Installed weft 1.0.0 as ${program()}.\nAdd it to your PATH: export PATH="${place.home}/.local/bin:$PATH"\n`,
    stderr: '',
  });
  expect(execFileSync(program(), {encoding: 'utf8'})).toBe('1.0.0\n');
  for (const version of ['1.1.0', '1.2.0', '1.2.0']) {
    publish(version);
    const path = `${join(place.home, '.local', 'bin')}:${process.env['PATH'] ?? ''}`;
    expect(await install(['--version', version], {PATH: path})).toMatchObject({
      code: 0,
      stdout: `Installed weft ${version} as ${program()}.\n`,
    });
    expect(execFileSync(program(), {encoding: 'utf8'})).toBe(`${version}\n`);
  }
  expect(versions()).toEqual(['1.2.0']);
  publish('1.3.0');
  await install(['--version', '1.3.0']);
  expect(versions()).toEqual(['1.2.0', '1.3.0']);
  expect(await install(['--uninstall'])).toMatchObject({code: 0, stderr: ''});
  expect([existsSync(program()), versions()]).toEqual([false, []]);
  expect(await install(['--uninstall'])).toMatchObject({code: 1, stderr: expect.stringContaining('there is no weft')});
});

test.each<[what: string, wrong: () => void, args: readonly string[], more: Record<string, string>, says: string]>([
  ['signed by another key', () => publish('1.0.0', {key: 'other'}), [], {}, 'not signed by weft'],
  [
    'with another archive',
    () => files.set('/download/v1.0.0/weft-1.0.0-linux-x64.tar.gz', 'other'),
    [],
    {},
    'is not what the release says',
  ],
  [
    'with other checksums',
    () => files.set('/download/v1.0.0/SHA256SUMS', `${files.get('/download/v1.0.0/SHA256SUMS')?.toString()} `),
    [],
    {},
    'not signed by weft',
  ],
  [
    'with the signed files of an older release',
    () => publish('0.9.0', {folder: 'download/v1.0.0'}),
    [],
    {},
    'has no build of 1.0.0',
  ],
  ['that does not run here', () => publish('1.0.0', {says: 'no'}), [], {}, 'does not run here (no)'],
  ['that is not there', () => files.clear(), [], {}, 'could not download'],
  ['under sudo', () => {}, [], {SUDO_USER: 'me'}, 'without sudo'],
  ['with an unknown option', () => {}, ['--force'], {}, 'unknown option --force'],
])('a release %s is refused, and the old one stays', async (_what, wrong, args, more, says) => {
  publish('0.8.0');
  await install(['--version', '0.8.0']);
  publish('1.0.0');
  wrong();
  const ran = await install(['--version', '1.0.0', ...args], more);
  expect(ran).toMatchObject({code: 1, stdout: '', stderr: expect.stringContaining(says)});
  expect([readlinkSync(program()), versions()]).toEqual([join(library(), '0.8.0', 'bin', 'weft.js'), ['0.8.0']]);
});

test("leaves another program's file alone", async () => {
  publish('1.0.0');
  mkdirSync(join(place.home, '.local', 'bin'), {recursive: true});
  symlinkSync('/usr/lib/node_modules/weft/bin/weft.js', program());
  expect(await install(['--version', '1.0.0'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('move it away'),
  });
  expect([readlinkSync(program()), versions()]).toEqual(['/usr/lib/node_modules/weft/bin/weft.js', []]);
});
