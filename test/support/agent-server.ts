import {once} from 'node:events';
import {request} from 'node:http';
import {expect} from 'vitest';
import {type ModelServer, type Script, startModelServer} from './model-server.ts';
import {TempPlace} from './run-weft.ts';
import {pointedAt} from './scene.ts';
import {WeftServer} from './weft-server.ts';

/** A server whose model is scripted, in a place of its own. */
export interface AgentServer extends AsyncDisposable {
  readonly place: TempPlace;
  readonly model: ModelServer;
  readonly server: WeftServer;
  /** Starts another one on the same data. */
  again(): Promise<WeftServer>;
}

export async function serve(script: Script, environment: Readonly<Record<string, string>> = {}): Promise<AgentServer> {
  const place = new TempPlace();
  const model = await startModelServer(script);
  const start = (): Promise<WeftServer> =>
    WeftServer.start({place, environment: {...pointedAt(model), ...environment}});
  const server = await start();
  const servers = [server];
  return {
    place,
    model,
    server,
    async again() {
      const next = await start();
      servers.push(next);
      return next;
    },
    async [Symbol.asyncDispose]() {
      for (const each of servers) {
        await each[Symbol.asyncDispose]();
      }
      await model.close();
      place[Symbol.dispose]();
    },
  };
}

export interface AgentMessage {
  readonly type: string;
  readonly sessionId?: string;
  readonly message?: string;
  readonly isError?: boolean;
  readonly plan?: {readonly id: string; readonly state: string; readonly steps: readonly {readonly status: string}[]};
  readonly permission?: {readonly id: string; readonly questionId?: string; readonly toolName: string};
}

/** Sends a request whose answer are events, and hands out each; their numbers follow on that of the last one `after` which they are asked for. */
export async function* agentEvents(
  server: WeftServer,
  method: 'GET' | 'POST',
  path: string,
  {body, after}: {readonly body?: object; readonly after?: number} = {},
): AsyncGenerator<AgentMessage> {
  const outgoing = request({
    host: server.url.hostname,
    port: server.url.port,
    method,
    path,
    agent: false,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body === undefined ? {} : {'content-type': 'application/json'}),
      ...(after === undefined ? {} : {'last-event-id': String(after)}),
    },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
  let rest = '';
  let number = after ?? 0;
  for await (const chunk of response.setEncoding('utf8')) {
    const frames = (rest + String(chunk)).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames.filter(each => !each.startsWith(':'))) {
      number += 1;
      const [id, data = ''] = frame.split('\n');
      expect(id).toBe(`id: ${number}`);
      yield JSON.parse(data.slice('data: '.length));
    }
  }
}
