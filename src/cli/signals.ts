import {basename} from 'node:path';
import type {AgentClient} from '../agent/client.ts';
import {exitCode, type ExitCode} from '../app/exit-code.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';

const watched = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
type Watched = (typeof watched)[number];

const numbers = {SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15} as const satisfies Record<Watched, number>;

/** `bin/weft.js` passes the ignored signals in this variable: Linux's mask (`SigIgn`), or the output of the shell's `trap`. */
const ignoredVariable = 'WEFT_IGNORED_SIGNALS';

let ignored: ReadonlySet<Watched> = new Set();

/**
 * Keeps signals ignored that were ignored when weft started (`nohup weft`, `weft &` in a script). Node resets them to their default
 * action before this code runs, so the launcher looks first and passes them in a variable. Child processes do not get the variable.
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

/** Returns a signal that aborts when a stop signal arrives, and a function that returns the exit code for the first one. */
export function abortOnSignals(): {readonly signal: AbortSignal; readonly stopped: () => ExitCode | undefined} {
  const abort = new AbortController();
  let code: ExitCode | undefined;
  onStopSignal(wanted => {
    code ??= wanted;
    abort.abort();
  });
  return {signal: abort.signal, stopped: () => code};
}

/** Calls the listener on a signal, unless the signal was ignored when weft started. */
export function onSignal(signal: Exclude<Watched, 'SIGQUIT'>, listener: () => void): void {
  if (!ignored.has(signal)) process.on(signal, listener);
}

export function ignoredSignals(environment: NodeJS.ProcessEnv): ReadonlySet<Watched> {
  const found = environment[ignoredVariable];
  // `nohup node weft.js` bypasses the launcher, but `_` still holds the program that the user's shell started.
  if (found === undefined) return new Set(basename(environment['_'] ?? '') === 'nohup' ? ['SIGHUP'] : []);
  if (/^[0-9a-f]+$/u.test(found)) {
    const mask = BigInt(`0x${found}`);
    return new Set(watched.filter(signal => ((mask >> BigInt(numbers[signal] - 1)) & 1n) === 1n));
  }
  const named = new Set([...found.matchAll(/^trap -- '' (?:SIG)?([A-Z]+)$/gmu)].map(([, name]) => `SIG${name}`));
  return new Set(watched.filter(signal => named.has(signal)));
}

/** Milliseconds after a stop signal at which the process ends, even if something hangs. */
const stopWithinMs = 3000;
/** Milliseconds to wait for the rest of the output to be read. */
const remainingOutputMs = 1000;

interface Stopper {
  /** Returns the exit code for the signal or limit that stopped the run; `undefined` if nothing has. */
  stopped(): ExitCode | undefined;
  stop(code: ExitCode): void;
  /** Settles when the engine has stopped and stdout has had time to drain. Output that is still unread may then be dropped. */
  readonly gaveUp: Promise<void>;
}

/**
 * Makes SIGINT, SIGTERM and SIGHUP (and `stop`) end everything that the engine runs, wait until it has settled, and determine the exit
 * code. A second signal changes nothing: the first one ends weft within `stopWithinMs`, and nothing keeps running. A signal that was
 * ignored when weft started stays ignored.
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

/** Waits for work with a session, then closes the session. If a signal stops the session, the error is the exit code for the signal. */
export async function untilStopped<T>(
  engine: AgentClient,
  work: (stopped: Stopper['stopped']) => Promise<T>,
): Promise<Outcome<T, ExitCode>> {
  const stopper = stopOnSignals(engine);
  const done = await Promise.race([work(() => stopper.stopped()).then(ok), stopper.gaveUp]);
  await engine.close('finished');
  const stopped = stopper.stopped();
  return stopped === undefined && done !== undefined ? done : failed(stopped ?? exitCode.failed);
}
