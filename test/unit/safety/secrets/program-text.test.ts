import {expect, test} from 'vitest';
import {makeRedactor} from '../../../../src/safety/secrets/redactor.ts';

const redact = (text: string): string =>
  makeRedactor({
    environment: {},
    files: {inRoots: () => [], everywhere: () => []},
    key: () => new Uint8Array(32),
  }).redact(text);

test.each([
  'const env = {OPENAI_API_KEY: openAiKey, NPM_TOKEN: tokenFromFile};',
  'export const API_TOKEN = loadApiToken;',
  'let secretKey: Uint8Array | undefined; const other: Uint8Array = secretKey;',
  'function sign(privateKey: CryptoKeyPair2, text: string): void {}',
  'interface Options { readonly secretKey: Uint8Array }\nconst bytes = new Uint8Array(8);',
  'credential?: X509Credential | undefined;',
  'let hasApiKey = !isBearerToken;',
  "const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';",
  "if (text.startsWith('-----BEGIN RSA PRIVATE KEY-----')) return readWholePrivateKey(text);\nmakeOutputFilter(vault);",
  'key = "-----BEGIN PRIVATE KEY-----\\n" + wrappedKeyMaterial() + "\\n-----END PRIVATE KEY-----"',
])('%j has no secrets', text => {
  expect(redact(text)).toBe(text);
});

test.each([
  'API_TOKEN=correcthorse,',
  'DB_PASSWORD: correcthorse',
  '{"apiToken": "Kq7zRm2wTx9p", "x": 1}',
  'api_token: Kq7zRm2wTx9p, next',
  'SECRET_KEY = "correctHorseBattery";',
  '-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuvwx\nabcdEFGH\n-----END PRIVATE KEY-----',
])('%j has', text => {
  expect(redact(text)).toContain('[[secret:');
});
