import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test, vi} from 'vitest';
import {
  collectOutput,
  makeBoundedText,
  openSpillFile,
  maxOutputLength,
} from '../../../../src/workspace/exec/command-output.ts';
import type {OutputFilter} from '../../../../src/actions/ports.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {sampleSecrets, untagged} from '../../safety/secrets/sample-secrets.ts';
import {temporaryFolder} from '../temporary-folder.ts';

const noFile = (): string => {
  throw new Error('no file is wanted');
};

const none = new Uint8Array();
const filter = (): OutputFilter => ({push: bytes => bytes, pause: () => none, end: () => none});

test('small output is text alone: no file, bytes decoded across chunks, bad ones shown', async () => {
  let seen = '';
  const output = collectOutput({newFile: noFile, observe: text => (seen += text), filter});
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
  const output = collectOutput({newFile: () => file, observe: () => {}, filter});
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
  expect(result.text.length).toBeLessThan(maxOutputLength + 100);
});

test(
  'binary output gives the text that it gives in small pieces, except for the number of bytes',
  {tags: 'long'},
  async () => {
    const binary = fc.integer().map(seed => randomBytes(seed, 70_000));
    const lines = fc.nat(3000).map(count => Buffer.from('One line of text: käse.\n'.repeat(count)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({weight: 3, arbitrary: binary}, {weight: 1, arbitrary: lines}), {minLength: 2, maxLength: 8}),
        fc.integer({min: 17_000, max: 70_000}),
        async (parts, size) => {
          const bytes = Buffer.concat(parts);
          const texts = await Promise.all([1000, size].map(length => collected(bytes, length)));
          expect(texts[1]).toEqual(texts[0]);
        },
      ),
      {numRuns: randomInputs(20)},
    );
  },
);

test('much output is shown after 100 ms, or when the command moves to the background', () => {
  vi.useFakeTimers();
  try {
    using folder = temporaryFolder();
    let seen = '';
    const newFile = (): string => join(folder.path, 'command.txt');
    const output = collectOutput({newFile, observe: text => (seen += text), filter});
    void output.push(Buffer.from('x'.repeat(maxOutputLength + 1)));
    const binary = Buffer.concat([Buffer.alloc(20_000, 0xff), Buffer.from('the end')]);
    void output.push(binary);
    vi.advanceTimersByTime(99);
    expect(seen.endsWith('x')).toBe(true);
    vi.advanceTimersByTime(1);
    expect(seen.endsWith('\ufffdthe end')).toBe(true);
    for (let at = 0; at < 30; at += 1) void output.push(binary);
    output.handOver();
    expect(seen.slice(20_000)).toMatch(/the end\n\[…\]\n.+the end$/su);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a secret that began before the shown part of much output is hidden', async () => {
  vi.useFakeTimers();
  try {
    using folder = temporaryFolder();
    const known = 'zebra-crossing-41';
    let live = '';
    const output = collectOutput({
      newFile: () => join(folder.path, 'command.txt'),
      observe: text => (live += text),
      filter: sampleSecrets({env: `OTHER=${known}`}).filter,
    });
    const line = `the ${known} of a line\n`;
    const key = `-----BEGIN PRIVATE KEY-----\n${`${'aB3x'.repeat(16)}\n`.repeat(290)}`;
    const bytes = Buffer.from(`${line.repeat(20_000)}${key}${line.repeat(6000)}`);
    // The last ten pieces wait, and the first of these begins in the key.
    for (let to = bytes.length % 20_000; to <= bytes.length; to += 20_000)
      await output.push(bytes.subarray(Math.max(0, to - 20_000), to));
    vi.advanceTimersByTime(100);
    const {text, file = '', leftOutLines} = await output.finish();
    const saved = readFileSync(file, 'utf8').split('\n');
    expect([text, live].filter(shown => shown.includes('aB3xaB3x') || shown.includes(known))).toEqual([]);
    expect(text.split('\n').length - 2 + leftOutLines).toBe(26_291);
    // Each line is in the file once, as the command printed it if nobody saw it.
    expect(saved.length).toBe(26_292);
    expect(saved[10_000]).toBe(line.trimEnd());
    expect(untagged(saved[26_000] ?? '')).toBe('the <OTHER> of a line');
  } finally {
    vi.useRealTimers();
  }
});

test(
  'the model gets the same placeholders however the output is divided, and neither it nor the screen gets a secret',
  {tags: 'long'},
  async () => {
    const known = 'zebra-crossing-41';
    const token = 'ghp_k3JdP0sLq9ZxW7vBn2MtRy5TgH8uCfA1eDoQ';
    const key = `-----BEGIN PRIVATE KEY-----\nMIIEvQ${'aB3x'.repeat(14)}\nZz9KqL1mN0pRaB3x\n-----END PRIVATE KEY-----`;
    const secret = fc.constantFrom(
      known,
      token,
      `PASSWORD=Xk7!pQ2vR9mZ4tLw`,
      'https://u:hunter2hunter@h.example/',
      key,
    );
    const line = fc.oneof(
      {weight: 1, arbitrary: secret.map(each => `${each}\n`)},
      {
        weight: 1,
        arbitrary: fc
          .constantFrom(known, token)
          .map(each => `\u001B[31m${each}\u001B[0m, ${'token of the path '.repeat(30)}\r\n`),
      },
      {weight: 2, arbitrary: fc.nat(400).map(length => `${'key: value, token käse '.repeat(20).slice(0, length)}\n`)},
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, {minLength: 100, maxLength: 400}),
        fc.array(fc.integer({min: 1, max: 70_000}), {minLength: 1, maxLength: 20}),
        async (lines, sizes) => {
          // The first 12000 units and the last 18000 are the head and the tail.
          const bytes = Buffer.from(lines.join('') + 'The last of the lines.\n'.repeat(1000) + lines.join(''));
          const whole = await shown(bytes, [bytes.length]);
          const parts = await shown(bytes, sizes);
          expect(parts.text).toBe(whole.text);
          for (const hidden of [known, token, 'Xk7!pQ2vR9mZ4tLw', 'hunter2hunter', 'aB3xaB3x'])
            expect(`${whole.text}${whole.live}${parts.text}${parts.live}`).not.toContain(hidden);
        },
      ),
      {numRuns: randomInputs(30)},
    );

    async function shown(bytes: Buffer, sizes: readonly number[]) {
      using folder = temporaryFolder();
      let live = '';
      const output = collectOutput({
        newFile: () => join(folder.path, 'command.txt'),
        observe: text => (live += text),
        filter: sampleSecrets({env: `OTHER=${known}`}).filter,
      });
      for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
        const size = sizes[nth % sizes.length] ?? bytes.length;
        await output.push(bytes.subarray(at, at + size));
        at += size;
      }
      const {text} = await output.finish();
      return {text: text.replace(/\[… \d+ bytes/u, '[… bytes'), live};
    }
  },
);

