// @module-tag long
import {describe, expect, test} from 'vitest';
import {call, say, until, type Part} from '../support/model-script.ts';
import {openScene} from '../support/scene.ts';
import type {Message} from './support/messages.ts';
import {isAnswer, isType, prompt, request, startRpc} from './support/rpc-client.ts';

/**
 * A line is there within 50 ms of its cause. The quickest of several counts: a loaded machine delays some of them, a timer or a
 * buffer in weft would delay all.
 */
const withinMs = 50;
const times = 12;

interface Gate {
  readonly part: Part;
  readonly open: () => void;
}

const gates = (count: number): readonly Gate[] =>
  Array.from({length: count}, () => {
    const {promise, resolve} = Promise.withResolvers<void>();
    return {part: until(promise), open: resolve};
  });

/** Milliseconds of the quickest. */
async function quickest(count: number, round: (number: number) => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let number = 0; number < count; number++) {
    const begun = performance.now();
    await round(number);
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}

const streamed = (type: string, holds: (event: Message) => boolean) => (message: Message) =>
  message['type'] === 'stream_event' && Object(message['event']).type === type && holds(Object(message['event']));

describe('a line on a pipe comes at once', () => {
  test('for each piece of text', {tags: 'smoke'}, async () => {
    const held = gates(times);
    await using scene = await openScene([[say('begin'), ...held.flatMap(({part}, at) => [part, say(`piece${at}`)])]]);
    const client = startRpc(scene, ['--include-partial-messages']);
    client.send(prompt('x'));
    await client.next(streamed('content_block_delta', ({delta}) => Object(delta).text === 'begin'));
    const best = await quickest(times, at => {
      held[at]?.open();
      return client.next(streamed('content_block_delta', ({delta}) => Object(delta).text === `piece${at}`));
    });
    expect(best).toBeLessThan(withinMs);
    await client.finish();
  });

  test('for each call that begins', async () => {
    const held = gates(times);
    const calls = held.flatMap(({part}, at) => [part, call('Glob', {pattern: `${at}`}, {id: `call_${at}`})]);
    await using scene = await openScene([[say('begin'), ...calls], say('Done.')]);
    const client = startRpc(scene, ['--include-partial-messages']);
    client.send(prompt('x'));
    await client.next(streamed('content_block_delta', ({delta}) => Object(delta).text === 'begin'));
    const best = await quickest(times, at => {
      held[at]?.open();
      return client.next(
        streamed('content_block_start', ({content_block: block}) => Object(block).id === `call_${at}`),
      );
    });
    expect(best).toBeLessThan(withinMs);
    await client.finish();
  });

  test('for the question whether a call may run, and for its result', async () => {
    await using scene = await openScene([
      ...Array.from({length: times}, (_round, at) => call('Write', {file_path: `f${at}`, content: 'x'})),
      say('Done.'),
    ]);
    const client = startRpc(scene, ['--permission-prompt-tool', 'stdio']);
    client.send(prompt('x'));
    let asked = await client.next(isType('control_request'));
    const best = await quickest(times - 1, async () => {
      const response = {subtype: 'success', request_id: asked['request_id'], response: {behavior: 'allow'}};
      client.send({type: 'control_response', response});
      // The file is written, the model asked for the next one, and the client again: three causes in one.
      await client.next(isType('user'));
      asked = await client.next(isType('control_request'));
    });
    // Three causes, and a file that is written and journaled: what takes work takes longer on a busy machine.
    expect(best).toBeLessThan(20 * withinMs);
    client.send(request('stop', {subtype: 'interrupt'}));
    await client.finish();
  });

  test('for an answer to the client', async () => {
    await using scene = await openScene([]);
    const client = startRpc(scene);
    client.send(request('first', {subtype: 'initialize'}));
    await client.next(isAnswer('first'));
    const best = await quickest(times, at => {
      client.send(request(`r${at}`, {subtype: 'get_context_usage'}));
      return client.next(isAnswer(`r${at}`));
    });
    expect(best).toBeLessThan(withinMs);
    await client.finish();
  });
});

test('output of a tool that nobody reads is not kept: the client falls behind, and gets the end all the same', async () => {
  const command = `node -e 'const line = "x".repeat(1023) + "\\n"; let left = 10; (function more() { if (left-- > 0) process.stdout.write(line.repeat(1024), more); })()'`;
  await using scene = await openScene([call('Bash', {command, timeout: 60_000}), say('Done.')]);
  const client = startRpc(scene, ['--include-tool-progress', '--permission-mode', 'bypassPermissions']);
  client.child.stdout.pause();
  client.send(prompt('x'));
  await scene.server.received(2);
  client.child.stdout.resume();
  expect(await client.next(isType('result'))).toMatchObject({result: 'Done.'});
  const {stdout} = await client.finish();
  expect(stdout.length).toBeLessThan(4 * 1024 * 1024);
  expect(stdout).toContain('"tool_progress"');
});
