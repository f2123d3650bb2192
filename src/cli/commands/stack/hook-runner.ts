import {causeText} from '../../../domain/fault.ts';
import {Failures, readCondition} from '../../../domain/goal.ts';
import type {HookEnd, HookWork, StackWorker, TaskEnd} from '../../../tasks/stack/direct-stack.ts';
import type {RunContext} from '../../../app/run-context.ts';
import {runJudged} from '../serve/sandbox-runs.ts';

export const costBound: TaskEnd = {
  kind: 'out-of-bounds',
  reason: 'the run has reached its cost limit. Raise --max-cost to continue.',
};

/** Runs hooks: commands under the rules of `context`, and prompts with `runPrompt`. */
export function hookRunner(
  context: RunContext,
  runPrompt: (text: string, signal: AbortSignal) => Promise<TaskEnd>,
): StackWorker['runHook'] {
  return async (hook, signal) => {
    if (hook.kind === 'command') return runCommand(hook.command, context, signal);
    if (hook.kind === 'goal') return reachGoal(hook, command => runCommand(command, context, signal), prompt);
    return prompt(hook.prompt);

    async function prompt(text: string): Promise<HookEnd> {
      const end = await runPrompt(text, signal);
      if (end.kind === 'completed') return {kind: 'done'};
      return end.kind === 'interrupted' ? end : {kind: 'failed', reason: end.reason};
    }
  };
}

/** Has an agent work until a command exits with 0. The agent does nothing if it does so at once. */
async function reachGoal(
  {goal, prompt: more}: Extract<HookWork, {kind: 'goal'}>,
  run: (command: string) => Promise<HookEnd>,
  prompt: (text: string) => Promise<HookEnd>,
): Promise<HookEnd> {
  const read = readCondition(goal);
  if (read.tag === 'failed' || read.value.kind !== 'command')
    return {kind: 'refused', reason: `the goal of a hook is a command, such as npm test, and not ${goal}`};
  const {command} = read.value;
  const failures = new Failures();
  for (let attempt = 1; ; attempt += 1) {
    const end = await run(command);
    if (end.kind !== 'failed') return end;
    if (failures.add(end.reason, 'work') === 'stuck')
      return {...end, reason: `${command} failed ${attempt} times, and the failure stays the same: ${end.reason}`};
    const worked = await prompt(
      `${more}\n\nWork until \`${command}\` exits with 0. It is run again when you stop. Now it ends so: ${end.reason}`.trim(),
    );
    if (worked.kind !== 'done') return worked;
  }
}

async function runCommand(command: string, context: RunContext, signal: AbortSignal): Promise<HookEnd> {
  try {
    const ran = await runJudged(
      {
        what: {kind: 'command', command},
        // `auto`: the default backend if it works.
        provider: context.settings.sandbox === 'auto' ? undefined : context.settings.sandbox,
        network: 'closed',
        apply: 'yes',
      },
      {context},
      signal,
    );
    if (signal.aborted) return {kind: 'interrupted'};
    if (ran.tag === 'failed') return {kind: ran.error.status === 403 ? 'refused' : 'failed', reason: ran.error.error};
    const {exitCode, stdout, stderr} = ran.value;
    if (exitCode === 0) return {kind: 'done'};
    const said = stderr.trim() || stdout.trim();
    return {kind: 'failed', reason: `exit code ${String(exitCode)} ${said.slice(-maxStderr)}`.trim()};
  } catch (cause) {
    return {kind: 'failed', reason: causeText(cause)};
  }
}

/** The maximum number of UTF-16 units of a failing hook's stderr, or of its stdout, in its reason. */
const maxStderr = 500;
