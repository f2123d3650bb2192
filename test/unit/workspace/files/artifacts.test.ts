import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {faultText} from '../../../../src/domain/fault.ts';
import {parseSessionId} from '../../../../src/domain/ids.ts';
import {makeArtifacts, readArtifact} from '../../../../src/workspace/files/artifacts.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

const id = parseSessionId('00000000-0000-4000-8000-000000000001');
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function place() {
  const folder = temporaryFolder();
  const store = join(folder.path, 'artifacts');
  const artifacts = makeArtifacts({
    folder: store,
    holdsSecrets: text => text.includes('hunter2'),
    urlOf: ({sha256}) => `http://x/${sha256}`,
  });
  return {
    store,
    at: (name: string) => join(folder.path, name),
    async keep(name: string) {
      if (id === undefined) throw new Error('the fixed id is a UUID');
      const kept = await artifacts.keep({session: id, path: join(folder.path, name)}, never);
      return kept.tag === 'ok' ? kept.value : faultText(kept.error).replaceAll(`${folder.path}/`, '');
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test('a copy lies under the hash of its content, for the user alone, and stays when the file goes on', async () => {
  using here = place();
  writeFileSync(here.at('empty.txt'), '');
  const path = join(here.store, String(id), emptyHash, 'empty.txt');
  expect(await here.keep('empty.txt')).toEqual({
    name: 'empty.txt',
    sha256: emptyHash,
    bytes: 0,
    path,
    url: `http://x/${emptyHash}`,
  });
  expect(await here.keep('empty.txt')).toMatchObject({path});
  writeFileSync(here.at('empty.txt'), 'more');
  expect(await here.keep('empty.txt')).toMatchObject({bytes: 4});
  expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['', ['empty.txt']]);
  expect(statSync(path).mode & 0o077).toBe(0);
});

test('what is no file, too large, or holds a secret is not kept, and the fault says why', async () => {
  using here = place();
  mkdirSync(here.at('folder'));
  writeFileSync(here.at('secret.txt'), 'the password is hunter2');
  writeFileSync(here.at('large.bin'), '');
  truncateSync(here.at('large.bin'), 20 * 1024 * 1024 + 1);
  symlinkSync(here.at('secret.txt'), here.at('link'));
  expect(await Promise.all(['folder', 'gone', 'secret.txt', 'large.bin', 'link'].map(name => here.keep(name)))).toEqual(
    [
      "Can't keep folder: it is a folder.",
      'gone: there is no such file.',
      "Can't keep secret.txt: it contains secrets. Upload a copy without them.",
      "Can't keep large.bin: it has 20971521 bytes, the limit is 20971520.",
      expect.stringMatching(/^Can't keep link: a symbolic link has replaced it/u),
    ],
  );
});

test('what was kept is read by its hash; a link, another content and other folders are not', async () => {
  using here = place();
  if (id === undefined) throw new Error('the fixed id is a UUID');
  writeFileSync(here.at('empty.txt'), '');
  await here.keep('empty.txt');
  const read = async (sha256: string) => {
    const found = await readArtifact(here.store, {session: id, sha256}, never);
    return found === undefined ? 'none' : [found.name, Buffer.from(found.bytes).toString()];
  };
  expect(await read(emptyHash)).toEqual(['empty.txt', '']);
  expect(await read(`../${id}/${emptyHash}`)).toBe('none');
  expect(await read(emptyHash.replace('e', 'f'))).toBe('none');
  const kept = join(here.store, id, emptyHash, 'empty.txt');
  writeFileSync(kept, 'changed');
  expect(await read(emptyHash)).toBe('none');
  rmSync(kept);
  symlinkSync(here.at('empty.txt'), kept);
  expect(await read(emptyHash)).toBe('none');
  rmSync(join(here.store, id), {recursive: true});
  mkdirSync(here.at(emptyHash));
  writeFileSync(join(here.at(emptyHash), 'empty.txt'), '');
  symlinkSync(join(here.store, '..'), join(here.store, id));
  expect(await read(emptyHash)).toBe('none');
});

test.skipIf(process.getuid?.() === 0)('a folder that cannot be written is a fault', async () => {
  using here = place();
  writeFileSync(here.at('a.txt'), 'x');
  mkdirSync(here.store);
  chmodSync(here.store, 0o500);
  expect(await here.keep('a.txt')).toMatch(/^Can't keep a\.txt: /u);
  chmodSync(here.store, 0o700);
});
