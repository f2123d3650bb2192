import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import type {ShellReport} from '../../../src/actions/ports.ts';
import {makeFiles} from '../../../src/workspace/files.ts';
import {makeOutputFolder} from '../../../src/workspace/output-folder.ts';
import {makeShell} from '../../../src/workspace/shell.ts';
import {never, temporaryFolder} from './temporary-folder.ts';

const folder = temporaryFolder();
const outputs = makeOutputFolder({parent: join(folder.path, 'outputs')});
const shell = makeShell({
  ownVariables: {},
  directory: folder.path,
  environment: {...process.env, OPENAI_API_KEY: 'secret'},
  outputs,
});

const run = async (command: string, signal = never): Promise<ShellReport> =>
  shell.run({command, timeoutMs: 20_000}, () => {}, signal);

afterAll(() => folder[Symbol.dispose]());

/** Processes whose command line holds the text. */
function running(text: string): readonly string[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'stat=,args='], {encoding: 'utf8'}).split('\n');
  return lines.filter(line => line.includes(text) && !line.startsWith('Z'));
}

test('a command and its end', async () => {
  const {durationMs, ...report} = await run('echo hi; exit 3');
  expect(report).toEqual({
    end: {kind: 'exited', code: 3},
    output: {text: 'hi\n', totalBytes: 3, file: undefined},
    directory: folder.path,
  });
  expect(durationMs).toBeGreaterThanOrEqual(0);
});

test.each([
  ['both streams, in the order written', 'echo a; echo b >&2; echo c; echo d >&2', 'a\nb\nc\nd\n'],
  ['the streams by their file names', 'echo a >/dev/stderr; echo b | tee /dev/stderr', 'a\nb\nb\n'],
  ['stdin is closed', 'cat; echo end', 'end\n'],
  ['no key in the environment', 'echo "[$OPENAI_API_KEY]" $WEFT_ACTIVE', '[] 1\n'],
  ['no pager, no editor', 'echo $PAGER; $EDITOR; echo $?', 'cat\n0\n'],
  ['the directory', 'basename "$PWD" | cut -c1-9', 'weft-test\n'],
  ['several lines and quotes', 'cat <<\'X\'\n$a "b"\nX\n# comment', '$a "b"\n'],
])('%s', async (_name, command, text) => {
  expect((await run(command)).output.text).toBe(text);
});

test('output is seen while the command runs', async () => {
  const seen = Promise.withResolvers<string>();
  const ended = shell.run(
    {command: 'echo first; while [ ! -e go ]; do sleep 0.02; done', timeoutMs: 20_000},
    seen.resolve,
    never,
  );
  expect(await seen.promise).toBe('first\n');
  await run('touch go');
  expect((await ended).end).toEqual({kind: 'exited', code: 0});
});

test('runs side by side keep their output apart', async () => {
  const reports = await Promise.all(
    [1, 2, 3, 4].map(async number => run(`echo ${number}; sleep 0.05; echo ${number}`)),
  );
  expect(reports.map(report => report.output.text)).toEqual(['1\n1\n', '2\n2\n', '3\n3\n', '4\n4\n']);
});

test('a signal as the end', async () => {
  expect((await run('kill -9 $$')).end).toEqual({kind: 'signalled', signal: 'SIGKILL'});
});

test('the time limit ends the tree, even processes that refuse, left the group and their parent', async () => {
  const command = `trap "" TERM; setsid -f sh -c 'sleep 7001; :'; (trap "" TERM; sleep 7002) & echo up; while true; do sleep 0.05; done`;
  const report = await shell.run({command, timeoutMs: 300}, () => {}, never);
  expect(report.end).toEqual({kind: 'timed-out', afterMs: 300});
  expect(report.output.text).toBe('up\n');
  expect(running('sleep 700')).toEqual([]);
});

