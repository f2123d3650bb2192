import {emptyChangesOutcome} from '../../../../src/actions/changes-port.ts';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import type {BlockId} from '../../../../src/domain/ids.ts';
import {running} from '../../../support/processes.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {commandPlace} from '../exec/command-place.ts';
import {never} from '../temporary-folder.ts';

const place = commandPlace();
const {blocks, control, root, shell} = place;

afterAll(() => place[Symbol.asyncDispose]());

/** Runs a command of the user's in a terminal; `needed` is told the block that waits for a person. */
function start(command: string, needed: (block: BlockId) => void = () => {}) {
  const background = new AbortController();
  const stop = new AbortController();
  const seen: string[] = [];
  const ended = shell.run(
    {
      command,
      directory: shell.directory,
      timeoutMs: 20_000,
      paging: 'unexpected',
      changes: 'none',
      environment: 'inherited',
      confinement: 'chosen',
      hosts: 'none',
      background: background.signal,
      terminal: {size: {columns: 60, rows: 20}, needed},
    },
    chunk => seen.push(chunk),
    stop.signal,
  );
  return {ended, background, stop, seen};
}

/** Attaches to a block, and answers with all that is shown of it. */
function attached(id: BlockId) {
  const over = Promise.withResolvers<void>();
  let shown = '';
  const opened = control.attach(id, {
    size: {columns: 60, rows: 20},
    show: text => (shown += text),
    ended: over.resolve,
  });
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  return {...opened.value, shown: () => shown, over: over.promise};
}

test('a command of the user has a terminal of the given size, its end and its text without colours', async () => {
  mkdirSync(join(root, 'sub'), {recursive: true});
  const {ended, seen} = start(
    `test -t 0 && test -t 1 && stty size; printf '\\033[31mred\\033[0m 10%%\\r100%%\\n'; cd sub; exit 3`,
  );
  const {durationMs: _, ...report} = await ended;
  expect(report).toEqual({
    end: {kind: 'exited', code: 3},
    output: {text: '20 60\n100%10%', totalBytes: expect.any(Number), leftOutLines: 0, file: undefined},
    directory: root,
    nextDirectory: join(root, 'sub'),
    leftRunning: [],
    blocked: '',
    changes: emptyChangesOutcome,
    notes: [],
  });
  expect(seen.join('')).toContain('20 60\n');
  expect(control.list()).toEqual([]);
  await start('cd ..').ended;
});

test('a full-screen program asks for a person, is in no list, and leaves nothing of its screen behind', async () => {
  const asked = Promise.withResolvers<BlockId>();
  const {ended, seen} = start(
    `echo before; printf '\\033[?1049h\\033[2J\\033[5;5Hfull screen'; read -rsn1 key; printf '\\033[?1049l'; echo "got $key"`,
    asked.resolve,
  );
  const id = await asked.promise;
  expect(control.list()).toEqual([]);
  const terminal = attached(id);
  await lookUntil(
    () => terminal.shown().includes('full screen'),
    () => 'it printed nothing of the kind',
  );
  terminal.write('x');
  await terminal.over;
  const {end, output} = await ended;
  expect({end, text: output.text}).toEqual({end: {kind: 'exited', code: 0}, text: 'before\ngot x'});
  expect(seen.join('')).not.toContain('full screen');
});

test.each([
  ['a question', 'printf "Name: "; read name; echo "hello $name"', 'you\r', 'Name: you\nhello you'],
  [
    'a password, which is not shown',
    'printf "Password: "; read -s word; echo; echo "$word" | wc -c',
    'abc\r',
    'Password:\n4',
  ],
])('%s asks for a person', async (_, command, keys, text) => {
  const asked = Promise.withResolvers<BlockId>();
  const {ended} = start(command, asked.resolve);
  attached(await asked.promise).write(keys);
  const {end, output} = await ended;
  expect({end, text: output.text}).toEqual({end: {kind: 'exited', code: 0}, text});
});

test('work in silence asks for nobody', async () => {
  const asked: BlockId[] = [];
  const {ended} = start('printf "Building (3/7): "; sleep 1.5; echo done', id => asked.push(id));
  expect((await ended).output.text).toBe('Building (3/7): done');
  expect(asked).toEqual([]);
});

test('in the background it is a block with its terminal, and can be typed into', async () => {
  const {ended, background, seen} = start('echo up; read -r line; echo "read $line"; exit 2');
  await lookUntil(
    () => seen.join('').includes('up'),
    () => 'it printed nothing of the kind',
  );
  background.abort();
  const {end, output} = await ended;
  if (end.kind !== 'moved') throw new Error('it ended');
  expect(output.text).toBe('up');
  expect(control.list()).toMatchObject([{id: end.block}]);
  await blocks.write({id: end.block, input: 'this', mode: 'line'}, never);
  const read = await blocks.read({id: end.block, wait: 'completion'}, never);
  expect(read).toMatchObject({value: {state: {kind: 'exited', code: 2}, terminal: 'pty'}});
});

test('an abort ends the whole tree, and what was printed is kept', async () => {
  const {ended, stop, seen} = start('echo up; sleep 7601 & sleep 7602; :');
  await lookUntil(
    () => seen.join('').includes('up'),
    () => 'it printed nothing of the kind',
  );
  stop.abort();
  const {end, output} = await ended;
  expect({end, text: output.text}).toEqual({end: {kind: 'aborted'}, text: 'up'});
  expect(running('sleep 760')).toEqual([]);
});

test('what ends with an ampersand is left running, as a block', async () => {
  const {ended} = start('(echo served; sleep 7603; :) &');
  const {end, leftRunning} = await ended;
  expect(end).toEqual({kind: 'exited', code: 0});
  expect(leftRunning).toEqual([expect.stringMatching(/^b\d+: /u)]);
  const [left] = control.list().filter(({command}) => command.includes('7603'));
  await control.stop(left?.id ?? expect.fail());
});
