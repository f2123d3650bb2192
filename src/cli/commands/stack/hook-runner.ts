import {causeText} from '../../../domain/fault.ts';
import type {HookEnd, StackWorker, TaskEnd} from '../../../tasks/stack/direct-stack.ts';
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
    const end = await runPrompt(hook.prompt, signal);
    if (end.kind === 'completed') return {kind: 'done'};
    return end.kind === 'interrupted' ? end : {kind: 'failed', reason: end.reason};
  };
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
    const {exitCode, stderr} = ran.value;
    if (exitCode === 0) return {kind: 'done'};
    return {kind: 'failed', reason: `exit code ${String(exitCode)} ${stderr.trim().slice(-maxStderr)}`.trim()};
  } catch (cause) {
    return {kind: 'failed', reason: causeText(cause)};
  }
}

/** The maximum number of UTF-16 units of a failing hook's stderr in its reason. */
const maxStderr = 500;
