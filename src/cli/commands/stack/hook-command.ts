import {causeText} from '../../../domain/fault.ts';
import type {HookEnd} from '../../../tasks/stack/direct-stack.ts';
import type {RunContext} from '../../../app/run-context.ts';
import {runJudged} from '../serve/sandbox-runs.ts';

/** Runs the command of a hook under the rules of a run, unless they refuse it. */
export async function runHookCommand(command: string, context: RunContext, signal: AbortSignal): Promise<HookEnd> {
  try {
    const ran = await runJudged(
      {
        what: {kind: 'command', command},
        // `auto` is whichever works.
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
    return {kind: 'failed', reason: `exit code ${String(exitCode)} ${stderr.trim().slice(-mostStderr)}`.trim()};
  } catch (cause) {
    return {kind: 'failed', reason: causeText(cause)};
  }
}

/** UTF-16 units of what a failing hook wrote that are told. */
const mostStderr = 500;
