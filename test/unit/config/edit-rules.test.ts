import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {addRule, removeRule} from '../../../src/config/edit-settings.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-rules-'));
  path = join(folder, 'settings.json');
});

afterEach(() => rmSync(folder, {recursive: true, force: true}));

const read = (): string => readFileSync(path, 'utf8');

describe('addRule', () => {
  test('makes the file and its folder, for the user alone', async () => {
    path = join(folder, 'a', 'b', 'settings.json');
    expect(await addRule({path, list: 'deny', rule: 'Bash(rm:*)'})).toEqual({tag: 'ok', value: 'changed'});
    expect(JSON.parse(read())).toEqual({permissions: {deny: ['Bash(rm:*)']}});
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a rule that is there is not added again', async () => {
    writeFileSync(path, '{"permissions":{"allow":[" Read "]}}');
    expect(await addRule({path, list: 'allow', rule: 'Read'})).toEqual({tag: 'ok', value: 'same'});
    expect(read()).toBe('{"permissions":{"allow":[" Read "]}}');
  });

  test('keeps the byte order mark, the rights and the link', async () => {
    const real = join(folder, 'real.json');
    writeFileSync(real, '\u{feff}{"permissions":{"allow":[]}, "mine": 1.0}');
    chmodSync(real, 0o640);
    symlinkSync(real, path);
    await addRule({path, list: 'allow', rule: 'Read'});
    expect(read()).toBe('\u{feff}{"permissions":{"allow":["Read"]}, "mine": 1.0}');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).toSorted()).toEqual(['real.json', 'settings.json']);
  });

  test.each([
    ['{"permissions": {"allow": ["Read"}', 'is not JSON'],
    ['[]', 'must hold one JSON object'],
    ['{"permissions": []}', '"permissions" is invalid'],
  ])('a broken file is not touched: %s', async (text, why) => {
    writeFileSync(path, text);
    const added = await addRule({path, list: 'allow', rule: 'Read'});
    expect(added).toMatchObject({tag: 'failed', error: {kind: 'needs-user', message: expect.stringContaining(why)}});
    expect(read()).toBe(text);
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });

  test('a file that is no UTF-8 text, and a folder, are not touched', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    writeFileSync(path, bytes);
    expect((await addRule({path, list: 'allow', rule: 'Read'})).tag).toBe('failed');
    expect(readFileSync(path)).toEqual(bytes);
    mkdirSync(join(folder, 'x'));
    expect((await addRule({path: join(folder, 'x'), list: 'allow', rule: 'Read'})).tag).toBe('failed');
    expect(existsSync(join(folder, 'x.lock'))).toBe(false);
  });

  test('of many at once none is lost', async () => {
    const rules = Array.from({length: 30}, (_, at) => `Bash(p${String(at)}:*)`);
    await Promise.all(rules.map(rule => addRule({path, list: 'allow', rule})));
    const found: {permissions: {allow: readonly string[]}} = JSON.parse(read());
    expect(found.permissions.allow.toSorted()).toEqual(rules.toSorted());
  });

  test('a lock that was left behind does not last', {tags: 'long'}, async () => {
    writeFileSync(`${path}.lock`, '');
    expect(await addRule({path, list: 'allow', rule: 'Read'})).toEqual({tag: 'ok', value: 'changed'});
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });
});

describe('removeRule', () => {
  test('takes it out of its list alone', async () => {
    writeFileSync(path, '{"permissions":{"allow":["Read","Edit"],"deny":["Read"]}}');
    expect(await removeRule({path, list: 'allow', rule: ' Read'})).toEqual({tag: 'ok', value: 'changed'});
    expect(read()).toBe('{"permissions":{"allow":["Edit"],"deny":["Read"]}}');
    expect(await removeRule({path, list: 'allow', rule: 'Read'})).toEqual({tag: 'ok', value: 'same'});
  });

  test('where there is no file, none is made', async () => {
    expect(await removeRule({path, list: 'ask', rule: 'Read'})).toEqual({tag: 'ok', value: 'same'});
    expect(readdirSync(folder)).toEqual([]);
  });
});
