import {execFileSync, spawn} from 'node:child_process';
import {globSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeEach, describe, expect, test} from 'vitest';
import packageFile from '../../package.json' with {type: 'json'};
import {call, say} from '../support/model-script.ts';
import {answers, startModelServer} from '../support/model-server.ts';
import {openPtyOf} from '../support/pty-terminal.ts';
import {finish, TempPlace, type Finished} from '../support/run-weft.ts';
import {pointedAt, toldResults} from '../support/scene.ts';

/*
 * weft as users have it: packed and installed. `.ci/run` installs it with its optional packages, and names the program in WEFT_INSTALLED
 * and each Node that package.json promises in WEFT_INSTALLED_NODE. Nothing may appear on stderr, such as a warning of Node.
 */
const program = process.env['WEFT_INSTALLED'] ?? '';
const node = process.env['WEFT_INSTALLED_NODE'] ?? process.execPath;
const root = fileURLToPath(new URL('../..', import.meta.url));

const environmentOf = (place: TempPlace, more: Readonly<Record<string, string>> = {}): Record<string, string> =>
  place.environment({PATH: `${dirname(node)}:${process.env['PATH'] ?? ''}`, ...more});

function run(
  args: readonly string[],
  place: TempPlace,
  more: Readonly<Record<string, string>> = {},
  weft = program,
): Promise<Finished> {
  const child = spawn(weft, args, {cwd: place.work, env: environmentOf(place, more)});
  child.stdin.end();
  return finish(child);
}

describe('with its optional packages', () => {
  beforeEach(({skip}) => skip(program === '', 'needs WEFT_INSTALLED'));

  test('doctor', async () => {
    using place = new TempPlace();
    const {code, stdout, stderr} = await run(['doctor'], place);
    expect({code, stderr}).toEqual({code: 0, stderr: ''});
    const version = execFileSync(node, ['--version'], {encoding: 'utf8'}).trim();
    expect(stdout).toContain(`on Node ${version}, `);
    expect(stdout).toMatch(/^✓ search {4}ripgrep/mu);
    expect(stdout).toMatch(/^✓ pty {7}\/dev\//mu);
    await run(['doctor', '--report', 'report.md'], place, {WEFT_LOG: 'log.txt'});
    expect(readFileSync(join(place.work, 'report.md'), 'utf8')).toContain('\nWEFT_LOG=log.txt\n');
  });

  test('the demo', async () => {
    using place = new TempPlace();
    const {code, stdout, stderr} = await run(['demo'], place);
    expect({code, stderr}).toEqual({code: 0, stderr: ''});
    expect(stdout).toContain('\nAll tests pass now.\n');
  });

  test('a prompt with tools, kept in a session', async () => {
    using place = new TempPlace();
    writeFileSync(join(place.work, 'notes.txt'), 'find me\n');
    const tools = [call('Grep', {pattern: 'find', output_mode: 'content'}), call('Bash', {command: 'printf ran'})];
    await using server = await startModelServer(answers([tools, say('Here it is.')]));
    expect(await run(['--prompt', 'hello'], place, pointedAt(server))).toEqual({
      code: 0,
      signal: null,
      stdout: 'Here it is.\n',
      stderr: '',
    });
    expect(toldResults(server.requests[1])).toEqual([
      expect.stringContaining('find me'),
      expect.stringContaining('ran'),
    ]);
    const {stdout, stderr} = await run(['sessions', 'list', '--json'], place);
    expect({stderr, titles: JSON.parse(stdout).map(({title}: {title: string}) => title)}).toEqual({
      stderr: '',
      titles: ['hello'],
    });
  });

  test('the terminal UI', async () => {
    using place = new TempPlace();
    await using server = await startModelServer(answers([say('Here it is.')]));
    using terminal = openPtyOf(program, [], {
      cols: 100,
      rows: 30,
      cwd: place.work,
      env: environmentOf(place, {TERM: 'xterm-256color', ...pointedAt(server)}),
      answers: 'all',
    });
    await terminal.until(/Ask weft/u);
    terminal.type('hello\r');
    await terminal.until(/Here it is\./u);
    terminal.type('/exit\r');
    expect(await terminal.exited).toBe(0);
    expect(terminal.log()).not.toContain('Warning');
  });
});

test('without its optional packages: ripgrep from PATH, pipes in place of a pty', async () => {
  using place = new TempPlace();
  const quiet = {cwd: root, stdio: 'pipe'} as const;
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', place.home], quiet);
  const tarball = join(place.home, `weft-cli-weft-${packageFile.version}.tgz`);
  execFileSync('npm', ['install', '--silent', '--offline', '--omit=optional', '--prefix', place.home, tarball], quiet);
  const weft = join(place.home, 'node_modules', '.bin', 'weft');
  expect(globSync('*/*', {cwd: join(place.home, 'node_modules')})).toEqual(['@weft-cli/weft']);

  const ripgrep = realpathSync(
    join(root, 'node_modules', `@vscode/ripgrep-${process.platform}-${process.arch}`, 'bin'),
  );
  const PATH = `${ripgrep}:${environmentOf(place)['PATH'] ?? ''}`;
  const doctor = await run(['doctor'], place, {PATH}, weft);
  expect({code: doctor.code, stderr: doctor.stderr}).toEqual({code: 0, stderr: ''});
  expect(doctor.stdout).toContain(`, ${ripgrep}/rg (weft's own is not installed);`);
  expect(doctor.stdout).toMatch(
    /^! pty {7}No terminal for commands: .*\. Background commands run in pipes instead\.$/mu,
  );

  writeFileSync(join(place.work, 'notes.txt'), 'find me\n');
  await using server = await startModelServer(
    answers([
      [
        call('Grep', {pattern: 'find', output_mode: 'content'}),
        call('Bash', {command: 'test -t 1 || echo in a pipe', run_in_background: true}),
      ],
      say('Done.'),
      say('It has ended.'),
    ]),
  );
  const more = {PATH, ...pointedAt(server)};
  const told = await run(['--prompt', 'hello', '--permission-mode', 'bypassPermissions'], place, more, weft);
  expect({code: told.code, stderr: told.stderr}).toEqual({code: 0, stderr: ''});
  expect(toldResults(server.requests[1])[0]).toContain('find me');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('in a pipe');
});
