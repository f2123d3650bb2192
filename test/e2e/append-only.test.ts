// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {boundThinking} from '../support/bound-thinking.ts';
import {call, say, usage} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {openScene} from '../support/scene.ts';
import {isAnswer, isType, prompt, request, startRpc} from './support/rpc-client.ts';

const model = ['--model', 'claude-opus-5-5'];

const texts = (told: ReceivedRequest | undefined): string => JSON.stringify(told?.body.messages.at(-1)?.content);

test('changes of the mode, todos and late tools are appended: no thinking is refused', {tags: 'smoke'}, async () => {
  const todos = call('TodoWrite', {todos: [{content: 'Look', status: 'in_progress'}]});
  const read = call('Read', {file_path: 'a.txt'});
  const script = [todos, say('One.'), read, say('Two.'), read, read, say('Three.'), say('Four.')];
  const server = boundThinking(number => script[number - 1] ?? say('No more.'));
  await using scene = await openScene(server.script);
  writeFileSync(join(scene.place.work, 'a.txt'), 'a');
  const client = startRpc(scene, model);
  const setMode = async (id: string, mode: string): Promise<void> => {
    client.send(request(id, {subtype: 'set_permission_mode', mode}));
    await client.next(isAnswer(id));
  };
  const ask = async (text: string): Promise<void> => {
    client.send(prompt(text));
    await client.next(isType('result'));
  };
  await ask('one');
  await setMode('a', 'plan');
  await ask('two');
  await setMode('b', 'acceptEdits');
  await ask('three');
  await ask('four');
  await client.finish();
  expect([server.refused, scene.server.requests.length]).toEqual([[], 8]);
  const [, , planning, , over] = scene.server.requests;
  expect(texts(planning)).toContain('Approval mode: plan (explore, change nothing, and call ExitPlanMode');
  expect(texts(over)).toContain('Approval mode: acceptEdits (edits need no approval');
});

test('a session that goes on in another run and mode keeps its beginning', async () => {
  const server = boundThinking(() => say('So.'));
  await using scene = await openScene(server.script);
  for (const more of [[], ['--continue'], ['--continue', '--permission-mode', 'plan'], ['--continue']])
    await scene.run([...model, ...more, '--prompt', 'go']);
  expect([server.refused, scene.server.requests.length]).toEqual([[], 4]);
});

test('where results are shortened, the thinking behind them goes first', async () => {
  const rounds = 12;
  const server = boundThinking((number, {body}) => {
    const counted = usage({input: Math.round(JSON.stringify(body).length / 4)});
    return [number > rounds ? say('Done.') : call('Read', {file_path: `f${String(number)}.txt`}), counted];
  });
  await using scene = await openScene(server.script);
  for (let at = 1; at <= rounds; at += 1)
    writeFileSync(
      join(scene.place.work, `f${String(at)}.txt`),
      `FILE ${String(at)} ${'word '.repeat(20).concat('\n').repeat(60)}`,
    );
  const args = [...model, '--settings', JSON.stringify({models: {'claude-opus-5-5': {contextWindow: 25_000}}})];
  await scene.run([...args, '--prompt', 'go']);
  await scene.run([...args, '--continue', '--prompt', 'again']);
  expect([server.refused, scene.server.requests.length]).toEqual([[], rounds + 2]);
  const shortened = scene.server.requests.filter(({body}) => JSON.stringify(body).includes('Shortened by weft'));
  expect(shortened.length).toBeGreaterThan(0);
});
