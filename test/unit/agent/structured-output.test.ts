import {describe, expect, test} from 'vitest';
import {isJsonObject, type Json} from '../../../src/base/json.ts';
import {answerSchemaOf, type StructuredOutput} from '../../../src/agent/structured-output.ts';
import {callBlock, callsTools, engineBench, says, toolNames} from '../../support/memory-ports.ts';

const sum: StructuredOutput = {
  kind: 'schema',
  schema: {type: 'object', properties: {sum: {type: 'number'}}, required: ['sum']},
  check: value => (isJsonObject(value) && typeof value['sum'] === 'number' ? [] : ['/sum: must be number']),
};
const reads = () => callsTools(callBlock('Read', {file_path: 'a'}));
const gives = (input: Json) => callsTools(callBlock('StructuredOutput', input));

const bench = (...script: Parameters<typeof engineBench>[0]) => engineBench(script, {options: {structuredOutput: sum}});

describe('an answer as JSON', () => {
  test('is what the tool is given; its call ends the prompt', async () => {
    const run = bench(gives({sum: 3}));
    expect(await run.prompt('Add')).toMatchObject({
      end: {kind: 'done'},
      answer: '{"sum":3}',
      structured: {kind: 'value', value: {sum: 3}},
      turns: 1,
    });
    expect(run.model.requests[0]?.tools.find(tool => 'name' in tool && tool.name === 'StructuredOutput')).toMatchObject(
      {
        inputSchema: {type: 'object', required: ['sum']},
      },
    );
    expect(run.events.find(event => event.event === 'session-opened')).toMatchObject({
      session: {tools: expect.arrayContaining(['StructuredOutput'])},
    });
  });

  test('may come with other calls and behind words', async () => {
    const run = bench(
      says('Let me see: {"sum": "no"}'),
      callsTools(callBlock('Read', {file_path: 'a'}), callBlock('StructuredOutput', {sum: 4})),
    );
    expect(await run.prompt('Add')).toMatchObject({structured: {kind: 'value', value: {sum: 4}}, results: 2});
  });

  test.each([
    ['{"sum": 5}'],
    ['\n{"sum": 5}\n'],
    ['Here it is:\n```json\n{"sum": 5}\n```\nDone.'],
    ['```\n{"a": 1}\n```\nand\n```json\n{"sum": 5}\n```'],
  ])('may be said in words: %j', async text => {
    const run = bench(says(text));
    expect(await run.prompt('Add')).toMatchObject({answer: '{"sum":5}', structured: {kind: 'value', value: {sum: 5}}});
    expect(run.model.requests.length).toBe(1);
  });

  test('that does not fit is told to the model, which has two more', async () => {
    const run = bench(gives({sum: 'x'}), says('I am done.'), gives({sum: 6}));
    expect(await run.prompt('Add')).toMatchObject({end: {kind: 'done'}, structured: {kind: 'value', value: {sum: 6}}});
    expect(run.model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      blocks: [
        {kind: 'tool-result', outcome: 'error', content: [{text: expect.stringContaining('/sum: must be number')}]},
      ],
    });
    expect(run.model.requests[2]?.messages.at(-1)).toMatchObject({
      role: 'user',
      blocks: [{kind: 'text', text: expect.stringContaining('StructuredOutput')}],
    });
    expect(run.session.kept.filter(({kind}) => kind === 'reminder').length).toBe(1);
  });

  test.each([
    [[gives({}), gives({}), gives({})], ['/sum: must be number']],
    [[says('a'), says('b'), says('c')], ['The answer is text, not JSON that fits the schema.']],
    [[gives({}), says('{"sum": false}'), gives('text')], ['/sum: must be number']],
  ])('three times wrong ends the prompt with what was wrong', async (script, errors) => {
    const run = bench(...script, gives({sum: 1}));
    expect(await run.prompt('Add')).toMatchObject({end: {kind: 'invalid-output', errors}, structured: {kind: 'none'}});
    expect(run.model.requests.length).toBe(3);
  });

  test('other calls in between cost no try', async () => {
    const run = bench(gives({}), reads(), reads(), gives({}), reads(), gives({sum: 1}));
    expect(await run.prompt('Add')).toMatchObject({end: {kind: 'done'}, turns: 6});
  });

  test('is asked for in every prompt anew', async () => {
    const run = bench(gives({sum: 1}), gives({sum: 2}));
    expect((await run.prompt('One')).structured).toEqual({kind: 'value', value: {sum: 1}});
    expect((await run.prompt('Two')).structured).toEqual({kind: 'value', value: {sum: 2}});
  });
});

test('without a schema there is no such tool', async () => {
  const run = engineBench([gives({sum: 1}), says('Well.')]);
  expect(await run.prompt('Add')).toMatchObject({end: {kind: 'done'}, answer: 'Well.', structured: {kind: 'none'}});
  expect(run.model.requests.slice(0, 1).flatMap(toolNames).includes('StructuredOutput')).toBe(false);
  expect(run.model.requests[1]?.messages.at(-1)).toMatchObject({blocks: [{outcome: 'error'}]});
});

test('a schema that is no plain object is wrapped, and its references follow', () => {
  expect(
    answerSchemaOf({
      kind: 'schema',
      check: () => [],
      schema: {$schema: 'x', type: 'array', items: {$ref: '#/$defs/a'}, $defs: {a: {$ref: '#'}}},
    }),
  ).toEqual({
    type: 'object',
    properties: {
      value: {
        type: 'array',
        items: {$ref: '#/properties/value/$defs/a'},
        $defs: {a: {$ref: '#/properties/value'}},
      },
    },
    required: ['value'],
    additionalProperties: false,
  });
});

test('what was wrapped is unwrapped', async () => {
  const structured: StructuredOutput = {
    kind: 'schema',
    schema: {type: 'array'},
    check: value => (Array.isArray(value) ? [] : ['the answer: must be array']),
  };
  const run = engineBench([gives({value: [1, 2]})], {options: {structuredOutput: structured}});
  expect(await run.prompt('List')).toMatchObject({answer: '[1,2]', structured: {kind: 'value', value: [1, 2]}});
});
