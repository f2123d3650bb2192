import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {StatusLineSetting} from '../domain/preferences.ts';
import {endProcessTree} from '../workspace/exec/process-tree.ts';
import {shellEnvironment} from '../workspace/exec/shell-environment.ts';
import {runProgram} from '../workspace/run-program.ts';

/**
 * Runs the user's status line command with `input` on stdin, without weft's keys in its environment. Kills everything that it started
 * when it ends, is too slow or prints too much, and when `signal` aborts.
 */
export async function printStatusLine(
  {command, timeoutMs = defaultTimeoutMs}: StatusLineSetting,
  {input, columns}: {readonly input: JsonObject; readonly columns: number},
  signal: AbortSignal,
): Promise<Outcome<string, string>> {
  const runTag = `status-line-${process.pid}`;
  const sources = {inherited: process.env, userSet: {}, passedThrough: [], roots: []};
  const run = {
    folder: process.cwd(),
    environment: {
      ...shellEnvironment(sources, {runTag, channel: 'pipes', environment: 'inherited'}),
      // The output is for the terminal although it is read through a pipe.
      TERM: process.env['TERM'],
      COLORTERM: process.env['COLORTERM'],
      COLUMNS: String(columns),
    },
    input: `${JSON.stringify(input)}\n`,
    limitMs: timeoutMs,
    maxOutput: 65_536,
    children: 'killed',
  } as const;
  const {kind, code, output, message} = await runProgram('/bin/sh', ['-c', command], run, signal);
  // A child that left the process group still has the tag.
  await endProcessTree({leaders: [], owns: tag => tag === runTag, outputs: []}, 'short');
  switch (kind) {
    case 'exited':
      if (code === 0) return ok(output.toString('utf8'));
      return failed(code === 127 ? 'was not found' : code < 0 ? 'was killed' : `exited with code ${code}`);
    case 'not-started':
      return failed(`can't be run (${message})`);
    case 'too-slow':
      return failed(`took longer than ${timeoutMs} ms. Give it more with "timeoutMs" in the setting statusLine`);
    case 'too-much':
      return failed('printed too much');
    case 'aborted':
      return failed('was stopped');
    default:
      return unreachable(kind);
  }
}

const defaultTimeoutMs = 300;
