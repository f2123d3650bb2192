import {expect, test} from 'vitest';
import {toProviderError, type Endpoint} from '../../../src/models/provider-error.ts';

const endpoint: Endpoint = {
  name: 'Model',
  baseUrl: 'http://models.example',
  keyVariable: 'KEY',
  urlVariable: 'URL_VARIABLE',
};

const failure = (code: string): Error =>
  new Error('Connection error.', {cause: Object.assign(new Error(`getaddrinfo ${code}`), {code})});

test.each(['ENOTFOUND', 'EAI_AGAIN'])('a name that no host has is soon given up (%s)', code => {
  expect(toProviderError(failure(code), endpoint, 'never-answered')).toEqual({
    kind: 'passing',
    status: 0,
    message: `The host of http://models.example was not found (${code}).`,
    fix: 'Check the network connection, and the base URL (--base-url or URL_VARIABLE).',
    retryAfterMs: 1000,
    patience: 'short',
  });
});

test('a host that has answered before is waited for: the network is away for a while', () => {
  expect(toProviderError(failure('ENOTFOUND'), endpoint, 'answered-before')).toEqual({
    kind: 'passing',
    status: 0,
    message: 'The connection to http://models.example failed (ENOTFOUND).',
    fix: 'Check the network connection, then try again.',
    retryAfterMs: 0,
    patience: 'usual',
  });
});

test("a header that cannot be sent is the user's to mend", () => {
  const cause = new TypeError('Headers.delete: "x y" is an invalid header name.');
  expect(toProviderError(cause, {...endpoint, keyVariable: 'ANTHROPIC_API_KEY'}, 'never-answered')).toMatchObject({
    kind: 'final',
    fault: {
      message: 'A header of the request can\'t be sent: Headers.delete: "x y" is an invalid header name.',
      fix: 'Check ANTHROPIC_CUSTOM_HEADERS (one "Name: value" per line) and ANTHROPIC_API_KEY.',
    },
  });
});
