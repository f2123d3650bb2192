import {basename} from 'node:path';

const watched = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
type Watched = (typeof watched)[number];

const numbers = {SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15} as const satisfies Record<Watched, number>;

/** Where `bin/weft.js` leaves what was ignored: the mask of Linux (`SigIgn`), or what the shell's `trap` prints. */
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
