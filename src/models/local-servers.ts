import {connect} from 'node:net';
import {isJsonObject, parseJson} from '../base/json.ts';
import {localRows} from './provider-rows.ts';
import type {LocalServer} from '../domain/local-server.ts';

interface Candidate {
  readonly name: string;
  readonly port: number;
}

/** Servers that people run on their own machine, at their default ports. */
export const usualServers: readonly Candidate[] = localRows.map(({title, baseUrl}) => ({
  name: title,
  port: Number(new URL(baseUrl).port),
}));

/** Milliseconds that are more than enough for a server on the same machine to list its models. */
const usualAnswerMs = 300;
const maxBytes = 1024 * 1024;

/**
 * Returns the model servers that answer on this machine, in the order of the candidates. All are queried at once, on
 * loopback only. Answers other than a list of models are ignored, because other programs use the same ports.
 */
export async function findLocalServers(
  candidates: readonly Candidate[],
  signal: AbortSignal,
  answerMs = usualAnswerMs,
): Promise<readonly LocalServer[]> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const found = await Promise.all(candidates.map(candidate => ask(candidate, soon)));
  return found.filter(server => server !== undefined);
}

function ask({name, port}: Candidate, signal: AbortSignal): Promise<LocalServer | undefined> {
  const {promise, resolve} = Promise.withResolvers<LocalServer | undefined>();
  const {get} = process.getBuiltinModule('node:http');
  const request = get({host: '127.0.0.1', port, path: '/v1/models', agent: false}, response => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > maxBytes) request.destroy();
    });
    response.on('error', () => resolve(undefined));
    response.on('end', () => {
      const models = response.statusCode === 200 ? modelsIn(text) : undefined;
      resolve(models === undefined ? undefined : {name, port, baseUrl: `http://127.0.0.1:${port}/v1`, models});
    });
  });
  request.on('error', () => resolve(undefined));
  request.on('close', () => resolve(undefined));
  const stop = (): void => void request.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, {once: true});
  return promise.finally(() => signal.removeEventListener('abort', stop));
}

/** Returns the ids in the server's order. Leaves out models that only embed text, because they cannot answer. */
function modelsIn(text: string): readonly string[] | undefined {
  const parsed = parseJson(text);
  const list = parsed.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value['data'] : undefined;
  // Ollama without any model answers with null.
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ids = list.flatMap(model => (isJsonObject(model) && typeof model['id'] === 'string' ? [model['id']] : []));
  return ids.filter(id => !/\bembed/iu.test(id));
}

/** Returns whether nothing listens at an address of this machine. Does not connect to any other address. */
export function isLocalServerDown(baseUrl: string, signal: AbortSignal): Promise<boolean> {
  const url = URL.parse(baseUrl);
  const host = url?.hostname.replaceAll(/[[\]]/gu, '') ?? '';
  if (url === null || !(host === 'localhost' || host === '::1' || host.startsWith('127.')))
    return Promise.resolve(false);
  const {promise, resolve} = Promise.withResolvers<boolean>();
  const socket = connect({host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80)});
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, {once: true});
  socket.on('connect', stop);
  socket.on('error', cause => resolve('code' in cause && cause.code === 'ECONNREFUSED'));
  socket.on('close', () => resolve(false));
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
