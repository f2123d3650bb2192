import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {HttpHeaders, HttpResponse} from '../../../src/models/fetch-classes.ts';

type Step = readonly ['append' | 'set', string, string] | readonly ['delete', string];

const name = fc.constantFrom('accept', 'Accept', 'x-api-key', 'X-Api-Key', 'retry-after', 'set-cookie');
const value = fc
  .string({unit: fc.constantFrom('a', 'b', ' ', ',', '=', '1'), maxLength: 6})
  .filter(text => text.trim() !== '');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('append' as const, 'set' as const), name, value),
  fc.tuple(fc.constant('delete' as const), name),
);

function apply<T extends Headers>(headers: T, steps: readonly Step[]): T {
  for (const [kind, key, text] of steps) {
    if (kind === 'delete') headers.delete(key);
    else headers[kind](key, text);
  }
  return headers;
}

const seen = (headers: Headers): unknown => ({
  got: ['ACCEPT', 'x-api-key', 'Retry-After'].map(key => [headers.has(key), headers.get(key)]),
  cookies: headers.getSetCookie(),
  pairs: [...headers],
  names: [...headers.keys()],
});

describe('headers', () => {
  test('are what those of Node are', () => {
    fc.assert(
      fc.property(fc.array(step, {maxLength: 12}), steps => {
        const ours = apply(new HttpHeaders(), steps);
        const theirs = apply(new Headers(), steps);
        expect(seen(ours)).toEqual(seen(theirs));
        expect(seen(new HttpHeaders(theirs))).toEqual(seen(theirs));
        expect(seen(new HttpHeaders(ours))).toEqual(seen(theirs));
      }),
    );
  });

  test('are made of pairs and of records', () => {
    expect([
      ...new HttpHeaders([
        ['B', '2'],
        ['a', '1'],
        ['b', '3'],
      ]),
    ]).toEqual([
      ['a', '1'],
      ['b', '2, 3'],
    ]);
    expect([...new HttpHeaders({B: '2', a: '1'})]).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });
});

test('a response gives its text in each form', async () => {
  const response = new HttpResponse({
    text: '{"error":"ä"}',
    status: 429,
    headers: new HttpHeaders({'retry-after': '2'}),
  });
  expect([response.ok, response.status, response.headers.get('Retry-After')]).toEqual([false, 429, '2']);
  expect(await response.text()).toBe('{"error":"ä"}');
  expect(await response.json()).toEqual({error: 'ä'});
  expect(Buffer.from(await response.arrayBuffer()).toString()).toBe('{"error":"ä"}');
  expect(await response.clone().text()).toBe('{"error":"ä"}');
});
