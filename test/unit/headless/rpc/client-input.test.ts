import {expect, test} from 'vitest';
import {decodeInput} from '../../../../src/protocol/rpc/decode-input.ts';
import {type ClientLine, readOpening} from '../../../../src/headless/rpc/client-input.ts';

const line = (message: object): ClientLine => decodeInput(JSON.stringify(message));
const request = (id: string, subtype: string): ClientLine =>
  line({type: 'control_request', request_id: id, request: {subtype}});
const prompt = line({type: 'user', message: {role: 'user', content: 'x'}});

async function* of(
  ...lines: readonly (ClientLine | Promise<ClientLine>)[]
): AsyncGenerator<ClientLine, void, undefined> {
  for (const one of lines) yield one;
}

async function all(lines: AsyncIterable<ClientLine>): Promise<readonly ClientLine[]> {
  const read: ClientLine[] = [];
  for await (const one of lines) read.push(one);
  return read;
}

test('up to the greeting, which may come behind other requests; nothing is lost', async () => {
  const [first, greeting] = [request('a', 'mcp_status'), request('g', 'initialize')];
  const opening = await readOpening(of({kind: 'keep-alive'}, first, greeting, prompt));
  expect([opening.lines, opening.initializeId, opening.input]).toEqual([[first, greeting], 'g', 'open']);
  expect(await all(opening.rest)).toEqual([prompt]);
});

test('a prompt needs a session at once', async () => {
  const opening = await readOpening(of(prompt, request('g', 'initialize')));
  expect([opening.lines, opening.initialize]).toEqual([[prompt], undefined]);
});

test('the end of the input ends it', async () => {
  const opening = await readOpening(of(request('a', 'mcp_status')));
  expect([opening.lines.length, opening.input, await all(opening.rest)]).toEqual([1, 'ended', []]);
});

test('whoever asks and falls silent waits for an answer; what it says later is read all the same', async () => {
  const later = Promise.withResolvers<ClientLine>();
  const opening = await readOpening(of(request('a', 'mcp_status'), later.promise, prompt), 1);
  expect([opening.lines.length, opening.input]).toEqual([1, 'open']);
  later.resolve(request('b', 'mcp_status'));
  expect(await all(opening.rest)).toEqual([request('b', 'mcp_status'), prompt]);
});
