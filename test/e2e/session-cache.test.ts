// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {say, usage} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';

test('weft sessions cache names what broke the prefix between two runs', async () => {
  await using scene = await openScene([
    [usage({input: 3, cacheWrite: 9000}), say('One.')],
    [usage({input: 3, cacheRead: 9000, cacheWrite: 50}), say('Two.')],
    [usage({input: 3, cacheWrite: 9100}), say('Three.')],
    [usage({input: 3, cacheWrite: 9100}), say('Four.')],
  ]);
  writeFileSync(join(scene.place.work, 'AGENTS.md'), 'Be brief.');
  await scene.run(['--prompt', 'one']);
  await scene.run(['--continue', '--prompt', 'two']);
  writeFileSync(join(scene.place.work, 'AGENTS.md'), 'Be bold.');
  await scene.run(['--continue', '--prompt', 'three']);
  await scene.run(['--continue', '--prompt', 'four', '--disallowed-tools', 'Grep']);
  const [{id}] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  const {stdout, code} = await scene.run(['sessions', 'cache', id, '--json']);
  expect(code).toBe(0);
  const rows: readonly Record<string, unknown>[] = JSON.parse(stdout);
  expect(rows.map(({request, prefix, broken}) => ({request, prefix, broken}))).toEqual([
    {request: 1, prefix: 'first', broken: undefined},
    {request: 2, prefix: 'kept', broken: undefined},
    {request: 3, prefix: 'broken', broken: {part: 'system', byte: expect.any(Number), lostTokens: 9050}},
    {request: 4, prefix: 'broken', broken: {part: 'tools', byte: expect.any(Number), lostTokens: 9100}},
  ]);
  expect(rows[1]).toMatchObject({cacheReadTokens: 9000, cacheWriteTokens: 50, inputTokens: 3});
  expect((await scene.run(['sessions', 'cache', id])).stdout.split('\n')[2]).toMatch(
    /^Request 3, .*: 0 from cache, 9,100 written to cache, 3 uncached; 9,050 cached tokens lost: the system prompt changed, from byte [\d,]+ on$/u,
  );
});
