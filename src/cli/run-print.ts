import type {McpPort} from '../actions/mcp-port.ts';
import {unknownCosts} from '../domain/usage.ts';
import type {PromptSummary} from '../actions/agent-event.ts';
import type {AgentClient} from '../agent/client.ts';
import {endOf, type HeadlessEnd} from '../headless/prompt-summary.ts';
import type {RpcExtras} from '../protocol/rpc/encode-events.ts';
import {makeRenderer, runHeadless} from '../headless/run-headless.ts';
import {exitCode, timeLimitText, type ExitCode} from '../app/exit-code.ts';
import type {outputFormats} from '../app/main-options.ts';
import {stdoutSink} from '../app/output.ts';
import {headlessClock, messageUuid} from '../app/clock-and-ids.ts';
import {stopOnSignals} from './signals.ts';

export interface PrintJob {
  readonly engine: AgentClient;
  readonly prompt: string;
  readonly format: (typeof outputFormats)[number];
  readonly partials: 'with' | 'without';
  readonly hooks: 'with' | 'without';
  readonly agentTexts: 'with' | 'without';
  readonly seedMessages: 'with' | 'without';
  readonly extensions: RpcExtras['extensions'];
  readonly mcp: McpPort;
  readonly version: string;
  readonly timeoutSeconds: number | 'none';
  /** The model whose cost is limited; empty without a cost limit. */
  readonly costLimitOn: string;
  /** Describes the steps of a plan that are left after the prompt; empty if there are none. */
  readonly unfinished: () => string;
  readonly note: (line: string) => void;
}

/**
 * Answers one prompt on stdout. A signal or the time limit interrupts the engine, waits until everything that it started has settled,
 * and determines the exit code. The time limit counts from the start of weft. The exit code is determined when the prompt ends,
 * because the result on stdout contains it.
 */
export async function runPrint(job: PrintJob): Promise<ExitCode> {
  const {engine, timeoutSeconds, note} = job;
  const {format, partials, hooks, agentTexts, seedMessages, version} = job;
  const stopped = (): ExitCode | undefined => stopper.stopped();
  let decided: HeadlessEnd | undefined;
  const decide = (summary: PromptSummary): HeadlessEnd => (decided ??= endOfRun(summary, {job, stopped: stopped()}));
  // Load the renderer before listening for signals: a signal before the prompt is submitted would leave no result.
  const renderer = await makeRenderer(
    {format, partials, hooks, agentTexts, seedMessages},
    {uuid: messageUuid, version, now: () => Date.now(), extensions: job.extensions, mcp: job.mcp, endOf: decide},
  );
  const stopper = stopOnSignals(engine);
  const timer =
    timeoutSeconds === 'none'
      ? undefined
      : setTimeout(() => stopper.stop(exitCode.timeLimit), Math.max(0, timeoutSeconds * 1000 - performance.now()));
  const answered = runHeadless({
    engine,
    prompt: job.prompt,
    images: [],
    renderer,
    stdout: stdoutSink(format === 'text' ? 'text' : 'json'),
    note,
    clock: headlessClock,
    uuid: messageUuid,
    endOf: decide,
  });
  const end = await Promise.race([answered, stopper.gaveUp]);
  clearTimeout(timer);
  await engine.close('finished');
  if (end === 'stdout-closed') return stopped() ?? exitCode.done;
  if (end !== undefined) return end;
  for (const line of stopNotes(job, stopped())) note(line);
  return stopped() ?? exitCode.failed;
}

function endOfRun(
  summary: PromptSummary,
  {job, stopped}: {readonly job: PrintJob; readonly stopped: ExitCode | undefined},
): HeadlessEnd {
  const end = withCostNotes(endOf(summary), summary, job);
  if (stopped !== undefined) return {exitCode: stopped, notes: [...end.notes, ...stopNotes(job, stopped)]};
  const unfinished = job.unfinished();
  return end.exitCode !== exitCode.done || unfinished === ''
    ? end
    : {exitCode: exitCode.failed, notes: [...end.notes, unfinished]};
}

/** Names the sub-agents in other programs whose cost is unknown. For the model itself, a note at the start says so. */
function withCostNotes(end: HeadlessEnd, summary: PromptSummary, {costLimitOn}: PrintJob): HeadlessEnd {
  const unknown = unknownCosts(summary.sessionUsage.models).filter(name => name !== costLimitOn);
  return costLimitOn === '' || unknown.length === 0
    ? end
    : {...end, notes: [...end.notes, `the cost of ${unknown.join(', ')} is unknown, so --max-cost does not count it`]};
}

const stopNotes = ({timeoutSeconds}: PrintJob, stopped: ExitCode | undefined): readonly string[] =>
  stopped === exitCode.timeLimit && timeoutSeconds !== 'none' ? [timeLimitText(timeoutSeconds)] : [];
