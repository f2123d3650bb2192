import {emptyChangesOutcome} from '../../../../src/actions/changes-port.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {makeFiles} from '../../../../src/workspace/files/make-files.ts';
import {running} from '../../../support/processes.ts';
import {needs} from '../../../support/programs.ts';
import {commandPlace} from './command-place.ts';
import {never} from '../temporary-folder.ts';

const place = commandPlace({environment: {OPENAI_API_KEY: 'secret'}});
const {run, root, shell, control} = place;

afterAll(() => place[Symbol.asyncDispose]());

test('a command and its end', async () => {
  const {durationMs, ...report} = await run('echo hi; exit 3');
  expect(report).toEqual({
    end: {kind: 'exited', code: 3},
    output: {text: 'hi\n', totalBytes: 3, leftOutLines: 0, file: undefined},
    directory: root,
    nextDirectory: root,
    leftRunning: [],
    blocked: '',
    changes: emptyChangesOutcome,
    notes: [],
  });
  expect(durationMs).toBeGreaterThanOrEqual(0);
});

test.each([
  ['both streams, in the order written', 'echo a; echo b >&2; echo c; echo d >&2', 'a\nb\nc\nd\n'],
  ['the streams by their file names', 'echo a >/dev/stderr; echo b | tee /dev/stderr', 'a\nb\nb\n'],
  ['stdin is closed', 'cat; echo end', 'end\n'],
  ['no key in the environment', 'echo "[$OPENAI_API_KEY]" $WEFT_ACTIVE', '[] 1\n'],
  ['no pager, no editor', 'echo $PAGER; $EDITOR; echo $?', 'cat\n0\n'],
  ['the directory', 'basename "$PWD"', 'work\n'],
  ['several lines and quotes', 'cat <<\'X\'\n$a "b"\nX\n# comment', '$a "b"\n'],
])('%s', {tags: 'long'}, async (_name, command, text) => {
  expect((await run(command)).output.text).toBe(text);
});

test('output is seen while the command runs', async () => {
  const seen = Promise.withResolvers<string>();
  const ended = shell.run(
    {
      command: 'echo first; while [ ! -e go ]; do sleep 0.02; done',
      directory: shell.directory,
      timeoutMs: 20_000,
      paging: 'unexpected',
      changes: 'none',
      environment: 'inherited',
      confinement: 'chosen',
      ...onPipes,
    },
    seen.resolve,
    never,
  );
  expect(await seen.promise).toBe('first\n');
  await run('touch go');
  expect((await ended).end).toEqual({kind: 'exited', code: 0});
});

test('runs side by side keep their output apart', {tags: 'long'}, async () => {
  const reports = await Promise.all(
    [1, 2, 3, 4].map(async number => run(`echo ${number}; sleep 0.05; echo ${number}`)),
  );
  expect(reports.map(report => report.output.text)).toEqual(['1\n1\n', '2\n2\n', '3\n3\n', '4\n4\n']);
});

test('a signal as the end', async () => {
  expect((await run('kill -9 $$')).end).toEqual({kind: 'signalled', signal: 'SIGKILL'});
});

test(
  'the time limit ends the tree, even processes that refuse, left the group and their parent',
  {tags: 'long'},
  async context => {
    needs('setsid')(context);
    const command = `trap "" TERM; setsid -f sh -c 'sleep 7001; :'; (trap "" TERM; sleep 7002) & echo up; while true; do sleep 0.05; done`;
    const report = await shell.run(
      {
        command,
        directory: shell.directory,
        timeoutMs: 1500,
        paging: 'unexpected',
        changes: 'none',
        environment: 'inherited',
        confinement: 'chosen',
        ...onPipes,
      },
      () => {},
      never,
    );
    expect(report.end).toEqual({kind: 'timed-out', afterMs: 1500});
    expect(report.output.text).toBe('up\n');
    expect(running('sleep 700')).toEqual([]);
  },
);

