import {expect, test} from 'vitest';
import {toolSchema} from '../../../src/models/tool-schema.ts';

test('Gemini gets a list of one in place of a constant', () => {
  const schema = {type: 'object', properties: {const: {const: 'x'}, list: {items: {type: 'string', const: 'y'}}}};
  expect(toolSchema(schema, 'gemini')).toEqual({
    type: 'object',
    properties: {const: {enum: ['x']}, list: {items: {type: 'string', enum: ['y']}}},
  });
});

test('Kimi gets no boolean schema, no siblings of a reference, no null among strings and no keyword twice', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    properties: {
      any: true,
      list: {type: 'array', items: true},
      ref: {$ref: '#/$defs/a', description: 'It'},
      level: {type: 'string', enum: ['low', null]},
      either: {type: 'string', description: 'One', anyOf: [{type: 'string'}, {type: 'number'}, true]},
    },
    $defs: {a: {type: 'string'}},
  };
  expect(toolSchema(schema, 'moonshot')).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      any: {},
      list: {type: 'array', items: {}},
      ref: {$ref: '#/$defs/a'},
      level: {type: 'string', enum: ['low']},
      either: {description: 'One', anyOf: [{type: 'string'}, {type: 'number'}]},
    },
    $defs: {a: {type: 'string'}},
  });
});

test('llama.cpp gets no pattern and no format, and properties of these names', () => {
  const schema = {
    type: 'object',
    properties: {pattern: {type: 'string', pattern: '^a'}, format: {type: 'string', format: 'uri'}},
    required: ['pattern'],
  };
  expect(toolSchema(schema, 'no-patterns')).toEqual({
    type: 'object',
    properties: {pattern: {type: 'string'}, format: {type: 'string'}},
    required: ['pattern'],
  });
});
