import {chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {systemKeychain} from '../../../src/workspace/keychain.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-keychain-'));
afterEach(() => rmSync(join(folder, 'kept'), {force: true}));

/** A `secret-tool` that keeps one secret in a file and notes its words. */
const working = `#!/bin/sh
echo "$@" >>"$KEYCHAIN/words"
case $1 in
store) cat >"$KEYCHAIN/kept" ;;
lookup) cat "$KEYCHAIN/kept" ;;
clear) rm "$KEYCHAIN/kept" ;;
esac
`;
const locked = '#!/bin/sh\nsleep 60\n';

function keychainWith(program: string, limitMs = 5000) {
  const file = join(folder, 'secret-tool');
  if (program === 'none') rmSync(file, {force: true});
  else {
    writeFileSync(file, program);
    chmodSync(file, 0o755);
  }
  const path = [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const environment = {PATH: program === 'none' ? folder : path, KEYCHAIN: folder};
  const keychain = systemKeychain({platform: 'linux', environment, limitMs});
  if (keychain === undefined) throw new Error('no keychain');
  return keychain;
}

test('stores, reads and removes by the service and the account; the secret is in no list of processes', async () => {
  const keychain = keychainWith(working);
  expect(await keychain.read('anthropic')).toBe(undefined);
  expect(await keychain.store('anthropic', 'sk-ant-1')).toBe(true);
  expect(await keychain.read('anthropic')).toBe('sk-ant-1');
  expect(await keychain.remove('anthropic')).toBe(true);
  expect(await keychain.read('anthropic')).toBe(undefined);
  expect(readFileSync(join(folder, 'words'), 'utf8').split('\n').slice(1, 3)).toEqual([
    'store --label weft: anthropic service weft account anthropic',
    'lookup service weft account anthropic',
  ]);
});

test('without the program nothing is stored', async () => {
  expect(await keychainWith('none').store('anthropic', 'sk-ant-1')).toBe(false);
});

test('a locked keychain is given up when its time is over', async () => {
  const keychain = keychainWith(locked, 50);
  expect(await keychain.read('anthropic')).toBe(undefined);
  expect(await keychain.store('anthropic', 'sk-ant-1')).toBe(false);
});
