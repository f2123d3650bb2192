import {spawnSync} from 'node:child_process';
import * as fc from 'fast-check';
import {beforeEach, describe, expect, test} from 'vitest';
import type {Json, JsonObject} from '../../../../src/base/json.ts';
import {encodePayloadTree} from '../../../../src/protocol/task/payload-tree.ts';
import type {PayloadPlace} from '../../../../src/protocol/task/task-schema.ts';
import {readPayloadBytes} from '../../../../src/protocol/task/payload.ts';
import {needs} from '../../../support/programs.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));

const treeOf = (bytes: Uint8Array, place: PayloadPlace = 'anywhere'): Json => {
  const read = readPayloadBytes(bytes, place);
  return read.tag === 'ok' ? read.tree : `${read.message} at byte ${read.position}`;
};

/** A message in a message in a message … */
const nested = (depth: number): Uint8Array => {
  let bytes: readonly number[] = [];
  for (let level = 0; level < depth; level += 1) {
    const {length} = bytes;
    bytes = [0x0a, ...(length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7]), ...bytes];
  }
  return Uint8Array.from(bytes);
};

describe('the form with numbers as keys', () => {
  test.each<[string, string, JsonObject]>([
    ['nothing', '', {}],
    ['the clearing call', '5a00', {'11': {}}],
    ['the preamble of a conversation', '2200', {'4': {}}],
    ['the preamble with a number', '22021001', {'4': {'2': 1}}],
    [
      'a captured event',
      '2a0c 0a04 08021004 0a04 08031006',
      {
        '5': {
          '1': [
            {'1': 2, '2': 4},
            {'1': 3, '2': 6},
          ],
        },
      },
    ],
    ['one item is a list', '1205 0a03 0a0161', {'2': {'1': [{'1': 'a'}]}}],
    ['one id is a list', '4a03 0a0161', {'9': {'1': ['a']}}],
    ['an empty list', '1200', {'2': {}}],
    ['an item without fields', '1202 0a00', {'2': {'1': [{}]}}],
    ['a result of 9', '4a07 0a05 0a03 0a0161', {'9': {'1': {'1': [{'1': 'a'}]}}}],
    ['a result of 11', '5a07 0a05 1203 0a0161', {'11': {'1': {'2': [{'1': 'a'}]}}}],
    ['a result whose lists are empty', '5a02 0a00', {'11': {'1': {}}}],
    ['text that is no message', '3a02 6869', {'7': 'hi'}],
    ['a message with control characters', '3a02 0861', {'7': {'1': 97}}],
    ['a message that is printable throughout is text', '3a02 6041', {'7': '`A'}],
    ['text in the place of a list', '1207 74657374696e67', {'2': 'testing'}],
    ['text in the place of ids', '4a0b 68656c6c6f20776f726c64', {'9': 'hello world'}],
    ['text in the place of a result', '5a05 68656c6c6f', {'11': 'hello'}],
    ['text in the place of an item', '1209 0a07 74657374696e67', {'2': {'1': ['testing']}}],
    ['bytes that are neither', '3a02 ff00', {'7': {bytes: '/wA='}}],
    ['a title that looks like a message', '1208 0a06 0a0161 120122', {'2': {'1': [{'1': 'a', '2': '"'}]}}],
    ['a title of digits', '120a 0a08 0a0161 12033132 33', {'2': {'1': [{'1': 'a', '2': '123'}]}}],
    ['numbers beyond 2^53 as text', '08ffffffffffffffffff01', {'1': '18446744073709551615'}],
    ['the largest exact number', '08ffffffffffffff0f', {'1': 9_007_199_254_740_991}],
    ['fixed numbers', '0d01000000 110200000000000000', {'1': 1, '2': 2}],
    ['a group', '0b 1001 0c', {'1': {'2': 1}}],
    ['a group in a group, of one number', '0b 0b 1001 0c 0c', {'1': {'1': {'2': 1}}}],
    ['an unknown field in an item', '1207 0a05 0a0161 2001', {'2': {'1': [{'1': 'a', '4': 1}]}}],
    ['a field that comes again', '0801 0802', {'1': [1, 2]}],
    ['a known field of another wire type', '1005', {'2': 5}],
    ['a byte order mark as a title', '120a 0a08 0a0161 1203efbbbf', {'2': {'1': [{'1': 'a', '2': '\uFEFF'}]}}],
  ])('%s', {tags: 'long'}, (_name, bytes, tree) => {
    expect(treeOf(hex(bytes))).toEqual(tree);
  });

  test('in a call 9 has ids, whatever they look like', () => {
    expect(treeOf(hex('4a05 0a03 0a0161'), 'call')).toEqual({'9': {'1': ['\n\u0001a']}});
  });

  test('deep messages are read, deeper ones are trouble', () => {
    expect(treeOf(nested(90))).toEqual(expect.objectContaining({'1': expect.anything()}));
    expect(treeOf(nested(400))).toMatch(/^messages nested more than 100 deep at byte \d+$/u);
  });
});

