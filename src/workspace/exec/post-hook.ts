import type {RequestOptions} from 'node:http';
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
  return new Promise(resolve => {
    const settle = (end: HookOutput['end'], stdout = ''): void => resolve({end, stdout, stderr: ''});
    const failed = (cause: unknown): void =>
      settle(signal.aborted ? {kind: 'aborted'} : {kind: 'not-started', why: causeText(cause)});
    try {
      const sent = request(url, options, response => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= maxHookOutput) return;
          settle({kind: 'too-long'});
          sent.destroy();
        });
        response.once('error', failed);
        response.once('end', () =>
          settle({kind: 'responded', status: response.statusCode ?? 0}, Buffer.concat(chunks).toString('utf8')),
        );
      });
      sent.once('error', failed);
      sent.end(body);
    } catch (cause) {
      // A header contains a character that is not allowed in headers.
      failed(cause);
    }
  });
}

const expandVariables = (
  value: string,
  {variables, environment}: {readonly variables: readonly string[]; readonly environment: Environment},
): string =>
  value.replaceAll(/\$(?:\{(\w+)\}|(\w+))/gu, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return variables.includes(name) ? (environment[name] ?? '') : '';
  });
