// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {type Answer, call, fail, type Part, sayPieces} from '../support/model-script.ts';
import type {Script} from '../support/model-server.ts';
import {openScene} from '../support/scene.ts';
import {jsonLines, type Message} from './support/messages.ts';
import {prompt, rpcArgs} from './support/rpc-client.ts';
import {jsonIn, seedExamples, seedText} from '../support/seeds.ts';

async function messagesOf(script: Script, ...args: readonly string[]): Promise<readonly Message[]> {
  await using scene = await openScene(script);
  writeFileSync(join(scene.place.work, 'a.txt'), 'file contents here...');
  const flags = ['--output-format', 'stream-json', '--verbose', '--include-partial-messages', ...args];
  const {stdout} = await scene.run(['--prompt', 'x', ...flags]);
  return jsonLines(stdout);
}

const reading: readonly Answer[] = [
  [sayPieces('Hello'), call('Read', {file_path: 'a.txt'}, {id: 'toolu_xxx'})],
  sayPieces('Done.'),
];

/** What a message has to be for an example: ids and figures of its own, and blocks and deltas with no other fields. */
function matcherOf(example: unknown, field: string): unknown {
  if (typeof example === 'number') return field === 'index' ? example : expect.any(Number);
  if (['uuid', 'session_id'].includes(field)) return expect.any(String);
  if (field === 'content' && typeof example === 'string') return expect.stringContaining(example);
  if (Array.isArray(example)) return example.map(item => matcherOf(item, field));
  if (typeof example !== 'object' || example === null) return example;
  const fields = Object.fromEntries(Object.entries(example).map(([name, value]) => [name, matcherOf(value, name)]));
  return field === 'content_block' || 'text' in example ? fields : expect.objectContaining(fields);
}

test('every message that the seed shows is written in its form', {tags: 'smoke'}, async () => {
  const examples = seedExamples('rpc-message-format')
    .filter(({language}) => language === 'json')
    .flatMap(({code}) => jsonIn(code));
  const messages = await messagesOf(reading, '--seed-messages');
  expect(examples).toHaveLength(6);
  for (const example of examples) expect(messages).toContainEqual(matcherOf(example, ''));
});

/** The names in the first column of the table that begins with this head. */
const column = (head: string): readonly string[] =>
  [...(seedText('rpc-message-format').split(`| ${head} |`)[1]?.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)`/gmu)].map(
    ([, name = '']) => name,
  );

const frames = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({type, event}) => (type === 'stream_event' ? [String(Object(event).type)] : []));

test('the stream has the events of the seed, in its order', async () => {
  const told = frames(await messagesOf(reading, '--seed-messages'));
  expect(new Set(told)).toEqual(new Set(column('event.type')));
  const whole =
    'message_start(?: content_block_start(?: content_block_delta)+ content_block_stop)+ message_delta message_stop';
  expect(told.join(' ')).toMatch(new RegExp(`^${whole} ${whole}$`, 'u'));
});

test('messages have the types of the seed', async () => {
  const types = new Set(
    (await messagesOf([...reading.slice(0, 1), fail(400)], '--seed-messages')).map(({type}) => type),
  );
  expect(types).toEqual(new Set([...column('type'), 'error']));
});

test('a failure is an error message before its result, with the words of the result', async () => {
  const messages = await messagesOf([fail(400, {message: 'no such thing'})], '--seed-messages');
  const [error, result] = messages.slice(-2);
  expect(error).toEqual({
    type: 'error',
    message: result?.['result'],
    session_id: result?.['session_id'],
    provider: 'claude',
  });
  expect([error?.['message'], result?.['is_error']]).toEqual([expect.stringContaining('no such thing'), true]);
});

test('a program that drives weft gets the same form, and a run that could not begin, too', async () => {
  await using scene = await openScene([sayPieces('Hello'), fail(400)]);
  const text = ['one', 'two'].map(word => `${JSON.stringify(prompt(word))}\n`).join('');
  const driven = jsonLines((await scene.run([...rpcArgs, '--seed-messages'], {stdin: {text}})).stdout);
  expect(driven.map(({type, provider}) => [type, provider])).toEqual(
    ['system', 'assistant', 'result', 'system', 'assistant', 'error', 'result'].map(type => [type, 'claude']),
  );
  const flags = ['--seed-messages', '--settings', '{"model": 1}', '--output-format', 'stream-json', '--verbose'];
  const failed = jsonLines((await scene.run(['--prompt', 'x', ...flags])).stdout);
  expect(failed).toMatchObject([{type: 'error', message: expect.stringContaining('model')}, {type: 'result'}]);
});

const poem: Part = {part: 'raw', block: {type: 'poem', lines: ['One']}, deltas: []};

test('an unknown block has its own type beside it', async () => {
  const messages = await messagesOf([[poem, sayPieces('Done.')]], '--seed-messages');
  const block = {type: 'unknown', originalType: 'poem', data: {type: 'poem', lines: ['One']}};
  expect(messages.filter(({type}) => type === 'assistant')[0]).toMatchObject({message: {content: [block]}});
  expect(messages.find(({event}) => Object(event).type === 'content_block_start')).toMatchObject({
    event: {content_block: block},
  });
});

test("without the flag messages are the Agent SDK's", async () => {
  const messages = await messagesOf([...reading.slice(0, 1), [poem, sayPieces('Done.')]]);
  const text = JSON.stringify(messages);
  expect(new Set(messages.map(({provider}) => provider))).toEqual(new Set(['anthropic']));
  expect(text).toContain('"content_block":{"type":"tool_use","id":"toolu_xxx","name":"Read","input":{}}');
  expect(text).toContain('{"lines":["One"],"type":"poem"}');
  expect(text).toContain('"is_error":false,"outcome":"success"}]');
  expect((await messagesOf([fail(400)])).map(({type}) => type)).not.toContain('error');
});
