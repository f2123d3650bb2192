import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {collectOutput, outputBound} from '../../../src/workspace/bounded-output.ts';
import {openSpillFile} from '../../../src/workspace/spill-file.ts';
import {temporaryFolder} from './temporary-folder.ts';

const noFile = (): string => {
  throw new Error('no file is wanted');
};

test('small output is text alone: no file, bytes decoded across chunks, bad ones shown', async () => {
  let seen = '';
  const output = collectOutput({newFile: noFile, observe: text => (seen += text)});
  const bytes = Buffer.from('käse \ud83d\ude00\n');
  for (const byte of bytes) await output.push(Buffer.from([byte]));
  await output.push(Buffer.from([0xff, 0x0a]));
  expect(await output.finish()).toEqual({
    text: 'käse 😀\n\ufffd\n',
    totalBytes: bytes.length + 2,
    leftOutLines: 0,
    file: undefined,
  });
  expect(seen).toBe('käse 😀\n\ufffd\n');
});

test('long output keeps head and tail, and every raw byte in a private file', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'command.txt');
  const output = collectOutput({newFile: () => file, observe: () => {}});
  const chunks = Array.from({length: 4000}, (_, at) => Buffer.from(`\u001b[31mline ${at}\u001b[0m \u00ff\n`));
  for (const chunk of chunks) await output.push(Buffer.concat([chunk, Buffer.from([0xfe])]));
  const result = await output.finish();
  const whole = Buffer.concat(chunks.flatMap(chunk => [chunk, Buffer.from([0xfe])]));
  expect(result.file).toBe(file);
  expect(result.totalBytes).toBe(whole.length);
  expect(readFileSync(file).equals(whole)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(result.text.startsWith('line 0 ÿ\n')).toBe(true);
  expect(result.text.endsWith('line 3999 ÿ\n\ufffd')).toBe(true);
  expect(result.text.length).toBeLessThan(outputBound + 100);
});

test.each<[string, (folder: string) => string]>([
  ['opened', folder => join(folder, 'taken')],
  [
    'named',
    folder => {
      throw new Error(`${folder} is full`);
    },
  ],
])('a file that cannot be %s costs the middle only', async (_name, fileIn) => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'taken'), 'in the way');
  const output = collectOutput({newFile: () => fileIn(folder.path), observe: () => {}});
  await output.push(Buffer.alloc(100_000, 'x'));
  const result = await output.finish();
  expect(result.file).toBeUndefined();
  expect(result.text).toMatch(/\[… 70000 bytes left out; it could not be kept: .+ …\]/u);
});

test('a file takes no more than its bound', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'command.txt');
  const spill = openSpillFile(() => file, 10);
  await spill.write(Buffer.from('1234567'));
  await spill.write(Buffer.from('1234567'));
  await spill.write(Buffer.from('1234567'));
  expect(await spill.close()).toEqual({file, missing: 'the file ends after 10 bytes'});
  expect(readFileSync(file, 'utf8')).toBe('1234567123');
});
