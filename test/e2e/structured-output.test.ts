// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';
import {jsonLines, resultOf} from './support/messages.ts';

const schema = JSON.stringify({
  type: 'object',
  properties: {sum: {type: 'number'}},
  required: ['sum'],
  additionalProperties: false,
});
const asked = ['--prompt', 'Add 1 and 2', '--json-schema', schema];
const valid = call('StructuredOutput', {sum: 3});
const invalid = call('StructuredOutput', {sum: 'three'});

describe('--json-schema', () => {
  test.each(['anthropic', 'openai'] as const)('stdout is the JSON, over the %s dialect', async dialect => {
    await using scene = await openScene([valid], dialect);
    expect(await scene.run(asked)).toEqual({code: 0, signal: null, stdout: '{"sum":3}\n', stderr: ''});
    expect(JSON.stringify(scene.server.requests[0]?.body)).toContain('"StructuredOutput"');
  });

  test('an answer that does not fit is told and tried again', {tags: 'smoke'}, async () => {
    await using scene = await openScene([invalid, valid]);
    expect(await scene.run(asked)).toMatchObject({code: 0, stdout: '{"sum":3}\n'});
    expect(JSON.stringify(scene.server.requests[1]?.body.messages.at(-1))).toContain('/sum: must be number');
  });

  test('three that do not fit end with exit code 1 and what was wrong', {tags: 'smoke'}, async () => {
    await using scene = await openScene([invalid, say('Three.'), invalid, valid]);
    const {code, stdout, stderr} = await scene.run(asked);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('/sum: must be number');
    expect(scene.server.requests.length).toBe(3);
  });

  test.each([['{"sum": 3}'], ['Here:\n```json\n{"sum": 3}\n```\n']])('words count too: %j', async text => {
    await using scene = await openScene([say(text)]);
    expect(await scene.run(asked)).toMatchObject({code: 0, stdout: '{"sum":3}\n'});
  });

  test('from a file, as json', async () => {
    await using scene = await openScene([valid]);
    writeFileSync(join(scene.place.work, 'schema.json'), schema);
    const {code, stdout} = await scene.run(['--prompt', 'Add', '--json-schema=schema.json', '--output-format', 'json']);
    expect(code).toBe(0);
    expect(resultOf(stdout)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: '{"sum":3}',
      structured_output: {sum: 3},
    });
  });

  test('as stream-json, and when it fails', async () => {
    await using scene = await openScene([valid]);
    const good = await scene.run([...asked, '--output-format', 'stream-json']);
    expect(resultOf(good.stdout)).toMatchObject({structured_output: {sum: 3}});
    expect(jsonLines(good.stdout).map(({type}) => type)).toEqual(['system', 'assistant', 'user', 'result']);
    await using bad = await openScene([invalid, invalid, invalid]);
    const {code, stdout} = await bad.run([...asked, '--output-format', 'stream-json']);
    expect([code, resultOf(stdout)]).toMatchObject([
      1,
      {subtype: 'error_max_structured_output_retries', is_error: true, errors: ['/sum: must be number']},
    ]);
  });

  test.each([
    ['{"type":"objct"}', '/type'],
    ['{"type":', 'JSON'],
    ['{"$ref":"https://example.com/x"}', 'example.com'],
    ['missing.json', 'missing.json'],
    ['[]', 'neither JSON nor a readable file'],
  ])('a schema that is none is a usage error: %s', async (given, words) => {
    await using scene = await openScene([valid]);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--json-schema', given]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(scene.server.requests.length).toBe(0);
    const listed = await scene.run(['sessions', 'list', '--json']);
    expect(listed.stdout.trim()).toBe('[]');
  });
});
