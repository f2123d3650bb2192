import {firstLine} from '../../base/clip.ts';
import {type ChangesOutcome, type DecideChanges, emptyChangesOutcome} from '../../actions/changes-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {confines, type Rights} from '../../domain/sandbox.ts';
import type {CommandSandbox, CommandStart, EncloseRequest, Enclosure} from './sandbox.ts';

/** A started process, before weft knows whether the command itself has begun. */
export interface Attempt<Started> {
  readonly started: Started;
  /** Settles when the process has ended. Never rejects. */
  readonly ended: Promise<unknown>;
  /** Called if the process ended before the command began. Closes its files and returns its output. */
  readonly discard: () => Promise<string>;
}

/**
 * Starts a process with `spawn` and resolves when the command has begun. Calls `spawn` again if the sandbox failed
 * before that. A failure is that of `spawn`, or says why there is no sandbox.
 */
export type Begin = <Started>(
  spawn: (start: CommandStart) => Promise<Outcome<Attempt<Started>, string>>,
) => Promise<Outcome<Started, string>>;

/** A prepared start of a command, inside the sandbox or outside. */
export interface Launch {
  /** The first enclosure. Later ones differ only in their mounts. */
  readonly enclosure: Enclosure;
  /** Whether the command has its own view. If so, the started process ends only after all processes of the command. */
  readonly isHeld: boolean;
  /** `complete` turns an enclosure into the program to start. */
  begin(complete: (enclosure: Enclosure) => CommandStart, signal: AbortSignal): Begin;
  /**
   * Decides about the changes in the command's view and releases the sandbox. Call this after all processes of the
   * command have ended. Later calls return the same result. Never rejects.
   */
  end(decide: 'none' | DecideChanges, signal: AbortSignal): Promise<LaunchEnd>;
}

export interface LaunchEnd {
  readonly changes: ChangesOutcome;
  /** Sentences for the model. */
  readonly notes: readonly string[];
}

/** The maximum number of attempts to start one command. */
const maxStarts = 5;

/**
 * Prepares the start of a command in the sandbox. A backend fails if a socket or a file that it should hide disappears
 * before it is mounted over. Such a start is repeated with a fresh list. A failure says why the command may not run.
 */
export async function openLaunch(
  sandbox: Pick<CommandSandbox, 'enclose'>,
  request: EncloseRequest,
): Promise<Outcome<Launch, string>> {
  const first = await sandbox.enclose(request);
  if (first.tag === 'failed') return first;
  let current = first.value;
  let ending: Promise<LaunchEnd> | undefined;

  function close(): readonly string[] {
    if (current.kind === 'plain') return [];
    if (current.view !== 'direct') current.view.close();
    return current.release();
  }

  async function decideChanges(decide: 'none' | DecideChanges, signal: AbortSignal): Promise<LaunchEnd> {
    if (current.kind === 'plain' || current.view === 'direct' || decide === 'none')
      return {changes: emptyChangesOutcome, notes: close()};
    // The changes are always read completely; only the decision can be aborted.
    const held = await current.view.read(new AbortController().signal);
    if (held.tag === 'failed')
      return {
        changes: emptyChangesOutcome,
        notes: [`its changes were dropped: weft could not read them (${held.error})`, ...close()],
      };
    const changes = held.value.changes.length === 0 ? emptyChangesOutcome : await decide(held.value, signal);
    return {changes, notes: close()};
  }

  return ok({
    enclosure: first.value,
    isHeld: first.value.kind === 'enclosed' && first.value.view !== 'direct',
    begin: (complete, signal) => async spawn => {
      for (let attemptNumber = 1; ; attemptNumber += 1) {
        const attempt = await spawn(complete(current));
        if (attempt.tag === 'failed') return attempt;
        const {started, ended, discard} = attempt.value;
        if (current.kind === 'plain' || (await waitForBegin(current.hasBegun, ended, signal))) return ok(started);
        close();
        const words = await discard();
        if (attemptNumber === maxStarts)
          return failed(`the sandbox could not be started: ${firstLine(words.trim(), 300)}`);
        const again = await sandbox.enclose(request);
        if (again.tag === 'failed') return again;
        current = again.value;
      }
    },
    end: (decide, signal) => (ending ??= decideChanges(decide, signal)),
  });
}

/**
 * Prepares the start of a program that a project's settings name. In the sandbox it can change only the workspace. If
 * the machine has no proven sandbox, the program runs unconfined.
 */
export async function openProjectLaunch(
  sandbox: Pick<CommandSandbox, 'enclose' | 'proof'>,
  {start, directory, rights}: {readonly start: CommandStart; readonly directory: string; readonly rights: Rights},
): Promise<Outcome<Launch, string>> {
  const isConfined = (rights === 'confined' || rights === 'network') && confines(await sandbox.proof());
  return openLaunch(isConfined ? sandbox : unconfined, {
    argv: [start.program, ...start.args],
    directory,
    environment: start.environment,
    confinement: 'project',
    hosts: rights === 'network' ? 'all' : 'none',
    terminal: 'own',
  });
}

const unconfined: Pick<CommandSandbox, 'enclose'> = {enclose: async () => ok({kind: 'plain'})};

/** Explains how to give a confined program more rights after it failed. */
export const explainMoreRights = (rights: Rights): string =>
  rights === 'network'
    ? 'it runs in the sandbox and can change only the workspace; set "sandbox": false in its entry to run it outside'
    : 'it runs in the sandbox, can change only the workspace and has no network; set "sandbox": {"network": true} or false in its entry to allow more';

/** Milliseconds between two checks. Making a sandbox takes about ten. */
const lookMs = 2;

/** Milliseconds after which a start that hangs counts as begun. */
const maxLookMs = 30_000;

/**
 * Whether the command begins. If the sandbox can't be made, the started process ends before the command begins. An
 * abort counts as begun, because the code that waits for the command's end handles the abort.
 */
async function waitForBegin(hasBegun: () => boolean, ended: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const {promise, resolve} = Promise.withResolvers<boolean>();
  const until = performance.now() + maxLookMs;
  const timer = setInterval(() => {
    if (signal.aborted || hasBegun() || performance.now() > until) resolve(true);
  }, lookMs);
  void ended.then(() => resolve(signal.aborted || hasBegun()));
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
