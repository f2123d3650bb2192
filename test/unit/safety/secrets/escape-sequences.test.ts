import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {escapeSequence} from '../../../../src/base/escape-sequences.ts';
import type {OutputFilter} from '../../../../src/actions/ports.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {sampleSecrets, untagged} from './sample-secrets.ts';

const env = 'PHRASE="walrus and cärpenter 7"\nOTHER=zebra-crossing-41\n';
const token = 'ghp_k3JdP0sLq9ZxW7vBn2MtRy5TgH8uCfA1eDoQ';
const [blue, bold, off] = ['\u001B[34m', '\u001B[1m', '\u001B[0m'];
const link = (target: string, shown: string): string => `\u001B]8;;${target}\u001B\\${shown}\u001B]8;;\u001B\\`;

const filtered = (filter: OutputFilter, bytes: Buffer, cuts: readonly number[]): string => {
  const passed: Uint8Array[] = [];
  let at = 0;
  for (const cut of cuts) {
    passed.push(filter.push(bytes.subarray(at, at + cut)));
    at += cut;
  }
  return Buffer.concat([...passed, filter.push(bytes.subarray(at)), filter.end()]).toString();
};
const inPieces = (text: string, size: number): string => {
  const bytes = Buffer.from(text);
  const cuts = Array.from({length: Math.floor(bytes.length / size)}, () => size);
  return filtered(sampleSecrets({env}).filter(), bytes, cuts);
};
const stripped = (text: string): string => text.replaceAll(escapeSequence, '');

test.each<[string, string]>([
  [`${blue}PASSWORD${off}=hunter2secretvalue x`, `${blue}PASSWORD${off}=<PASSWORD> x`],
  [`"password": ${blue}"Kq7zRm2wTx9p"${off}, x`, `"password": ${blue}"<PASSWORD>"${off}, x`],
  [`a ${token.slice(0, 9)}${bold}${token.slice(9)}${off} b`, `a <GITHUB_TOKEN>${bold}${off} b`],
  [`Authorization: ${bold}Bearer ${token}${off}\n`, `Authorization: ${bold}Bearer <GITHUB_TOKEN>${off}\n`],
  [`a walrus ${bold}and cär${off}penter 7 b`, `a <PHRASE>${bold}${off} b`],
  // A word before the code or after it does not hide a key.
  [`found${blue}${bold}\u001B[K${token}${off} x`, `found${blue}${bold}\u001B[K<GITHUB_TOKEN>${off} x`],
  [`AKIAQ3EGRV7TKPZ2M5XA${off}OK`, `<AWS_ACCESS_KEY_ID>${off}OK`],
  // The target of a link is text that a terminal does not show.
  [link('https://u:hunter2hunter@h.example/', 'here'), link('https://u:<URL_PASSWORD>@h.example/', 'here')],
  [`ghp_${link('https://u:hunter2hunter@h.example/', token.slice(4))}\n`, `<GITHUB_TOKEN>${link('', '').slice(-7)}\n`],
  [`\u001B]0;${token}`, '\u001B]0;<GITHUB_TOKEN>'],
  // No secrets.
  [`password: ${blue}true${off}\n`, `password: ${blue}true${off}\n`],
  [`${blue}ě \u00E9m${off} \u001B[3`, `${blue}ě \u00E9m${off} \u001B[3`],
])('%j is shown as %j', (text, shown) => {
  expect(untagged(sampleSecrets({env}).redact(text))).toBe(shown);
  for (let size = 1; size < 60; size += 1) expect(untagged(inPieces(text, size)), `in pieces of ${size}`).toBe(shown);
});

test.each([
  [`Name a${off}`, `Name a${off}`],
  [`Password: ${off}`, `Password: ${off}`],
  ['done \u001B[3', 'done '],
  ['ě', 'ě'],
])('a pause after %j releases %j', (text, shown) => {
  const filter = sampleSecrets({env}).filter();
  expect(Buffer.concat([filter.push(Buffer.from(text)), filter.pause()]).toString()).toBe(shown);
});

const lines = fc.constantFrom(
  'PASSWORD=hunter2secretvalue',
  '"password": "Kq7zRm2wTx9p", "x": 1',
  `use ${token} here`,
  'Authorization: Bearer abc.def-ghijk4',
  'postgres://app:Tr0ub4dor3x@db.example.com/app',
  'a walrus and cärpenter 7 b',
  'zebra-crossing-41',
  'id AKIAQ3EGRV7TKPZ2M5XA',
  'the compiler builds target 7',
  '-----BEGIN PRIVATE KEY-----\nMIIEvQaB3xaB3xaB3xaB3x\n-----END PRIVATE KEY-----',
  'token: true, path=/usr/bin',
);
const codes = fc.constantFrom(blue, bold, off, '\u001B[K', '\u001B[38;5;208m', '\u001B(B', '\u009B1m', link('x', ''));
const colored = fc
  .tuple(fc.array(lines, {minLength: 1, maxLength: 8}), fc.array(fc.tuple(fc.nat(400), codes), {maxLength: 30}))
  .map(([texts, places]) => {
    let text = `${texts.join('\n')}\n`;
    for (const [place, code] of places.toSorted(([a], [b]) => b - a)) {
      const at = place % text.length;
      text = insertOutside(text, at, code);
    }
    return text;
  });

/** Inserts a code at a position, or after the code that the position is inside. */
function insertOutside(text: string, at: number, code: string): string {
  const around = [...text.matchAll(escapeSequence)].find(({index, 0: {length}}) => index < at && at < index + length);
  const place = around === undefined ? at : around.index + around[0].length;
  return text.slice(0, place) + code + text.slice(place);
}

test('the redacted text without codes is the redaction of the text without codes, wherever the output is divided', () => {
  fc.assert(
    fc.property(colored, fc.array(fc.integer({min: 1, max: 60}), {maxLength: 20}), (text, cuts) => {
      const expected = sampleSecrets({env}).redact(stripped(text));
      expect(stripped(sampleSecrets({env}).redact(text))).toBe(expected);
      const shown = filtered(sampleSecrets({env}).filter(), Buffer.from(text), cuts);
      expect(stripped(shown)).toBe(filtered(sampleSecrets({env}).filter(), Buffer.from(stripped(text)), []));
    }),
    {numRuns: randomInputs(1000)},
  );
});
