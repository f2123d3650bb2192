import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {afterAll, describe, expect, test} from 'vitest';
import type {BlockSnapshot} from '../../../../src/actions/ports.ts';
import type {Outcome} from '../../../../src/base/outcome.ts';
import type {Fault} from '../../../../src/domain/fault.ts';
import {blockId, type BlockId} from '../../../../src/domain/ids.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {freePort} from '../../../support/loopback-port.ts';
import {running} from '../../../support/processes.ts';
import {needs} from '../../../support/programs.ts';
import {commandPlace} from '../exec/command-place.ts';
import {never} from '../temporary-folder.ts';

const environment = {SOME_API_KEY: 'secret', EDITOR: 'my-editor'};

/** Where commands go on: each answer comes after a while at the latest. */
const place = commandPlace({environment});
/** Where each command ends or waits for input: the answer comes then, however busy the machine is. */
const patient = commandPlace({environment, blockWaits: {startMs: 60_000, echoMs: 60_000}});
const {control, root} = place;

afterAll(() => Promise.all([place[Symbol.asyncDispose](), patient[Symbol.asyncDispose]()]));

const valueOf = (outcome: Outcome<BlockSnapshot, Fault>): BlockSnapshot => {
  if (outcome.tag === 'failed') throw new Error(outcome.error.message);
  return outcome.value;
};

/** Most of the time it waits: tests that look only at their own block do so together. */
const within = ({blocks, shell}: typeof place) => ({
  start: async (command: string, signal = never) =>
    valueOf(
      await blocks.start(
        {command, directory: shell.directory, environment: 'inherited', confinement: 'chosen'},
        signal,
      ),
    ),
  read: async (id: BlockId, wait: number | 'completion') => valueOf(await blocks.read({id, wait}, never)),
  write: async (id: BlockId, input: string, mode: 'raw' | 'line' | 'block' = 'line') =>
    valueOf(await blocks.write({id, input, mode}, never)),
});

const {start, read} = within(place);
const toItsEnd = within(patient);

test('a command that ends soon is a snapshot of its end', async () => {
  const {ageMs, id, ...snapshot} = await toItsEnd.start('echo hi; exit 3');
  expect(snapshot).toEqual({
    command: 'echo hi; exit 3',
    directory: patient.root,
    state: {kind: 'exited', code: 3},
    output: {text: 'hi', totalBytes: 4, leftOutLines: 0, file: undefined},
    cursor: {row: 1, column: 0},
    screen: 'normal',
    terminal: 'pty',
    notes: [],
  });
  expect([id, ageMs < 60_000]).toEqual([expect.stringMatching(/^b\d+$/u), true]);
});

test.each([
  ['a terminal', 'tty | cut -c1-9', '/dev/pts/'],
  ['its size', 'stty size', '40 120'],
  ['what it can do', 'echo $TERM', 'xterm-256color'],
  ['no pager', 'echo $PAGER $GIT_PAGER', 'cat cat'],
  ['editors as the user has them', 'echo $EDITOR', 'my-editor'],
  ['no keys', 'echo "[$SOME_API_KEY]"', '[]'],
  ['progress as it stands last', 'for i in 1 2 3; do printf "\\r$i of 3"; done', '3 of 3'],
  ['colours dropped', 'printf "\\033[31mred\\033[0m\\n"', 'red'],
  ['bytes that are no text', 'printf "a\\0b\\n"', 'ab'],
  ['a signal', 'echo $$ >/dev/null; kill -9 $$', ''],
])('a block has %s', async (_name, command, text) => {
  expect((await toItsEnd.start(command)).output.text).toBe(text);
});

describe('waiting for input', () => {
  const cases: readonly (readonly [command: string, lastLine: string])[] = [
    ['read -p "Your name? " x', 'Your name?'],
    ['read x', ''],
    ['cat', ''],
    ['sh -c "stty -echo; printf Password:; read x"', 'Password:'],
    [
      `node -e "require('readline').createInterface({input: process.stdin, output: process.stdout}).question('Go on? ', () => {})"`,
      'Go on?',
    ],
  ];
  test.concurrent.each(cases)('%s', {tags: 'long'}, async (command, lastLine) => {
    const {id, state, ageMs} = await toItsEnd.start(command);
    expect([state, ageMs < 60_000]).toEqual([{kind: 'waiting', lastLine}, true]);
    await patient.control.stop(id);
  });

  test.concurrent.each([
    ['sleeping', 'echo "Wait: "; sleep 7101', 'sleep 7101'],
    [
      'a server',
      `node -e "require('http').createServer().listen(0, () => console.log('up'))"`,
      'createServer().listen(0',
    ],
    ['reading a pipe', 'sleep 7121 | cat', 'sleep 7121'],
  ])('not: %s', {tags: 'long'}, async (_name, command, words) => {
    const {id, state} = await start(command);
    expect(state).toEqual({kind: 'running'});
    await control.stop(id);
    expect(running(words)).toEqual([]);
  });
});