test('an abort ends the tree before the promise settles, and what was printed is kept', async () => {
  const stop = new AbortController();
  const report = await shell.run(
    {
      command: 'echo up; sleep 7003 & sleep 7004',
      directory: shell.directory,
      timeoutMs: 20_000,
      paging: 'unexpected',
      changes: 'none',
      environment: 'inherited',
      confinement: 'chosen',
      ...onPipes,
    },
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
  expect(existsSync(join(root, 'started'))).toBe(false);
});

test('a stopped process is ended too', async () => {
  const stop = new AbortController();
  const report = await shell.run(
    {
      command: 'echo up; kill -STOP $$',
      directory: shell.directory,
      timeoutMs: 20_000,
      paging: 'unexpected',
      changes: 'none',
      environment: 'inherited',
      confinement: 'chosen',
      ...onPipes,
    },
    () => stop.abort(),
    stop.signal,
  );
  expect(report.end).toEqual({kind: 'aborted'});
});

test('an abort ends what cleared its environment too, while it holds the output', async context => {
  needs('setsid')(context);
  const stop = new AbortController();
  const report = await shell.run(
    {
      command: 'env -i setsid -f sleep 7007; echo up; sleep 7008',
      directory: shell.directory,
      timeoutMs: 20_000,
      paging: 'unexpected',
      changes: 'none',
      environment: 'inherited',
      confinement: 'chosen',
      ...onPipes,
    },
    () => stop.abort(),
    stop.signal,
  );
  expect([report.end, running('sleep 7007')]).toEqual([{kind: 'aborted'}, []]);
});

describe('what a command leaves running', () => {
  test.for([
    ['holding the output', 'sleep 7005 & echo up'],
    ['with its output elsewhere', 'sleep 7005 >/dev/null 2>&1 & echo up'],
    ['in a session of its own, holding the output', 'setsid sleep 7005 & echo up'],
    [
      'in a session of its own, without a parent, with its output elsewhere',
      'setsid -f sleep 7005 >/dev/null 2>&1; echo up',
    ],
    ['without a parent and its environment, holding the output', 'env -i setsid -f sleep 7005; echo up'],
  ])(
    '%s: the prompt is back at once, it is a block, and stops when it is told to',
    async ([, command = ''], context) => {
      if (command.includes('setsid')) needs('setsid')(context);
      const report = await run(command);
      expect({end: report.end, text: report.output.text}).toEqual({end: {kind: 'exited', code: 0}, text: 'up\n'});
      expect(report.durationMs).toBeLessThan(60_000);
      expect(report.leftRunning).toEqual([expect.stringMatching(/^b\d+: sleep 7005 \(process \d+\)$/u)]);
      const [block] = control.list().filter(({state}) => state.kind === 'running');
      expect(block).toMatchObject({command, life: 'with-weft', ports: []});
      if (block === undefined) return;
      await control.stop(block.id);
      expect(running('sleep 7005')).toEqual([]);
    },
  );

  test('its output goes on in the block, its input is closed', async () => {
    await run('(while [ ! -e on ]; do sleep 0.02; done; echo later; sleep 7006) & echo up');
    const [block] = control.list();
    if (block === undefined) throw new Error('there is no block');
    writeFileSync(join(root, 'on'), '');
    const text = async (): Promise<string> => {
      const read = await place.blocks.read({id: block.id, wait: 0}, never);
      return read.tag === 'ok' ? read.value.output.text : '';
    };
    await expect.poll(text).toBe('later');
    expect(await place.blocks.write({id: block.id, input: 'x', mode: 'line'}, never)).toMatchObject({
      tag: 'failed',
      error: {message: expect.stringContaining('its input is closed')},
    });
    await control.stop(block.id);
    expect(running('sleep 7006')).toEqual([]);
  });
});

describe('the directory', () => {
  const steps: readonly (readonly [command: string, next: string, notes: number])[] = [
    ['mkdir -p a/b; cd a', 'a', 0],
    ['cd b; exit 4', 'a/b', 0],
    ['cd nowhere', 'a/b', 0],
    ['(cd ..)', 'a/b', 0],
    ['cd ..; kill -9 $$', 'a/b', 0],
    ['if then', 'a/b', 0],
    ['cd ..', 'a', 0],
    ['cd /', '', 1],
    ['cd a; set -eux; false', 'a', 0],
    ['set -C; cd b', 'a/b', 0],
    ['cd ..', 'a', 0],
    ['cd b; exec true', 'a', 0],
    ['cd "$OLDPWD"', 'a', 0],
    ['cd b; trap "echo mine" EXIT', 'a', 0],
    ['rm -r ../a', 'a', 0],
    ['pwd', '', 1],
  ];
  test('moves with a cd inside the workspace, and goes back from outside it', {tags: 'long'}, async () => {
    await using own = commandPlace();
    const seen: (readonly [command: string, next: string, notes: number])[] = [];
    for (const [command] of steps) {
      const report = await own.run(command);
      seen.push([command, report.nextDirectory.slice(own.root.length + 1), report.notes.length]);
      expect(own.shell.directory).toBe(existsSync(report.nextDirectory) ? report.nextDirectory : own.root);
    }
    expect(seen).toEqual(steps);
  });

  test.each([
    ['exit code', 'exit 7', {kind: 'exited', code: 7}, ''],
    ['a trap of its own', 'trap "echo bye" EXIT; exit 3', {kind: 'exited', code: 3}, 'bye\n'],
    ['a failing last command', 'set -e; false; echo no', {kind: 'exited', code: 1}, ''],
    ['traces', 'set -x; : on', {kind: 'exited', code: 0}, '+ : on\n'],
    ['no variable of ours', 'echo "[$BASH_ENV]"; [[ $(env) == *BASH_ENV* ]]', {kind: 'exited', code: 1}, '[]\n'],
    ['closed streams', 'exec 1>&- 2>&-', {kind: 'exited', code: 0}, ''],
    ['descriptors of its own', 'exec 3>three 9>nine; :', {kind: 'exited', code: 0}, ''],
  ])('to be told of it changes nothing: %s', async (_name, command, end, text) => {
    const report = await run(command);
    expect([report.end, report.output.text]).toEqual([end, text]);
  });

  test('a syntax error keeps its line and its words', async () => {
    const {end, output} = await run('echo one\nif then');
    expect(end).toEqual({kind: 'exited', code: 2});
    expect(output.text).toMatch(/^one\n\S+: -c: line 2: syntax error near [^\n]+\n\S+: -c: line 2: `if then'\n$/u);
  });
});

test(
  'a command that pages at a terminal it made itself is ended, and the result says so',
  {tags: 'long'},
  async context => {
    needs('script', 'less')(context);
    const command = `seq 1 500 >pages; script -qc 'LESS= less pages' /dev/null`;
    const report = await shell.run(
      {
        command,
        directory: shell.directory,
        timeoutMs: 20_000,
        paging: 'expected',
        changes: 'none',
        environment: 'inherited',
        confinement: 'chosen',
        ...onPipes,
      },
      () => {},
      never,
    );
    expect(report.notes).toEqual([expect.stringContaining('it waited for a key press without a terminal')]);
    expect(running('less pages')).toEqual([]);
  },
);

test('output of a background process that is about to end is waited for', async () => {
  expect((await run('(sleep 0.1; echo late) & echo early')).output.text).toBe('early\nlate\n');
});

test('50 MB of output stay in bounded memory', {tags: 'long'}, async () => {
  const before = process.memoryUsage().rss;
  const report = await run('head -c 50000000 /dev/zero | tr "\\0" x');
  expect(report.output.totalBytes).toBe(50_000_000);
  expect(report.output.text.length).toBeLessThan(31_000);
  expect(readFileSync(report.output.file ?? '').length).toBe(50_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test('the file that a long output names is one that can be read', async () => {
  const files = makeFiles({
    roots: [join(root, 'elsewhere')],
    home: root,
    alsoReadable: place.outputs.folders,
    editor: 'none',
  });
  const {output} = await run('seq 1 20000');
  const path = output.file ?? '';
  expect(files.resolve(path)).toEqual({path, place: 'inside-workspace'});
  expect(await files.read({path, offset: 9999, limit: 2}, never)).toMatchObject({
    tag: 'ok',
    value: {kind: 'text', lines: ['9999', '10000'], totalLines: 20_000},
  });
});

test('what cannot start says why', async () => {
  await using own = commandPlace();
  rmSync(own.root, {recursive: true});
  expect((await own.run('true')).end).toEqual({
    kind: 'not-started',
    fault: {
      kind: 'needs-user',
      message: `The command was not started: ${own.root} is not a folder.`,
      fix: 'Create the folder again, or start weft in another one.',
    },
  });
  mkdirSync(own.root);
  expect((await own.run('echo \0')).end.kind).toBe('not-started');
  expect((await own.run(`: ${'x'.repeat(140_000)}`)).end.kind).toBe('not-started');
});

const openFiles = (): number => readdirSync('/proc/self/fd').length;

test('many commands leave no open file behind', {tags: 'long'}, async () => {
  for (let at = 0; at < 5; at += 1) await run('true');
  const before = openFiles();
  for (let at = 0; at < 20; at += 1) await run('echo; cd .');
  expect(openFiles()).toBeLessThanOrEqual(before);
});
