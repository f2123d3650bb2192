import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {findSecrets} from '../../../../src/safety/secrets/find-secrets.ts';
import {findAnchors, scanForAnchors} from '../../../../src/safety/secrets/anchors.ts';
import {makePlaceholderRegistry} from '../../../../src/safety/secrets/placeholders.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {sampleSecrets} from './sample-secrets.ts';

const known = 'zebra-crossing-41';
const token = 'ghp_k3JdP0sLq9ZxW7vBn2MtRy5TgH8uCfA1eDoQ';
const value = 'Xk7!pQ2vR9mZ4tLw';

/** Everything that the searches look for, and almost that. */
const words = [
  'password passwd PassPhrase pwd db_secret TOKEN authToken credentials api_key apiKey api-key private_key PRIVATE-KEY',
  'accessKey account_key rootpw bindpw requirepass masterauth passwort senha wachtwoord psk SecureString pw my_key',
  'client-key-data _auth auth authorization Authorization path compat keyboard PWD bypass https://u sshpass mysql',
  'curl redis-cli openssl smbclient chpasswd --password-stdin -p -u -a -w -k -U --user --proxy-user --auth -pass /p:',
  `Bearer bearer sk- sk-ant- SK key- eyJ AKIA hf_ xoxb- glpat- hooks.slack.com/services/ ${token} ${known} ${value}`,
  `sk-ant-${token} SK${'0f'.repeat(16)} AKIAIOSFODNN7EXAMPLE eyJhbGciOi.eyJzdWIiOi.${value} :5432:db:me:${value} :*:`,
  `variable default value kind: Secret data: ----- -----BEGIN PRIVATE KEY----- -----END contra\u017Feña paſſword to\u212Aen`,
  'config set use using with the my our new try enter and user connect configure env ENV ARG export value output -stdin',
  'for of to on at in from is was ist lautet est es will has been now reset changed or As String htpasswd -b hunter22x',
  'getConnection( mysqli( mysqli_connect( new PDO( @tcp(host) @unix( machine login define( <password> </password> %20',
].flatMap(list => list.split(' '));
const signs =
  '= == : := => :// / @ " \' ` \\ ? ( ) , ; | < > { } $ - _ . & # % \n \r\n \t \\n \u001B[31m \u001B[0m 0 ä \uD83D\uDE00'.split(
    /(?<=\S) (?=\S)/u,
  );
const phrases = ['identified by', 'api key', 'net use', 'net user', 'the password is', 'auth =', ' -', ' ', '  '];
const line64 = Buffer.from(`${'x'.repeat(20)} ${known} ${token}${'y'.repeat(60)}`)
  .toString('base64')
  .replaceAll(/.{76}/gu, '$&\n');

const piece = fc.oneof(
  {weight: 6, arbitrary: fc.constantFrom(...words)},
  {weight: 6, arbitrary: fc.constantFrom(...signs, ...phrases)},
  {weight: 1, arbitrary: fc.constantFrom(...words).map(word => word.toUpperCase())},
  {weight: 1, arbitrary: fc.constantFrom(...words).map(word => Array.from(word).join('\0'))},
  {weight: 1, arbitrary: fc.constantFrom(...words).map(word => Array.from(word).join('\u001B[1m'))},
  {weight: 1, arbitrary: fc.constantFrom(line64, `\n${line64}\n`, line64.slice(0, 100), 'ab12'.repeat(17))},
  {weight: 1, arbitrary: fc.string({maxLength: 30, unit: 'binary'})},
  {weight: 1, arbitrary: fc.nat(200).map(length => 'a'.repeat(length))},
);
const text = fc.array(piece, {maxLength: 60}).map(pieces => pieces.join(''));

function foundIn(searched: string, domain: 'text' | 'bytes', end: 'open' | 'closed', find: typeof findAnchors) {
  const vault = makePlaceholderRegistry(() => new Uint8Array(32));
  vault.redactEverywhere(known, 'OTHER');
  return findSecrets({text: searched, domain, end}, vault, find);
}

test('the search at anchors finds what the search everywhere finds', () => {
  fc.assert(
    fc.property(text, fc.constantFrom('open', 'closed'), (searched, end) => {
      for (const domain of ['text', 'bytes'] as const) {
        const given = domain === 'text' ? searched : Buffer.from(searched).toString('latin1');
        expect(foundIn(given, domain, end, scanForAnchors)).toEqual(foundIn(given, domain, end, () => undefined));
      }
    }),
    {numRuns: randomInputs(5000)},
  );
});

test('a secret in much output is hidden wherever the output is divided', () => {
  const padding = 'The compiler builds target 7 of the project.\n'.repeat(40);
  findAnchors(padding.repeat(100));
  fc.assert(
    fc.property(
      fc.constantFrom(
        known,
        token,
        `PASSWORD=${value}`,
        `https://u:${value}@h/`,
        `${line64}\n`,
        `\u001B[31m${token}\u001B[0m`,
      ),
      fc.array(fc.integer({min: 1, max: 3000}), {maxLength: 8}),
      fc.nat(padding.length),
      (secret, cuts, place) => {
        const filter = sampleSecrets({env: `OTHER=${known}`}).filter();
        const output = Buffer.from(`${padding.slice(place)}\n${secret}\n${padding}`);
        const passed: Uint8Array[] = [];
        let at = 0;
        for (const cut of [...cuts, output.length]) {
          passed.push(filter.push(output.subarray(at, at + cut)));
          at += cut;
        }
        const shown = Buffer.concat([...passed, filter.end()]).toString();
        for (const hidden of [known, token, value, line64.slice(20, 70)]) expect(shown).not.toContain(hidden);
        // Nothing else is hidden.
        const rest = shown.split(/\[\[secret:[^\]]+\]\]/u);
        expect([rest[0]?.startsWith(`${padding.slice(place)}\n`), rest.at(-1)?.endsWith(`\n${padding}`)]).toEqual([
          true,
          true,
        ]);
      },
    ),
    {numRuns: randomInputs(500)},
  );
});

test('a known secret is hidden whatever letters it has', () => {
  for (const secret of ['Gro\u017Fe-Fu\u017Fs-12', 'ei\u212Aeim-\u212A-99x']) {
    const vault = makePlaceholderRegistry(() => new Uint8Array(32));
    vault.redactEverywhere(secret, 'OTHER');
    for (let at = 0; at < 8; at += 1) {
      const searched = `${'.'.repeat(at)} ${secret} ${'.'.repeat(600)}`;
      const found = findSecrets({text: searched, domain: 'text', end: 'closed'}, vault, scanForAnchors).found;
      expect(found.map(({from, to}) => searched.slice(from, to))).toEqual([secret]);
    }
  }
});
