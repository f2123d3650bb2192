import {expect, test} from 'vitest';
import {decodeAction} from '../../../src/actions/decode-action.ts';
import {isDeeperThan, type Json, parseJson} from '../../../src/base/json.ts';

const nested = (levels: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : {a: value, b: null};
  return value;
};

test.each<[Json, number, boolean]>([
  [1, 0, false],
  ['text', 0, false],
  [null, 0, false],
  [[1], 1, false],
  [[1], 0, true],
  [[[1]], 1, true],
  [{a: [1, 2], b: {c: 3}}, 2, false],
  [{a: [1, 2], b: {c: {d: 3}}}, 2, true],
  [nested(100), 100, false],
  [nested(101), 100, true],
  [Array.from({length: 200_000}, () => [1]), 2, false],
])('%#', (value, levels, deeper) => {
  expect(isDeeperThan(value, levels)).toBe(deeper);
});

test('an input that nobody could write down again is refused in words', () => {
  const parsed = parseJson(`{"command":"ls","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  if (parsed.tag === 'failed') throw new Error(parsed.error);
  expect(() => JSON.stringify(parsed.value)).toThrow(RangeError);
  expect(decodeAction('Bash', parsed.value)).toEqual({
    tag: 'failed',
    error: {
      kind: 'rejected',
      message: 'The input of Bash is nested more than 100 levels deep; send a flatter one.',
    },
  });
  expect(decodeAction('Bash', {command: 'ls', extra: nested(98)})).toMatchObject({
    error: {message: expect.stringContaining('extra')},
  });
});
