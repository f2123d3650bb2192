import {once} from 'node:events';
import {createServer, type Server} from 'node:net';

/** Lets a server listen on a free port of loopback, and returns the port. */
export async function loopbackPort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Returns a port of loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await loopbackPort(server);
  server.close();
  await once(server, 'close');
  return port;
}
