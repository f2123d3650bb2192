import {createServer, type ServerResponse} from 'node:http';
import {expect, test} from 'vitest';
import {makeHttpFetch, readServerEvents, takeUnreadBody} from '../../../src/models/http-fetch.ts';
import {loopbackPort} from '../../support/loopback-port.ts';

/** Serves one response, whose body the test writes. */
async function openResponse() {
  const {promise, resolve} = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, {'content-type': 'text/event-stream'}).flushHeaders();
    resolve(response);
  });
  const port = await loopbackPort(server);
  const body = takeUnreadBody(await makeHttpFetch({})(`http://127.0.0.1:${port}/`));
  return {body, response: await promise, [Symbol.dispose]: () => void server.close()};
}

test('a comment is an empty batch, so that a server that only sends comments counts as alive', async () => {
  using served = await openResponse();
  served.response.write(': processing\n\n');
  const batches = readServerEvents(served.body, 'stream');
  expect((await batches.next()).value).toEqual([]);
  served.response.end('data: a\n\n: more\n\ndata: b\n\n');
  const rest: string[] = [];
  for await (const batch of batches) rest.push(...batch);
  expect(rest).toEqual(['a', 'b']);
});

test.each([
  ['\uFEFFdata: {"a": 1}\r\n\r\n: more\n\ndata: {"b": 2}', ['{"a": 1}', '{"b": 2}']],
  [': alive\n\nevent: error\ndata: {}', ['{}']],
  ['{"data": "data: {}"}', ['{"data": "data: {}"}']],
])('a body that the server calls JSON may be a stream: %j', async (text, payloads) => {
  using served = await openResponse();
  served.response.end(text);
  const batches: (readonly string[])[] = [];
  for await (const batch of readServerEvents(served.body, 'json')) batches.push(batch);
  expect(batches).toEqual([payloads]);
});
