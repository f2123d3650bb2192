import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {OutputFilter} from '../../../../src/actions/ports.ts';
import {sampleSecrets, untagged} from './sample-secrets.ts';

const env = 'PHRASE="walrus and cärpenter 7"\nOTHER=zebra-crossing-41\n';
const token = 'ghp_k3JdP0sLq9ZxW7vBn2MtRy5TgH8uCfA1eDoQ';

/** The output when it comes in pieces of these lengths, then the rest. */
function filtered(filter: OutputFilter, bytes: Buffer, cuts: readonly number[]): Buffer {
  const passed: Uint8Array[] = [];
  let at = 0;
  for (const cut of cuts) {
    passed.push(filter.push(bytes.subarray(at, at + cut)));
    at += cut;
  }
  passed.push(filter.push(bytes.subarray(at)), filter.end());
  return Buffer.concat(passed);
}

test('a secret is hidden wherever the output is divided', () => {
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    `MIIEvQ${'aB3x'.repeat(14)}`,
    'Zz9KqL1mN0pR',
    '-----END PRIVATE KEY-----',
  ].join('\n');
  const wrapped = Buffer.from(`${'x'.repeat(70)} zebra-crossing-41 ${'y'.repeat(90)}`)
    .toString('base64')
    .replaceAll(/.{76}/gu, '$&\n');
  const text = `a walrus and cärpenter 7 b\nTOKEN=${token}\nhttps://u:hunter2hunter@h.example/\n${key}\n${wrapped}\nAuthorization: Bearer abc.def-ghijk\nend`;
  const bytes = Buffer.from(text);
  for (let size = 1; size < 200; size += size < 20 ? 1 : 13) {
    const cuts = Array.from({length: Math.floor(bytes.length / size)}, () => size);
    const shown = filtered(sampleSecrets({env}).filter(), bytes, cuts).toString();
    // The first few units of a line do not tell yet that it is base64.
    expect(untagged(shown).replace(/\n[eHh4]{0,15}<BASE64>/u, '\n<BASE64>'), `in pieces of ${size}`).toBe(
      'a <PHRASE> b\nTOKEN=<GITHUB_TOKEN>\nhttps://u:<URL_PASSWORD>@h.example/\n' +
        '-----BEGIN PRIVATE KEY-----\n<PRIVATE_KEY>\n<PRIVATE_KEY>\n-----END PRIVATE KEY-----\n' +
        '<BASE64>\n<BASE64>\n<BASE64>\n<BASE64>\nAuthorization: Bearer <AUTHORIZATION>\nend',
    );
  }
});

test('output after the end of a private key is not a part of the key', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQaB3xaB3xaB3xaB3x\n-----END PRIVATE KEY-----\n';
  const pieces = [
    key,
    'the next line\n'.repeat(30),
    'commit 973578903cafe0123456789abcdef0123456789a\n',
    '4f1d2c3b4a5968778695a4b3c2d1e0f101112131\n',
  ];
  const cuts = pieces.map(piece => piece.length);
  expect(untagged(filtered(sampleSecrets().filter(), Buffer.from(pieces.join('')), cuts).toString())).toBe(
    pieces.join('').replace('MIIEvQaB3xaB3xaB3xaB3x', '<PRIVATE_KEY>'),
  );
});

const pem = (name: string, from: number): string => {
  const lines = Array.from({length: 12}, (_, at) => `${String(from + at)}aB3xZz9KqL1mN0pR`.repeat(3).slice(0, 64));
  return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, ''].join('\n');
};

test.each([
  [
    'a key right after another',
    `${pem('PRIVATE KEY', 100)}: ${pem('PRIVATE KEY', 200)}${pem('EC PRIVATE KEY', 300)}end\n`,
  ],
  [
    'a key with numbered lines',
    pem('PRIVATE KEY', 400)
      .trimEnd()
      .split('\n')
      .map((line, at) => `${String(at + 1)}: ${line}\n`)
      .join(''),
  ],
  ['a key in a kubeconfig', `client-key-data: ${Buffer.from(pem('PRIVATE KEY', 500)).toString('base64')}\nend\n`],
  [
    'a table',
    `name,password,mail\n${Array.from({length: 60}, (_, at) => `jack${at},Q9xk${String(at)}RWtMgdsq,a@example.com\n`).join('')}\nend, of, it\n`,
  ],
  ['a piped password', "echo 'Q9RWtMgdsqmhuGpq' | docker login -u me --password-stdin\nend\n"],
])('%s is hidden in pieces as in one', (_, text) => {
  const bytes = Buffer.from(text);
  const whole = untagged(filtered(sampleSecrets().filter(), bytes, []).toString());
  expect(whole).toContain('<P');
  for (let size = 1; size < 400; size += size < 20 ? 1 : 37) {
    const cuts = Array.from({length: Math.floor(bytes.length / size)}, () => size);
    const shown = untagged(filtered(sampleSecrets().filter(), bytes, cuts).toString());
    expect(shown, `in pieces of ${size}`).toBe(whole);
  }
});

