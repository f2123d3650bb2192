import {hash} from 'node:crypto';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {endLeftover, findLeftovers} from '../../../../src/workspace/blocks/find-leftovers.ts';
import {running} from '../../../support/processes.ts';
import {needs} from '../../../support/programs.ts';
import {temporaryFolder} from '../temporary-folder.ts';

const script = fileURLToPath(new URL('keep-and-wait.ts', import.meta.url));

test('killed without warning: all is gone within three seconds but what the user keeps, which is found', async context => {
  needs('setsid')(context);
  using place = temporaryFolder();
  const child = spawn(process.execPath, [script, place.path], {stdio: ['ignore', 'pipe', 'inherit']});
  await once(child.stdout, 'data');
  expect(running('sleep 7402')).not.toEqual([]);
  child.kill('SIGKILL');
  await expect.poll(() => running('sleep 7402'), {timeout: 3000}).toEqual([]);

  const folder = join(place.path, 'blocks');
  const ours = (await findLeftovers({folder})).filter(({directory}) => directory === place.path);
  expect(ours).toMatchObject([{command: 'while sleep 0.1; do echo tick; done; sleep 7401', life: 'kept'}]);
  const [kept] = ours;
  if (kept === undefined) return;
  const length = (): number => (existsSync(kept.file) ? readFileSync(kept.file).length : 0);
  const before = length();
  // Its output goes on into the file.
  await expect.poll(length, {timeout: 5000}).toBeGreaterThan(before + 20);
  await endLeftover(kept, {folder});
  expect(running('sleep 7401')).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('what carries the mark of a weft that is gone is found by it, and ended', async () => {
  using place = temporaryFolder();
  const mark = `4194000.1.${hash('sha256', place.path, 'hex').slice(0, 6)}abcdef.7.`;
  const child = spawn('sleep', ['7403'], {env: {...process.env, WEFT_RUN: mark}, stdio: 'ignore', detached: true});
  const ended = once(child, 'exit');
  expect(await findLeftovers({folder: join(place.path, 'of-another-home')})).toEqual([]);
  const find = async () => (await findLeftovers({folder: place.path})).filter(leftover => leftover.mark === mark);
  const found = await find();
  expect(found).toEqual([
    {
      mark,
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
