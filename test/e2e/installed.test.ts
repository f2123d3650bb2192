import {execFileSync, spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {answers, startModelServer} from '../support/model-server.ts';
import {openPtyOf} from '../support/pty-terminal.ts';
import {finish, TempPlace, type Finished} from '../support/run-weft.ts';
import {pointedAt, toldResults} from '../support/scene.ts';

/*
 * weft as users have it: packed, installed, and under the oldest Node that package.json promises. `.ci/run` installs both and names
 * them: WEFT_INSTALLED is the program, WEFT_INSTALLED_NODE the Node to run it. Nothing may appear on stderr, such as a warning of Node.
 */
const program = process.env['WEFT_INSTALLED'] ?? '';
const node = process.env['WEFT_INSTALLED_NODE'] ?? '';

beforeEach(({skip}) => skip(program === '' || node === '', 'need WEFT_INSTALLED and WEFT_INSTALLED_NODE'));

const environmentOf = (place: TempPlace, more: Readonly<Record<string, string>> = {}): Record<string, string> =>
  place.environment({PATH: `${dirname(node)}:${process.env['PATH'] ?? ''}`, ...more});

function run(
  args: readonly string[],
  place: TempPlace,
  more: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = spawn(program, args, {cwd: place.work, env: environmentOf(place, more)});
  child.stdin.end();
  return finish(child);
}

test('doctor', async () => {
  using place = new TempPlace();
  const {code, stdout, stderr} = await run(['doctor'], place);
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  const version = execFileSync(node, ['--version'], {encoding: 'utf8'}).trim();
  expect(stdout).toContain(`on Node ${version}, `);
  expect(stdout).toMatch(/^✓ search {4}ripgrep/mu);
  expect(stdout).toMatch(/^✓ pty {7}\/dev\//mu);
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
  expect(toldResults(server.requests[1])).toEqual([expect.stringContaining('find me'), expect.stringContaining('ran')]);
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