describe('what is written', () => {
  test('a line is answered', async () => {
    const {id} = await toItsEnd.start('read -p "name? " x; echo "hello $x"; read y; echo "and $y"');
    expect((await toItsEnd.write(id, 'Ada')).output.text).toBe('name? Ada\nhello Ada');
    expect(await toItsEnd.write(id, 'Bob')).toMatchObject({state: {kind: 'exited', code: 0}});
  });

  test('keys go as they are: Ctrl-C, end of input', async () => {
    const first = await toItsEnd.start('cat');
    expect((await toItsEnd.write(first.id, '\u0004', 'raw')).state).toEqual({kind: 'exited', code: 0});
    const second = await toItsEnd.start('stty -echo; cat');
    expect((await toItsEnd.write(second.id, '\u0003', 'raw')).state).toMatchObject({
      kind: expect.stringMatching(/exited|signalled/u),
    });
  });

  test('a block is pasted as one where the program understands pastes', async () => {
    const {id} = await toItsEnd.start(`printf '\\033[?2004h'; stty -icanon -echo; head -c 15 | od -c | head -1`);
    expect((await toItsEnd.write(id, 'a\nb\u001B[201~', 'block')).output.text).toContain(
      '033   [   2   0   0   ~   a  \\n   b',
    );
  });

  test('a block is typed where it does not', async () => {
    const {id} = await toItsEnd.start('cat');
    expect((await toItsEnd.write(id, 'one\ntwo\n', 'block')).output.text).toBe('one\ntwo\none\ntwo');
    await patient.control.stop(id);
  });

  test('an unknown block, one that has ended: faults that name those that run', async () => {
    const ended = await toItsEnd.start('true');
    const {id} = await toItsEnd.start('cat');
    expect(await patient.blocks.write({id: blockId('b999'), input: 'x', mode: 'line'}, never)).toEqual({
      tag: 'failed',
      error: {kind: 'rejected', message: `There is no block b999. Running: ${id} (cat).`},
    });
    expect(await patient.blocks.read({id: blockId(''), wait: 0}, never)).toMatchObject({tag: 'failed'});
    expect(await patient.blocks.write({id: ended.id, input: 'x', mode: 'line'}, never)).toEqual({
      tag: 'failed',
      error: {
        kind: 'rejected',
        message: `Can't write to block ${ended.id}: it has ended. Running: ${id} (cat).`,
      },
    });
    await patient.control.stop(id);
  });
});

describe('reading', () => {
  test.concurrent('until its end, and only what is new', {tags: 'long'}, async () => {
    const {id, output} = await start('seq 1 60; sleep 2.5; echo end');
    expect(output.text).toMatch(/^1\n2\n[^]*\n60$/u);
    const last = await read(id, 'completion');
    expect(last.state).toEqual({kind: 'exited', code: 0});
    expect(last.output.text).toMatch(/^(?:2[0-9]|3[0-9])\n[^]*60\nend$/u);
  });

  test.concurrent('so many seconds', {tags: 'long'}, async () => {
    const {id} = await start('sleep 7103');
    const from = performance.now();
    expect((await read(id, 0.3)).state).toEqual({kind: 'running'});
    expect(performance.now() - from).toBeGreaterThan(290);
    await control.stop(id);
    expect((await read(id, 0)).state).toEqual({kind: 'signalled', signal: 'SIGTERM'});
  });

  test.concurrent('an abort ends the wait and not the block', {tags: 'long'}, async () => {
    const {id} = await start('sleep 7104');
    expect(await place.blocks.read({id, wait: 'completion'}, AbortSignal.timeout(50))).toMatchObject({tag: 'ok'});
    expect(running('sleep 7104')).not.toEqual([]);
    await control.stop(id);
    expect(running('sleep 7104')).toEqual([]);
  });
});

