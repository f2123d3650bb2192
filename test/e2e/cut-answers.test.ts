// @module-tag long
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, callRaw, fail, say, sayPieces, stop, think, type Answer} from '../support/model-script.ts';
import type {DialectName} from '../support/model-server.ts';
import {openScene, toldPrompt, toldResults} from '../support/scene.ts';
import {resultOf} from './support/messages.ts';

const cut = stop('max-tokens');
const asJson = ['--output-format', 'json'];

test('a cut answer goes on once, and both parts are the answer', {tags: 'smoke'}, async () => {
  await using scene = await openScene([[sayPieces('One, two, thr'), cut], say('ee, four.')]);
  const {code, stdout, stderr} = await scene.run(['--prompt', 'count']);
  const note = 'weft: The answer was cut at the output limit. Asked the model to go on.\n';
  expect([code, stdout, stderr]).toEqual([0, 'One, two, three, four.\n', note]);
  const [, second] = scene.server.requests;
  expect(second?.body.messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user']);
  expect(JSON.stringify(second?.body.messages[1])).toContain('One, two, thr');
  expect(toldPrompt(second)).toContain('Your answer was cut at the output limit. Go on exactly where it stopped');
});

test.each<DialectName>(['anthropic', 'openai'])(
  '%s: an answer that is cut again ends with its text and exit 1',
  async dialect => {
    await using scene = await openScene(
      [
        [say('One,'), cut],
        [sayPieces(' two'), cut],
      ],
      dialect,
    );
    const {code, stdout} = await scene.run(['--prompt', 'count', ...asJson]);
    expect([code, scene.server.requests.length, resultOf(stdout)]).toMatchObject([
      1,
      2,
      {
        subtype: 'error_during_execution',
        is_error: true,
        result: 'One, two',
        stop_reason: 'max_tokens',
        repairs: [{reason: 'cut-text', action: 'The answer was cut at the output limit. Asked the model to go on.'}],
        errors: [expect.stringMatching(/^The answer was cut at the model's output limit again\./u)],
        exit_code: 1,
      },
    ]);
  },
);

test('in text, the cut answer is on stdout and the reason on stderr', async () => {
  await using scene = await openScene([
    [say('One'), cut],
    [say(' two'), cut],
  ]);
  const {code, stdout, stderr} = await scene.run(['--prompt', 'count']);
  expect([code, stdout]).toEqual([1, 'One two\n']);
  expect(stderr).toMatch(/\nweft: The answer was cut at the model's output limit again\. Ask for less/u);
});

test('an answer cut inside its thinking is asked for again, with less thinking', async () => {
  await using scene = await openScene([[think('Let me see'), cut], say('Four.')]);
  const {code, stdout} = await scene.run(['--prompt', 'count', '--model', 'opus']);
  expect([code, stdout]).toEqual([0, 'Four.\n']);
  expect(scene.server.requests.map(({body}) => body['output_config'])).toEqual([undefined, {effort: 'low'}]);
  expect(toldPrompt(scene.server.requests[1])).toContain('Think briefly');
});

test.each([
  ['an empty answer', say('')],
  ['an answer of thinking alone', think('Hm.')],
])('%s is asked for once more', async (_title, empty) => {
  await using scene = await openScene([empty, say('Here.')]);
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
  expect([code, stdout, stderr]).toEqual([0, 'Here.\n', 'weft: The answer was empty. Asked the model again.\n']);
  expect(scene.server.requests).toHaveLength(2);
});

test('thinking that fills the answer twice ends the prompt', async () => {
  const thinks: Answer = [think('Let me see'), cut];
  await using scene = await openScene([thinks, thinks]);
  const {code, stdout} = await scene.run(['--prompt', 'count', ...asJson]);
  expect([code, scene.server.requests.length, resultOf(stdout)['stop_reason']]).toEqual([1, 2, 'max_tokens']);
});

describe('a call cut at the limit', () => {
  const json = `{"file_path": "a.txt", "content": "${'x'.repeat(1000)}`;

  test.each<DialectName>(['anthropic', 'openai', 'responses'])(
    '%s: is never run, and the model is told its length',
    async dialect => {
      await using scene = await openScene([[callRaw('Write', json), cut], say('Smaller then.')], dialect);
      const responses = dialect === 'responses' ? ['--settings', '{"wireApi": "responses"}'] : [];
      const {code, stdout} = await scene.run(['--prompt', 'x', '--permission-mode', 'acceptEdits', ...responses]);
      expect([code, stdout, existsSync(join(scene.place.work, 'a.txt'))]).toEqual([0, 'Smaller then.\n', false]);
      const second = JSON.stringify(scene.server.requests[1]?.body);
      expect(second).toContain(
        `The arguments were cut after ${String(json.length)} characters. Send the call in smaller parts.`,
      );
      expect(second).not.toContain('xxxx');
    },
  );

  test('three times in a row ends the prompt', async () => {
    await using scene = await openScene((_, number) => [callRaw('Write', `${json}${String(number)}`), cut]);
    const {code, stdout} = await scene.run(['--prompt', 'x', ...asJson]);
    expect([code, scene.server.requests.length, resultOf(stdout)]).toMatchObject([
      1,
      3,
      {
        subtype: 'error_during_execution',
        stop_reason: 'max_tokens',
        result: expect.stringMatching(/^The model's tool call was cut 3 times in a row/u),
      },
    ]);
  });

  test('is known by its JSON, too, if the server gives another reason; whole calls beside it run', async () => {
    await using scene = await openScene(
      [[call('Write', {file_path: 'b.txt', content: 'b'}), callRaw('Write', json)], say('So.')],
      'openai',
    );
    const {code} = await scene.run(['--prompt', 'x', '--permission-mode', 'acceptEdits']);
    expect([code, readFileSync(join(scene.place.work, 'b.txt'), 'utf8')]).toEqual([0, 'b']);
    expect(JSON.stringify(scene.server.requests[1]?.body)).toContain('The arguments were cut after');
  });

  test('in a sub-agent: its agent reads why it ended', async () => {
    let calls = 0;
    await using scene = await openScene(({body}) => {
      if (!JSON.stringify(body.messages[0]).includes('FIND'))
        return body.messages.length > 1 ? say('Done.') : call('Agent', {description: 'finder', prompt: 'FIND'});
      calls += 1;
      return [callRaw('Write', `${json}${String(calls)}`), cut];
    });
    const {code, stdout} = await scene.run(['--prompt', 'x']);
    expect([code, stdout, calls]).toEqual([0, 'Done.\n', 3]);
    expect(toldResults(scene.server.requests.at(-1))[0]).toContain('cut 3 times in a row');
  });
});

test('a refused answer is no success', async () => {
  await using scene = await openScene([[say('I should not'), stop('refusal')]]);
  const {code, stdout} = await scene.run(['--prompt', 'x', ...asJson]);
  expect([code, resultOf(stdout)]).toMatchObject([
    1,
    {is_error: true, stop_reason: 'refusal', result: expect.stringContaining('declined to answer')},
  ]);
});

test.each([
  ['an answer', [say('I should not'), stop('refusal')]],
  ['a content filter', fail(400, {code: 'content_filter', message: 'The content management policy forbids this.'})],
] as const)('a prompt that is declined by %s leaves the conversation, which goes on', async (_what, declined) => {
  await using scene = await openScene(request =>
    JSON.stringify(request.body).includes('BAD') ? declined : say(`Fine. ${'word '.repeat(1000)}`),
  );
  const run = async (...args: readonly string[]) => scene.run([...args, '--permission-mode', 'acceptEdits']);
  expect(await run('--prompt', 'First.')).toMatchObject({code: 0});
  const refused = await run('--continue', '--prompt', 'BAD');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('weft left the prompt out of the conversation. Rephrase'),
  ]);
  expect(await run('--continue', '--prompt', 'Good.')).toMatchObject({code: 0, stderr: ''});
  expect(JSON.stringify(scene.server.requests.at(-1)?.body)).toMatch(/First\.[^]*Fine\.[^]*Good\./u);
  expect(await run('--continue', '--prompt', '/compact')).toMatchObject({code: 0});
  expect(await run('--continue', '--prompt', 'Third.')).toMatchObject({code: 0});
});

test('a prompt that is declined in the middle of its work leaves with the work, and the model learns of changed files', async () => {
  await using scene = await openScene(request => {
    const told = JSON.stringify(request.body);
    if (!told.includes('BAD')) return say('Fine.');
    return told.includes('tool_result') ? stop('refusal') : call('Write', {file_path: 'a.txt', content: 'a'});
  });
  const refused = await scene.run(['--prompt', 'BAD', '--permission-mode', 'acceptEdits']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('conversation, with the work on it. Rephrase'),
  ]);
  expect(await scene.run(['--continue', '--prompt', 'Good.'])).toMatchObject({code: 0, stdout: 'Fine.\n'});
  const last = JSON.stringify(scene.server.requests.at(-1)?.body);
  expect(last).toContain('may have changed files');
  expect(last).not.toContain('a.txt');
  expect(await scene.run(['sessions', 'diff'])).toMatchObject({stdout: expect.stringContaining('a.txt')});
});

test('a refused answer goes on with the fallback model, also in the middle', async () => {
  const flags = ['--model', 'opus', '--fallback-model', 'haiku'];
  await using scene = await openScene([
    stop('refusal'),
    say('Here it is.'),
    [sayPieces('So far '), stop('refusal')],
    sayPieces('and further.'),
  ]);
  expect(await scene.run(['--prompt', 'x', ...flags])).toMatchObject({code: 0, stdout: 'Here it is.\n'});
  const {code, stdout, stderr} = await scene.run(['--prompt', 'x', ...flags]);
  expect([code, stdout]).toEqual([0, 'So far and further.\n']);
  expect(stderr).toContain('claude-opus-5-5 declined to answer');
  const models = scene.server.requests.map(({body}) => body.model);
  expect(models).toEqual(['claude-opus-5-5', 'claude-haiku-5-5', 'claude-opus-5-5', 'claude-haiku-5-5']);
});
