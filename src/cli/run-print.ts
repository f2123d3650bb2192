import type {McpPort} from '../actions/mcp-port.ts';
import type {AgentClient} from '../agent/client.ts';
import {makeRenderer} from '../headless/render-events.ts';
import type {RpcExtras} from '../protocol/rpc/encode-events.ts';
import {runHeadless} from '../headless/run-headless.ts';
import {exitCode, timeLimitText, type ExitCode} from './exit-code.ts';
import type {outputFormats} from './flags.ts';
import {stdoutSink} from './output.ts';
import {messageUuid, stallClock} from './headless-ports.ts';
import {stopOnSignals} from './signals.ts';

export interface PrintJob {
  readonly engine: AgentClient;
  readonly prompt: string;
  readonly format: (typeof outputFormats)[number];
  readonly partials: 'with' | 'without';
  readonly hooks: 'with' | 'without';
  readonly agentTexts: 'with' | 'without';
  readonly extensions: RpcExtras['extensions'];
  readonly mcp: McpPort;
  readonly version: string;
  readonly timeoutSeconds: number | 'none';
  readonly note: (line: string) => void;
}

/**
 * Answers one prompt on stdout. A signal or the time limit interrupts the engine, waits until all it started has settled, and
 * decides the exit code. The time limit counts from the start of weft.
 */
export async function runPrint(job: PrintJob): Promise<ExitCode> {
  const {engine, timeoutSeconds, note} = job;
  const {format, partials, hooks, agentTexts, version} = job;
  // The prompt is submitted at once when there is something to stop: what stops it before would leave no result.
  const renderer = await makeRenderer(
    {format, partials, hooks, agentTexts},
    {uuid: messageUuid, version, extensions: job.extensions, mcp: job.mcp},
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
    clock: stallClock,
    uuid: messageUuid,
  });
  const end = await Promise.race([answered, stopper.gaveUp]);
  clearTimeout(timer);
  await engine.close('finished');
  const stopped = stopper.stopped();
  if (stopped === exitCode.timeLimit && timeoutSeconds !== 'none') note(timeLimitText(timeoutSeconds));
  return stopped ?? end?.exitCode ?? exitCode.failed;
}
