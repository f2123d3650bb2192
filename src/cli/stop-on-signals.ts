import type {Engine} from '../agent/engine.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import {onSignal} from './ignored-signals.ts';

/** However much hangs, weft is gone this many milliseconds after it was told to stop. */
const stopWithinMs = 3000;
/** How long what is left to say may take when nobody reads it. */
const lastWordsMs = 1000;

export interface Stopper {
  /** The exit code of what stopped the run, `undefined` while nothing has. */
  stopped(): ExitCode | undefined;
  stop(code: ExitCode): void;
  /** Settles when the engine has stopped and stdout has had its time: whoever still waits for output may give up. */
  readonly given: Promise<void>;
}

/**
 * SIGINT, SIGTERM and SIGHUP (and `stop`) end what the engine runs, wait until it has settled, and decide the exit code. A second
 * signal changes nothing: the first one ends weft within a bound, with nothing left running. What was ignored when weft started
 * stays ignored.
 */
export function stopOnSignals(engine: Engine): Stopper {
  let code: ExitCode | undefined;
  const {promise: given, resolve: give} = Promise.withResolvers<void>();
  const stop = (wanted: ExitCode): void => {
    if (code !== undefined) return;
    code = wanted;
    setTimeout(() => process.exit(wanted), stopWithinMs).unref();
    if (wanted !== exitCode.terminated) engine.submit({op: 'interrupt'});
    const closed = engine.close(wanted === exitCode.terminated ? 'shutdown' : 'finished');
    void closed.finally(() => setTimeout(give, lastWordsMs).unref());
  };
  onSignal('SIGINT', () => stop(exitCode.interrupted));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => stop(exitCode.terminated));
  return {stopped: () => code, stop, given};
}
