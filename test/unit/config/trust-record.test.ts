import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {fingerprintOf, forgetTrust, recordTrust, trustIn, type ActingFile} from '../../../src/config/trust-record.ts';

let folder = '';
let record = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-trust-'));
  record = join(folder, 'data', 'trust.json');
});

afterEach(() => rmSync(folder, {recursive: true, force: true}));

test('is bound to the folder and to what is in its files', async () => {
  const entry = {folder: '/w', fingerprint: fingerprintOf([{name: 'project', text: '{}'}])};
  expect(trustIn(record, entry)).toBe('never');
  await recordTrust(record, entry);
  expect(trustIn(record, entry)).toBe('trusted');
  expect(trustIn(record, {...entry, folder: '/w/sub'})).toBe('never');
  expect(trustIn(record, {...entry, fingerprint: fingerprintOf([{name: 'project', text: '{} '}])})).toBe('changed');
  expect(await forgetTrust(record, '/w')).toEqual({tag: 'ok', value: 'changed'});
  expect(trustIn(record, entry)).toBe('never');
  expect(await forgetTrust(record, '/w')).toEqual({tag: 'ok', value: 'same'});
});

test('names of folders are names, whatever they are', async () => {
  for (const name of ['/__proto__', 'constructor', '/a"b\n']) {
    expect(trustIn(record, {folder: name, fingerprint: 'x'})).toBe('never');
    await recordTrust(record, {folder: name, fingerprint: 'x'});
    expect(trustIn(record, {folder: name, fingerprint: 'x'})).toBe('trusted');
  }
});

test.each(['', 'x', '[]', '{"folders":[]}', '{"folders":{"/w":1}}', '\0'])(
  'a record of %j trusts nothing',
  async text => {
    await recordTrust(record, {folder: '/v', fingerprint: 'x'});
    writeFileSync(record, text);
    expect(trustIn(record, {folder: '/w', fingerprint: '1'})).toBe('never');
    await recordTrust(record, {folder: '/w', fingerprint: '1'});
    expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual({folders: {'/w': '1'}});
  },
);

const sorted = (files: readonly ActingFile[]): readonly ActingFile[] =>
  files.toSorted((a, b) => (a.name < b.name ? -1 : 1));

test('no two sets of files have one fingerprint', () => {
  const files = fc.uniqueArray(fc.record({name: fc.string(), text: fc.string()}), {
    selector: ({name}) => name,
    maxLength: 3,
  });
  fc.assert(
    fc.property(files, files, (a, b) => {
      expect(fingerprintOf(a) === fingerprintOf(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      expect(fingerprintOf(a)).toBe(fingerprintOf(a.toReversed()));
    }),
  );
});