describe('hostile bytes name the byte', () => {
  test.each([
    ['a cut length', '12', 'a number that is cut short at byte 1'],
    ['a length past the end', '1205 0a', 'a field of 5 bytes where 1 are left at byte 1'],
    ['a huge length', '12ffffffffffffffff7f', 'a field of more than 2^53 bytes where 0 are left at byte 1'],
    ['an item that claims more than its list has', '1204 0a05 0a01', 'a field of 5 bytes where 2 are left at byte 3'],
    ['an item past its list', '1203 0a05 0a', 'a field of 5 bytes where 1 are left at byte 3'],
    ['field number 0', '0200', 'field number 0, which does not exist at byte 0'],
    ['a wire type that does not exist', '0801 1f', 'wire type 7, which does not exist at byte 2'],
    ['a group that does not end', '0801 1b', 'a group that does not end at byte 2'],
    ['the end of no group', '1c', 'the end of a group that was not opened at byte 0'],
    ['the end of another group', '0b 14', 'the end of another group at byte 1'],
    ['a number of eleven bytes', '08 ffffffffffffffffffff01', 'a number of more than 10 bytes at byte 1'],
    ['a tag beyond 32 bits', 'ffffffffff01 00', 'a field number that is too large at byte 0'],
    ['a fixed number that is cut short', '0801 0d0100', 'a field that is cut short at byte 2'],
    ['a title that is not UTF-8', '1209 0a07 0a0161 1202c328', 'text that is not UTF-8 at byte 9'],
  ])('%s', {tags: 'long'}, (_name, bytes, message) => {
    expect(treeOf(hex(bytes))).toBe(message);
  });

  test('more fields than memory should hold', () => {
    expect(treeOf(new Uint8Array(2_100_000).map((_byte, at) => (at % 2 === 0 ? 0x32 : 0)))).toBe(
      'more than 1000000 fields at byte 2000000',
    );
  });
});

test('whatever the bytes, reading them ends and does not throw', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({maxLength: 300}),
      fc.constantFrom<PayloadPlace>('call', 'result', 'anywhere'),
      (bytes, place) => {
        expect(['ok', 'failed']).toContain(readPayloadBytes(bytes, place).tag);
      },
    ),
    {numRuns: randomInputs(3000)},
  );
});

/**
 * Trees whose meaning does not hang on a guess: text is printable, and keys are not those of the task payloads. A message with
 * a key below 16 may be printable throughout, and so may one with a key above 2047.
 */
const leaves = fc.oneof(
  fc.maxSafeNat(),
  fc.string({unit: 'grapheme', minLength: 1, maxLength: 20}).filter(text => !/[\p{Cc}]/u.test(text)),
);
const keys = fc.integer({min: 16, max: 2047}).map(String);
const {message: messages} = fc.letrec<{message: JsonObject; value: Json}>(tie => ({
  message: fc.dictionary(keys, tie('value'), {maxKeys: 4}),
  value: fc.oneof({depthSize: 'small'}, leaves, fc.array(leaves, {minLength: 2, maxLength: 4}), tie('message')),
}));

test('a tree that is encoded is read as it was', () => {
  fc.assert(
    fc.property(messages, tree => {
      expect(treeOf(encodePayloadTree(tree))).toEqual(tree);
    }),
    {numRuns: randomInputs(1000)},
  );
});

/** Whether protoc takes the bytes for a message. */
const protocTakes = (bytes: Uint8Array): boolean =>
  spawnSync('protoc', ['--decode_raw'], {input: bytes, stdio: ['pipe', 'ignore', 'ignore']}).status === 0;

describe('beside protoc --decode_raw', () => {
  beforeEach(needs('protoc'));

  test('the same numbers in the same places', () => {
    const bytes = encodePayloadTree({'4': {'2': 1, '3': [7, 8]}, '12': 'text', '13': {'1': {'1': 300}}});
    const shown = spawnSync('protoc', ['--decode_raw'], {input: bytes, encoding: 'utf8'}).stdout;
    expect(shown).toBe('4 {\n  2: 1\n  3: 7\n  3: 8\n}\n12: "text"\n13 {\n  1 {\n    1: 300\n  }\n}\n');
    expect(treeOf(bytes)).toEqual({'4': {'2': 1, '3': [7, 8]}, '12': 'text', '13': {'1': {'1': 300}}});
  });

  test('the same bytes are messages and the same are not', {tags: 'long'}, () => {
    const seen = fc.sample(fc.uint8Array({minLength: 1, maxLength: 12}), {numRuns: 60, seed: 4});
    const numbers = fc.sample(messages, {numRuns: 20, seed: 4}).map(encodePayloadTree);
    const cut = numbers.map(bytes => bytes.subarray(0, -1));
    for (const bytes of [...seen, ...numbers, ...cut]) {
      expect([Buffer.from(bytes).toString('hex'), readPayloadBytes(bytes, 'anywhere').tag === 'ok']).toEqual([
        Buffer.from(bytes).toString('hex'),
        protocTakes(bytes),
      ]);
    }
  });
});
