// @module-tag long
import {expect, test} from 'vitest';
import {call, say, think} from '../support/model-script.ts';
import type {DialectName} from '../support/model-server.ts';
import {openScene, type Scene} from '../support/scene.ts';

const flags = ['--settings', '{"wireApi": "responses"}', '--model', 'gpt-6.1-sol'];

/** What a request repeats of the conversation, in words. */
const inputs = ({server}: Scene, at: number): readonly string[] =>
  (server.requests[at]?.body.input ?? []).map(item => {
    const {type, encrypted_content: sealed, summary} = item;
    const name = typeof type === 'string' ? type : item.role;
    if (name !== 'reasoning' || typeof sealed !== 'string') return name;
    return `reasoning ${sealed} ${Array.isArray(summary) ? summary.length : '?'}`;
  });

/** What a turn with a call adds to the next request. */
const turn = (seal: string): readonly string[] => [`reasoning ${seal} 1`, 'function_call', 'function_call_output'];

test('what the model reasoned goes back with every request, sealed as it came, also when the session goes on later', async () => {
  await using scene = await openScene(
    [
      [think('First I look.', 'seal-1'), call('Bash', {command: 'echo one'}, {id: 'call_1'})],
      [think('Then again.', 'seal-2'), call('Bash', {command: 'echo two'}, {id: 'call_2'})],
      [think('So it is.', 'seal-3'), say('Done.')],
      say('Still done.'),
    ],
    'responses',
  );
  const first = await scene.run(['--prompt', 'x', ...flags]);
  expect(first).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
  const later = await scene.run(['--continue', '--prompt', 'y', ...flags]);
  expect(later).toMatchObject({code: 0, stdout: 'Still done.\n', stderr: ''});
  expect(scene.server.requests.map((_, at) => inputs(scene, at))).toEqual([
    ['user'],
    ['user', ...turn('seal-1')],
    ['user', ...turn('seal-1'), ...turn('seal-2')],
    ['user', ...turn('seal-1'), ...turn('seal-2'), 'reasoning seal-3 1', 'assistant', 'user'],
  ]);
  for (const {body} of scene.server.requests)
    expect(body).toMatchObject({store: false, include: ['reasoning.encrypted_content']});
});

/** The bytes of the first request of a run. */
const sizeIn = async (dialect: DialectName, more: readonly string[]): Promise<number> => {
  await using scene = await openScene([say('Hi.')], dialect);
  await scene.run(['--prompt', 'x', ...more]);
  return Buffer.byteLength(JSON.stringify(scene.server.requests[0]?.body));
};

test('the first request is small', {tags: 'smoke'}, async () => {
  const [messages, responses] = await Promise.all([sizeIn('anthropic', []), sizeIn('responses', flags)]);
  expect(messages).toBeLessThanOrEqual(10_000);
  expect(responses).toBeLessThanOrEqual(9000);
});
