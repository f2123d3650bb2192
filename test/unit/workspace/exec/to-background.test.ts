import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import type {BlockId} from '../../../../src/domain/ids.ts';
import {running} from '../../../support/processes.ts';
import {openHandles} from '../../../support/open-handles.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {never} from '../temporary-folder.ts';
import {commandPlace} from './command-place.ts';

const place = commandPlace();
const {blocks, control, root, shell} = place;

afterAll(() => place[Symbol.asyncDispose]());

/** Starts a command and moves it to the background when it has printed something. */
async function moved(command: string, {timeoutMs = 20_000, at = place} = {}) {
  const background = new AbortController();
  const request = {
    command,
    directory: at.shell.directory,
    timeoutMs,
    paging: 'unexpected',
    changes: 'none',
    environment: 'inherited',
    confinement: 'chosen',
    ...onPipes,
  } as const;
  const stop = new AbortController();
  const report = await at.shell.run({...request, background: background.signal}, () => background.abort(), stop.signal);
  if (report.end.kind !== 'moved') throw new Error(`it ended: ${JSON.stringify(report.end)}`);
  return {report, id: report.end.block, stop};
}

async function readToEnd(id: BlockId) {
  const read = await blocks.read({id, wait: 'completion'}, never);
  if (read.tag === 'failed') throw new Error(read.error.message);
  return read.value;
}

test('what was printed is the report, and what comes later the block has, with the exit code', async () => {
  const {report, id} = await moved('echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; exit 3');
  expect(report.output).toEqual({text: 'first\n', totalBytes: 6, leftOutLines: 0, file: undefined});
  expect(control.list()).toMatchObject([{id, state: {kind: 'running'}, lastLine: 'first', life: 'with-weft'}]);
  writeFileSync(join(root, 'go'), '');
  const {state, output, terminal} = await readToEnd(id);
  expect({state, terminal, output}).toEqual({
    state: {kind: 'exited', code: 3},
    terminal: 'pipes',
    output: {text: 'first\nsecond', totalBytes: 13, leftOutLines: 0, file: undefined},
  });
});

test(
  'neither the abort nor the time limit of the run reach it there; stopping it ends the whole tree',
  {tags: 'long'},
  async () => {
    const {id, stop} = await moved('echo up; (sleep 7501; :) & sleep 7502; :', {timeoutMs: 1500});
    stop.abort();
    await blocks.read({id, wait: 1.7}, never);
    expect(running('sleep 750')).not.toEqual([]);
    await control.stop(id);
    expect(running('sleep 750')).toEqual([]);
    expect((await readToEnd(id)).state.kind).toBe('signalled');
  },
);

test('a long output goes on in the same file', async () => {
  const {report, id} = await moved('seq 1 20000; while [ ! -e more ]; do sleep 0.02; done; seq 20001 20010');
  writeFileSync(join(root, 'more'), '');
  const end = await readToEnd(id);
  expect(end.state).toEqual({kind: 'exited', code: 0});
  const lines = Array.from({length: 20_010}, (_, at) => `${at + 1}\n`).join('');
  expect(end.output.totalBytes).toBe(lines.length);
  if (report.output.file !== undefined) expect(readFileSync(report.output.file, 'utf8')).toBe(lines);
});

test('a command that ends at that very moment settles once, as ended or as moved', {tags: 'long'}, async () => {
  const ends = await Promise.all(
    Array.from({length: 20}, async (_, at) => {
      const background = new AbortController();
      const request = {
        directory: shell.directory,
        timeoutMs: 20_000,
        paging: 'unexpected',
        changes: 'none',
        environment: 'inherited',
        confinement: 'chosen',
        ...onPipes,
      } as const;
      setTimeout(() => background.abort(), at * 3).unref();
      const report = await shell.run(
        {...request, command: `echo ${at}; sleep 0.0${at % 6}; exit 4`, background: background.signal},
        () => {},
        never,
      );
      if (report.end.kind !== 'moved') return [report.end, report.output.text];
      const {state, output} = await readToEnd(report.end.block);
      return [state, `${output.text}\n`];
    }),
  );
  expect(ends).toEqual(Array.from({length: 20}, (_, at) => [{kind: 'exited', code: 4}, `${at}\n`]));
});

test.runIf(process.platform === 'linux')('nothing stays open of a session that is closed', async () => {
  const echo = {command: 'echo one', environment: 'inherited', confinement: 'chosen'} as const;
  // The first terminal of a process opens /dev/null for good.
  await blocks.start({...echo, directory: root}, never);
  const before = openHandles(process.pid);
  const own = commandPlace();
  await own.run('echo two');
  await own.blocks.start({...echo, directory: own.root}, never);
  const kept = await moved('echo first; while [ ! -e go ]; do sleep 0.02; done', {at: own});
  own.control.keep(kept.id);
  await own.close();
  // A command that the user keeps ends later.
  writeFileSync(join(own.root, 'go'), '');
  await expect.poll(() => openHandles(process.pid)).toEqual(before);
  await own[Symbol.asyncDispose]();
});
