import {spawn} from 'node:child_process';
import {hash} from 'node:crypto';
import {once} from 'node:events';
import {appendFileSync, existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {
  endLeftover,
  findLeftovers,
  findRunning,
  hasEndedRuns,
} from '../../../../src/workspace/terminals/find-running.ts';
import {running} from '../../../support/processes.ts';
import {needs} from '../../../support/programs.ts';
import {commandPlace} from '../exec/command-place.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

test(
  'what runs is found from outside, with its last line once it is kept, and ends when it is told to',
  {tags: 'long'},
  async () => {
    await using place = commandPlace();
    const folder = place.registry;
    expect(await findRunning({folder})).toEqual([]);
    const started = await place.blocks.start(
      {command: 'echo up; sleep 7113', directory: place.root, environment: 'inherited', confinement: 'chosen'},
      never,
    );
    if (started.tag === 'failed') throw new Error(started.error.message);
    const found = async () => (await findRunning({folder})).filter(({life}) => life === 'running');
    const facts = {command: 'echo up; sleep 7113', directory: place.root, ports: [], life: 'running'};
    expect(await found()).toMatchObject([{...facts, id: `${process.pid}.${started.value.id}`, lastLine: ''}]);

    place.control.keep(started.value.id);
    await expect.poll(async () => (await found())[0]?.lastLine).toBe('up');
    // Its file may be far longer than what is looked at.
    const {file} = z
      .object({file: z.string()})
      .parse(
        JSON.parse(readFileSync(join(folder, readdirSync(folder).find(name => name.endsWith('.json')) ?? ''), 'utf8')),
      );
    appendFileSync(file, `${'long line\r\n'.repeat(5000)}\u001B[1mthe last\u001B[0m\r\n`);
    const [command] = await found();
    expect(command?.lastLine).toBe('the last');
    await command?.end();
    expect([await found(), running('sleep 7113')]).toEqual([[], []]);
  },
);

const script = fileURLToPath(new URL('keep-and-wait.ts', import.meta.url));

test(
  'killed without warning: all is gone within three seconds but what the user keeps, which is found',
  {tags: 'long'},
  async context => {
    needs('setsid')(context);
    using place = temporaryFolder();
    const child = spawn(process.execPath, [script, place.path], {stdio: ['ignore', 'pipe', 'inherit']});
    await once(child.stdout, 'data');
    expect(running('sleep 7402')).not.toEqual([]);
    child.kill('SIGKILL');
    await expect.poll(() => running('sleep 7402'), {timeout: 30_000}).toEqual([]);

    const folder = join(place.path, 'blocks');
    const ours = (await findLeftovers({folder})).filter(({directory}) => directory === place.path);
    expect(ours).toMatchObject([{command: 'while sleep 0.1; do echo tick; done; sleep 7401', life: 'kept'}]);
    const [kept] = ours;
    if (kept === undefined) return;
    const length = (): number => (existsSync(kept.file) ? readFileSync(kept.file).length : 0);
    const before = length();
    // Its output goes on into the file.
    await expect.poll(length, {timeout: 30_000}).toBeGreaterThan(before + 20);
    // The record of the killed weft says that there is something to look for, until nothing of it is left.
    expect(await hasEndedRuns(folder)).toBe(true);
    await endLeftover(kept, {folder});
    expect(running('sleep 7401')).toEqual([]);
    expect(await findLeftovers({folder})).toEqual([]);
    expect([await hasEndedRuns(folder), readdirSync(folder)]).toEqual([false, []]);
  },
);

test('a weft that ends by itself takes its record back', async () => {
  await using place = commandPlace();
  const folder = place.registry;
  expect((await place.run('true')).end).toEqual({kind: 'exited', code: 0});
  expect([readdirSync(folder).length, await hasEndedRuns(folder)]).toEqual([1, false]);
  await place.close();
  expect([readdirSync(folder), await hasEndedRuns(folder)]).toEqual([[], false]);
});

test('what carries the run tag of a weft that is gone is found by it, and ended', async () => {
  using place = temporaryFolder();
  const runTag = `4194000.1.${hash('sha256', place.path, 'hex').slice(0, 6)}abcdef.7.`;
  const child = spawn('sleep', ['7403'], {env: {...process.env, WEFT_RUN: runTag}, stdio: 'ignore', detached: true});
  const ended = once(child, 'exit');
  expect(await findLeftovers({folder: join(place.path, 'of-another-home')})).toEqual([]);
  const find = async () => (await findLeftovers({folder: place.path})).filter(leftover => leftover.runTag === runTag);
  const found = await find();
  expect(found).toEqual([
    {
      runTag,
      command: 'sleep 7403',
      directory: '',
      startedAt: undefined,
      processes: [child.pid],
      life: 'forgotten',
      file: '',
    },
  ]);
  for (const leftover of found) await endLeftover(leftover, {folder: place.path});
  await ended;
  expect(await find()).toEqual([]);
});