test('an abort ends the tree before the promise settles, and what was printed is kept', async () => {
  const stop = new AbortController();
  const report = await shell.run(
    {command: 'echo up; sleep 7003 & sleep 7004', timeoutMs: 20_000},
    () => stop.abort(),
    stop.signal,
  );
  expect(report.end).toEqual({kind: 'aborted'});
  expect(report.output.text).toBe('up\n');
  expect(running('sleep 700')).toEqual([]);
});

test('an abort before the start starts nothing', async () => {
  const report = await run('touch started', AbortSignal.abort());
  expect(report.end).toEqual({kind: 'aborted'});
  expect(existsSync(join(folder.path, 'started'))).toBe(false);
});

test('a stopped process is ended too', async () => {
  const stop = new AbortController();
  const report = await shell.run(
    {command: 'echo up; kill -STOP $$', timeoutMs: 20_000},
    () => stop.abort(),
    stop.signal,
  );
  expect(report.end).toEqual({kind: 'aborted'});
});

test.each([
  ['holding the output', 'sleep 7005 & echo up'],
  ['with its output elsewhere', 'sleep 7005 >/dev/null 2>&1 & echo up'],
  ['in a session of its own, holding the output', 'setsid sleep 7005 & echo up'],
])('a background process %s does not outlive its command', async (_name, command) => {
  const report = await run(command);
  expect({end: report.end, text: report.output.text}).toEqual({end: {kind: 'exited', code: 0}, text: 'up\n'});
  expect(report.durationMs).toBeLessThan(5000);
  expect(running('sleep 7005')).toEqual([]);
});

test('output of a background process that is about to end is waited for', async () => {
  expect((await run('(sleep 0.1; echo late) & echo early')).output.text).toBe('early\nlate\n');
});

test('50 MB of output stay in bounded memory', async () => {
  const before = process.memoryUsage().rss;
  const report = await run('head -c 50000000 /dev/zero | tr "\\0" x');
  expect(report.output.totalBytes).toBe(50_000_000);
  expect(report.output.text.length).toBeLessThan(31_000);
  expect(readFileSync(report.output.file ?? '').length).toBe(50_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test('the file that a long output names is one that can be read', async () => {
  const own = makeOutputFolder({parent: join(folder.path, 'outputs')});
  const speaking = makeShell({directory: folder.path, environment: process.env, ownVariables: {}, outputs: own});
  const files = makeFiles({roots: [join(folder.path, 'work')], home: folder.path, alsoReadable: own.folders});
  const {output} = await speaking.run({command: 'seq 1 20000', timeoutMs: 20_000}, () => {}, never);
  const path = output.file ?? '';
  expect(files.resolve(path)).toEqual({path, place: 'inside-workspace'});
  expect(await files.read({path, offset: 9999, limit: 2}, never)).toMatchObject({
    tag: 'ok',
    value: {kind: 'text', lines: ['9999', '10000'], totalLines: 20_000},
  });
});

test('what cannot start says why', async () => {
  const gone = makeShell({directory: join(folder.path, 'gone'), environment: process.env, ownVariables: {}, outputs});
  expect((await gone.run({command: 'true', timeoutMs: 1000}, () => {}, never)).end).toEqual({
    kind: 'not-started',
    fault: {
      kind: 'needs-user',
      message: `The command was not started: ${join(folder.path, 'gone')} is not a folder (any more).`,
      fix: 'Make the folder again, or start weft in another one.',
    },
  });
  expect((await run('echo \0')).end.kind).toBe('not-started');
  expect((await run(`: ${'x'.repeat(140_000)}`)).end.kind).toBe('not-started');
});

test('a folder that cannot be entered is no crash', async () => {
  const locked = join(folder.path, 'a-file');
  mkdirSync(join(folder.path, 'sub'));
  await run('touch a-file');
  const inFile = makeShell({directory: locked, environment: process.env, ownVariables: {}, outputs});
  expect((await inFile.run({command: 'true', timeoutMs: 1000}, () => {}, never)).end.kind).toBe('not-started');
});
