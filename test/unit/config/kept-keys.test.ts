import {chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {forgetKeptKey, readKeptKeys, writeKeptKey, type KeptKey} from '../../../src/config/kept-keys.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-keys-'))));
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const inFile: KeptKey = {provider: 'anthropic', baseUrl: '', place: {in: 'file', key: 'sk-ant-1'}};
const inKeychain: KeptKey = {provider: 'openai', baseUrl: 'http://gate/v1', place: {in: 'keychain'}};
const mode = (path: string): string => ((statSync(path).mode ?? 0) & 0o777).toString(8);

test('keeps one key of each provider in a file that is the user’s alone, also one that was open', async () => {
  const path = join(folder, 'new', 'credentials.json');
  await writeKeptKey(path, inFile);
  expect([mode(path), mode(join(folder, 'new'))]).toEqual(['600', '700']);
  chmodSync(path, 0o644);
  await writeKeptKey(path, inKeychain);
  expect(mode(path)).toBe('600');
  const again: KeptKey = {...inFile, place: {in: 'file', key: 'sk-ant-2'}};
  await writeKeptKey(path, again);
  expect(readKeptKeys(path)).toEqual({tag: 'ok', value: [again, inKeychain]});
  await forgetKeptKey(path, 'anthropic');
  expect(readKeptKeys(path)).toEqual({tag: 'ok', value: [inKeychain]});
  expect(readFileSync(path, 'utf8')).not.toContain('sk-ant');
});

test('a file of another form is an error that does not quote it, and is not written over', async () => {
  const path = join(folder, 'credentials.json');
  writeFileSync(path, '{"anthropic":"sk-ant-1"}');
  const error = {
    kind: 'needs-user',
    message: `The kept keys in ${path} cannot be read: it has another form`,
    fix: 'Delete the file and give the key again.',
  };
  expect(readKeptKeys(path)).toEqual({tag: 'failed', error});
  expect(await writeKeptKey(path, inFile)).toEqual({tag: 'failed', error});
  expect(readFileSync(path, 'utf8')).toBe('{"anthropic":"sk-ant-1"}');
});
