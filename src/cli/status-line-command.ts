import {spawn} from 'node:child_process';
import {once} from 'node:events';
import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import type {StatusLineSetting} from '../domain/preferences.ts';
import {withoutTerminals} from '../workspace/exec/hidden-terminals.ts';
import {shellEnvironment} from '../workspace/exec/shell-environment.ts';

/**
 * Runs the user's status line command with `input` on stdin, without weft's keys in its environment. Kills it and everything in its
 * process group when it ends, is too slow or prints too much, and when `signal` aborts.
 */
export async function printStatusLine(
  {command, timeoutMs = defaultTimeoutMs}: StatusLineSetting,
  {input, columns}: {readonly input: JsonObject; readonly columns: number},
  signal: AbortSignal,
): Promise<Outcome<string, string>> {
  if (signal.aborted) return failed('was stopped');
  const sources = {inherited: process.env, userSet: {}, passedThrough: [], roots: []};
  const child = spawn('/bin/sh', ['-c', command], {
    detached: true,
    env: {
      ...shellEnvironment(sources, {runTag: 'status-line', channel: 'pipes', environment: 'inherited'}),
      // The output is for the terminal although it is read through a pipe.
      TERM: process.env['TERM'],
      COLORTERM: process.env['COLORTERM'],
      COLUMNS: String(columns),
    },
    stdio: withoutTerminals(['pipe', 'pipe', 'ignore']),
  });
  const {pid} = child;
  if (pid === undefined) {
    const [cause]: readonly unknown[] = await once(child, 'error');
    return failed(`can't be run (${causeText(cause)})`);
  }
  const kill = (): void => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Everything in the group has ended.
    }
  };
  const {promise, resolve} = Promise.withResolvers<Outcome<string, string>>();
  const stop = (): void => resolve(failed('was stopped'));
  const timer = setTimeout(
    () => resolve(failed(`took longer than ${timeoutMs} ms. Give it more with "timeoutMs" in the setting statusLine`)),
    timeoutMs,
  );
  signal.addEventListener('abort', stop, {once: true});
  process.once('exit', kill);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > maxOutput) resolve(failed('printed too much'));
  });
  // The command may end without reading its input.
  child.stdin.on('error', () => {}).end(`${JSON.stringify(input)}\n`);
  child.once('close', (code, by) => {
    if (code === 0) resolve(ok(output));
    else if (code === 127) resolve(failed('was not found'));
    else resolve(failed(code === null ? `was killed by ${by ?? 'a signal'}` : `exited with code ${code}`));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    process.off('exit', kill);
    kill();
    child.stdout.destroy();
  }
}

const defaultTimeoutMs = 300;
const maxOutput = 65_536;