test.concurrent('an abort while it starts ends it, whatever it refuses', async () => {
  const stop = new AbortController();
  const starting = start('trap "" TERM; echo up >up; echo up; sleep 7105; sleep 7105', stop.signal);
  await lookUntil(
    () => existsSync(join(root, 'up')),
    () => 'it never started',
  );
  stop.abort();
  const {state, output} = await starting;
  expect([state, output.text]).toEqual([{kind: 'signalled', signal: 'SIGKILL'}, 'up']);
  expect(running('sleep 7105')).toEqual([]);
});

test.concurrent('a full-screen program: its screen, its cursor; back on the normal screen its text is gone', async () => {
  const {id, ...snapshot} = await toItsEnd.start(
    `echo before; printf '\\033[?1049h\\033[2J\\033[3;5Hmenu'; read x; printf '\\033[?1049l'`,
  );
  expect(snapshot).toMatchObject({
    screen: 'alternate',
    cursor: {row: 2, column: 8},
    output: {text: '\n\n    menu'},
    state: {kind: 'waiting', lastLine: 'menu'},
  });
  expect(await toItsEnd.write(id, '')).toMatchObject({screen: 'normal', output: {text: 'before'}});
});

test.concurrent.for([
  ['on the normal screen', 'less many'],
  ['on a screen of its own', 'LESS= less many'],
])('a pager waits for keys, and the model is told which: %s', async ([, command = ''], context) => {
  needs('less')(context);
  writeFileSync(join(patient.root, 'many'), Array.from({length: 300}, (_, at) => `line ${at}\n`).join(''));
  const {id, state, output, notes} = await toItsEnd.start(command);
  expect(state.kind).toBe('waiting');
  expect(output.text).toContain('line 38');
  expect(notes).toEqual([
    'less shows one page at a time and waits for keys: space turns the page, q quits; or run the command without a pager',
  ]);
  await toItsEnd.write(id, 'q', 'raw');
  expect((await toItsEnd.read(id, 'completion')).state.kind).toBe('exited');
});

test.concurrent('endless output is held back, and ends when it is told to', {tags: 'long'}, async () => {
  const {id, state} = await start('yes 7106');
  expect(state).toEqual({kind: 'running'});
  await control.stop(id);
  expect(running('yes 7106')).toEqual([]);
});

