import {expect, test} from 'vitest';
import {isJsonObject} from '../../../../src/base/json.ts';
import {payloadText, readPayloadField} from '../../../../src/protocol/task/payload.ts';
import {jsonIn, seedExamples} from '../../../support/seeds.ts';

/** The payloads that the seed shows, with the numbers of their fields as keys. */
const payloads = seedExamples('task-protocol-analysis')
  .filter(({language, code}) => language === 'json' && /^\s*"(?:2|9|11)": \{|^\{"11"/mu.test(code))
  .flatMap(({code}) => jsonIn(code))
  .filter(isJsonObject);

test('every payload of the seed is read, and encoded again byte for byte', () => {
  expect(payloads).toHaveLength(5);
  const kinds = payloads.map(payload => {
    const read = readPayloadField(payload, 'anywhere');
    expect(read.tag).toBe('ok');
    const text = payloadText(read);
    const again = readPayloadField(text, 'anywhere');
    expect(payloadText(again)).toBe(text);
    expect(again.tag === 'ok' && read.tag === 'ok' && again.meaning).toEqual(read.tag === 'ok' && read.meaning);
    return read.tag === 'ok' ? read.meaning.kind : read.message;
  });
  expect(new Set(kinds).size).toBe(3);
});

test('the clearing payload has the bytes that the seed shows', () => {
  const [first = {}] = payloads;
  expect(first).toEqual({'11': {}});
  expect(payloadText(readPayloadField(first, 'anywhere'))).toBe('WgA=');
});
