import {createServer, request} from 'node:http';
import {connect, type Socket} from 'node:net';
import {loopbackPort} from './loopback-port.ts';

export interface ProxyServer extends AsyncDisposable {
  readonly address: string;
  /** What was asked of it: `CONNECT model.example:443` or `POST http://…`, with the credentials that came along. */
  readonly asked: readonly string[];
}

/** A proxy on loopback: whatever host it is asked for, it goes to `port` here. `status` refuses instead. */
export async function startProxy(
  port: number,
  {status = 200, credentials}: {readonly status?: number; readonly credentials?: string} = {},
): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const answerTo = (line: string, given: string | undefined): number => {
    const said = given === undefined ? '' : ` as ${Buffer.from(given.replace('Basic ', ''), 'base64').toString()}`;
    asked.push(line + said);
    return credentials !== undefined && said !== ` as ${credentials}` ? 407 : status;
  };
  const server = createServer((incoming, outgoing) => {
    const code = answerTo(`${incoming.method} ${incoming.url}`, incoming.headers['proxy-authorization']);
    if (code !== 200) {
      outgoing.writeHead(code, {'content-type': 'text/html'}).end('<h1>No</h1>');
      return;
    }
    const {pathname} = new URL(incoming.url ?? '');
    const {method, headers} = incoming;
    const forward = request({port, host: '127.0.0.1', path: pathname, method, headers}, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      answer.pipe(outgoing);
    });
    outgoing.on('close', () => forward.destroy());
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  server.on('connect', (incoming, client: Socket) => {
    const code = answerTo(`CONNECT ${incoming.url}`, incoming.headers['proxy-authorization']);
    if (code !== 200) {
      client.end(`HTTP/1.1 ${code} Not today\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const tunnel = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(client).pipe(tunnel);
    });
    for (const socket of [client, tunnel]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [client, tunnel].forEach(one => one.destroy()));
    }
  });
  return {
    address: `127.0.0.1:${await loopbackPort(server)}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    },
  };
}
