import {randomUUID} from 'node:crypto';
import type {Engine} from '../agent/engine.ts';
import {runHeadless} from '../headless/run-headless.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import type {outputFormats} from './program.ts';

export interface PrintJob {
  readonly engine: Engine;
  readonly prompt: string;
  readonly format: (typeof outputFormats)[number];
  readonly partials: 'with' | 'without';
  readonly version: string;
  readonly timeoutSeconds: number | 'none';
  readonly note: (line: string) => void;
}

/**
 * Answers one prompt on stdout. A signal or the time limit interrupts the engine, waits until all it started has settled, and
 * decides the exit code; a second signal leaves at once.
 */
export async function runPrint(job: PrintJob): Promise<ExitCode> {
  const {engine} = job;
  let stopped: ExitCode | undefined;
  const stop = (code: ExitCode): void => {
    if (stopped !== undefined) process.exit(stopped);
    stopped = code;
    if (code === exitCode.terminated) void engine.close('shutdown');
    else engine.submit({op: 'interrupt'});
  };
  const signals = [
    ['SIGINT', exitCode.interrupted],
    ['SIGTERM', exitCode.terminated],
    ['SIGHUP', exitCode.terminated],
  ] as const;
  for (const [signal, code] of signals) process.on(signal, () => stop(code));
  const timer =
    job.timeoutSeconds === 'none' ? undefined : setTimeout(() => stop(exitCode.timeLimit), job.timeoutSeconds * 1000);
  const end = await runHeadless({
    engine,
    prompt: job.prompt,
    images: [],
    output: {format: job.format, partials: job.partials},
    stdout: process.stdout,
    note: job.note,
    uuid: () => randomUUID(),
    version: job.version,
  });
  clearTimeout(timer);
  await engine.close('finished');
  if (stopped === exitCode.timeLimit) job.note(`the time limit of ${job.timeoutSeconds} s was reached`);
  return stopped ?? end.exitCode;
}
