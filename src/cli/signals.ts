import {basename} from 'node:path';
import type {AgentClient} from '../agent/client.ts';
import {exitCode, type ExitCode} from '../app/exit-code.ts';

const watched = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
type Watched = (typeof watched)[number];

const numbers = {SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15} as const satisfies Record<Watched, number>;

/** In this variable `bin/weft.js` passes the signals that were ignored: the mask of Linux (`SigIgn`), or what the shell's `trap` prints. */
const ignoredVariable = 'WEFT_IGNORED_SIGNALS';

let ignored: ReadonlySet<Watched> = new Set();

/**
 * Lets signals that were ignored when weft started (`nohup weft`, `weft &` in a script) stay ignored. Node itself puts them back to
 * their default action before any of this runs, so a shell has looked before; children do not get the variable.
 */
export function keepIgnoredSignals(environment: NodeJS.ProcessEnv): void {
  ignored = ignoredSignals(environment);
  delete environment[ignoredVariable];
  for (const signal of ignored) process.on(signal, () => {});
}

/** Calls `stop` with the exit code on each signal that ends weft, unless the signal was ignored when weft started. */
export function onStopSignal(stop: (code: ExitCode) => void): void {
  onSignal('SIGINT', () => stop(exitCode.interrupted));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => stop(exitCode.terminated));
}

/** Calls the listener on a signal, unless the signal was ignored when weft started. */
export function onSignal(signal: Exclude<Watched, 'SIGQUIT'>, listener: () => void): void {
  if (!ignored.has(signal)) process.on(signal, listener);
}

export function ignoredSignals(environment: NodeJS.ProcessEnv): ReadonlySet<Watched> {
  const found = environment[ignoredVariable];
  // Started as `nohup node weft.js` no shell has looked, but the user's own shell has left the name of what it started.
  if (found === undefined) return new Set(basename(environment['_'] ?? '') === 'nohup' ? ['SIGHUP'] : []);
  if (/^[0-9a-f]+$/u.test(found)) {
    const mask = BigInt(`0x${found}`);
    return new Set(watched.filter(signal => ((mask >> BigInt(numbers[signal] - 1)) & 1n) === 1n));
  }
  const named = new Set([...found.matchAll(/^trap -- '' (?:SIG)?([A-Z]+)$/gmu)].map(([, name]) => `SIG${name}`));
  return new Set(watched.filter(signal => named.has(signal)));
}

/** The process ends at most this many milliseconds after it was told to stop, whatever hangs. */
const stopWithinMs = 3000;
/** Milliseconds that remaining output may take when nobody reads it. */
const remainingOutputMs = 1000;

interface Stopper {
  /** The exit code for what stopped the run; `undefined` while nothing has. */
  stopped(): ExitCode | undefined;
  stop(code: ExitCode): void;
  /** Settles when the engine has stopped and stdout has had time to drain: output that is still waiting may be given up. */
  readonly gaveUp: Promise<void>;
}

/**
 * Makes SIGINT, SIGTERM and SIGHUP (and `stop`) end what the engine runs, wait until it has settled, and decide the exit code. A second
 * signal changes nothing: the first one ends weft within `stopWithinMs`, with nothing left running. A signal that was ignored when weft
 * started stays ignored.
 */
export function stopOnSignals(engine: AgentClient): Stopper {
  let code: ExitCode | undefined;
  const {promise: gaveUp, resolve: giveUp} = Promise.withResolvers<void>();
  const stop = (wanted: ExitCode): void => {
    if (code !== undefined) return;
    code = wanted;
    setTimeout(() => process.exit(wanted), stopWithinMs).unref();
    if (wanted !== exitCode.terminated) engine.submit({op: 'interrupt'});
    const closed = engine.close(wanted === exitCode.terminated ? 'shutdown' : 'finished');
    void closed.finally(() => setTimeout(giveUp, remainingOutputMs).unref());
  };
  onStopSignal(stop);
  return {stopped: () => code, stop, gaveUp};
}