test('any bytes without secrets pass unchanged, however they are divided', () => {
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 400}), fc.array(fc.nat(40), {maxLength: 20}), (bytes, cuts) => {
      expect(filtered(sampleSecrets({env}).filter(), Buffer.from(bytes), cuts).equals(Buffer.from(bytes))).toBe(true);
    }),
  );
});

test('secrets among any bytes are hidden, and all else passes', () => {
  const piece = fc.oneof(
    fc.uint8Array({maxLength: 30}).map(bytes => Buffer.from(bytes)),
    fc.constantFrom(Buffer.from('zebra-crossing-41'), Buffer.from('walrus and cärpenter 7')),
  );
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 12}), fc.array(fc.nat(40), {maxLength: 20}), (pieces, cuts) => {
      const secrets = sampleSecrets({env});
      const bytes = Buffer.concat(pieces);
      const shown = filtered(secrets.filter(), bytes, cuts);
      expect(shown.toString('latin1')).not.toContain('zebra-crossing-41');
      expect(shown.includes('cärpenter 7')).toBe(false);
      const back = shown
        .toString('latin1')
        .replaceAll(/\[\[secret:\w+:[0-9a-f]+\]\]/gu, held => Buffer.from(secrets.restore(held)).toString('latin1'));
      expect(back).toBe(bytes.toString('latin1'));
    }),
  );
});

test.each<[string, string]>([
  ['Password: ', 'Password: '],
  ['Continue? [y/N] ', 'Continue? [y/N] '],
  ['$ ', '$ '],
  ['10% done\r', '10% done\r'],
  ['listening on http://localhost:3000\n', 'listening on http://localhost:3000\n'],
  ['begin zebra-cro', 'begin '],
  ['TOKEN=abc', 'TOKEN='],
])('of %j at the end of a piece, %j is let go', (text, passed) => {
  expect(Buffer.from(sampleSecrets({env}).filter().push(Buffer.from(text))).toString()).toBe(passed);
});

test('a known secret that the end of the output cuts off is hidden too', () => {
  expect(untagged(filtered(sampleSecrets({env}).filter(), Buffer.from('x zebra-cros'), []).toString())).toBe('x <CUT>');
});

/** The output when it comes in these pieces, with a pause after each. */
function paused(filter: OutputFilter, pieces: readonly string[]): string {
  const passed = pieces.flatMap(piece => [filter.push(Buffer.from(piece)), filter.pause()]);
  return untagged(Buffer.concat([...passed, filter.end()]).toString());
}

test.each([
  // Too short to give something away.
  [['a'], 'a'],
  [['zebra'], 'zebra'],
  [['token ghp_k'], 'token ghp_k'],
  // The rest is redacted, however it comes.
  [['a zebr', 'a-crossing-41 b'], 'a zebr<OTHER> b'],
  [Array.from('zebra-crossing-41'), 'zebra<OTHER>'],
  [[...Array.from(token), '\n'], `${token.slice(0, 5)}<GITHUB_TOKEN>\n`],
  [['ghp', token.slice(3, 20), `${token.slice(20)}\n`], 'ghp<GITHUB_TOKEN>\n'],
])('after a pause of %j', (pieces, shown) => {
  expect(paused(sampleSecrets({env}).filter(), pieces)).toBe(shown);
});

test.each([
  ['a zebra-', 'a '],
  ['a ghp_k3', 'a '],
  ['PASSWORD=walrus', 'PASSWORD='],
  ['Password: ', 'Password: '],
])('of %j a pause releases no longer beginning of a secret', (text, shown) => {
  const filter = sampleSecrets({env}).filter();
  expect(Buffer.concat([filter.push(Buffer.from(text)), filter.pause()]).toString()).toBe(shown);
});

test('pauses change no bytes without secrets', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({maxLength: 20}), {maxLength: 20}), pieces => {
      const filter = sampleSecrets({env}).filter();
      const passed = pieces.flatMap(piece => [filter.push(piece), filter.pause()]);
      expect(Buffer.concat([...passed, filter.end()]).equals(Buffer.concat(pieces))).toBe(true);
    }),
  );
});
