import {createServer, type ServerResponse} from 'node:http';
import {expect, test} from 'vitest';
import {makeHttpFetch, readServerEvents, takeBody} from '../../../src/models/http-fetch.ts';

test('a comment is an empty batch, so that a server that only sends comments counts as alive', async () => {
  const {promise, resolve} = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, {'content-type': 'text/event-stream'}).write(': processing\n\n');
    resolve(response);
  });
  await new Promise<void>(listening => {
    server.listen(0, '127.0.0.1', listening);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const response = await makeHttpFetch({})(`http://127.0.0.1:${port}/`);
  const batches = readServerEvents(takeBody(response), 'stream');
  expect((await batches.next()).value).toEqual([]);
  (await promise).end('data: a\n\n: more\n\ndata: b\n\n');
  const rest: string[] = [];
  for await (const batch of batches) rest.push(...batch);
  expect(rest).toEqual(['a', 'b']);
  server.close();
});
