import {appendFileSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {findRunning} from '../../../../src/workspace/blocks/find-running.ts';
import {running} from '../../../support/processes.ts';
import {commandPlace} from '../command-place.ts';
import {never} from '../temporary-folder.ts';

test('what runs is found from outside, with its last line once it is kept, and ends when it is told to', async () => {
  await using place = commandPlace();
  const folder = place.registry;
  expect(await findRunning({folder})).toEqual([]);
  const started = await place.blocks.start({command: 'echo up; sleep 7113', environment: 'own'}, never);
  if (started.tag === 'failed') throw new Error(started.error.message);
  const found = async () => (await findRunning({folder})).filter(({life}) => life === 'running');
  const facts = {command: 'echo up; sleep 7113', directory: place.root, ports: [], life: 'running'};
  expect(await found()).toMatchObject([{...facts, id: `${process.pid}.${started.value.id}`, lastLine: ''}]);

  place.desk.keep(started.value.id);
  await expect.poll(async () => (await found())[0]?.lastLine).toBe('up');
  // Its file may be far longer than what is looked at.
  const {file} = z
    .object({file: z.string()})
    .parse(JSON.parse(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8')));
  appendFileSync(file, `${'long line\r\n'.repeat(5000)}\u001B[1mthe last\u001B[0m\r\n`);
  const [command] = await found();
  expect(command?.lastLine).toBe('the last');
  await command?.end();
  expect([await found(), running('sleep 7113')]).toEqual([[], []]);
});