/** The collected text of bytes that come in pieces of this length. */
async function collected(bytes: Buffer, length: number) {
  using folder = temporaryFolder();
  const output = collectOutput({newFile: () => join(folder.path, 'command.txt'), observe: () => {}, filter});
  for (let at = 0; at < bytes.length; at += length) await output.push(bytes.subarray(at, at + length));
  const {text, leftOutLines, totalBytes} = await output.finish();
  return {text: text.replace(/\[… \d+ bytes/u, '[… bytes'), leftOutLines, totalBytes};
}

/** The same bytes for the same seed. */
function randomBytes(seed: number, length: number): Buffer {
  let state = seed;
  return Buffer.from(
    Array.from({length}, () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0)).map(each => each >>> 24),
  );
}

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
  const output = collectOutput({newFile: () => fileIn(folder.path), observe: () => {}, filter});
  await output.push(Buffer.alloc(100_000, 'x'));
  const result = await output.finish();
  expect(result.file).toBeUndefined();
  expect(result.text).toMatch(/\[… 70000 bytes left out; it could not be saved: .+ …\]/u);
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

function bounded(bound: number, parts: readonly string[]): string {
  const text = makeBoundedText(bound);
  for (const part of parts) text.add(part);
  return text.text('');
}

test('what fits is kept as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({unit: 'binary', maxLength: 20}), {maxLength: 10}), parts => {
      expect(bounded(200, parts)).toBe(parts.join(''));
    }),
  );
});

test('beyond the bound it is a start of the whole, the bytes missing, and an end of the whole', () => {
  const part = fc.oneof(fc.string({unit: 'grapheme', maxLength: 60}), fc.constant('line\n'));
  fc.assert(
    fc.property(fc.integer({min: 5, max: 80}), fc.array(part, {maxLength: 40}), (bound, parts) => {
      const whole = parts.join('');
      fc.pre(whole.length > bound);
      const found = /^(.*?)\n?\[… (\d+) bytes left out …\]\n(.*)$/su.exec(bounded(bound, parts));
      const [, head = '', missing = '', tail = ''] = found ?? [];
      expect(found).not.toBeNull();
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(head.length + tail.length).toBeLessThanOrEqual(bound);
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
      const line = head !== '' && whole.startsWith(`${head}\n`) && head.length < Math.floor((bound * 2) / 5) ? 1 : 0;
      expect(Number(missing)).toBe(Buffer.byteLength(whole) - Buffer.byteLength(head) - Buffer.byteLength(tail) - line);
    }),
  );
});

test('it cuts at lines where one ends nearby, and gives the reason', () => {
  const text = makeBoundedText(100);
  for (let line = 10; line < 60; line += 1) text.add(`line ${line}\n`);
  expect(text.text('the disk is full')).toBe(
    'line 10\nline 11\nline 12\nline 13\nline 14\n[… 304 bytes left out; the disk is full …]\n' +
      'line 53\nline 54\nline 55\nline 56\nline 57\nline 58\nline 59\n',
  );
});

test.each([
  [100, 40],
  [30_000, 200_000],
])('with room for %i it counts the lines that are missing of %i', (bound, count) => {
  const text = makeBoundedText(bound);
  for (let line = 1; line <= count; line += 1) text.add(`${line}\n`);
  const shown = text.text('').split('\n').length - 2;
  expect(text.leftOutLines()).toBe(count - shown);
});

test('nothing is missing of what fits', () => {
  const text = makeBoundedText(100);
  text.add('one\ntwo\n');
  expect(text.leftOutLines()).toBe(0);
});
