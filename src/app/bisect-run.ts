import * as z from 'zod/mini';
import type {Queries, Query} from '../agent/client.ts';
import {firstLine, pluralize} from '../base/clip.ts';
import {parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {runProgram} from '../workspace/run-program.ts';

const answer = z.union([
  z.object({bad: z.object({label: z.string(), prompt: z.string()}), step: z.string(), runs: z.number()}),
  z.object({bad: z.null(), reason: z.enum(['passes-at-end', 'fails-at-start'])}),
]);

/** The longest search, in milliseconds, and the maximum number of bytes that the search prints. */
const limitMs = 2 ** 31 - 1;
const maxOutput = 1024 * 1024;

/** Runs `weft bisect` beside this process, which has the session open. */
export async function runBisect(
  {session, command}: Pick<Query<'bisect'>, 'session' | 'command'>,
  signal: AbortSignal,
): Promise<Outcome<Queries['bisect']['answer'], Fault>> {
  const args = [...process.execArgv, process.argv[1] ?? '', 'bisect', '--json', '--session', session, '--', command];
  const run = {folder: process.cwd(), environment: process.env, input: '', limitMs, maxOutput};
  const {output, stderr} = await runProgram(process.execPath, args, run, signal);
  signal.throwIfAborted();
  const json = parseJson(output.toString('utf8'));
  const read = json.tag === 'ok' ? answer.safeParse(json.value) : undefined;
  if (read?.success !== true)
    return failed(rejected(`Can't bisect: ${(stderr.trim().split('\n').at(-1) ?? '').replace(/^weft: /u, '')}`));
  if (read.data.bad === null)
    return failed(
      rejected(
        read.data.reason === 'fails-at-start'
          ? 'The command fails before the session changed anything, too.'
          : 'The command passes after the last change of the session.',
      ),
    );
  const {bad, step, runs} = read.data;
  const text = `Broken by: ${bad.label}\nPrompt: ${firstLine(bad.prompt, 200)} (${pluralize(runs, 'run')})`;
  return ok({text, step});
}
