import * as z from 'zod/mini';
import type {Queries, Query} from '../agent/client.ts';
import {firstLine, pluralize} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {maxTimerMs} from '../base/timer-limits.ts';
import {bisectMisses, bisectMissText} from '../domain/bisect.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {runWeft} from './run-weft.ts';

const answer = z.union([
  z.object({bad: z.object({label: z.string(), prompt: z.string()}), step: z.string(), runs: z.number()}),
  z.object({bad: z.null(), reason: z.enum(bisectMisses)}),
]);

/** The maximum number of bytes that the search prints. */
const maxOutput = 1024 * 1024;

/** Runs `weft bisect` beside this process, which has the session open. */
export async function runBisect(
  {session, command}: Pick<Query<'bisect'>, 'session' | 'command'>,
  signal: AbortSignal,
): Promise<Outcome<Queries['bisect']['answer'], Fault>> {
  const args = ['bisect', '--json', '--session', session, '--', command];
  const ran = await runWeft(args, {environment: process.env, limitMs: maxTimerMs, maxOutput}, signal);
  signal.throwIfAborted();
  if (ran.tag === 'failed') return failed(rejected(`Can't bisect: ${ran.error}`));
  const end = answer.parse(ran.value);
  if (end.bad === null) return failed(rejected(`Found no call: ${bisectMissText(end.reason)}.`));
  const {bad, step, runs} = end;
  const text = `Broken by: ${bad.label}\nPrompt: ${firstLine(bad.prompt, 200)} (${pluralize(runs, 'run')})`;
  return ok({text, step});
}
