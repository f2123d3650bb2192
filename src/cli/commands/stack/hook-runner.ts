import {causeText} from '../../../domain/fault.ts';
import {type Condition, conditionText, Failures, jsonFailure, readCondition} from '../../../domain/goal.ts';
import {type CheckSetting, commandIn, hidingText, shellWord} from '../../../domain/receipt.ts';
import {doubtOfOutput} from '../../../agent/check-counts.ts';
import {checkKindsIn, hidingIn} from '../../../safety/commands/checks.ts';
import {unreachable} from '../../../base/unreachable.ts';
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
    const run = (command: string): Promise<RanHook> => runCommand(command, context, signal);
    if (hook.kind === 'command') return (await run(hook.command)).end;
    if (hook.kind === 'goal') return reachGoal(hook, {run, prompt, checks: context.settings.checks});
    return prompt(hook.prompt);

    async function prompt(text: string): Promise<HookEnd> {
      const end = await runPrompt(text, signal);
      if (end.kind === 'completed') return {kind: 'done'};
      return end.kind === 'interrupted' ? end : {kind: 'failed', reason: end.reason};
    }
  };
}

interface GoalPorts {
  readonly run: (command: string) => Promise<RanHook>;
  readonly prompt: (text: string) => Promise<HookEnd>;
  readonly checks: readonly CheckSetting[];
}

/** Has an agent work until a condition holds. The agent does nothing if it holds at once. */
async function reachGoal(
  {goal, prompt: more}: Extract<HookWork, {kind: 'goal'}>,
  {run, prompt, checks}: GoalPorts,
): Promise<HookEnd> {
  const read = readCondition(goal);
  if (read.tag === 'failed') return {kind: 'refused', reason: `its goal can't be checked: ${read.error}`};
  const test = testOf(read.value, checks);
  if ('refused' in test) return {kind: 'refused', reason: test.refused};
  const text = conditionText(read.value);
  const failures = new Failures();
  for (let attempt = 1; ; attempt += 1) {
    const ran = await run(test.command);
    const {end, output} = ran;
    const isTested = end.kind === 'done' || (end.kind === 'failed' && read.value.kind === 'json' && output !== '');
    const reason = isTested ? test.failure(ran) : end.kind === 'failed' ? end.reason : '';
    if (reason === '') return isTested ? {kind: 'done'} : end;
    if (failures.add(reason, 'work') === 'stuck')
      return {kind: 'failed', reason: `${goal} failed ${attempt} times, and the failure stays the same: ${reason}`};
    const worked = await prompt(
      `${more}\n\nWork until ${text}. It is checked again when you stop. Now it ends so: ${reason}`.trim(),
    );
    if (worked.kind !== 'done') return worked;
  }
}

/** A command that tests a condition. `failure` returns why what it printed does not meet the condition, empty if it does. */
type ConditionTest =
  | {readonly command: string; readonly failure: (ran: RanHook) => string}
  | {readonly refused: string};

/** Files are read by a command, so rules and the sandbox hold for them. */
function testOf(condition: Condition, checks: readonly CheckSetting[]): ConditionTest {
  switch (condition.kind) {
    case 'command':
      return byExitCode(condition.command, 'written');
    case 'check': {
      const named = checks.find(({name}) => name === condition.name);
      return named === undefined
        ? {refused: `the setting checks names no ${condition.name}`}
        : byExitCode(commandIn(named), 'named');
    }
    case 'file':
      return {
        command: `cat -- ${shellWord(condition.path)}`,
        failure: ({output}) => (output.includes(condition.text) ? '' : 'the file does not contain it'),
      };
    case 'json': {
      const {from} = condition;
      return {
        command: from.kind === 'file' ? `cat -- ${shellWord(from.path)}` : from.command,
        failure: ({output}) => jsonFailure(output, condition),
      };
    }
    default:
      return unreachable(condition);
  }
}

function byExitCode(command: string, source: 'written' | 'named'): ConditionTest {
  const hidden = hidingText(command, hidingIn(command), source);
  if (hidden !== '') return {refused: hidden};
  return {command, failure: ({output, errors}) => doubtOfOutput(`${output}\n${errors}`, checkKindsIn(command))};
}

/** The end of a command, and what it printed on stdout and stderr. */
interface RanHook {
  readonly end: HookEnd;
  readonly output: string;
  readonly errors: string;
}

async function runCommand(command: string, context: RunContext, signal: AbortSignal): Promise<RanHook> {
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
    if (signal.aborted) return {end: {kind: 'interrupted'}, output: '', errors: ''};
    if (ran.tag === 'failed')
      return {
        end: {kind: ran.error.status === 403 ? 'refused' : 'failed', reason: ran.error.error},
        output: '',
        errors: '',
      };
    const {exitCode, stdout, stderr} = ran.value;
    if (exitCode === 0) return {end: {kind: 'done'}, output: stdout, errors: stderr};
    const said = stderr.trim() || stdout.trim();
    const reason = `exit code ${String(exitCode)} ${said.slice(-maxStderr)}`.trim();
    return {end: {kind: 'failed', reason}, output: stdout, errors: stderr};
  } catch (cause) {
    return {end: {kind: 'failed', reason: causeText(cause)}, output: '', errors: ''};
  }
}

/** The maximum number of UTF-16 units of a failing hook's stderr, or of its stdout, in its reason. */
const maxStderr = 500;