/** Bytes that this process keeps: what nobody holds any more is collected first. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const {heapUsed, external} = process.memoryUsage();
  return heapUsed + external;
}

// By itself: the memory is the whole process's.
test('much output: head and tail as text, everything in the file, memory bounded', {tags: 'long'}, async () => {
  const before = keptBytes();
  // The answer comes with the end, so it has seen everything.
  const {state, output} = await toItsEnd.start('head -c 8000000 /dev/zero | tr "\\0" "\\377" | fold -w 100; echo last');
  expect(state).toEqual({kind: 'exited', code: 0});
  expect(output.text.length).toBeLessThan(31_000);
  expect(output.text).toMatch(/^\[… earlier lines left out …\]\n[^]*last$/u);
  // Head, tail and the screen: less than was printed. What nobody holds any more is given back some time after it was collected.
  await expect.poll(() => keptBytes() - before).toBeLessThan(7_000_000);
  const bytes = readFileSync(output.file ?? '');
  expect([bytes.length, bytes[0], bytes.at(-3)]).toEqual([output.totalBytes, 0xff, 't'.charCodeAt(0)]);
});

describe('the control', () => {
  test('lists, tells of changes, knows ports', {tags: 'long'}, async () => {
    const port = await freePort();
    const changed = Promise.withResolvers<void>();
    const stopWatching = control.watch(() => changed.resolve());
    const {id} = await start(`node -e "require('http').createServer().listen(${port}, () => console.log('up'))"`);
    await changed.promise;
    stopWatching();
    const ports = (): readonly number[] => control.list().find(block => block.id === id)?.ports ?? [];
    await lookUntil(
      async () => ports().join() === String(port),
      async () => `the ports are ${ports().join()}`,
    );
    expect(control.list().find(block => block.id === id)).toMatchObject({
      lastLine: 'up',
      life: 'with-weft',
      state: {kind: 'running'},
    });
    expect(readdirSync(place.registry).filter(name => name.endsWith('.json'))).not.toEqual([]);
    await control.stop(id);
    await expect.poll(() => readdirSync(place.registry).filter(name => name.endsWith('.json'))).toEqual([]);
  });

  test('attaches a terminal: it is drawn, typed into, resized, detached', async () => {
    const {id} = await start(`printf '\\033[1mbold\\033[0m\\nname? '; read x; stty size; read y; echo "$x $y"`);
    let shown = '';
    let end = 'open';
    const attached = control.attach(id, {
      size: {columns: 70, rows: 20},
      show: bytes => (shown += bytes),
      ended: () => (end = 'ended'),
    });
    if (attached.tag === 'failed') throw new Error(attached.error.message);
    await expect.poll(() => shown).toContain('\u001B[0;1mbold');
    attached.value.write('Ada\r');
    await expect.poll(() => shown).toContain('20 70');
    attached.value.resize({columns: 90, rows: 30});
    attached.value.write('B\r');
    await expect.poll(() => end).toBe('ended');
    expect(shown).toContain('Ada B');
    attached.value.detach();
    expect(control.attach(blockId('b999'), {size: {columns: 1, rows: 1}, show: () => {}, ended: () => {}}).tag).toBe(
      'failed',
    );
  });

  test('what a block puts into the background belongs to it', {tags: 'long'}, async () => {
    const {id, state, output} = await start('sleep 7107 & echo up');
    expect([state, output.text]).toEqual([{kind: 'running'}, 'up']);
    await control.stop(id);
    expect(running('sleep 7107')).toEqual([]);
  });
});

test.concurrent('what is kept at the very end is kept', {tags: 'long'}, async () => {
  const own = commandPlace();
  await own.blocks.start(
    {command: 'sleep 7110', directory: own.root, environment: 'inherited', confinement: 'chosen'},
    never,
  );
  const [block] = own.control.list();
  if (block === undefined) throw new Error('there is no block');
  own.control.keep(block.id);
  await own.close();
  try {
    const [registered = ''] = readdirSync(own.registry).map(name => readFileSync(join(own.registry, name), 'utf8'));
    expect(JSON.parse(registered)).toMatchObject({command: 'sleep 7110', life: 'kept'});
    expect(running('sleep 7110').length).toBeGreaterThan(0);
    expect(running('weft-output-watchdog').filter(line => line.includes(own.outputs.folders().join()))).toHaveLength(1);
  } finally {
    await own.control.stop(block.id);
  }
  expect(running('sleep 7110')).toEqual([]);
});

test.concurrent(
  'a command that clears its environment and its parent goes with its block',
  {tags: 'long'},
  async context => {
    needs('setsid')(context);
    const started = await start('env -i setsid -f sleep 7111; echo up; sleep 7112');
    await control.stop(started.id);
    expect([running('sleep 7111'), running('sleep 7112')]).toEqual([[], []]);
  },
);

test('a second screen left behind: the person who is attached gets the first one painted, not more', async () => {
  const {id} = await start(
    `printf 'before\\n'; read x; printf '\\033[?1049hfull'; read x; printf '\\033[?1049l\\033]0;title\\007after'; read x`,
  );
  let shown = '';
  const attached = control.attach(id, {
    size: {columns: 70, rows: 20},
    show: text => (shown += text),
    ended: () => {},
  });
  if (attached.tag === 'failed') throw new Error(attached.error.message);
  await expect.poll(() => shown).toContain('before');
  attached.value.write('\r');
  await expect.poll(() => shown).toContain('full');
  shown = '';
  attached.value.write('\r');
  await expect.poll(() => shown).toMatch(/before[^]*after/u);
  expect(shown).not.toMatch(/1049|title/u);
  attached.value.detach();
  await control.stop(id);
});

test.concurrent(
  'closing ends all that is not kept, also what left its group and its parent',
  {tags: 'long'},
  async context => {
    needs('setsid')(context);
    const own = commandPlace();
    for (const command of ['sleep 7108', 'setsid -f sleep 7108; trap "" TERM; sleep 7109; sleep 7109']) {
      await own.blocks.start({command, directory: own.root, environment: 'inherited', confinement: 'chosen'}, never);
    }
    await own.run('setsid -f sleep 7108 >/dev/null 2>&1; sleep 7108 &');
    expect(running('sleep 7108').length).toBeGreaterThan(4);
    await own.close();
    expect([running('sleep 7108'), running('sleep 7109')]).toEqual([[], []]);
    expect(existsSync(own.registry) ? readdirSync(own.registry) : []).toEqual([]);
  },
);
