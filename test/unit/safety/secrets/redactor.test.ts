import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {sampleSecrets, untagged} from './sample-secrets.ts';

const tail = 'k3JdP0sLq9ZxW7vBn2MtRy5TgH8uCfA1eDoQ';

describe('known by their form', () => {
  const cases: readonly (readonly [text: string, hidden: string])[] = [
    ['id AKIAIOSFODNN7EXAMPLE.', 'id <AWS_ACCESS_KEY_ID>.'],
    [`a ghp_${tail} b`, 'a <GITHUB_TOKEN> b'],
    [`github_pat_11ABCDEFG0${tail}`, '<GITHUB_TOKEN>'],
    ['glpat-abcdefghij1234567890', '<GITLAB_TOKEN>'],
    ['xoxb-123456789012-abcdefghijkl', '<SLACK_TOKEN>'],
    ['https://hooks.slack.com/services/T00000000/B00000000/XXXXabcd1234', 'https://<SLACK_WEBHOOK>'],
    ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', '<STRIPE_KEY>'],
    [`("sk-ant-api03-${tail}")`, '("<ANTHROPIC_API_KEY>")'],
    [`sk-proj-${tail}`, '<OPENAI_API_KEY>'],
    [`AIzaSy${tail}`.slice(0, 39), '<GOOGLE_API_KEY>'],
    [`//registry.npmjs.org/:_authToken=npm_${tail}`, '//registry.npmjs.org/:_authToken=<NPM_TOKEN>'],
    [`pypi-AgEIcHlwaS5vcmc${tail}`, '<PYPI_TOKEN>'],
    [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${tail}, next`, '<JWT>, next'],
    ['https://user:hunter2@example.com/x', 'https://user:<URL_PASSWORD>@example.com/x'],
    ['Authorization: Bearer abc.def-ghijk', 'Authorization: Bearer <AUTHORIZATION>'],
    [`-H 'authorization: Basic dXNlcjpwYXNz'`, `-H 'authorization: Basic <AUTHORIZATION>'`],
    [`{"auth":"Bearer ${tail}"}`, '{"auth":"Bearer <BEARER_TOKEN>"}'],
    ['API_KEY=abcdefgh12345678 next', 'API_KEY=<API_KEY> next'],
    [`const password = "S3cr3tP4ssw0rd!";`, 'const password = "<PASSWORD>";'],
    [String.raw`{\"client_secret\":\"${tail}\"}`, String.raw`{\"client_secret\":\"<CLIENT_SECRET>\"}`],
    ['password: Xk29dkd93kd', 'password: <PASSWORD>'],
    [`app.yml:12:  secret_key: ${tail}`, 'app.yml:12:  secret_key: <SECRET_KEY>'],
    [`https://x.example/?token=${tail}&page=2`, 'https://x.example/?token=<TOKEN>&page=2'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAabcdefghijklmnop\nQ1w=\n-----END RSA PRIVATE KEY-----\nafter',
      '-----BEGIN RSA PRIVATE KEY-----\n<PRIVATE_KEY>\n<PRIVATE_KEY>\n-----END RSA PRIVATE KEY-----\nafter',
    ],
  ];
  test.each(cases)('%s', (text, hidden) => {
    const secrets = sampleSecrets();
    const redacted = secrets.redact(text);
    expect(untagged(redacted)).toBe(hidden);
    expect(secrets.redact(redacted)).toBe(redacted);
    expect(secrets.restore(redacted)).toBe(text);
  });
});

test.each([
  'token = getTokenFromSession(1234)',
  'const tokenCount = 12345678;',
  'key: value1234',
  '"primary_key": "user_id_1234567"',
  'sk-circle-fade-dot-item-one',
  'http://localhost:3000/a:b@c',
  'postgres://postgres:postgres@localhost:5432/app',
  'export API_KEY=$OTHER_API_KEY',
  'API_KEY=${{ secrets.API_KEY }}',
  'apiKey: process.env.API_KEY_2',
  'PASSWORD=your-password-here',
  'TOKEN_LIMIT=100000000',
  'SECRET_KEY_PATH=/etc/ssl/private/key1.pem',
  'integrity sha512-kXLm2x3nF7yJm0Yp3x5Yw0iP8v9zqU2x1s4t7u8w==',
  '3f2504e04f8911d39a0c0305e82c3301a1b2c3d4',
  'the header -----BEGIN PRIVATE KEY----- must come first\nand then the text goes on as usual',
  'if (password === other.password1) return;',
  'function auth(password: string, token?: string): Promise<AuthToken1234>',
])('is no secret: %s', text => {
  expect(sampleSecrets().redact(text)).toBe(text);
});

describe('known by their value', () => {
  const environment = {OPENAI_API_KEY: 'sk-scripted-0123456789', HOME: '/home/somebody', LANG: 'en_US.UTF-8'};
  const env = [
    'STRIPE="walrus and carpenter 7"',
    "QUOTED='a\"b$c d+e/f'",
    'export DATABASE_URL=mysql://root:Tr0ub4dor3@db/shop # main',
    'APP_NAME=payments-service',
    'NODE_ENV=production',
    'PORT=3000',
    'BASE_URL=https://example.com/path',
    'LOG_FILE=./logs/app.log',
    'DEBUG=true',
    'SHORT=abc',
  ].join('\n');

  test.each<[string, string]>([
    ['x sk-scripted-0123456789 y', 'x <OPENAI_API_KEY> y'],
    ['aawalrus and carpenter 7bb', 'aa<STRIPE>bb'],
    [`json ${JSON.stringify('a"b$c d+e/f')}`, 'json "<QUOTED_JSON>"'],
    [`url ${encodeURIComponent('a"b$c d+e/f')}`, 'url <QUOTED_URL>'],
    ['Tr0ub4dor3', '<DATABASE_URL>'],
    ['/home/somebody payments-service production 3000 https://example.com/path ./logs/app.log abc', ''],
  ])('%s', (text, hidden) => {
    expect(untagged(sampleSecrets({environment, env}).redact(text))).toBe(hidden === '' ? text : hidden);
  });

  test.each([0, 1, 2, 3, 50, 51, 52, 200])('in base64 behind %i bytes, in lines and not', before => {
    const secrets = sampleSecrets({environment});
    const text = Buffer.from(`${'x'.repeat(before)}sk-scripted-0123456789 ${'y'.repeat(100)}`).toString('base64');
    for (const shown of [text, text.replaceAll(/.{76}/gu, '$&\n'), text.replaceAll(/.{64}/gu, '$&\r\n')]) {
      const left = secrets
        .redact(shown)
        .replaceAll(/\[\[[^\]]*\]\]/gu, ' ')
        .split(/\s+/u);
      const decoded = left.flatMap(run =>
        [0, 1, 2, 3].map(at => Buffer.from(run.slice(at), 'base64').toString('latin1')),
      );
      expect(decoded.join('\n')).not.toMatch(/scripted|0123456/u);
      expect(secrets.restore(secrets.redact(shown))).toBe(shown);
    }
  });

  test('the same value has the same placeholder, in this session and the next', () => {
    const first = sampleSecrets({environment, env}).redact('sk-scripted-0123456789');
    expect(
      sampleSecrets({environment: {}, env: 'OPENAI_API_KEY=sk-scripted-0123456789'}).redact('a sk-scripted-0123456789'),
    ).toBe(`a ${first}`);
    expect(sampleSecrets({environment, key: new Uint8Array(32).fill(1)}).redact('sk-scripted-0123456789')).not.toBe(
      first,
    );
  });

  test('what was recognised once is hidden wherever it stands, before and after', () => {
    const secrets = sampleSecrets();
    const value = 'Xk29dkd93kdPq';
    expect(untagged(secrets.redact(`plain ${value}\npassword: "${value}"\n${value}!`))).toBe(
      'plain <PASSWORD>\npassword: "<PASSWORD>"\n<PASSWORD>!',
    );
    expect(untagged(secrets.redact(`later ${value}`))).toBe('later <PASSWORD>');
  });

  test('files further down are known after a refresh', () => {
    const secrets = sampleSecrets({deep: 'THING=zebra-crossing-41'});
    expect(secrets.redact('zebra-crossing-41')).toBe('zebra-crossing-41');
    secrets.refresh([]);
    expect(untagged(secrets.redact('zebra-crossing-41'))).toBe('<THING>');
  });
});

test('placeholders of others stay, and are told to be unknown', () => {
  const secrets = sampleSecrets();
  const text = 'A_KEY=[[secret:A_KEY:0123456789ab]]';
  expect([secrets.redact(text), secrets.restore(text), secrets.unknownPlaceholders(text)]).toEqual([
    text,
    text,
    ['[[secret:A_KEY:0123456789ab]]'],
  ]);
});

test('any text: idempotent, restored as it was, with as many lines', () => {
  const piece = fc.oneof(
    fc.string({unit: 'grapheme', maxLength: 20}),
    fc.constantFrom(
      '\n',
      ' ',
      '"',
      "'",
      '=',
      ': ',
      '://',
      '@',
      'API_KEY=',
      'password: "',
      'Bearer ',
      '[[secret:',
      ']]',
      'sk-',
      'eyJ',
      '.',
    ),
    fc.constantFrom(
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      ` ghp_${tail}`,
      String.raw`\nghp_${tail}`,
      'walrus and carpenter 7',
    ),
    fc.base64String({maxLength: 80}),
  );
  fc.assert(
    fc.property(fc.array(piece, {maxLength: 20}), pieces => {
      const secrets = sampleSecrets({env: 'STRIPE="walrus and carpenter 7"'});
      const text = pieces.join('');
      const redacted = secrets.redact(text);
      expect(secrets.redact(redacted)).toBe(redacted);
      expect(secrets.restore(redacted)).toBe(text);
      expect(redacted.split('\n').length).toBe(text.split('\n').length);
      expect(redacted).not.toContain('walrus and carpenter');
      expect(redacted).not.toContain('ZxW7vBn2MtRy5TgH8uCfA1eDo');
    }),
    {numRuns: 500},
  );
});

test('prose and numbers stay as they are', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/u);
  const text = fc.array(fc.oneof(word, fc.integer().map(String), fc.constantFrom('.', ',', '\n', '(', ')', '-', '/')), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, words => {
      const prose = words.join(' ');
      expect(sampleSecrets({env: 'STRIPE="walrus and carpenter 7"'}).redact(prose)).toBe(prose);
    }),
  );
});
