import {existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {openServerCredentials} from '../../../src/app/server-credentials.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-credentials-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

const open = () => openServerCredentials({serverCredentials: join(folder, 'mcp', 'credentials.json')}, {});
const never = new AbortController().signal;
const url = 'https://server.test/mcp';

test('what is done alone is done one after the other, and leaves nothing behind', async () => {
  const said: string[] = [];
  const inside = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const first = open().alone(
    url,
    async () => {
      said.push('first begins');
      inside.resolve();
      await done.promise;
      said.push('first ends');
    },
    never,
  );
  await inside.promise;
  const stop = new AbortController();
  const cancelled = open().alone(url, async () => said.push('never'), stop.signal);
  stop.abort();
  await expect(cancelled).rejects.toThrow('aborted');
  const second = open().alone(url, async () => said.push('second'), never);
  await open().alone('https://other.test/', async () => said.push('another server'), never);
  done.resolve();
  await Promise.all([first, second]);
  expect(said).toEqual(['first begins', 'another server', 'first ends', 'second']);
  await expect(open().alone(url, async () => Promise.reject(new Error('no')), never)).rejects.toThrow('no');
  expect(readdirSync(join(folder, 'mcp'))).toEqual([]);
});

test('a process that is gone holds nobody up', async () => {
  await open().alone(
    url,
    async () => {
      const [lock = ''] = readdirSync(join(folder, 'mcp'));
      writeFileSync(join(folder, 'mcp', lock), '4194999');
      expect(await open().alone(url, async () => 'taken over', never)).toBe('taken over');
    },
    never,
  );
  expect(existsSync(join(folder, 'mcp', 'credentials.json'))).toBe(false);
});
