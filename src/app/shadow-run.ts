import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {constants} from 'node:os';
import {join, relative} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import type {Places} from '../config/places.ts';
import {causeText} from '../domain/fault.ts';
import {runTagVariable} from '../workspace/exec/shell-environment.ts';
import {realPath} from '../workspace/files/resolve-path.ts';
import {removeLeftSessions} from '../workspace/sandbox/leftovers.ts';
import {openShadow} from '../workspace/sandbox/shadow.ts';
import {taggedRun} from './command-sandbox.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import {signalChild} from '../workspace/signal-child.ts';

/** The variable that tells weft that it works in a shadow of a workspace. */
const variable = 'WEFT_SHADOW';

const shadowPlace = z.object({
  kind: z.enum(['view', 'copy']),
  reason: z.string(),
  directory: z.string(),
  /** The real workspace folders, and those of the shadow, in the same order. */
  real: z.array(z.string()),
  roots: z.tuple([z.string()], z.string()),
  report: z.string(),
  /** The text that the process outside passes on. */
  given: z.string(),
});

export type ShadowPlace = z.infer<typeof shadowPlace>;

/** Returns the shadow in which this process works, if any. Hides it from the processes that this one starts. */
export function takeShadowPlace(): ShadowPlace | undefined {
  const text = process.env[variable];
  delete process.env[variable];
  const json = text === undefined ? undefined : parseJson(text);
  return json?.tag === 'ok' ? shadowPlace.parse(json.value) : undefined;
}

interface ShadowRun {
  readonly code: number;
  /** The report of the process inside, if it came to that. */
  readonly report: string | undefined;
}

/**
 * Runs this command line of weft once more, in a shadow of the workspace, on weft's own terminal. The shadow is gone
 * afterwards, even if weft is killed. `stdout` may be stderr's. A failure says why it did not start.
 */
export async function runInShadow(
  {
    directory,
    roots: given,
    places,
  }: {readonly directory: string; readonly roots: readonly [string, ...string[]]; readonly places: Places},
  {stdout, pass}: {readonly stdout: 1 | 2; readonly pass: string},
): Promise<Outcome<ShadowRun, string>> {
  await removeLeftSessions(places.data);
  const stopping = new AbortController();
  let stop = (_signal: NodeJS.Signals): void => stopping.abort();
  const listen = (signal: NodeJS.Signals): void => stop(signal);
  for (const signal of stopSignals) process.on(signal, listen);
  const [first, ...others] = given;
  const real = [realPath(first), ...others.map(realPath)] as const;
  try {
    const opened = await openShadow({roots: real, data: places.data}, stopping.signal);
    if (opened.tag === 'failed') return opened;
    const {kind, reason, roots, launcher, folders, close} = opened.value;
    const tagged = await taggedRun({places}, folders);
    try {
      const inside = join(roots[0], relative(real[0], realPath(directory)));
      const report = join(folders[0] ?? '', 'report');
      const place: ShadowPlace = {
        kind,
        reason,
        directory: inside,
        real: [...real],
        roots: [...roots],
        report,
        given: pass,
      };
      const [program, ...args] = [
        ...(launcher.length === 0 ? [] : [...launcher, inside]),
        process.execPath,
        ...process.execArgv,
        ...process.argv.slice(1),
      ];
      const child = spawn(program ?? '', args, {
        cwd: inside,
        env: {
          ...process.env,
          [variable]: JSON.stringify(place),
          [runTagVariable]: tagged.runTag,
          // A view of a part of a repository is a mount, at which git would stop looking for the repository.
          ...(kind === 'view' && {GIT_DISCOVERY_ACROSS_FILESYSTEM: '1'}),
        },
        stdio: [0, stdout, 2],
      });
      // The terminal may have sent the signal to the process inside as well. A second one changes nothing.
      stop = signal => signalChild(child, signal);
      const code = await new Promise<number | string>(resolve => {
        child.once('error', cause => resolve(causeText(cause)));
        child.once('exit', (status, signal) =>
          resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])),
        );
      });
      if (typeof code === 'string') return failed(code);
      return ok({code, report: tryOr(() => readFileSync(report, 'utf8'), undefined)});
    } finally {
      await tagged.end();
      await close();
    }
  } finally {
    for (const signal of stopSignals) process.off(signal, listen);
  }
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns the exit code of weft for that of a process in a shadow. */
export const codeOfShadow = (code: number): ExitCode =>
  Object.values(exitCode).find(each => each === code) ?? exitCode.failed;
