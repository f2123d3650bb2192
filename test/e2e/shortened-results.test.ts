// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, usage, type Answer} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';

/** What a provider sees of a conversation, without its marks. */
const told = (messages: unknown): string =>
  JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '');

test('old long results are cut in one go where the window is nearly full, so that the cache breaks once; resumed, they are as short', async () => {
  const rounds = 12;
  await using scene = await openScene((request, number): Answer => {
    // Some four characters are a token.
    const counted = usage({input: Math.round(JSON.stringify(request.body).length / 4)});
    if (number > rounds) return [say(number === rounds + 1 ? 'Done.' : 'Again.'), counted];
    return [call('Read', {file_path: `f${String(number - 1)}.txt`}), counted];
  });
  for (let at = 0; at < rounds; at += 1)
    writeFileSync(
      join(scene.place.work, `f${String(at)}.txt`),
      `FILE ${String(at)} ${'word '.repeat(20).concat('\n').repeat(60)}`,
    );
  const settings = JSON.stringify({models: {own: {contextWindow: 25_000}}});
  const args = ['--model', 'own', '--settings', settings];
  const {code, stdout} = await scene.run([...args, '--prompt', 'go']);
  expect([code, stdout]).toEqual([0, 'Done.\n']);
  const conversations = scene.server.requests.map(({body}) => told(body.messages));
  const breaks = conversations.flatMap((after, at) => {
    const before = conversations[at - 1];
    return before === undefined || after.startsWith(before.slice(0, -1)) ? [] : [at];
  });
  expect(breaks).toHaveLength(1);
  const last = conversations.at(-1) ?? '';
  expect(last.match(/FILE \d+/gu)).toHaveLength(rounds);
  const cut = last.match(/\[Shortened by weft: it had \d+ characters\./gu) ?? [];
  expect(cut.length).toBeGreaterThan(3);
  expect(toldResults(scene.server.requests.at(-1))[0]).not.toContain('Shortened by weft');

  const again = await scene.run([...args, '--continue', '--prompt', 'again']);
  expect(again.stdout).toBe('Again.\n');
  expect(told(scene.server.requests.at(-1)?.body.messages).startsWith(last.slice(0, -1))).toBe(true);
  // What people look at is whole.
  const shown = await scene.run(['sessions', 'list', '--json']);
  const [{id}] = JSON.parse(shown.stdout);
  expect((await scene.run(['sessions', 'show', id])).stdout).not.toContain('Shortened by weft');
});
