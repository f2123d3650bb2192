import {setFlagsFromString} from 'node:v8';
import {describe, expect, test} from 'vitest';
import type {Json, JsonObject} from '../../../../src/base/json.ts';
import {compileSchema, maxErrors} from '../../../../src/protocol/json-schema/compile-schema.ts';
import {processorClock} from '../../../support/processor-clock.ts';

setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');

const check = (schema: Json, value: Json): readonly string[] => {
  const compiled = compileSchema(schema);
  if (compiled.tag === 'failed') throw new Error(compiled.error);
  return compiled.value(value);
};

const sum: JsonObject = {
  type: 'object',
  properties: {sum: {type: 'number'}},
  required: ['sum'],
  additionalProperties: false,
};

describe('what does not fit is named', () => {
  test.each<[JsonObject, Json, readonly string[]]>([
    [sum, {sum: 1}, []],
    [sum, {sum: 'x'}, ['/sum: must be number']],
    [sum, {}, [`the answer: must have required property 'sum'`]],
    [sum, {sum: 1, y: 2}, ['the answer: must NOT have additional properties: "y"']],
    [sum, [], ['the answer: must be object']],
    [{enum: ['a', 'b']}, 'c', ['the answer: must be equal to one of the allowed values: ["a","b"]']],
    [{type: 'string', pattern: '^[a-z]+$'}, 'A', ['the answer: must match pattern "^[a-z]+$"']],
    [{type: 'string', pattern: String.raw`^\p{L}+$`}, 'é', []],
    [{type: 'string', format: 'email'}, 'nonsense', []],
    [{'x-own': 5, type: 'string'}, 'a', []],
    [{const: {$ref: 'x'}}, {$ref: 'x'}, []],
    [{properties: {$ref: {type: 'number'}}}, {$ref: 'a'}, ['/$ref: must be number']],
    [
      {$defs: {n: {type: 'number'}}, properties: {const: {$ref: '#/$defs/n'}}},
      {const: 'b'},
      ['/const: must be number'],
    ],
    [
      {$schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{type: 'number'}]},
      ['x'],
      ['/0: must be number'],
    ],
    [{$schema: 'http://json-schema.org/draft-07/schema#', items: [{type: 'number'}]}, ['x'], ['/0: must be number']],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema',
        definitions: {n: {type: 'number'}},
        additionalProperties: {$ref: '#/definitions/n'},
      },
      {a: 'x'},
      ['/a: must be number'],
    ],
    [{type: 'object', properties: {next: {$ref: '#'}}}, {next: {next: 5}}, ['/next/next: must be object']],
  ])('%j of %j', (schema, value, errors) => {
    expect(check(schema, value)).toEqual(errors);
  });

  test('in few lines', () => {
    const errors = check(
      {items: {type: 'string'}},
      Array.from({length: 1000}, (_, at) => at),
    );
    expect(errors.length).toBe(maxErrors);
  });
});

describe('what is no schema is refused', () => {
  test.each<[Json, string]>([
    ['text', 'a schema is a JSON object'],
    [{type: 'objct'}, '/type: must be equal to one of the allowed values'],
    [{$ref: 'https://example.com/x.json'}, `can't resolve reference https://example.com/x.json`],
    [{$ref: '#/nope'}, `can't resolve reference #/nope`],
    [{$schema: 'http://json-schema.org/draft-04/schema#'}, 'weft supports 2020-12, 2019-09, draft-07 and draft-06'],
    [{$async: true, type: 'string'}, '$async'],
    [{pattern: '('}, 'Invalid regular expression'],
    [{pattern: '^(?=(a+)+$)'}, 'its repetitions can match the same text in many ways'],
    [{pattern: '(a{1,100}){1,100}b'}, 'its repetitions can match the same text in many ways'],
    [{pattern: '^(a|a){1,60}b'}, 'its repetitions can match the same text in many ways'],
    [{pattern: '^(?:a?){40}a{40}$'}, 'its repetitions can match the same text in many ways'],
    [{pattern: '^((a{1,9}){1,9}){1,9}$'}, 'its repetitions can match the same text in many ways'],
    [{pattern: String.raw`^(\p{L}+\s?)+$`}, 'its repetitions can match the same text in many ways'],
    [{description: 'x'.repeat(300_000)}, 'characters'],
  ])('%.60j', (schema, words) => {
    const compiled = compileSchema(schema);
    expect(compiled.tag === 'failed' && compiled.error).toContain(words);
  });
});

describe('what could take for ever ends', () => {
  test.each([
    ['^(a+)+$'],
    ['^(a|a)*$'],
    ['^(a*)*b$'],
    ['(a+a+)+b'],
    ['a*a*a*a*a*a*b'],
    ['(?:a+){10}b'],
    ['(.*a){12}b'],
  ])('pattern %s', pattern => {
    const spentMs = processorClock();
    expect(check({type: 'string', pattern}, `${'a'.repeat(5000)}!`)).toEqual([
      `the answer: must match pattern ${JSON.stringify(pattern)}`,
    ]);
    expect(spentMs()).toBeLessThan(3000);
  });

  test.each([
    [String.raw`^\p{L}*\p{L}*\p{L}*\p{L}*!!$`, 5000],
    ['^(?=.*a.*a.*a.*b)', 5000],
    ['a+b', 100_000],
  ])('pattern %s on long text', (pattern, length) => {
    const spentMs = processorClock();
    expect(check({type: 'string', pattern}, 'a'.repeat(length))).toHaveLength(1);
    expect(spentMs()).toBeLessThan(5000);
  });

  test('a pattern that looks at every character once takes text of any length', () => {
    expect(check({type: 'string', pattern: '^[a-z]+$'}, 'a'.repeat(1_000_000))).toEqual([]);
  });

  test.each([
    [String.raw`^([0-9]{1,3}\.){3}[0-9]{1,3}$`, '10.0.0.1', '10.0.0'],
    ['^([0-9a-f]{2}:){5}[0-9a-f]{2}$', '00:11:22:33:44:55', '00:11'],
    ['^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,64}$', 'Abcdefg1', 'abcdefgh'],
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-b-c', '-a'],
    [String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 'a@b.de', 'a@b'],
    [String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$`, '2026-01-01T10:00', '2026'],
    ['^.$', '😀', 'ab'],
    [String.raw`^\(\d+\)+$`, '(12)))', '12'],
  ])('everyday pattern %s', (pattern, good, bad) => {
    expect(check({type: 'string', pattern}, good)).toEqual([]);
    expect(check({type: 'string', pattern}, bad)).toHaveLength(1);
  });

  test('references that double', () => {
    const $defs = Object.fromEntries(
      Array.from({length: 40}, (_, at) => [
        `a${at}`,
        {allOf: [{$ref: `#/$defs/a${at + 1}`}, {$ref: `#/$defs/a${at + 1}`}]},
      ]),
    );
    expect(check({$defs: {...$defs, a40: {type: 'string'}}, $ref: '#/$defs/a0'}, 'x')).toEqual([
      'The check needs more than 200000 references of the schema.',
    ]);
  });

  test('a reference to itself', () => {
    expect(check({$ref: '#'}, 1)).toHaveLength(1);
  });
});
