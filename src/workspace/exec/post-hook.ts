import type {IncomingMessage, RequestOptions} from 'node:http';
import {causeText} from '../../domain/fault.ts';
import {type HookOutput, type HookPost, maxHookOutput} from '../../domain/hook.ts';
import type {Environment} from './shell-environment.ts';

/**
 * Sends a hook's input to a server and reads its answer, which is bounded. Does not follow redirects: the answer is
 * then the redirect's status. Header values may name variables that the hook lists; others are empty.
 */
export async function postHook(
  {url, headers, variables}: HookPost,
  {body, environment}: {readonly body: string; readonly environment: Environment},
  signal: AbortSignal,
): Promise<HookOutput> {
  const {request} = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const options: RequestOptions = {
    method: 'POST',
    signal,
    headers: {
      ...Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !/^(?:content-length|transfer-encoding|host)$/iu.test(name))
          .map(([name, value]) => [name, expandVariables(value, {variables, environment})]),
      ),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  };
  try {
    const answered = Promise.withResolvers<IncomingMessage>();
    request(url, options, answered.resolve).once('error', answered.reject).end(body);
    const response = await answered.promise;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      const piece = Buffer.from(chunk);
      bytes += piece.length;
      if (bytes > maxHookOutput) return ended({kind: 'too-long'});
      chunks.push(piece);
    }
    return ended({kind: 'responded', status: response.statusCode ?? 0}, Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    // The server can't be reached, or a header contains a character that is not allowed in headers.
    return ended(signal.aborted ? {kind: 'aborted'} : {kind: 'not-started', why: causeText(cause)});
  }
}

const ended = (end: HookOutput['end'], stdout = ''): HookOutput => ({end, stdout, stderr: ''});

const expandVariables = (
  value: string,
  {variables, environment}: {readonly variables: readonly string[]; readonly environment: Environment},
): string =>
  value.replaceAll(/\$(?:\{(\w+)\}|(\w+))/gu, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return variables.includes(name) ? (environment[name] ?? '') : '';
  });
