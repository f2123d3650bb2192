import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {forgetRefusals, openRefusals} from '../../../src/app/refusal-memory.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {isLasting, type KnownRefusal, type RefusalClass} from '../../../src/models/refusals.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-refusals-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

const roles: KnownRefusal = {is: {kind: 'plain-roles'}, said: '', messages: []};
const limit: KnownRefusal = {is: {kind: 'max-tokens', most: 8, input: 0, window: 0}, said: '', messages: []};
const thinking: KnownRefusal = {is: {kind: 'thinking-signature'}, said: '', messages: [messageId('m1')]};
const serverAt = (host: string) => ({
  provider: 'openai',
  baseUrl: `http://user:secret@${host}/v1?key=k`,
  wireApi: undefined,
  seesImages: (model: string) => model === 'sees',
});
const kinds = (known: readonly KnownRefusal[]) => known.map(({is}) => is.kind);

test('refusals are kept by server and model, each once, for a week, or a day if they take something away', async () => {
  const file = join(folder, 'refusals.json');
  let now = 0;
  const open = (server: string) => openRefusals(file, serverAt(server), () => now);
  await open('a').keep('m', [roles, limit]);
  await open('a').keep('m', [roles, thinking]);
  await open('b').keep('m', [limit]);
  expect(open('a').recall('m')).toMatchObject([limit, roles, thinking]);
  expect([kinds(open('a').recall('n')), kinds(open('b').recall('m'))]).toEqual([[], ['max-tokens']]);
  now = 86_400_000;
  expect(kinds(open('a').recall('m'))).toEqual(['plain-roles']);
  now = 0;
  await open('b').forget('m');
  expect(open('b').recall('m')).toEqual([]);
  now = 7 * 86_400_000;
  expect(open('a').recall('m')).toEqual([]);
});

test('a refusal of one request is not kept, and a damaged file is none', async () => {
  const file = join(folder, 'refusals.json');
  const kept = openRefusals(file, serverAt('a'), () => 0);
  writeFileSync(file, '{"openai http://a/v1  m": [{"at": 0, "is": {"kind": "later"}}], "a n": 5');
  expect(kept.recall('m')).toEqual([]);
  const refusals: readonly RefusalClass[] = [{kind: 'image'}, {kind: 'unexplained'}, roles.is];
  const lasting = refusals.filter(isLasting);
  expect(lasting).toEqual([roles.is]);
  await kept.keep(
    'm',
    lasting.map(is => ({is, said: '', messages: []})),
  );
  expect(kinds(kept.recall('m'))).toEqual(['plain-roles']);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['openai http://a/v1  m']);
});

test('a setting for images and a test of the model clear what is kept', async () => {
  const file = join(folder, 'refusals.json');
  const kept = openRefusals(file, serverAt('a'), Date.now);
  for (const model of ['sees', 'm']) await kept.keep(model, [{is: {kind: 'no-images'}, said: '', messages: []}, roles]);
  expect([kinds(kept.recall('sees')), kinds(kept.recall('m'))]).toEqual([
    ['plain-roles'],
    ['no-images', 'plain-roles'],
  ]);
  await forgetRefusals(file, 'm');
  expect([kinds(kept.recall('sees')), kinds(kept.recall('m'))]).toEqual([['plain-roles'], []]);
});
